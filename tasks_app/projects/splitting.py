"""Make one study per value of a column of a draft's texts, together in a new project."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction
from django.utils.text import slugify
from django.utils.translation import gettext as _

from tasks_app.hooks.sections import Json
from tasks_app.models import Media, Membership, Project, Setup, SetupRow, Study
from tasks_app.models.setup_document import SetupDocument
from tasks_app.projects.units import TABLES, UnitRows, unit_rows
from tasks_app.projects.values import CannotDivide, Share, shares_of
from tasks_app.services import events
from tasks_app.services.study import drafts, items
from tasks_app.services.study import projects as projects_service
from tasks_app.setup import changes, media, starting
from tasks_app.setup.starting import Names
from tasks_app.setup.texts import reads
from tasks_app.studyfile.columns import BETWEEN_FILES
from tasks_app.studyfile.files.media import ACCEPTED
from tasks_app.studyfile.files.writing import media_name
from tasks_app.texts import languages

# Placeholders in a pattern for the draft's own title and for the value.
TITLE, VALUE = "{title}", "{value}"
PATTERN = f"{TITLE} – {VALUE}"
LONGEST_TITLE = 200

# Number of characters of the value that a shortened slug keeps.
LONGEST_VALUE = 30


@dataclass(frozen=True, slots=True)
class Split:
    """The settings of a split: the column, the titles of the studies, and their project.

    `follow_language` gives raters their pages in the language of the texts where evalweb has it.
    """

    column: str
    title: str = PATTERN
    public_title: str = TITLE
    project: str = ""
    follow_language: bool = False


@dataclass(frozen=True, slots=True)
class Planned:
    """A study that would be made: its texts, names, slug and language; `language` is empty where it stays."""

    share: Share
    names: Names
    slug: str
    language: str
    units: int


@dataclass(frozen=True, slots=True)
class Plan:
    """The studies that would be made, with the rows about units and the tasks that would be empty.

    `rows` says which rows about units go where, `without_texts` names tasks that would show nothing in some study.
    """

    studies: Sequence[Planned]
    rows: UnitRows
    without_texts: Mapping[str, Sequence[str]]

    @property
    def spoken(self) -> Mapping[str, int]:
        """Count the studies by the language that the pages of their raters can have; those without are left out."""
        counts: dict[str, int] = {}
        for planned in self.studies:
            if code := languages.match(planned.share.target):
                counts[code] = counts.get(code, 0) + 1
        return counts


def plan(setup: Setup, split: Split) -> Plan:
    """Return the studies into which a draft would be split; nothing is stored.

    Raises
    ------
    CannotDivide
        Where the values, or the names that follow from them, do not make several studies.
    """
    shares = shares_of(setup, split.column)
    if VALUE not in split.title:
        raise CannotDivide(_("The title needs {value} in it, so that the studies can be told apart."))
    rows = unit_rows(setup, shares)
    names = [_names(setup.study, split, share.value) for share in shares]
    planned = [
        Planned(
            share,
            name,
            slug,
            languages.match(share.target) if split.follow_language else "",
            sum(len(rows.of(share.value, declared.stem)) for declared in TABLES),
        )
        for share, name, slug in zip(shares, names, _slugs(names, shares), strict=True)
    ]
    return Plan(planned, rows, _without_texts(setup, shares))


def without_consent(setup: Setup, plan: Plan) -> list[str]:
    """Return the page languages of the planned studies for which the draft lacks a consent text."""
    texts = setup.document.value(("consent",))
    written = [str(tag) for tag in texts] if isinstance(texts, dict) else []
    needed = dict.fromkeys(planned.language for planned in plan.studies if planned.language)
    return [language for language in needed if written and not languages.closest(language, written)]


def _names(study: Study, split: Split, value: str) -> Names:
    """Return the names of the study of a value. Raises CannotDivide."""
    title = split.title.replace(TITLE, study.title).replace(VALUE, value).strip()
    public_title = split.public_title.replace(TITLE, study.public_title).replace(VALUE, value).strip()
    for name in (title, public_title):
        if not 0 < len(name) <= LONGEST_TITLE:
            words = {"value": value, "n": LONGEST_TITLE, "length": len(name)}
            sentence = _("The title for “%(value)s” has %(length)d characters; it needs 1 to %(n)d.")
            raise CannotDivide(sentence % words)
    return Names(title, public_title)


def _slugs(names: Sequence[Names], shares: Sequence[Share]) -> list[str]:
    """Return a free slug for each study; one query."""
    bases = [_base(name.title, share.value) for name, share in zip(names, shares, strict=True)]
    first, last = min(bases), max(bases)
    alike = next((n for n, pair in enumerate(zip(first, last, strict=False)) if pair[0] != pair[1]), len(first))
    similar = Study.objects.filter(slug__startswith=first[:alike])
    taken = drafts.RESERVED_SLUGS | set(similar.values_list("slug", flat=True))
    slugs: list[str] = []
    for base in bases:
        candidates = (base if n == 1 else f"{base}-{n}" for n in range(1, len(taken) + 2))
        slugs.append(next(slug for slug in candidates if slug not in taken))
        taken |= {slugs[-1]}
    return slugs


def _base(title: str, value: str) -> str:
    """Return the slug of a title; one that is too long is cut before the value, which tells the studies apart."""
    base, end = slugify(title), slugify(value)[:LONGEST_VALUE].strip("-_")
    if len(base) > starting.LONGEST_SLUG and end:
        base = f"{base[: starting.LONGEST_SLUG - len(end) - 1].strip('-_')}-{end}"
    return base[: starting.LONGEST_SLUG].strip("-_") or "study"


def _without_texts(setup: Setup, shares: Sequence[Share]) -> dict[str, list[str]]:
    """Return the tasks that take none of the texts of some value, with these values."""
    empty: dict[str, list[str]] = {}
    for task in setup.document.entries("tasks"):
        for column, allowed in _taken(task):
            values = [share.value for share in shares if not allowed & {row.get(column, "") for row in share.rows}]
            if values:
                empty[str(task.get("title") or task.get("key") or "")] = values
    return empty


def _taken(task: Mapping[str, Json]) -> Iterator[tuple[str, set[str]]]:
    """Yield the columns by which a task takes items, each with the values that it takes."""
    chosen = task.get("items")
    for column, values in chosen.items() if isinstance(chosen, dict) else ():
        yield str(column), {str(value) for value in (values if isinstance(values, list) else [values])}


def make(*, setup: Setup, split: Split, by: AbstractBaseUser) -> Project:
    """Make one draft per value of a column, all of them or none, and a project that holds them.

    Each has the settings of the draft, its own rows of the tables and the files that these name. Its seed is its own
    unless it has known answers, which belong to texts that are shown together. The draft itself stays as it is.

    Raises
    ------
    CannotDivide
        Where the values do not make several studies.
    tasks_app.services.study.projects.NotInProject
        Where the project has no name.
    tasks_app.services.study.drafts.NotADraft
        Where the study was opened meanwhile.
    """
    written: list[str] = []
    try:
        with transaction.atomic():
            setup = changes.hold(setup)
            planned = plan(setup, split)
            project = projects_service.create(name=split.project or setup.study.title, by=by)
            files = {media_name(row.sha256, row.kind): row for row in Media.objects.filter(study=setup.study)}
            for planned_study in planned.studies:
                study = _make(setup, planned_study, planned.rows, by)
                projects_service.put(study=study, project=project, by=by)
                named = _files_of(planned_study.share, files)
                sources = (files[name] for name in named)
                contents = ((row.sha256, row.kind, starting.content_of(row)) for row in sources)
                written += starting.store_media(study, contents)
                _name_files(setup, study, named)
                events.log(
                    study, by, "split from", about=setup.study.slug, after={split.column: planned_study.share.value}
                )
            about = {"column": split.column, "studies": len(planned.studies)}
            events.log(setup.study, by, "split", about=project.slug, after=about)
            return project
    except BaseException:
        items.remove_files(written)
        raise


def _make(setup: Setup, planned: Planned, rows: UnitRows, by: AbstractBaseUser) -> Study:
    """Make the draft of a value with its set-up."""
    origin, share = setup.study, planned.share
    keeps_seed = bool(rows.by_value.get(share.value, {}).get("controls"))
    given_seed = setup.document.value(("study", "seed"))
    study = starting.new_draft(
        by,
        planned.names,
        language=planned.language or origin.language,
        timezone=origin.timezone,
        seed=(given_seed if isinstance(given_seed, int) else origin.seed) if keeps_seed else None,
        slug=planned.slug,
    )
    copied = Setup.objects.create(study=study, given=_given(setup, study, planned))
    changes.write_rows(copied, reads.TABLE, share.rows)
    for declared in TABLES:
        changes.write_rows(copied, declared.stem, rows.of(share.value, declared.stem))
    others = origin.memberships.exclude(user_id=by.pk)
    Membership.objects.bulk_create(
        Membership(study=study, user_id=member.user_id, role=member.role) for member in others
    )
    return study


def _given(setup: Setup, study: Study, planned: Planned) -> dict[str, Json]:
    """Return the study.yaml of the study of a value: with its own systems, and tasks that take its own texts."""
    given: dict[str, Json] = deepcopy(setup.given)
    about = {name: getattr(study, name) for name in ("slug", "title", "public_title", "seed")}
    given["study"] = {**(given["study"] if isinstance(given.get("study"), dict) else {}), **about}
    if planned.language:
        given["study"]["language"] = planned.language
    if isinstance(given.get("systems"), list):
        systems = planned.share.systems
        given["systems"] = [entry for entry in given["systems"] if not _is_of_others(entry, systems)]
    for task in SetupDocument(given).entries("tasks"):
        for column, allowed in _taken(task):
            present = allowed & {row.get(column, "") for row in planned.share.rows}
            # A task that takes none of these texts stays as it is: the check then says so.
            if present:
                task["items"] = {**task["items"], column: sorted(present)}
    return given


def _is_of_others(entry: Json, systems: Iterable[str]) -> bool:
    """Return whether an entry is a system without any of the texts."""
    return isinstance(entry, dict) and "key" in entry and str(entry["key"]) not in systems


def _files_of(share: Share, files: Mapping[str, Media]) -> list[str]:
    """Return the files that the rows of a value name, each once."""
    cells = (row[role] for row in share.rows for role in ACCEPTED if row.get(role))
    names = (name.strip() for cell in cells for name in cell.split(BETWEEN_FILES))
    return [name for name in dict.fromkeys(names) if name in files]


def _name_files(setup: Setup, study: Study, names: Sequence[str]) -> None:
    """Copy the names that the files had when they were uploaded."""
    rows = setup.rows.filter(table=media.TABLE, cells__file__in=names).order_by("number")
    SetupRow.objects.bulk_create(
        SetupRow(setup=study.setup, table=media.TABLE, number=row.number, cells=row.cells) for row in rows
    )
