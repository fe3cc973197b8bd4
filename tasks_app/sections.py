"""The sections of a study file: a registry that every app fills in its AppConfig.ready().

A study is one JSON document with a part for each section. A section says how its part is checked, stored and read
back, so that the study file, freezing, copying and replacing a study hold whatever an app adds to a study.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

# The version of the study file's format, written as `evalweb: 1` on top of study.yaml.
FORMAT = 1

# A row of the studies table, which this module must not know, and whatever JSON can hold.
StudyRow: TypeAlias = Any
Json: TypeAlias = Any
Document: TypeAlias = dict[str, Any]
Path: TypeAlias = tuple[str | int, ...]


class Reading(Protocol):
    """What a section may ask while a study file is checked.

    A path names a place in study.yaml, such as ("tasks", 0, "k").
    """

    document: Document

    def given(self, name: str) -> Json:
        """The part of study.yaml of that name as it stands there, or None."""

    def problem(self, path: Path, message: str) -> None:
        """Report what is wrong at a place, what was expected and what to do."""

    def sound(self, path: Path) -> bool:
        """Say whether nothing was reported at that place or within it."""

    def note(self, message: str) -> None:
        """Tell the researcher something that stops nothing."""


@dataclass(frozen=True, slots=True)
class Section:
    """One part of the document of a study.

    `schema` is the JSON Schema of its key in study.yaml; a section without one has files of its own. `check` makes
    its part of the document out of what was read, reporting problems; sections are checked, stored and exported in
    the order of `order` and erased in the reverse. `store` writes the part into an empty draft, `export` reads it back
    and must return what was stored. `freeze` hears of a new version, `clone` copies from one study into an empty draft
    (without one, what is exported is stored), `erase` takes the part out of a draft.
    """

    name: str
    order: int
    check: Callable[[Any], Json]
    export: Callable[[StudyRow], Json]
    schema: Callable[[], Mapping[str, Json]] | None = None
    store: Callable[[StudyRow, Json], None] | None = None
    freeze: Callable[[StudyRow, int], None] | None = None
    clone: Callable[[StudyRow, StudyRow], None] | None = None
    erase: Callable[[StudyRow], None] | None = None


class SectionTaken(ValueError):
    """Two sections would have the same name."""


_sections: dict[str, Section] = {}


def register(section: Section) -> None:
    """Add a section; the same one twice changes nothing. Raises SectionTaken where the name is another's."""
    if _sections.setdefault(section.name, section) != section:
        raise SectionTaken(f"A study file has a section {section.name!r} already.")


def unregister(name: str) -> None:
    """Take a section away again, for an app that is switched off and for tests."""
    _sections.pop(name, None)


def registered() -> tuple[Section, ...]:
    """Every section in its order."""
    return tuple(sorted(_sections.values(), key=lambda section: (section.order, section.name)))


def snapshot(study: StudyRow) -> Document:
    """Return the whole design of a study as one JSON document, as it stands now."""
    return {"evalweb": FORMAT, **{section.name: section.export(study) for section in registered()}}


def digest(document: Mapping[str, Json]) -> str:
    """Return the SHA-256 of a document; equal documents have equal digests, whatever the order of their keys."""
    text = json.dumps(document, sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()


def store(study: StudyRow, document: Mapping[str, Json]) -> None:
    """Write every part of a checked document into an empty draft."""
    for section in registered():
        if section.store is not None:
            section.store(study, document[section.name])


def freeze(study: StudyRow, version: int) -> None:
    """Tell every section that its part is now frozen as that version."""
    for section in registered():
        if section.freeze is not None:
            section.freeze(study, version)


def clone(study: StudyRow, copy: StudyRow) -> None:
    """Copy every part of a study into an empty draft."""
    for section in registered():
        if section.clone is not None:
            section.clone(study, copy)
        elif section.store is not None:
            section.store(copy, section.export(study))


def erase(study: StudyRow) -> None:
    """Empty a draft, last section first, since later sections build on earlier ones."""
    for section in reversed(registered()):
        if section.erase is not None:
            section.erase(study)
