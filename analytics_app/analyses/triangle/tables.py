"""Tables of a triangle test: the verdict of each pair, then how many can tell, then effects of order and triad."""

from collections.abc import Iterator, Sequence
from typing import Any

from django.utils.translation import gettext as _

from analytics_app.models import ResultRow
from analytics_app.ratings.extras.orders import ORDERS
from analytics_app.show import cells
from analytics_app.show.cells import DASH, Cell
from analytics_app.show.formats import (
    digits,
    interval,
    p_adjusted,
    p_tested,
    p_uncorrected,
    pair,
    percent,
    ratings,
    share,
)
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

VERDICTS = ("triangle_correct", "triangle_share", "triangle_critical", "triangle_power", "triangle_judges")
ABILITIES = (
    "discriminators",
    "discriminators_upper",
    "d_prime",
    "discriminators_normal",
    "replicated_discriminators",
    "overdispersion",
)
# What is no share of people or triads.
PLAIN = ("d_prime", "overdispersion")
ORDER = ("order_share", "order_effect")
POSITION = ("odd_position_share", "odd_position_effect")
TRIADS = "triad_share"

PAIR = ("system", "system_b")


@tables_of("triangle")
def triangle(rows: StoredRows, limit: float) -> Iterator[Table]:
    """Yield the tables of verdicts, of the share of people who can tell, and the others; parts come last."""
    whole = rows.whole
    pairs = lines_of((row for row in whole.kept if row.system and row.system_b), *PAIR)
    if whole.of("triangle_share"):
        yield from _verdicts(whole, pairs, limit)
        yield from _abilities(whole, pairs)
    by_order, by_position = (
        _("Right choices by order (A is the first system)"),
        _("Right choices by position of the odd text"),
    )
    yield from _by_label(whole, pairs, ORDER, ORDERS, by_order, limit)
    yield from _by_label(whole, pairs, POSITION, ("1", "2", "3"), by_position, limit)
    yield from _triads(whole)
    placed = {*VERDICTS, *ABILITIES, *ORDER, *POSITION, TRIADS}
    further = [row for row in rows.rows if row.statistic not in placed or row.slice or row.group or row.wave]
    yield from general_table(further, limit, caption=_("Triangle test by subset") if rows.parts else "")


_named = pair("–")


def _pair_of(row: ResultRow) -> dict[str, Any]:
    return {name: getattr(row, name) for name in PAIR}


def _verdicts(rows: StoredRows, pairs: Sequence[ResultRow], limit: float) -> Iterator[Table]:
    shares = rows.of("triangle_share")
    goals = {(row.settings or {}).get("goal") for row in shares}
    columns = [
        named(_("Systems"), _named),
        Shown(_("Judges"), "triangle_share", ratings),
        Shown(_("Right"), "triangle_correct", digits(0)),
        Shown(_("Allowed") if "similarity" in goals else _("Needed"), "triangle_critical", digits(0)),
        Shown(_("Share right"), "triangle_share", percent(1)),
        Shown(_("p, exact"), "triangle_share", p_uncorrected(limit)),
        Shown(_("Adjusted p"), "triangle_share", p_adjusted(limit)),
        Shown(_("Power"), "triangle_power", percent(1)),
    ]
    notes = [
        f"{_named(line)}: {row.note}"
        for line in pairs
        for name in ("triangle_share", "triangle_correct")
        if (row := rows.one(name, **_pair_of(line))) is not None and row.note
    ]
    needed = rows.one("triangle_judges", **_pair_of(pairs[0]))
    if needed is not None and needed.value is not None:
        plan = _("The plan needs %(n)s judges a pair. %(stable)s")
        notes.append(plan % {"n": cells.whole(int(needed.value)).text, "stable": needed.note or ""})
    yield from table_of(rows, _("Verdicts"), columns, pairs, by=PAIR, notes=notes)


def _abilities(rows: StoredRows, pairs: Sequence[ResultRow]) -> Iterator[Table]:
    called = {
        "discriminators": _("Share of people who can tell"),
        "discriminators_upper": _("Its upper limit, one-sided"),
        "d_prime": _("d′"),
        "discriminators_normal": _("Its limit by the paper's approximation"),
        "replicated_discriminators": _("Share of triads that judges can tell (beta-binomial)"),
        "overdispersion": _("How much judges differ, 0 to 1"),
    }
    columns = [
        named(_("Systems"), _named),
        named(_("Measure"), lambda row: called[row.statistic]),
        own(_("Value"), _ability),
        own(_("Interval"), _ends),
    ]
    of_pairs = [rows.one(statistic, **_pair_of(line)) for line in pairs for statistic in ABILITIES]
    lines = [row for row in of_pairs if row is not None]
    notes = list(dict.fromkeys(row.note for row in lines if row.note))
    yield from table_of(rows, _("How many people can tell"), columns, lines, notes=notes)


def _ability(row: ResultRow | None) -> Cell:
    return digits(2)(row) if row is not None and row.statistic in PLAIN else percent(1)(row)


def _ends(row: ResultRow | None) -> Cell:
    if row is None or row.low is None or row.high is None:
        return Cell(DASH)
    if row.statistic in PLAIN:
        return interval(2)(row)
    ends = {"low": cells.percent(row.low, 1).text, "high": cells.percent(row.high, 1).text}
    return Cell(_("%(low)s to %(high)s") % ends, row.low)


def _by_label(
    rows: StoredRows,
    pairs: Sequence[ResultRow],
    statistics: tuple[str, str],
    labels: Sequence[str],
    caption: str,
    limit: float,
) -> Iterator[Table]:
    """Yield a table with a line for each pair, a column for each order or position, and a test of differences."""
    shares, effect = statistics
    if not rows.of(effect):
        return
    columns = [
        named(_("Systems"), _named),
        *(Shown(label, shares, _right, {"label": label}) for label in labels),
        Shown(_("p of a difference"), effect, p_tested(limit)),
    ]
    effects = [rows.one(effect, **_pair_of(line)) for line in pairs]
    notes = list(dict.fromkeys(row.note for row in effects if row is not None and row.note))
    yield from table_of(rows, caption, columns, pairs, by=PAIR, notes=notes)


def _triads(rows: StoredRows) -> Iterator[Table]:
    """Yield the triads, those that were found least often first."""
    columns = [named(_("Triad"), lambda row: row.label), own(_("Right"), _right), own(_("Share"), share)]
    lines = sorted(rows.of(TRIADS), key=lambda row: (row.value or 0.0, row.label or ""))
    caption, more = _("Right choices by triad"), _("Further rows in the file of results: %(n)s.")
    yield from table_of(rows, caption, columns, lines, notes=[], most=MOST_ROWS, more=more)


def _right(row: ResultRow | None) -> Cell:
    """Show "3 of 4"."""
    if row is None or row.value is None or not row.n_ratings:
        return Cell(DASH)
    right = round(row.value * row.n_ratings)
    return Cell(_("%(right)s of %(n)s") % {"right": right, "n": row.n_ratings}, row.value)
