"""Names of a table's columns in a file: our names, or those of a mapping."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from tasks_app.studyfile.columns import Column, TableDeclaration


@dataclass(frozen=True, slots=True)
class Naming:
    """The columns of a table by their names in a file.

    `mapped` gives for our names the file's; columns of the file that it does not name are then left out. Without it
    a file has our names.
    """

    declared: TableDeclaration
    mapped: Mapping[str, str] | None = None
    _known: dict[str, Sequence[tuple[str, Column]]] = field(default_factory=dict)

    def columns(self, theirs: str) -> Sequence[tuple[str, Column]]:
        """Return (our name, column) for everything that a column of the file stands for."""
        if theirs not in self._known:
            self._known[theirs] = tuple(self._columns(theirs))
        return self._known[theirs]

    def _columns(self, theirs: str) -> Iterable[tuple[str, Column]]:
        names = [theirs] if self.mapped is None else [ours for ours, name in self.mapped.items() if name == theirs]
        for ours in names:
            if (column := self.declared.column(ours)) is not None:
                yield ours, column

    def theirs(self, ours: str) -> str | None:
        """Return the name that one of our columns has in the file; None where no column is mapped to it."""
        return ours if self.mapped is None else self.mapped.get(ours)

    @property
    def needed(self) -> list[str]:
        """Our names of the columns that the file must have: those every file needs, and all that are mapped."""
        mapped = () if self.mapped is None else self.mapped
        return list(dict.fromkeys([*self.declared.needed, *mapped]))
