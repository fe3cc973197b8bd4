"""The study file: everything a researcher sets up, as a folder or zip of study.yaml, items.csv and media.

`read` checks, `load` stores, `export` writes, `schema` describes; a file with problems raises `StudyFileError`.
"""

from collections.abc import Callable

from django.contrib.auth.models import AbstractBaseUser

from tasks_app.hooks import sections
from tasks_app.hooks.sections import Json
from tasks_app.models import Media, Study
from tasks_app.services.study import amendments, correcting
from tasks_app.services.study.cleaned import content_for_raters
from tasks_app.studyfile.checking import Loaded, Report, Slot, read_file, say_nothing, store_file
from tasks_app.studyfile.files.source import Source
from tasks_app.studyfile.files.writing import Target, write
from tasks_app.studyfile.own_sections import basics, batches, items, known, lists
from tasks_app.studyfile.own_sections.criteria import CriteriaSection
from tasks_app.studyfile.own_sections.tasks import TasksSection
from tasks_app.studyfile.problems import Problem, StudyFileError
from tasks_app.studyfile.schema import whole_schema

__all__ = [
    "Loaded",
    "Problem",
    "Slot",
    "StudyFileError",
    "export",
    "load",
    "load_with_notes",
    "read",
    "register_sections",
    "schema",
]


# Made once: registering the same section again changes nothing, but another one of its name is refused.
_LISTS = (CriteriaSection(), lists.GroupsSection(), TasksSection(), lists.SystemsSection())


def register_sections() -> None:
    """Register the sections of this app; calling it again changes nothing."""
    for section in (*basics.SECTIONS, *_LISTS, *items.SECTIONS, *known.SECTIONS, *batches.SECTIONS):
        sections.register(section)


def read(source: Source, *, slot: Slot | None = None) -> Loaded:
    """Validate a folder, zip or upload and return its content; with a slot, also check that it could be stored there.

    Raises
    ------
    StudyFileError
        With every problem.
    """
    return read_file(source, slot)


def load(source: Source, *, owner: AbstractBaseUser | None, replace: bool = False) -> Study:
    """Store a folder, zip or upload as a draft of `owner`; with `replace`, instead of a draft with the same slug.

    Raises
    ------
    StudyFileError
        With every problem; nothing is stored then.
    """
    return load_with_notes(source, owner=owner, replace=replace)[0]


def load_with_notes(
    source: Source, *, owner: AbstractBaseUser | None, replace: bool = False, report: Report = say_nothing
) -> tuple[Study, Loaded]:
    """Store a study file as `load` does; return the study, and the file's notes and counts.

    `report` is called with the name of each phase: planning and storing.
    """
    return store_file(source, Slot(owner, replace), report)


def export(study: Study, target: Target, *, change: Callable[[dict[str, Json]], dict[str, Json]] | None = None) -> None:
    """Write a study to an empty or new folder, to a path that ends in .zip, or as a zip to a stream.

    Media are those that raters get: without metadata, under the name of the digest that the study has of each. Files
    that raters do not get, because they cannot be cleaned, are left out. Texts that were corrected while the study was
    open are written as corrected; whatever else was changed then stands in comments on top.

    `change` returns the document that is written instead of the study's own.

    Raises
    ------
    StudyFileError
        If the folder is not empty.
    """

    def content(sha256: str) -> bytes | None:
        return content_for_raters(Media.objects.get(study=study, sha256=sha256))

    document = correcting.laid_over(sections.snapshot(study), study)
    notes = amendments.amendments_of(study)
    write(change(document) if change is not None else document, target, content, notes)


def schema() -> dict[str, Json]:
    """Return the JSON Schema of study.yaml."""
    return whole_schema()
