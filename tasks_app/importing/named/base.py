"""The base of readers: a format that a tool or a shared task publishes ratings in, known by its name."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from django.utils.functional import Promise

from tasks_app.importing.named.collected import Collected
from tasks_app.importing.named.files import Files

# How sure a reader is: the files say so themselves, or they only look like it.
CERTAIN, LIKELY = "certain", "likely"


@dataclass(frozen=True, slots=True)
class Sign:
    """The sign by which a format was recognised: `sure` is CERTAIN or LIKELY, `why` a sentence for a person."""

    sure: str
    why: str


@dataclass(frozen=True, slots=True)
class Option:
    """A choice that a format leaves open: its values with their words; the first one is the usual."""

    label: str | Promise
    choices: Mapping[str, str | Promise]


class NamedFormat(ABC):
    """A reader of a format. Its name is that of its module, with hyphens."""

    name: ClassVar[str]
    label: ClassVar[str | Promise]
    # What the files are, and where they come from.
    about: ClassVar[str | Promise]
    # What a study takes from them, and what it does not.
    kept: ClassVar[str | Promise]
    not_kept: ClassVar[str | Promise]
    options: ClassVar[Mapping[str, Option]] = {}

    @abstractmethod
    def recognise(self, files: Files) -> Sign | None:
        """Return the sign that the files are of this format; None where there is none."""

    @abstractmethod
    def read(self, files: Files, study: Collected, options: Mapping[str, str]) -> None:
        """Collect the texts and ratings of the files. Raises StudyFileError."""

    def option(self, options: Mapping[str, str], name: str) -> str:
        """Return the value of an option, the usual one where none was chosen."""
        return options.get(name) or next(iter(self.options[name].choices))


@dataclass(frozen=True, slots=True)
class Recognised:
    """A format that files may be of."""

    format: str
    sure: str
    why: str


@dataclass(frozen=True, slots=True)
class Converted:
    """The converted files: counts by noun, notes for the researcher, the tasks with their types, and some ratings."""

    counts: Mapping[str, int]
    notes: tuple[str, ...]
    tasks: tuple[tuple[str, str], ...]
    samples: tuple[Mapping[str, object], ...]


def in_order(signs: Sequence[Recognised]) -> list[Recognised]:
    """Return the surest first."""
    return sorted(signs, key=lambda sign: (sign.sure != CERTAIN, sign.format))
