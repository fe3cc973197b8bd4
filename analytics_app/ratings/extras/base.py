"""The kinds of further data: how they are requested, and the container that a sample carries."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Self, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from analytics_app.models import Run
from analytics_app.ratings.table import Coding, Names, Table
from tasks_app.hooks.registry import Registry


@dataclass(frozen=True, slots=True)
class Loading:
    """Arguments for loading further data: the run, the whole table of the task, and the parameters of its SQL.

    `params` holds study, tasks, versions, high, judgment_high, criteria, surplus and added, as for the ratings
    themselves: nothing above the marks is read.
    """

    run: Run
    table: Table
    params: Mapping[str, Any]


class Extra(ABC):
    """One kind of further data, in codes of `table.names`; data about ratings are keyed by rating ids.

    A frozen dataclass: a part of a run depends on its fields, and a field `rater` holds codes of raters.
    """

    # Subclasses are dataclasses with slots, which a slot declared here would break.
    __slots__ = ()

    @classmethod
    @abstractmethod
    def load(cls, loading: Loading) -> Self:
        """Read the data of a task."""

    @classmethod
    @abstractmethod
    def empty(cls, table: Table) -> Self:
        """Return data without entries."""


AnyExtra = TypeVar("AnyExtra", bound=Extra)
Derived = TypeVar("Derived")


class Extras:
    """The loaded further data by kind: `extras[Repeats]`."""

    __slots__ = ("_derived", "_found")

    def __init__(self, extras: Mapping[type[Extra], Extra] | None = None) -> None:
        self._found = dict(extras or {})
        self._derived: dict[object, object] = {}

    def __getitem__(self, kind: type[AnyExtra]) -> AnyExtra:
        """Return the data of a kind. Raises LookupError if the rule or analysis did not declare it in `needs`."""
        extra = self._found.get(kind)
        if not isinstance(extra, kind):
            raise LookupError(f"{kind.__name__} was not loaded: name it in `needs`.")
        return extra

    def derived(self, key: object, compute: Callable[[], Derived]) -> Derived:
        """Return a value computed from the data, once for all samples that share them: slices, groups, waves.

        The key stands for the function and everything else that the value depends on.
        """
        if key not in self._derived:
            self._derived[key] = compute()
        return cast("Derived", self._derived[key])

    def __iter__(self) -> Iterator[tuple[type[Extra], Extra]]:
        return iter(sorted(self._found.items(), key=lambda item: item[0].__name__))

    @classmethod
    def load(cls, loading: Loading, needs: Iterable[type[Extra]]) -> Extras:
        """Read every needed kind once."""
        return cls({kind: kind.load(loading) for kind in sorted(set(needs), key=lambda kind: kind.__name__)})

    @classmethod
    def empty(cls, table: Table, needs: Iterable[type[Extra]]) -> Extras:
        """Return every needed kind without entries."""
        return cls({kind: kind.empty(table) for kind in set(needs)})


registry: Registry[type[Extra]] = Registry("kind of material")


def extra(member: type[AnyExtra]) -> type[AnyExtra]:
    """Register a kind of further data under its module's name."""
    registry.register(member)
    return member


def rater_codes(names: Names, ids: NDArray[np.int64]) -> NDArray[np.int32]:
    """Return codes into the raters' names for (unsorted) ids of raters; -1 for unknown ids."""
    order = np.argsort(names.rater_ids, kind="stable")
    codes = Coding(names.rater_ids[order])(ids)
    if not len(order):
        return codes
    return np.where(codes >= 0, order[codes].astype(np.int32), np.int32(-1))
