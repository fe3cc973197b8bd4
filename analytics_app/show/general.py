"""The general table: rows as they are, for what has no better form."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from django.utils.translation import gettext as _

from analytics_app.models import ResultRow
from analytics_app.show import formats, labels
from analytics_app.show.cells import Words
from analytics_app.show.index import RowIndex
from analytics_app.show.shown import Rows, named, own, table_of
from analytics_app.show.table import Table

# What a page shows of one analysis; more is in the file of results.
MOST_ROWS = 200


def general_table(rows: Sequence[ResultRow], limit: float, *, caption: Words = "") -> Iterator[Table]:
    """Yield rows with the columns that are in use, if there are some; the value before the rules beside.

    Rows of which the rules kept nothing are shown as they were before. Without a caption the table has the name of the
    analysis.
    """
    index = RowIndex(rows)
    before = {_about(row): row for row in index.before} if index.kept else {}
    was = formats.digits(3)
    columns = [
        named(_("Measure"), formats.statistic),
        named(_("Part"), formats.part),
        named(_("System"), lambda row: " – ".join(filter(None, (row.system, row.system_b)))),
        named(_("Rater"), lambda row: row.rater),
        named(_("Label"), lambda row: row.label),
        own(_("Value"), formats.digits(3)),
        own(_("Interval"), formats.interval(3)),
        own(_("df"), formats.df),
        own(_("p"), formats.p_uncorrected(limit)),
        own(_("Adjusted p"), formats.p_adjusted(limit)),
        own(_("Ratings"), formats.ratings),
        own(_("Items"), formats.items),
        own(_("Raters"), formats.raters),
        own(_("Before rules"), lambda row: was(before.get(_about(row)) if row is not None else None)),
    ]
    lines = index.kept or index.before
    yield from table_of(
        index,
        caption or (labels.analysis(rows[0].analysis) if rows else ""),
        columns,
        lines,
        most=MOST_ROWS,
        more=_("%(n)s more rows are in the file of results."),
        used_only=True,
    )


def others(rows: Rows, statistics: Sequence[str], limit: float, caption: Words) -> Iterator[Table]:
    """Yield a general table of some statistics."""
    yield from general_table([row for row in rows.rows if row.statistic in statistics], limit, caption=caption)


def subsets(rows: Rows, limit: float, caption: Words) -> Iterator[Table]:
    """Yield a general table of slices, groups and waves."""
    yield from general_table(rows.parts, limit, caption=caption)


def _about(row: ResultRow) -> tuple[object, ...]:
    """Return the identity of a row without its basis."""
    return (
        row.statistic, row.system, row.system_b, row.label, row.rater, row.group, row.wave, row.slice, row.metric,
        row.metric_b, str((row.settings or {}).get("level", "")),
    )  # fmt: skip
