"""The kind of each system: machine, human, reference or source."""

from dataclasses import dataclass
from typing import Self

from analytics_app.ratings.extras.base import Extra, Loading, extra
from analytics_app.ratings.table import Table
from tasks_app.models import System


@extra
@dataclass(frozen=True, slots=True)
class Kinds(Extra):
    """The kind of each system, in the order of the table's names; empty if it is unknown."""

    of: tuple[str, ...]

    @classmethod
    def load(cls, loading: Loading) -> Self:
        """Read the kinds of the study's systems."""
        kinds = dict(System.objects.filter(study=loading.run.study_id).values_list("key", "kind"))
        return cls(tuple(kinds.get(key, "") for key in loading.table.names.systems))

    @classmethod
    def empty(cls, table: Table) -> Self:
        """Return no kind."""
        return cls(("",) * len(table.names.systems))

    def sources(self) -> frozenset[int]:
        """Return the codes of the systems that are sources."""
        return frozenset(code for code, kind in enumerate(self.of) if kind == System.Kind.SOURCE)
