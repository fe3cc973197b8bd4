"""The sections of a study file: a registry that every app fills in its AppConfig.ready().

A study is one JSON document with a part for each section. A section says how its part is checked, stored and read
back, so that the study file, freezing, copying and replacing a study hold whatever an app adds to a study.
"""

import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Mapping
from graphlib import TopologicalSorter
from typing import Any, ClassVar, Protocol, TypeAlias

# The version of the study file's format, written as `evalweb: 1` on top of study.yaml.
FORMAT = 1

# A row of the studies table, which this module must not know, and whatever JSON can hold.
StudyRow: TypeAlias = Any
Json: TypeAlias = Any
Document: TypeAlias = dict[str, Any]
Path: TypeAlias = tuple[str | int, ...]


class Reading(Protocol):
    """The access that a section has to a study file while it is checked.

    A path names a place in study.yaml, such as ("tasks", 0, "k").
    """

    document: Document

    def given(self, name: str) -> Json:
        """Return the part of study.yaml of that name as it stands there, or None."""

    def problem(self, path: Path, message: str) -> None:
        """Report a problem at a place; the message names the expected value and the way to fix it."""

    def sound(self, path: Path) -> bool:
        """Return whether nothing was reported at that place or within it."""

    def note(self, message: str) -> None:
        """Tell the researcher something that stops nothing."""


class Section(ABC):
    """One part of the document of a study: how it is checked, stored, read back, copied and erased.

    Sections are checked, stored and exported in one order and erased in the reverse: each behind those it names in
    `after`, and otherwise as they were registered.
    """

    name: str
    after: ClassVar[tuple[str, ...]] = ()

    # The step of the set-up whose form asks for the section, such as "analysis"; not needed for those that
    # `tasks_app/setup/steps.py` places itself, nor without a schema.
    step: ClassVar[str] = ""

    def schema(self) -> Mapping[str, Json] | None:
        """Return the JSON Schema of the section's key in study.yaml; None for a section with files of its own."""
        return None

    @abstractmethod
    def check(self, reading: Any) -> Json:
        """Return the part of the document from a study file (see `Reading`), reporting problems."""

    @abstractmethod
    def export(self, study: StudyRow) -> Json:
        """Read the part back; it must be equal to the part that was stored."""

    def store(self, study: StudyRow, part: Json) -> None:  # noqa: B027  a section may have nothing to store
        """Write the part into an empty draft."""

    def freeze(self, study: StudyRow, version: int) -> None:  # noqa: B027  most sections need not know
        """Take note that the part is now frozen as that version."""

    def erase(self, study: StudyRow) -> None:  # noqa: B027  a section may have stored nothing
        """Take the part out of a draft."""


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
    """Return the sections in their order.

    Raises
    ------
    KeyError
        Where a section names one that is not registered.
    graphlib.CycleError
        Where sections name each other.
    """
    places = {name: place for place, name in enumerate(_sections)}
    sorter = TopologicalSorter({name: section.after for name, section in _sections.items()})
    sorter.prepare()
    ready: list[str] = []
    in_order = []
    while sorter.is_active():
        ready.extend(sorter.get_ready())
        name = min(ready, key=places.__getitem__)
        ready.remove(name)
        in_order.append(_sections[name])
        sorter.done(name)
    return tuple(in_order)


def snapshot(study: StudyRow) -> Document:
    """Return the whole design of a study as one JSON document, as it stands now."""
    return {"evalweb": FORMAT, **{section.name: section.export(study) for section in registered()}}


def digest(document: Mapping[str, Json]) -> str:
    """Return the SHA-256 of a document; equal documents have equal digests for any order of their keys."""
    text = json.dumps(document, sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()


def store(study: StudyRow, document: Mapping[str, Json]) -> None:
    """Write every part of a checked document into an empty draft."""
    for section in registered():
        section.store(study, document[section.name])


def freeze(study: StudyRow, version: int) -> None:
    """Tell every section that its part is now frozen as that version."""
    for section in registered():
        section.freeze(study, version)


def erase(study: StudyRow) -> None:
    """Empty a draft, last section first, since later sections build on earlier ones."""
    for section in reversed(registered()):
        section.erase(study)
