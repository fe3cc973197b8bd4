"""The kinds of further data: how they are requested, and the container that a sample carries."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Self, TypeVar

from analytics_app.models import Run
from analytics_app.ratings.table import Table


@dataclass(frozen=True, slots=True)
class Loading:
    """What a kind of material is read with: the run, the whole table of the task, and the parameters of its SQL.

    `seen` holds study, tasks, versions, high, judgment_high, criteria and surplus, as for the ratings themselves:
    nothing above the marks is read.
    """

    run: Run
    table: Table
    seen: Mapping[str, Any]


class Extra(ABC):
    """One kind of material, in codes of `table.names`; what belongs to ratings is keyed by their ids.

    A frozen dataclass: its fields are what a part depends on, and a field `rater` holds codes of raters.
    """

    # Dataclasses with slots are made anew, so none is declared here.
    __slots__ = ()

    @classmethod
    @abstractmethod
    def load(cls, loading: Loading) -> Self:
        """Read it for a task."""

    @classmethod
    @abstractmethod
    def empty(cls, table: Table) -> Self:
        """Return what is known where nothing is."""


AnyExtra = TypeVar("AnyExtra", bound=Extra)


class Extras:
    """The material that was asked for, by its kind: `extras[Repeats]`."""

    __slots__ = ("_found",)

    def __init__(self, found: Mapping[type[Extra], Extra] | None = None) -> None:
        self._found = dict(found or {})

    def __getitem__(self, kind: type[AnyExtra]) -> AnyExtra:
        """Return material of a kind. Raises LookupError where whoever asks did not declare that in `needs`."""
        found = self._found.get(kind)
        if not isinstance(found, kind):
            raise LookupError(f"{kind.__name__} was not loaded: name it in `needs`.")
        return found

    def __iter__(self) -> Iterator[tuple[type[Extra], Extra]]:
        return iter(sorted(self._found.items(), key=lambda one: one[0].__name__))

    @classmethod
    def load(cls, loading: Loading, needs: Iterable[type[Extra]]) -> Extras:
        """Read every kind that is needed, each once."""
        return cls({kind: kind.load(loading) for kind in sorted(set(needs), key=lambda one: one.__name__)})

    @classmethod
    def empty(cls, table: Table, needs: Iterable[type[Extra]]) -> Extras:
        """Return every kind that is needed with nothing in it."""
        return cls({kind: kind.empty(table) for kind in set(needs)})
