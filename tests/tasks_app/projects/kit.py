"""A draft whose texts can be divided, and the studies made of it."""

from collections.abc import Mapping, Sequence

from django.contrib.auth.models import User

from tasks_app import task_types
from tasks_app.models import Project, Setup
from tasks_app.projects import splitting
from tasks_app.projects.splitting import Split
from tasks_app.setup import changes, starting
from tasks_app.setup.starting import Names

PAIRS = (("de", "en"), ("en", "fr"), ("ja", "en"))
NAMES = Names("Translations", "What makes a good translation?")
CHECKED = {"title": splitting.PATTERN, "public_title": splitting.TITLE, "project": "All pairs"}


def rows_of(pairs: Sequence[tuple[str, str]] = PAIRS, items: int = 4, systems: str = "ab") -> list[dict[str, str]]:
    """Return texts of several language pairs; the source stands in the first row of an item only."""
    return [
        {
            "item": f"{source}-{target}-{number}", "system": system, "output": f"Text {number} of {system}.",
            "language": target, "feature_pair": f"{source}-{target}",
            **({"source": "S.", "source_language": source} if system == systems[0] else {}),
        }
        for source, target in pairs
        for number in range(items)
        for system in systems
    ]  # fmt: skip


def draft(owner: User, rows: Sequence[Mapping[str, str]] = (), **values: object) -> Setup:
    """Return the set-up of a Likert draft with texts; `values` are set in its first task."""
    study = starting.from_type(owner=owner, member=task_types.registry["likert"], names=NAMES)
    setup = Setup.objects.get(study=study)
    changes.replace_table(setup=setup, table="items", rows=rows or rows_of(), by=owner)
    wanted = {"k": 2, "set_size": 4, **values}
    given = {("tasks", 0, name): value for name, value in wanted.items()}
    setup.refresh_from_db()
    return changes.change(setup=setup, values=given, base=setup.revision, by=owner).setup


def made(owner: User, rows: Sequence[Mapping[str, str]] = ()) -> Project:
    """Return a project with a draft for each language pair."""
    split = Split("feature_pair", project="All pairs")
    return splitting.make(setup=draft(owner, rows), split=split, by=owner)
