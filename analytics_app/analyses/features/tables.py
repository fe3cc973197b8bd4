"""Tables of features: ratings by feature, by feature and system, contrasts, and numbers of outputs."""

from collections.abc import Iterator

from django.utils.translation import gettext as _

from analytics_app.models import ResultRow
from analytics_app.show.formats import digits, interval, items, p, p_adjusted, pair, ratings, whole
from analytics_app.show.shown import (
    MOST_ROWS,
    Shown,
    StoredRows,
    general_table,
    lines_of,
    named,
    own,
    table_of,
    tables_of,
)
from analytics_app.show.table import Table


@tables_of("features")
def features(rows: StoredRows, limit: float) -> Iterator[Table]:
    """Yield means by feature, by feature and system, contrasts of pairs, and numbers of outputs."""
    all_rows = rows.whole
    yield from _by_feature(all_rows)
    yield from _contrasts(all_rows, limit)
    yield from _by_system(all_rows)
    yield from _outputs(all_rows)
    yield from general_table(rows.parts, limit, caption=_("Ratings by feature, by subset"))


def _feature(row: ResultRow) -> str:
    return str((row.settings or {}).get("feature", ""))


def _value(row: ResultRow) -> str:
    return str((row.settings or {}).get("feature_value", ""))


def _by_feature(rows: StoredRows) -> Iterator[Table]:
    columns = [
        named(_("Feature"), _feature),
        named(_("Value"), _value),
        own(_("Ratings"), ratings),
        own(_("Items"), items),
        own(_("Mean"), digits(2)),
        own(_("Interval"), interval(2)),
    ]
    lines = [row for row in rows.of("feature_mean") if row.system is None]
    yield from table_of(rows, _("Ratings by feature"), columns, lines)


def _by_system(rows: StoredRows) -> Iterator[Table]:
    columns = [
        named(_("Feature"), _feature),
        named(_("Value"), _value),
        named(_("System"), lambda row: row.system),
        own(_("Ratings"), ratings),
        own(_("Items"), items),
        own(_("Mean"), digits(2)),
        own(_("Interval"), interval(2)),
    ]
    lines = [row for row in rows.of("feature_mean") if row.system is not None]
    more = _("Further means in the file of results: %(n)s.")
    yield from table_of(rows, _("Ratings by feature and system"), columns, lines, most=MOST_ROWS, more=more)


def _contrasts(rows: StoredRows, limit: float) -> Iterator[Table]:
    columns = [
        named(_("Pair"), pair("−")),
        named(_("Feature"), _feature),
        named(_("Value against all others"), _value),
        own(_("Difference of differences"), digits(3)),
        own(_("Interval"), interval(3)),
        own(_("p"), p),
        own(_("Adjusted p"), p_adjusted(limit)),
    ]
    more = _("Further contrasts in the file of results: %(n)s.")
    caption, lines = _("Does the difference depend on the feature?"), rows.of("feature_contrast")
    yield from table_of(rows, caption, columns, lines, most=MOST_ROWS, more=more)


def _outputs(rows: StoredRows) -> Iterator[Table]:
    """Yield a table with a line for each value of each feature and a column for each system."""
    outputs = rows.of("feature_outputs")
    systems = list(dict.fromkeys(str(row.system) for row in outputs))
    lines, notes = lines_of(outputs, "label"), _gaps(outputs)
    columns = [
        named(_("Feature"), _feature),
        named(_("Value"), _value),
        *(Shown(system, "feature_outputs", whole, where={"system": system}) for system in systems),
    ]
    yield from table_of(rows, _("Outputs with each value"), columns, lines, by=("label",), notes=notes)


def _gaps(rows: list[ResultRow]) -> list[str]:
    """Return a note that names the empty cells of the design, if any."""
    empty = [f"{row.system} ({row.label})" for row in rows if not row.value]
    if not empty:
        return []
    named_cells = ", ".join(empty[:3])
    if len(empty) > 3:
        more = _("%(cells)s and %(n)s more have no outputs, so they have no means and no contrasts.")
        return [more % {"cells": named_cells, "n": len(empty) - 3}]
    return [_("No outputs, so no means and no contrasts: %(cells)s.") % {"cells": named_cells}]
