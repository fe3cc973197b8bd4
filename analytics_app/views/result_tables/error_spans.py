"""Tables of marked errors: systems, pairs, kinds, raters, agreement, and the score beside the marks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from django.utils.translation import gettext as _

from analytics_app.models import ResultRow
from analytics_app.views import tables, words
from analytics_app.views.picking import notes_of
from analytics_app.views.result_tables.registry import general_table, tables_of
from analytics_app.views.tables import Cell, Column, Table

# What stands in a table of its own; everything else, and whatever is of a part, comes last.
OF_SYSTEMS = ("mqm_score", "mqm_score_over_raters", "errors_per_text", "errors_by_severity", "no_error_share")
OF_PAIRS = ("mqm_difference", "mqm_wilcoxon")
OF_KINDS = ("severity_count", "category_count", "group_count", "no_error_count", "most_errors")
OF_RATERS = ("mqm_of_rater", "errors_of_rater", "no_error_of_rater")
AGREEMENT = ("span_f1_exact", "span_f1_overlap", "character_alpha")
BESIDE = ("esa_score", "top_score_grave_error", "low_score_no_error", "score_regression", "score_regression_r2")
# Rows for charts and files alone.
NOT_SHOWN = ("mqm_segment", "errors_by_group")
MOST_PAIRS = 200


@tables_of("error_spans")
def error_spans(rows: Sequence[ResultRow], limit: float) -> Iterator[Table]:
    """Yield systems and pairs first, then what was marked, by whom, and whether others marked it too."""
    whole = [row for row in rows if not (row.slice or row.group or row.wave)]
    kept = [row for row in whole if row.basis == "kept"] or whole
    yield from _systems(kept)
    yield from _pairs(kept, limit)
    yield from _some([row for row in kept if not row.rater], BESIDE, limit, _("The score beside the marks"))
    yield from _some([row for row in kept if row.rater], BESIDE, limit, _("Raters whose scores contradict their marks"))
    yield from _some(kept, AGREEMENT, limit, _("Agreement on marks"))
    yield from _kinds(kept)
    yield from _raters(kept)
    own = {*OF_SYSTEMS, *OF_PAIRS, *OF_KINDS, *OF_RATERS, *AGREEMENT, *BESIDE, *NOT_SHOWN}
    parts = [row for row in rows if row not in whole and row.statistic not in NOT_SHOWN]
    rest = [row for row in kept if row.statistic not in own] + parts
    if rest:
        yield general_table(rest, limit, caption=_("Further figures, and parts of the texts"))


def _some(kept: Sequence[ResultRow], statistics: Sequence[str], limit: float, caption: str) -> Iterator[Table]:
    found = [row for row in kept if row.statistic in statistics]
    if found:
        yield general_table(found, limit, caption=caption)


def _systems(kept: Sequence[ResultRow]) -> Iterator[Table]:
    """Yield a row a system, the lowest penalty first."""
    of = {(row.statistic, str(row.system), row.label): row for row in kept if row.system and not row.system_b}
    systems = list(dict.fromkeys(str(row.system) for row in kept if row.statistic == "errors_per_text"))
    if not systems:
        return
    severities = list(dict.fromkeys(row.label for row in kept if row.statistic == "errors_by_severity"))
    has_penalty = any(row.statistic == "mqm_score" and row.system for row in kept)

    def place(system: str) -> float:
        row = of.get(("mqm_score", system, None)) or of.get(("errors_per_text", system, None))
        return row.value if row is not None and row.value is not None else float("inf")

    columns = [Column(_("System"), number=False)]
    if has_penalty:
        columns += [Column(_("MQM penalty")), Column(_("Interval")), Column(_("Interval over raters"))]
    columns += [Column(_("Errors per text")), *(Column(str(one)) for one in severities)]
    columns += [Column(_("Texts without an error")), Column(_("Texts rated")), Column(_("Raters"))]
    cells = []
    for system in sorted(systems, key=place):
        cell = [tables.name(system)]
        errors = of.get(("errors_per_text", system, None))
        if has_penalty:
            one, over = of.get(("mqm_score", system, None)), of.get(("mqm_score_over_raters", system, None))
            cell += [_value(one), _ends(one), _ends(over)]
        cell += [_value(errors), *(_value(of.get(("errors_by_severity", system, one)), 0.0) for one in severities)]
        silent = of.get(("no_error_share", system, None))
        cell += [tables.percent(silent.value if silent else None)]
        cell += [tables.whole(errors.n_ratings if errors else None), tables.whole(errors.n_raters if errors else None)]
        cells.append(cell)
    shown = [row for row in kept if row.statistic in ("mqm_score", "mqm_score_over_raters")]
    yield Table(_("Marked errors by system: lower is better"), columns, cells, notes_of(shown))


def _pairs(kept: Sequence[ResultRow], limit: float) -> Iterator[Table]:
    """Yield a row a pair of systems."""
    found = [row for row in kept if row.statistic == "mqm_difference"]
    if not found:
        return
    columns = [
        Column(_("Pair"), number=False), Column(_("Difference")), Column(_("Interval")), Column(_("p")),
        Column(_("Adjusted p")), Column(_("Items")),
    ]  # fmt: skip
    cells = [
        [
            tables.name(f"{row.system} − {row.system_b}"), _value(row), _ends(row), tables.p_value(row.p),
            tables.p_value(row.p_adjusted, limit), tables.whole(row.n_items),
        ]
        for row in found[:MOST_PAIRS]
    ]  # fmt: skip
    left = len(found) - MOST_PAIRS
    notes = [_("%(n)s more pairs are in the file of results.") % {"n": left}] if left > 0 else []
    yield Table(_("Differences of MQM penalties"), columns, cells, [*notes_of(found[:MOST_PAIRS]), *notes])


def _kinds(kept: Sequence[ResultRow]) -> Iterator[Table]:
    """Yield how many marks there are of each severity and kind."""
    found = [row for row in kept if row.statistic in ("severity_count", "category_count")]
    silent = next((row for row in kept if row.statistic == "no_error_count"), None)
    if not found and silent is None:
        return
    columns = [Column(_("What"), number=False), Column(_("Marked as"), number=False), Column(_("Marks")), Column("%")]
    cells = [
        [
            tables.name(words.statistic(row.statistic)), tables.name(row.label),
            tables.whole(int(row.value) if row.value is not None else None),
            tables.percent(row.value / row.n_ratings if row.value is not None and row.n_ratings else None, 1),
        ]
        for row in found
    ]  # fmt: skip
    notes = []
    if silent is not None and silent.value is not None:
        said = {"n": tables.figure(silent.value, 0), "all": tables.figure(float(silent.n_ratings or 0), 0)}
        notes = [_("%(n)s of %(all)s texts, each as a rater saw it, have no error.") % said]
    yield Table(_("Marks by severity and kind"), columns, cells, notes)


def _raters(kept: Sequence[ResultRow]) -> Iterator[Table]:
    """Yield a row a rater."""
    of = {(row.statistic, row.rater, row.label): row for row in kept if row.rater and row.statistic in OF_RATERS}
    raters = list(dict.fromkeys(rater for _statistic, rater, _label in of))
    if not raters:
        return
    severities = list(
        dict.fromkeys(label for statistic, _rater, label in of if statistic == "errors_of_rater" and label)
    )
    has_penalty = any(statistic == "mqm_of_rater" for statistic, _rater, _label in of)
    columns = [Column(_("Rater"), number=False), Column(_("Texts"))]
    columns += [Column(_("MQM penalty per text"))] if has_penalty else []
    columns += [Column(_("Errors per text")), *(Column(str(one)) for one in severities)]
    columns += [Column(_("Texts without an error"))]
    cells = []
    for rater in raters:
        errors, silent = of.get(("errors_of_rater", rater, None)), of.get(("no_error_of_rater", rater, None))
        cell = [tables.name(rater), tables.whole(errors.n_ratings if errors else None)]
        cell += [_value(of.get(("mqm_of_rater", rater, None)))] if has_penalty else []
        cell += [_value(errors), *(_value(of.get(("errors_of_rater", rater, one))) for one in severities)]
        cells.append([*cell, tables.percent(silent.value if silent else None)])
    yield Table(
        _("Marked errors by rater"), columns, cells, notes_of([row for row in of.values() if row.label is None])
    )


def _value(row: ResultRow | None, otherwise: float | None = None) -> Cell:
    return tables.number(row.value if row is not None else otherwise)


def _ends(row: ResultRow | None) -> Cell:
    return tables.interval(row.low, row.high) if row is not None else Cell(tables.DASH)
