"""Select the rows that a chart shows, and write its subtitle."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeAlias

from analytics_app.charts import words
from analytics_app.charts.points import MOST_ROWS, Point
from analytics_app.results import Row
from analytics_app.show.index import RowIndex

Rows: TypeAlias = Sequence[Row]

INTERVAL = (("low", "Low"), ("high", "High"))
INTERVAL_OVER_RATERS = (("low_b", "Low over raters"), ("high_b", "High over raters"))


@dataclass(frozen=True)
class Material:
    """The rows of one criterion (None: of a task), what it is called, and the confidence of intervals.

    `names` says what the criteria of a task are called.
    """

    rows: Rows
    criterion: str | None
    confidence: float
    called: str = ""
    names: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def index(self) -> RowIndex[Row]:
        """The rows, found by statistic."""
        return RowIndex(self.rows)

    def of(self, statistic: str) -> list[Row]:
        """Return the defined rows of a statistic over everything, no slice and no group, after the rules.

        What was before the rules is never drawn, not even where they left nothing; tables show both.
        """
        return [row for row in self.index.whole.of(statistic) if row.value is not None]

    def kept(self, statistic: str) -> list[Row]:
        """Return the defined rows of a statistic after the rules, those of slices, groups and waves too."""
        return [row for row in self.index.of(statistic) if row.value is not None]

    @property
    def name(self) -> str:
        """The criterion, for titles."""
        return words.short(self.called or self.criterion)

    def called_in(self, row: Row) -> str:
        """Return what the criterion of a row is called."""
        if self.criterion is not None and self.called:
            return self.called
        return self.names.get(row.criterion or "", row.criterion or "")

    @property
    def has_steps(self) -> bool:
        """Whether the scale has steps, whose shares then come before any mean."""
        return self.index.has("share")

    def basis(self, found: Rows) -> str:
        """Say which ratings went in."""
        return "ratings that the rules kept" if self.index.both and found[0].basis == "kept" else "all counted ratings"

    def interval(self, found: Rows, over: str) -> str:
        """Name the interval: "95 % interval over items"; `over` is what rows say that do not tell otherwise."""
        said = str(setting(found, "interval") or "").removeprefix("bootstrap over ")
        return f"{self.confidence * 100:g}{words.SPACE}% interval over {said or over}"


def setting(found: Rows, name: str) -> Any:
    """Return a setting of the first of some rows."""
    return (found[0].settings or {}).get(name)


def why_not(found: Rows) -> str:
    """Say why no test of a family can be significant, where that is so."""
    reason = setting(found, "cannot_differ")
    return f" {reason}" if reason else ""


def numeric(labels: Sequence[str]) -> bool:
    """Say whether labels are steps of a scale, which have an order, rather than words."""
    return all(label.removeprefix("-").replace(".", "", 1).isdigit() for label in labels)


def value_of(row: Row) -> float:
    """Return the value of a row that `Material.of` has picked."""
    return row.value if row.value is not None else 0.0


def falling(row: Row) -> float:
    """Sort key: the highest value first."""
    return -value_of(row)


def by_system(of: Material, statistic: str, *, lowest_first: bool) -> list[Row]:
    """Return the rows of a statistic with one system and no label, by their values."""
    found = [row for row in of.of(statistic) if row.system and not row.system_b and row.label is None]
    return sorted(found, key=value_of if lowest_first else falling)


@dataclass(frozen=True, slots=True)
class Pairs:
    """Pairs of systems, each in the order of its row, as tables name it.

    `rows` are those that a chart has room for, the highest value first; `clear` are those for which a claim holds, the
    one furthest from no difference first. `only` says that some are left off.
    """

    rows: list[Row]
    clear: list[Row]
    n: int

    @property
    def only(self) -> str:
        """Say that a chart leaves off what would be too much to read."""
        return f", the {len(self.rows)} furthest apart of {self.n} pairs" if len(self.rows) < self.n else ""


def pairs_of(found: Rows, distance: Callable[[float], float], clear: Callable[[Row], bool]) -> Pairs:
    """Return pairs for a chart; `distance` is how far a value is from no difference."""
    furthest = sorted(found, key=lambda row: -distance(value_of(row)))
    drawn = sorted(furthest[:MOST_ROWS], key=falling)
    return Pairs(drawn, [row for row in furthest if clear(row)], len(found))


def beside(row: Row, middle: float) -> bool:
    """Say whether the interval of a row lies on one side of a value."""
    return row.low is not None and row.high is not None and (row.low > middle or row.high < middle)


def point(row: Row, text: str, *, name: object, over_raters: Row | None = None, n: int | None = None) -> Point:
    """Make a point of a row."""
    return Point(
        name=str(name),
        shown=words.apart(name),
        value=value_of(row),
        text=text,
        low=row.low,
        high=row.high,
        low_b=over_raters.low if over_raters else None,
        high_b=over_raters.high if over_raters else None,
        n=n,
    )


def pair_point(row: Row, text: str, *, sign: str) -> Point:
    """Make a point of a pair of systems: "A − B", "A above B"."""
    one = point(row, text, name=f"{row.system} {sign} {row.system_b}", n=row.n_items)
    shown = f"{words.apart(row.system)} {sign} {words.apart(row.system_b)}"
    return replace(one, shown=shown, p=row.p_adjusted)


def only(names: Sequence[object]) -> str:
    """Say that a chart leaves off what would be too much to read."""
    return f", the {MOST_ROWS} highest of {len(names)}" if len(names) > MOST_ROWS else ""


def counted(found: Rows, ratings: int | None = None, *, unit: str = "item") -> str:
    """Say how much went in, as far as rows tell: "720 ratings, 20 items, 12 raters."; `unit` is what n_items counts."""
    items = max((row.n_items or 0 for row in found), default=0)
    raters = max((row.n_raters or 0 for row in found), default=0)
    said = [
        f"{n:,} {word}{'' if n == 1 else 's'}"
        for n, word in ((ratings or 0, "rating"), (items, unit), (raters, "rater"))
        if n
    ]
    return f" {', '.join(said)}." if said else ""


def each(found: Rows) -> str:
    """Say how many ratings a system has; a text that several systems produced counts for each of them."""
    counts = [row.n_ratings for row in found if row.n_ratings is not None]
    if not counts:
        return ""
    least, most = min(counts), max(counts)
    return f" {least:,} ratings each." if least == most else f" {least:,} to {most:,} ratings each."
