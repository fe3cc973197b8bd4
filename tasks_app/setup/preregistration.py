"""The file to preregister a study with, before it opens: its questions, its plan and its analysis plan."""

import zipfile
from collections.abc import Iterator, Sequence
from typing import IO

from django.utils.translation import gettext as _

from tasks_app.hooks import sections
from tasks_app.models import Setup, Study
from tasks_app.services.study.lifecycle import refuse_unchecked
from tasks_app.setup import preregistered
from tasks_app.setup.differences import Differences
from tasks_app.setup.files import SetupFiles
from tasks_app.setup.numbers import TaskNumbers, checked_reading, numbers_of
from tasks_app.studyfile.files.yaml_text import dump_given

# The same bytes whenever the same set-up is written.
_TIME = (1980, 1, 1, 0, 0, 0)


def write(
    study: Study,
    target: IO[bytes],
    facts: Sequence[tuple[str, str]],
    plans: Sequence[tuple[str, str]],
    changed: Differences | None = None,
) -> None:
    """Write a zip with preregistration.md, every file of the study as it would be frozen, and additions of other apps.

    `facts` are names and values of what opening freezes, `plans` the sentences about the plan of each task, `changed`
    what differs from the study that this one follows.

    Raises
    ------
    tasks_app.services.study.lifecycle.NotPossible
        Where the form holds something that was not checked.
    """
    refuse_unchecked(study)
    document = sections.snapshot(study)
    setup = Setup.objects.get(study=study)
    files, numbers = SetupFiles(setup), numbers_of(*checked_reading(setup))
    lines = _lines(study, document, facts, plans, numbers.tasks if numbers else ())
    text = "\n".join([*lines, *_changed(study, changed)]) + "\n"
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in (
            ("preregistration.md", text.encode()),
            *((name, files.read(name)) for name in files.names),
            *preregistered.files_of(study),
        ):
            entry = zipfile.ZipInfo(name, _TIME)
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)


def _lines(
    study: Study,
    document: sections.Document,
    facts: Sequence[tuple[str, str]],
    plans: Sequence[tuple[str, str]],
    sizes: Sequence[TaskNumbers],
) -> Iterator[str]:
    yield f"# {_('Preregistration')}: {study.title}"
    yield ""
    yield _("Written before the study was opened to raters: no answer had been given.")
    yield ""
    yield f"- {_('SHA-256 of the design')}: `{sections.digest(document)}`"
    yield f"- {_('Seed of all random choices')}: {study.seed}"
    yield f"- {_('Files beside this one')}: {_('the study file from which evalweb makes the same study again')}"
    yield ""
    yield f"## {_('What opening freezes')}"
    yield ""
    yield from (f"- **{name}**: {value}" for name, value in facts)
    yield ""
    yield f"## {_('Plan')}"
    yield ""
    yield from (f"- **{task}**: {sentence}" for task, sentence in plans if sentence)
    yield ""
    if any(size.smallest for size in sizes):
        yield f"## {_('Power')}"
        yield ""
        yield from (f"- **{size.title}**: {size.smallest}" for size in sizes if size.smallest)
        yield ""
    yield f"## {_('Questions, word for word')}"
    yield ""
    yield from _questions(document["criteria"])
    yield ""
    yield f"## {_('Analysis plan')}"
    yield ""
    yield _("Computed as the planned run; anything else is shown as exploratory.")
    yield ""
    yield "```yaml"
    yield dump_given({"analysis": document.get("analysis", {})}).partition("\n")[2].rstrip()
    yield "```"


def _changed(study: Study, changed: Differences | None) -> Iterator[str]:
    """Yield the differences from the study that this one follows."""
    if changed is None or study.follows is None:
        return
    words = {"title": study.follows.study.title, "n": study.follows.number}
    yield ""
    yield f"## {_('What changed since “%(title)s”, version %(n)d') % words}"
    yield ""
    yield _("The two studies are analysed apart: their results are never pooled.")
    yield f"{_('SHA-256 of the design that it follows')}: `{study.follows.digest}`"
    if not changed:
        yield ""
        yield _("Nothing differs.")
    for title, settings in (
        (_("Changes the design"), changed.design),
        (_("Wording only"), changed.wording),
    ):
        if settings:
            yield ""
            yield f"### {title}"
            yield ""
        for difference in settings:
            yield f"- **{difference.label}**: {_one_line(difference.before)} → {_one_line(difference.after)}"
    for table in changed.tables:
        yield ""
        yield f"### {table.label} ({_('changes the design')})"
        yield ""
        yield from (f"- {row_change.in_words}" for row_change in table.changes)


def _one_line(text: str) -> str:
    return " ".join(text.split()) or "–"


def _questions(criteria: Sequence[sections.Json]) -> Iterator[str]:
    for criterion in criteria:
        ends = criterion["labels"] or [end for end in (criterion["low"], criterion["high"]) if end]
        scale = f" ({' · '.join(ends)})" if ends else ""
        yield f"- **{criterion['name']}**: {criterion['question'] or criterion['name']}{scale}"
        if criterion["definition"]:
            yield f"  {criterion['definition']}"
