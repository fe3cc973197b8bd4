"""Begin a study: from a task type, an example, another study of one's own, or a template.

Each way makes a draft of its own with a set-up, which can be changed before the study is opened.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser
from django.db import IntegrityError, transaction
from django.utils.crypto import get_random_string
from django.utils.text import slugify

from tasks_app.hooks import sections
from tasks_app.hooks.sections import Json
from tasks_app.models import Gold, Media, Setup, SetupRow, Study
from tasks_app.services import events, given_marks
from tasks_app.services.database import atomically
from tasks_app.services.study import correcting, drafts, items
from tasks_app.setup import changes, media
from tasks_app.setup.frozen import setup_of
from tasks_app.studyfile.checking import check, store_counted
from tasks_app.studyfile.columns import TABLES
from tasks_app.studyfile.files.source import STUDY_YAML, open_files
from tasks_app.task_types import TaskType
from tasks_app.task_types.base import Criterion

# A slug may have 80 characters; the rest is for a number that makes it unique.
LONGEST_SLUG = 60

# Reads plain values alone, as SafeLoader does, and is there wherever PyYAML was built with libyaml.
SAFE_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

# The first criterion of a new task whose type needs one and declares none.
QUALITY = Criterion(
    "quality",
    "Overall quality",
    definition="Everything that matters to you in a text like this one.",
    question="How good or bad is this text?",
    low="Very bad",
    high="Very good",
)


@dataclass(frozen=True, slots=True)
class Names:
    """The titles of a new study: for researchers, and for raters."""

    title: str
    public_title: str


@dataclass(frozen=True, slots=True)
class Example:
    """A study that is shipped in the folder examples/."""

    name: str
    folder: Path
    title: str
    public_title: str


@cache
def examples() -> Mapping[str, Example]:
    """Return the shipped studies by the names of their folders."""
    paths = sorted((Path(settings.BASE_DIR) / "examples").glob(f"*/{STUDY_YAML}"))
    return {path.parent.name: example_in(path.parent) for path in paths}


def example_in(folder: Path) -> Example:
    """Return the study that a folder holds."""
    about = read_shipped(folder / STUDY_YAML)["study"]
    return Example(folder.name, folder, about["title"], about["public_title"])


def read_shipped(path: Path) -> dict[str, Any]:
    """Return a document of YAML that is shipped, read by libyaml where it is there: ten times as fast."""
    document: dict[str, Any] = yaml.load(path.read_text(encoding="utf-8"), Loader=SAFE_LOADER)  # noqa: S506  it makes no objects
    return document


def free_slug(title: str) -> str:
    """Return a slug for a title that no study has."""
    base = slugify(title)[:LONGEST_SLUG].strip("-_") or "study"
    taken = drafts.RESERVED_SLUGS | set(Study.objects.filter(slug__startswith=base).values_list("slug", flat=True))
    candidates = (base if n == 1 else f"{base}-{n}" for n in range(1, len(taken) + 2))
    return next(slug for slug in candidates if slug not in taken)


def first_document(member: type[TaskType], criteria: Sequence[Criterion] = ()) -> dict[str, Json]:
    """Return the task and the criteria that a study of a task type begins with, as in study.yaml.

    Without `criteria`, they are those that the type suggests.
    """
    start = member.begins_with
    criteria = criteria or start.criteria or ((QUALITY,) if member.criteria_needed[0] else ())
    task: dict[str, Json] = {"key": "main", "type": member.name}
    if criteria:
        task["criteria"] = [criterion.key for criterion in criteria]
    if start.params:
        task["params"] = dict(start.params)
    most = member(start.params).units_a_rater() if member.needs_items else 1
    if most is not None:
        task["set_size"] = most
    document: dict[str, Json] = {"tasks": [task]}
    if criteria:
        document["criteria"] = [_entry(criterion) for criterion in criteria]
    return document


def _entry(criterion: Criterion) -> dict[str, Json]:
    """Return a criterion as an entry of the study file, without empty values."""
    names = ("key", "name", "kind", "definition", "question", "low", "high", "labels", "anchors")
    given = {name: getattr(criterion, name) for name in names}
    given["labels"] = list(criterion.labels)
    given["anchors"] = dict(criterion.anchors)
    if given["kind"] == "criterion":
        del given["kind"]
    return {name: value for name, value in given.items() if value}


@atomically
def from_type(*, owner: AbstractBaseUser, member: type[TaskType], names: Names) -> Study:
    """Make a draft with one task of a type, and the criteria that the type suggests."""
    study = new_draft(owner, names)
    _fill(study, first_document(member), owner)
    return study


@atomically
def following(
    *,
    owner: AbstractBaseUser,
    origin: Study,
    member: type[TaskType],
    criteria: Sequence[Criterion],
    names: Names,
    params: Mapping[str, Json] | None = None,
    more: Mapping[str, Json] | None = None,
) -> Study:
    """Make a draft with one task of a type, some criteria, and the language and people in charge of another study.

    `params` are those of the task in place of those that its type begins with, and `more` are further sections of the
    study file.
    """
    study = new_draft(owner, names, language=origin.language, timezone=origin.timezone)
    about = _given(origin, setup_of(origin)).get("about")
    document = first_document(member, criteria)
    if params:
        (task,) = document["tasks"]
        task["params"] = dict(params)
    _fill(study, document | ({"about": about} if about else {}) | dict(more or {}), owner)
    return study


def _fill(study: Study, document: Mapping[str, Json], by: AbstractBaseUser) -> None:
    """Begin the set-up of a draft with the sections of a study file."""
    setup = changes.begin(study)
    values: dict[sections.Path, Json] = {(name,): value for name, value in document.items()}
    changes.change(setup=setup, values=values, base=setup.revision, by=by)


# The action of beginning with one table, in the log.
BEGAN_TABLE = "began with a table of ratings"


@atomically
def empty(*, owner: AbstractBaseUser, names: Names, is_imported: bool = False) -> Study:
    """Make a draft without a task, for researchers who begin with the texts.

    `is_imported` says that their ratings come from elsewhere.
    """
    study = new_draft(owner, names)
    if is_imported:
        _fill(study, {"flow": {"imported": True}}, owner)
    else:
        changes.begin(study)
    return study


@atomically
def for_table(*, owner: AbstractBaseUser, names: Names) -> Study:
    """Make a draft for a table of texts and ratings; one of this owner that waits for its table takes the new names.

    So a table that was given up leaves no draft behind.
    """
    began = {"events__verb": BEGAN_TABLE, "events__actor_id": owner.pk, "memberships__user_id": owner.pk}
    waiting = (
        Study.objects.filter(current_version=0, **began)
        .exclude(tasks__isnull=False)
        .exclude(setup__rows__isnull=False)
        .order_by("-id")
        .first()
    )
    if waiting is None:
        study = empty(owner=owner, names=names, is_imported=True)
        events.log(study, owner, BEGAN_TABLE)
        return study
    setup = changes.begin(waiting)
    values: dict[sections.Path, Json] = {
        ("study", "title"): names.title, ("study", "public_title"): names.public_title,
    }  # fmt: skip
    changes.change(setup=setup, values=values, base=setup.revision, by=owner)
    waiting.refresh_from_db()
    waiting.title, waiting.public_title, waiting.slug = names.title, names.public_title, free_slug(names.title)
    waiting.save(update_fields=["title", "public_title", "slug"])
    return waiting


def from_example(*, owner: AbstractBaseUser, example: Example, names: Names) -> Study:
    """Store a shipped study as a draft under another name; without known answers, with a seed of its own."""
    written: list[str] = []
    with open_files(example.folder) as files:
        reading = check(files)
        contents = ((file.sha256, file.kind, files.read(file.name)) for file in reading.media.values())
        try:
            with transaction.atomic():
                about = reading.document["study"]
                seed = about["seed"] if reading.document["controls"] else None
                study = new_draft(owner, names, language=about["language"], timezone=about["timezone"], seed=seed)
                written += store_media(study, contents)
                sections.store(study, reading.document)
                store_counted(study, reading)
                changes.begin(study)
                return study
        except BaseException:
            items.remove_files(written)
            raise


def copy_of(*, origin: Study, by: AbstractBaseUser, names: Names, keep_seed: bool = False) -> Study:
    """Copy the set-up of a study into a new draft: its texts and known answers as well, no rater or rating.

    The copy of an opened study is what was frozen, with the texts that were corrected since. As a draft of which
    nothing was checked yet, it is quickly made of 100,000 texts, too: its own items, units and plan come with *Check
    everything*.
    """
    written: list[str] = []
    contents = ((row.sha256, row.kind, content_of(row)) for row in Media.objects.filter(study=origin))
    try:
        with transaction.atomic():
            seed = origin.seed if keep_seed or _has_known_answers(origin) else None
            study = new_draft(by, names, language=origin.language, timezone=origin.timezone, seed=seed)
            written += store_media(study, contents)
            _copy_setup(origin, study)
            given_marks.copy_authors(origin=origin, study=study)
            events.log(origin, by, "copied", about=study.slug)
            return study
    except BaseException:
        items.remove_files(written)
        raise


def _has_known_answers(study: Study) -> bool:
    """Return whether answers to units are known.

    Which texts are shown together may depend on the seed: with another one, an answer would be that of other texts.
    """
    in_form = SetupRow.objects.filter(setup__study=study, table="controls")
    return in_form.exists() or Gold.objects.filter(unit__task__study=study).exists()


def _given(study: Study, setup: Setup) -> Mapping[str, Json]:
    """Return the content of the form of a study, with the texts that were corrected since it was opened."""
    return correcting.laid_over(setup.given, study)


def _copy_setup(origin: Study, study: Study) -> None:
    """Copy a set-up, which may have gaps; the study's own rows are made of it when it is checked."""
    source = setup_of(origin)
    about = {name: getattr(study, name) for name in ("slug", "title", "public_title", "seed")}
    given = _given(origin, source)
    given = {**given, "study": {**given.get("study", {}), **about}}
    setup = Setup.objects.create(study=study, given=given, consent_answers=source.consent_answers)
    changes.copy_rows(source, setup, [*(table.stem for table in TABLES), media.TABLE])


def store_media(study: Study, contents: Iterable[tuple[str, str, bytes]]) -> list[str]:
    """Store files with a new study; return the names of those written."""
    return [
        name
        for sha256, kind, content in contents
        for name in items.store_media(study=study, sha256=sha256, kind=kind, content=content)
    ]


def content_of(row: Media) -> bytes:
    """Return the content of a file of a study."""
    with row.file.open("rb") as stream:
        return bytes(stream.read())


def new_draft(
    owner: AbstractBaseUser,
    names: Names,
    language: str = "en",
    timezone: str = "UTC",
    seed: int | None = None,
    slug: str = "",
) -> Study:
    """Make an empty draft under a free slug, or the one that is given as long as it is free; needs a transaction."""

    def draft(slug: str) -> Study:
        return drafts.create_draft(
            owner=owner,
            slug=slug,
            title=names.title,
            public_title=names.public_title,
            language=language,
            timezone=timezone,
            seed=seed,
        )

    slug = slug or free_slug(names.title)
    try:
        with transaction.atomic():
            return draft(slug)
    except IntegrityError:
        # Somebody has taken the slug at this very moment.
        return draft(f"{slug}-{get_random_string(6, 'abcdefghjkmnpqrstuvwxyz')}")
