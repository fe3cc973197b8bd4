"""Tables of systems and of pairs of systems, and the rows that have no better place."""

from collections.abc import Iterator

from django.utils.translation import gettext as _

from analytics_app.analyses.agreement import MEASURES, OF_RATER_PAIRS
from analytics_app.models import ResultRow
from analytics_app.show import formats
from analytics_app.show.cells import Cell, digits_for
from analytics_app.show.formats import digits, interval, items, p, p_adjusted, pair, percent, ratings
from analytics_app.show.notes import notes_of
from analytics_app.show.shown import Shown, StoredRows, lines_of, named, own, shared_table, table_of
from analytics_app.show.table import Table

OF_SYSTEMS = ("mean", "mean_crossed", "mean_over_raters", "mean_z", "mean_z_over_raters", "median", "sd", "share")
OF_PAIRS = (
    "difference_crossed",
    "effect_size_crossed",
    "difference",
    "difference_z",
    "difference_over_raters",
    "wilcoxon",
    "superiority",
    "log_odds",
    "superiority_latent",
    "effect_size",
    "effect_size_z",
)
# What plots and the page of raters show.
ELSEWHERE = ("distribution", "rater_mean", "rater_sd", "rater_difference")

# A scale of more steps is read in its plot and in the file.
MOST_STEPS = 7
FURTHER_SHOWN = 200


@shared_table("systems", order=10)
def systems(rows: StoredRows, limit: float) -> Iterator[Table]:
    """Yield a table with one line for each system, the highest mean first; shares of steps come before means."""
    whole = rows.whole
    every_step = list(dict.fromkeys(str(row.label) for row in whole.rows if row.statistic == "share"))
    steps = every_step if len(every_step) <= MOST_STEPS else []
    n = digits_for(row.value for row in whole.of("mean"))
    columns = [
        named(_("System"), lambda row: row.system),
        Shown(_("Ratings"), "mean", ratings),
        *(Shown(_("Step %(step)s") % {"step": step}, "share", percent(0), {"label": step}) for step in steps),
        Shown(_("Median"), "median", digits(n)),
        Shown(_("Mean, steps taken as equal") if every_step else _("Mean"), "mean", digits(n)),
        Shown(_("Over items"), "mean", interval(n)),
        Shown(_("Over raters"), "mean_over_raters", interval(n)),
        *_crossed_means(whole, n),
        Shown(_("SD"), "sd", digits(n)),
        Shown(_("Mean z"), "mean_z", digits(3)),
        Shown(_("z over items"), "mean_z", interval(3)),
        Shown(_("z over raters"), "mean_z_over_raters", interval(3)),
        Shown(_("Ratings before rules"), "mean", ratings, before=True),
        Shown(_("Mean before rules"), "mean", digits(n), before=True),
        Shown(_("z before rules"), "mean_z", digits(3), before=True),
    ]

    def place(row: ResultRow) -> float:
        mean = whole.one("mean", system=row.system)
        return -mean.value if mean is not None and mean.value is not None else float("inf")

    lines = sorted(lines_of((r for r in whole.rows if r.statistic in OF_SYSTEMS and r.system), "system"), key=place)
    notes = notes_of(whole.of(*OF_SYSTEMS))
    yield from table_of(whole, _("Systems"), columns, lines, by=("system",), notes=notes)


def _crossed_means(whole: StoredRows, n: int) -> list[Shown]:
    """Return the columns of means with raters and items both random, if there are some."""
    if not whole.has("mean_crossed"):
        return []
    return [
        Shown(_("Mean, raters and texts random"), "mean_crossed", digits(n)),
        Shown(_("For further texts and raters"), "mean_crossed", interval(n)),
    ]


