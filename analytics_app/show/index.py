"""The index of result rows: found by statistic and by subject, before and after the rules."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import Any, Generic, TypeVar

from analytics_app.models import ResultRow
from analytics_app.results import Row

# Rows as analyses yield them, or as the database has them: their columns are the same.
AnyRow = TypeVar("AnyRow", bound=Row | ResultRow)


class RowIndex(Generic[AnyRow]):
    """Rows of one or several analyses. Rows before the rules never replace rows on kept ratings."""

    def __init__(self, rows: Iterable[AnyRow]) -> None:
        self.rows: list[AnyRow] = list(rows)
        self.kept: list[AnyRow] = [row for row in self.rows if row.basis == "kept"]
        self.before: list[AnyRow] = [row for row in self.rows if row.basis == "all"]
        self._indexes: dict[tuple[bool, tuple[str, ...]], dict[tuple[Any, ...], AnyRow]] = {}

    @property
    def both(self) -> bool:
        """Return whether rules excluded ratings, so that there are also rows before the rules."""
        return bool(self.before)

    @cached_property
    def whole(self) -> RowIndex[AnyRow]:
        """The rows of everything: no slice, no group, no wave."""
        whole: list[AnyRow] = [row for row in self.rows if not _is_part(row)]
        return RowIndex(whole)

    @property
    def parts(self) -> list[AnyRow]:
        """The rows of slices, groups and waves."""
        return list(filter(_is_part, self.rows))

    def of(self, *statistics: str) -> list[AnyRow]:
        """Return the kept rows of some statistics, in the order of the document."""
        return [row for row in self.kept if row.statistic in statistics]

    def has(self, *statistics: str) -> bool:
        """Return whether there is a row of one of these statistics, before or after the rules."""
        return any(row.statistic in statistics for row in self.rows)

    def one(self, statistic: str, *, before: bool = False, **about: Any) -> AnyRow | None:
        """Return the first row of a statistic with these values in its columns."""
        columns = (before, tuple(about))
        if columns not in self._indexes:
            first: dict[tuple[Any, ...], AnyRow] = {}
            for row in self.before if before else self.kept:
                first.setdefault((row.statistic, *(getattr(row, name) for name in about)), row)
            self._indexes[columns] = first
        return self._indexes[columns].get((statistic, *about.values()))

    def values(self, column: str, *statistics: str) -> list[Any]:
        """Return the different values of a column in the kept rows of some statistics, in the order of the document."""
        return list(dict.fromkeys(getattr(row, column) for row in self.of(*statistics)))


def _is_part(row: Row | ResultRow) -> bool:
    return bool(row.slice or row.group or row.wave)
