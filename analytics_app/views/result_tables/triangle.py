"""Tables of a triangle test: the verdict of each pair first, then how many can tell, and what order and triad did."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from django.utils.translation import gettext as _

from analytics_app.models import ResultRow
from analytics_app.ratings.extras.orders import ORDERS
from analytics_app.views import tables
from analytics_app.views.result_tables.registry import MOST_ROWS, general_table, tables_of
from analytics_app.views.tables import Cell, Column, Table

VERDICTS = ("triangle_correct", "triangle_share", "triangle_critical", "triangle_power", "triangle_judges")
ABILITIES = (
    "discriminators",
    "discriminators_upper",
    "d_prime",
    "discriminators_normal",
    "replicated_discriminators",
    "overdispersion",
)
ORDER = ("order_share", "order_effect")
POSITION = ("odd_position_share", "odd_position_effect")
TRIADS = "triad_share"

Pair = tuple[str, str]
# Rows of one pair by statistic, and by label where there are several.
Found = dict[tuple[str, str], ResultRow]


@tables_of("triangle")
def triangle(rows: Sequence[ResultRow], limit: float) -> Iterator[Table]:
    """Yield the verdicts, how many people can tell, and the rest; slices and groups stand in the last one."""
    whole = [row for row in rows if not (row.slice or row.group or row.wave)]
    kept = [row for row in whole if row.basis == "kept"] or whole
    pairs = _by_pair(kept)
    if any(("triangle_share", "") in found for found in pairs.values()):
        yield _verdicts(pairs, limit)
        yield _abilities(pairs)
    for (shares, effect), labels, caption in (
        (ORDER, ORDERS, _("Right choices by order (A is the first system)")),
        (POSITION, ("1", "2", "3"), _("Right choices by position of the odd text")),
    ):
        if any((effect, "") in found for found in pairs.values()):
            yield _by_label(pairs, shares, effect, labels, caption, limit)
    triads = [row for row in kept if row.statistic == TRIADS]
    if triads:
        yield _triads(triads)
    placed = {*VERDICTS, *ABILITIES, *ORDER, *POSITION, TRIADS}
    rest = [row for row in rows if row.statistic not in placed or row.slice or row.group or row.wave]
    if rest:
        parts = any(row.slice or row.group or row.wave for row in rest)
        yield general_table(rest, limit, caption=_("Triangle test by subset") if parts else "")


def _by_pair(rows: Sequence[ResultRow]) -> dict[Pair, Found]:
    found: dict[Pair, Found] = {}
    for row in rows:
        if row.system and row.system_b:
            found.setdefault((row.system, row.system_b), {})[row.statistic, row.label or ""] = row
    return found


def _of(found: Found, statistic: str, label: str = "") -> ResultRow:
    """Return the row of a statistic, an empty one where there is none."""
    return found.get((statistic, label)) or ResultRow(statistic=statistic)


def _name(pair: Pair) -> str:
    return " – ".join(pair)


def _verdicts(pairs: Mapping[Pair, Found], limit: float) -> Table:
    goals = {(_of(found, "triangle_share").settings or {}).get("goal") for found in pairs.values()}
    columns = [
        Column(_("Systems"), number=False),
        Column(_("Judges")),
        Column(_("Right")),
        Column(_("Allowed") if "similarity" in goals else _("Needed")),
        Column(_("Share right")),
        Column(_("p, exact")),
        Column(_("Adjusted p")),
        Column(_("Power")),
    ]
    rows, notes = [], []
    for pair, found in pairs.items():
        share, correct = _of(found, "triangle_share"), _of(found, "triangle_correct")
        rows.append(
            [
                tables.name(_name(pair)),
                tables.whole(share.n_ratings),
                tables.number(correct.value, 0),
                tables.number(_of(found, "triangle_critical").value, 0),
                tables.percent(share.value, 1),
                tables.p_value(share.p, limit if share.p_adjusted is None else 0.0),
                tables.p_value(share.p_adjusted, limit),
                tables.percent(_of(found, "triangle_power").value, 1),
            ]
        )
        notes += [f"{_name(pair)}: {note}" for note in (share.note, correct.note) if note]
    needed = next((_of(found, "triangle_judges") for found in pairs.values()), None)
    if needed is not None and needed.value is not None:
        plan = _("The plan needs %(n)s judges a pair. %(stable)s")
        notes.append(plan % {"n": tables.whole(int(needed.value)).text, "stable": needed.note or ""})
    return Table(_("Verdicts"), columns, rows, notes)


def _abilities(pairs: Mapping[Pair, Found]) -> Table:
    words = {
        "discriminators": _("Share of people who can tell"),
        "discriminators_upper": _("Its upper limit, one-sided"),
        "d_prime": _("d′"),
        "discriminators_normal": _("Its limit by the paper's approximation"),
        "replicated_discriminators": _("Share of triads that judges can tell (beta-binomial)"),
        "overdispersion": _("How much judges differ, 0 to 1"),
    }
    columns = [Column(_("Systems"), number=False), Column(_("Measure"), number=False)]
    columns += [Column(_("Value")), Column(_("Interval"))]
    rows, notes = [], []
    for pair, found in pairs.items():
        for statistic in ABILITIES:
            row = found.get((statistic, ""))
            if row is None:
                continue
            plain = statistic in {"d_prime", "overdispersion"}
            value = tables.number(row.value, 2) if plain else tables.percent(row.value, 1)
            ends = tables.interval(row.low, row.high, 2) if plain else _percents(row)
            rows.append([tables.name(_name(pair)), tables.name(words[statistic]), value, ends])
            notes += [row.note] if row.note else []
    return Table(_("How many people can tell"), columns, rows, list(dict.fromkeys(notes)))


def _percents(row: ResultRow) -> Cell:
    if row.low is None or row.high is None:
        return Cell(tables.DASH)
    ends = {"low": tables.percent(row.low, 1).text, "high": tables.percent(row.high, 1).text}
    return Cell(_("%(low)s to %(high)s") % ends, row.low)


def _by_label(
    pairs: Mapping[Pair, Found], statistic: str, effect: str, labels: Sequence[str], caption: str, limit: float
) -> Table:
    """Return a row a pair, a column an order or position, and whether they differ."""
    columns = [Column(_("Systems"), number=False), *(Column(label) for label in labels), Column(_("p of a difference"))]
    rows, notes = [], []
    for pair, found in pairs.items():
        cells = [_right(_of(found, statistic, label)) for label in labels]
        differs = _of(found, effect)
        rows.append([tables.name(_name(pair)), *cells, tables.p_value(differs.p, limit)])
        notes += [differs.note] if differs.note else []
    return Table(caption, columns, rows, list(dict.fromkeys(notes)))


def _triads(found: Sequence[ResultRow]) -> Table:
    """Return the triads, those that were found least often first."""
    ordered = sorted(found, key=lambda row: (row.value or 0.0, row.label or ""))
    cells = [[tables.name(row.label), _right(row), tables.percent(row.value)] for row in ordered[:MOST_ROWS]]
    left = len(ordered) - MOST_ROWS
    notes = [_("%(n)s more rows are in the file of results.") % {"n": left}] if left > 0 else []
    columns = [Column(_("Triad"), number=False), Column(_("Right")), Column(_("Share"))]
    return Table(_("Right choices by triad"), columns, cells, notes)


def _right(row: ResultRow) -> Cell:
    """Return "3 of 4"."""
    if row.value is None or not row.n_ratings:
        return Cell(tables.DASH)
    right = round(row.value * row.n_ratings)
    return Cell(_("%(right)s of %(n)s") % {"right": right, "n": row.n_ratings}, row.value)