@shared_table("systems", order=20)
def pairs(rows: StoredRows, limit: float) -> Iterator[Table]:
    """Yield a table with one line for each pair of systems, in the order of the document."""
    whole, by = rows.whole, ("system", "system_b")
    if not whole.has("difference", "superiority", "difference_crossed"):
        return

    def compared(row: ResultRow | None) -> Cell:
        of_pair = (whole.one(name, **{column: getattr(row, column) for column in by}) for name in by_statistic)
        return items(next(filter(None, of_pair), None))

    by_statistic = ("difference", "superiority")
    above = [
        Shown(_("First above second"), "superiority", digits(2)),
        Shown(_("Interval"), "superiority", interval(2)),
    ]
    n = digits_for(row.value for row in whole.of("difference"))
    columns = [
        named(_("Pair"), pair("−")),
        own(_("Items"), compared),
        *_crossed_differences(whole, n, limit),
        *(above if whole.has("share") else []),
        Shown(_("Difference, these raters"), "difference", digits(n)),
        Shown(_("Over items, these raters"), "difference", interval(n)),
        Shown(_("Over raters, these items"), "difference_over_raters", interval(n)),
        Shown(_("p, these raters"), "difference", p),
        Shown(_("Adjusted p, these raters"), "difference", p_adjusted(limit)),
        Shown(_("Wilcoxon, adjusted p, these raters"), "wilcoxon", p_adjusted(limit)),
        Shown(_("Adjusted p over raters, these items"), "difference_over_raters", p_adjusted(limit)),
        Shown(_("Effect size d, these raters"), "effect_size", digits(2)),
        Shown(_("Difference before rules"), "difference", digits(n), before=True),
        Shown(_("Adjusted p before rules"), "difference", p_adjusted(limit), before=True),
    ]
    lines = lines_of((row for row in whole.rows if row.system and row.system_b), *by)
    yield from table_of(whole, _("Pairs of systems"), columns, lines, by=by, notes=notes_of(whole.of(*OF_PAIRS)))


def _crossed_differences(whole: StoredRows, n: int, limit: float) -> list[Shown]:
    """Return the columns of differences with raters and items both random, if there are some."""
    if not whole.has("difference_crossed"):
        return []
    return [
        Shown(_("Difference"), "difference_crossed", digits(n)),
        Shown(_("For further texts and raters"), "difference_crossed", interval(n)),
        Shown(_("p"), "difference_crossed", p),
        Shown(_("Adjusted p"), "difference_crossed", p_adjusted(limit)),
        Shown(_("Effect size"), "effect_size_crossed", digits(2)),
        *(_of_steps(limit) if whole.has("superiority_latent") else []),
    ]


def _of_steps(limit: float) -> list[Shown]:
    """Return the columns of the model of ordinal steps."""
    return [
        Shown(_("First above second, model of steps"), "superiority_latent", digits(2)),
        Shown(_("Adjusted p, model of steps"), "log_odds", p_adjusted(limit)),
    ]


@shared_table(
    "systems", "krippendorff", "agreement", "kappa", "icc", "correlation", "raters", "distribution",
    order=20, folded=True,
)  # fmt: skip
def further(rows: StoredRows, limit: float) -> Iterator[Table]:
    """Yield the rows that have no place in another table, as they are."""
    of_raters = {*MEASURES, *OF_RATER_PAIRS}
    placed = {*OF_SYSTEMS, *OF_PAIRS, *ELSEWHERE, *of_raters}
    columns = [
        named(_("Measure"), formats.statistic),
        named(_("Part"), lambda row: "; ".join(filter(None, (row.slice, row.group, row.metric)))),
        named(_("System"), lambda row: " – ".join(filter(None, (row.system, row.system_b)))),
        named(_("Label"), lambda row: row.label),
        own(_("Value"), digits(3)),
        own(_("Interval"), interval(3)),
        own(_("Adjusted p"), p_adjusted(0.0)),
        own(_("Ratings"), ratings),
        named(_("Basis"), lambda row: _("kept") if row.basis == "kept" else _("all")),
    ]
    lines = [
        row
        for row in rows.rows
        if row.slice or row.statistic not in placed or ((row.group or row.wave) and row.statistic not in of_raters)
    ]
    caption, more = _("Parts of the data, and further numbers"), _("Further rows in the file of results: %(n)s.")
    yield from table_of(rows, caption, columns, lines, notes=notes_of(lines), most=FURTHER_SHOWN, more=more)
