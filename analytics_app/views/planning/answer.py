"""Answer of a planning page: its main sentence, further sentences, curves, tables, and the assumptions."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from analytics_app.show.table import Table
from analytics_app.views.planning.curve import Curve


@dataclass(frozen=True, slots=True)
class Answer:
    """Content of an answer. `folded` tables are collapsed at first; `assumed` lists (name, value)."""

    lead: str
    sentences: Sequence[str] = ()
    warnings: Sequence[str] = ()
    curves: Sequence[Curve] = ()
    tables: Sequence[Table] = ()
    folded: Sequence[Table] = ()
    assumed: Sequence[tuple[str, str]] = field(default=())
    method: str = ""
