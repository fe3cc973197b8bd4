"""The tables of systems and of pairs of systems, ratings before and after the rules side by side."""

from __future__ import annotations

from django.utils.translation import gettext as _

from analytics_app.models import ResultRow
from analytics_app.views import tables
from analytics_app.views.picking import OF_PAIRS, OF_SYSTEMS, Question, notes_of
from analytics_app.views.tables import Cell, Column, Table

# A scale of more steps is read in its plot and in the file.
MOST_STEPS = 7


def systems_table(question: Question) -> Table:
    """Return a row a system, the highest mean first; where a scale has steps, what needs no equal steps comes first."""
    steps = question.steps if len(question.steps) <= MOST_STEPS else []
    ordinal = bool(question.steps)
    shown = [row for row in question.kept if row.statistic in OF_SYSTEMS]
    digits = tables.digits_for(row.value for row in shown if row.statistic == "mean")
    mean = _("Mean, steps taken as equal") if ordinal else _("Mean")
    columns = [Column(_("System"), number=False), Column(_("Ratings"))]
    columns += [*(Column(_("Step %(step)s") % {"step": step}) for step in steps), Column(_("Median"))]
    columns += [Column(mean), Column(_("Over items")), Column(_("Over raters")), Column(_("SD"))]
    columns += [Column(_("Mean z")), Column(_("z over items")), Column(_("z over raters"))]
    if question.both:
        columns += [Column(_("Ratings before rules")), Column(_("Mean before rules")), Column(_("z before rules"))]
    rows = [_system(question, system, steps, digits) for system in question.systems]
    return Table(_("Systems"), columns, rows, notes_of(shown))


def _system(question: Question, system: str, steps: list[str], digits: int) -> list[Cell]:
    mean, z = question.first("mean", system), question.first("mean_z", system)
    over, z_over = question.first("mean_over_raters", system), question.first("mean_z_over_raters", system)
    cells = [tables.name(system), tables.whole(mean.n_ratings if mean else None)]
    cells += [tables.percent(_value(question.first("share", system, label=step))) for step in steps]
    cells += [
        tables.number(_value(question.first("median", system)), digits),
        tables.number(_value(mean), digits),
        _ends(mean, digits),
        _ends(over, digits),
        tables.number(_value(question.first("sd", system)), digits),
        tables.number(_value(z), 3),
        _ends(z, 3),
        _ends(z_over, 3),
    ]
    if question.both:
        before, z_before = (question.first(one, system, basis="all") for one in ("mean", "mean_z"))
        cells += [
            tables.whole(before.n_ratings if before else None),
            tables.number(_value(before), digits),
            tables.number(_value(z_before), 3),
        ]
    return cells


def pairs_table(question: Question, limit: float) -> Table:
    """Return a row a pair of systems, in the order of the document."""
    shown = [row for row in question.kept if row.statistic in OF_PAIRS]
    digits = tables.digits_for(row.value for row in shown if row.statistic == "difference")
    columns = [Column(_("Pair"), number=False), Column(_("Items"))]
    if question.steps:
        columns += [Column(_("First above second")), Column(_("Interval"))]
    columns += [Column(_("Difference")), Column(_("Over items")), Column(_("Over raters"))]
    columns += [Column(_("p")), Column(_("Adjusted p")), Column(_("Wilcoxon, adjusted p")), Column(_("Effect size d"))]
    if question.both:
        columns += [Column(_("Difference before rules")), Column(_("Adjusted p before rules"))]
    rows = [_pair(question, a, b, digits, limit) for a, b in question.pairs]
    return Table(_("Pairs of systems"), columns, rows, notes_of(shown))


def _pair(question: Question, a: str, b: str, digits: int, limit: float) -> list[Cell]:
    difference, over = question.first("difference", a, b), question.first("difference_over_raters", a, b)
    above, rank = question.first("superiority", a, b), question.first("wilcoxon", a, b)
    about = difference or above
    cells = [tables.name(f"{a} − {b}"), tables.whole(about.n_items if about else None)]
    if question.steps:
        ends = tables.interval(above.low, above.high) if above else Cell(tables.DASH)
        cells += [tables.number(_value(above)), ends]
    cells += [
        tables.number(_value(difference), digits),
        _ends(difference, digits),
        _ends(over, digits),
        tables.p_value(difference.p if difference else None),
        tables.p_value(difference.p_adjusted if difference else None, limit),
        tables.p_value(rank.p_adjusted if rank else None, limit),
        tables.number(_value(question.first("effect_size", a, b))),
    ]
    if question.both:
        before = question.first("difference", a, b, basis="all")
        cells += [
            tables.number(_value(before), digits),
            tables.p_value(before.p_adjusted if before else None, limit),
        ]
    return cells


def _value(row: ResultRow | None) -> float | None:
    return row.value if row is not None else None


def _ends(row: ResultRow | None, digits: int) -> Cell:
    return tables.interval(row.low, row.high, digits) if row is not None else Cell(tables.DASH)
