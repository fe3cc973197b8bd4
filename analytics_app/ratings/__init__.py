"""Load the ratings of a task as columns, never as one object per row.

PostgreSQL sends its binary COPY format, in which a row of fixed-width columns has a fixed width, so that whole
buffers become arrays without a loop.

Which judgments enter, unless a method says otherwise: the current answer of each main assignment, neither skipped nor
surplus, of raters that are no sandbox and no automatic metric, up to the run's high-water marks; none of texts that
were withdrawn.
"""

from collections.abc import Iterable

from analytics_app.models import Run
from analytics_app.ratings.extras import Extra, Extras, Loading
from analytics_app.ratings.left_out_before_rules import WITHIN, LeftOut, left_out
from analytics_app.ratings.reading import WITHDRAWN, load, metric_raters, pooled_versions, seen_by, withdrawn_units
from analytics_app.ratings.table import Coding, Floats, Judgments, Mask, Names, Table

__all__ = [
    "WITHDRAWN",
    "WITHIN",
    "Coding",
    "Extra",
    "Extras",
    "Floats",
    "Judgments",
    "LeftOut",
    "Mask",
    "Names",
    "Table",
    "left_out",
    "load",
    "load_extras",
    "metric_raters",
    "pooled_versions",
    "seen_by",
    "withdrawn_units",
]


def load_extras(run: Run, task_key: str, table: Table, needs: Iterable[type[Extra]]) -> Extras:
    """Read the further data that rules or analyses need, for all criteria of a task."""
    kinds = frozenset(needs)
    return Extras.load(Loading(run, table, seen_by(run, task_key)), kinds) if kinds else Extras()
