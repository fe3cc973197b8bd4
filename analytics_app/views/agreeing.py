"""The table of agreement between raters: what the scale calls for first, ratings before and after the rules."""

from __future__ import annotations

from collections.abc import Iterator

from django.utils.translation import gettext as _

from analytics_app.models import ResultRow
from analytics_app.views import tables, words
from analytics_app.views.picking import Question, notes_of
from analytics_app.views.tables import Cell, Column, Table

CORRELATIONS = (
    "pearson",
    "pearson_mean",
    "pearson_mean_fisher",
    "spearman",
    "spearman_mean",
    "spearman_mean_fisher",
)
# What is read first on labels, on steps, and on scales of numbers.
OF_LABELS = ("percent_agreement", "alpha", "cohen_kappa", "gwet_ac1", "fleiss_kappa")
OF_STEPS = (
    "alpha",
    "cohen_kappa_quadratic",
    "cohen_kappa_linear",
    "gwet_ac2",
    *CORRELATIONS[3:],
    "kendall_w",
    "percent_agreement",
    "cohen_kappa",
    "fleiss_kappa",
    "icc",
    *CORRELATIONS[:3],
    "noise_bound",
)
OF_NUMBERS = ("icc", "alpha", *CORRELATIONS, "noise_bound")

AGREEMENT = tuple(dict.fromkeys((*OF_NUMBERS, *OF_STEPS, *OF_LABELS)))
RATER_PAIRS = (
    "pearson_pair",
    "spearman_pair",
    "cohen_kappa_quadratic_pair",
    "cohen_kappa_linear_pair",
    "cohen_kappa_pair",
)


def agreement_table(question: Question) -> Table:
    """Return how far raters agree; ratings before and after the rules side by side.

    What is undefined is a dash, and the notes say why. Where nothing is defined one sentence stands for all.
    """
    named = _("Agreement between raters")
    shown = list(_shown(question))
    if all(row.value is None and _before(question, row) is None for row in shown):
        said = next((row.note for row in shown if row.note), _("The rules left nothing that raters could agree on."))
        return Table(named, [], [], [f"{named}: {said}"])
    columns = [
        Column(_("Measure"), number=False),
        Column(_("Value")),
        Column(_("Interval")),
        Column(_("Ratings")),
        Column(_("Texts")),
        Column(_("Raters")),
    ]
    if question.both:
        columns += [Column(_("Before rules")), Column(_("Interval before rules"))]
    return Table(named, columns, [_cells(question, row) for row in shown], notes_of(shown))


def _before(question: Question, row: ResultRow) -> float | None:
    """Return what a measure was before the rules, where there were some."""
    found = question.first(row.statistic, label=row.label, basis="all") if question.both else None
    return found.value if found is not None else None


def _shown(question: Question) -> Iterator[ResultRow]:
    order = OF_LABELS if question.has("gwet_ac1") else OF_STEPS if question.has("gwet_ac2") else OF_NUMBERS
    by_name: dict[str, list[ResultRow]] = {}
    for row in question.kept:
        by_name.setdefault(row.statistic, []).append(row)
    for statistic in order:
        found = by_name.get(statistic, [])
        # Where there are logarithms, the values as given stand in the file.
        logs = [row for row in found if (row.label or "").endswith("of logs")]
        yield from (logs or found) if statistic in {"icc", "noise_bound"} else found[:1]


def _cells(question: Question, row: ResultRow) -> list[Cell]:
    said = _said(row)
    cells = [
        Cell(said, said),
        tables.number(row.value, 3),
        tables.interval(row.low, row.high, 3),
        tables.whole(row.n_ratings),
        tables.whole(row.n_items),
        tables.whole(row.n_raters),
    ]
    if question.both:
        before = question.first(row.statistic, label=row.label, basis="all")
        cells += [
            tables.number(before.value if before else None, 3),
            tables.interval(before.low, before.high, 3) if before else Cell(tables.DASH),
        ]
    return cells


def _said(row: ResultRow) -> str:
    """Name a measure, with the level, the form or the weights that were taken."""
    settings = row.settings or {}
    name = words.statistic(row.statistic)
    if row.statistic == "icc":
        model = str(settings.get("model", "")).replace(" k ", f" {settings.get('k', 'k')} ")
        return f"{row.label}: {model}" if model else str(row.label)
    more = settings.get("level") or (settings.get("weights") if row.statistic == "gwet_ac2" else None)
    return f"{name} ({more})" if more else name


def pairs_of_raters(question: Question) -> Iterator[Table]:
    """Yield the table of pairs of raters, where there are some."""
    pairs = [row for row in question.kept if row.statistic in RATER_PAIRS]
    if not pairs:
        return
    columns = [
        Column(_("Raters"), number=False),
        Column(_("Measure"), number=False),
        Column(_("Value")),
        Column(_("Interval")),
        Column(_("Texts")),
    ]
    cells = [
        [
            tables.name(row.label),
            tables.name(words.statistic(row.statistic)),
            tables.number(row.value, 3),
            tables.interval(row.low, row.high, 3),
            tables.whole(row.n_items),
        ]
        for row in pairs
    ]
    yield Table(_("Pairs of raters"), columns, cells, notes_of(pairs))
