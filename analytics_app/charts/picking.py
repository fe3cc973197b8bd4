"""Select the rows that a chart shows, and write its subtitle."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeAlias

from analytics_app.charts import words
from analytics_app.charts.points import MOST_ROWS, Point
from analytics_app.results import TO_RATERS_AND_TEXTS, Row, is_significant
from analytics_app.show.index import RowIndex

Rows: TypeAlias = Sequence[Row]

INTERVAL = (("low", "Low"), ("high", "High"))
INTERVAL_OVER_RATERS = (("low_b", "Low over raters"), ("high_b", "High over raters"))


@dataclass(frozen=True)
class Material:
    """The rows of one criterion (None: of a task), its name, and the confidence of intervals.

    `names` are the names of the criteria of a task.
    """

    rows: Rows
    criterion: str | None
    confidence: float
    called: str = ""
    names: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def index(self) -> RowIndex[Row]:
        """Return the index of the rows by statistic."""
        return RowIndex(self.rows)

    @property
    def alpha(self) -> float:
        """Return the limit below which an adjusted p value is significant."""
        return round(1 - self.confidence, 9)

    def is_significant(self, row: Row) -> bool:
        """Return whether the adjusted test of a row is significant."""
        return is_significant(row.p_adjusted, self.alpha)

    def of(self, statistic: str) -> list[Row]:
        """Return the defined rows of a statistic without slice and group, after the rules.

        Rows before the rules are never drawn, even if the rules left no ratings; tables show both.
        """
        return [row for row in self.index.whole.of(statistic) if row.value is not None]

    def kept(self, statistic: str) -> list[Row]:
        """Return the defined rows of a statistic after the rules, including slices, groups and waves."""
        return [row for row in self.index.of(statistic) if row.value is not None]

    @property
    def name(self) -> str:
        """Return the name of the criterion, for titles."""
        return words.short(self.called or self.criterion)

    def called_in(self, row: Row) -> str:
        """Return the name of the criterion of a row."""
        if self.criterion is not None and self.called:
            return self.called
        return self.names.get(row.criterion or "", row.criterion or "")

    @property
    def has_steps(self) -> bool:
        """Return whether the scale has steps; the shares of steps come before any mean."""
        return self.index.has("share")

    def basis(self, rows: Rows) -> str:
        """Return a phrase about the ratings behind the rows."""
        return "ratings that the rules kept" if self.index.both and rows[0].basis == "kept" else "all counted ratings"

    def interval(self, rows: Rows, over: str) -> str:
        """Return the name of the interval, "95 % interval over items"; `over` is the default for the units."""
        name, scope = f"{self.confidence * 100:g}{words.SPACE}% interval", setting(rows, "generalises_to")
        if scope == TO_RATERS_AND_TEXTS:
            return f"{name} for {scope}, with both random"
        units = str(setting(rows, "interval") or "").removeprefix("bootstrap over ").removeprefix("exact over ")
        return f"{name} over {units or over}{f' (for {scope})' if scope else ''}"


def leading(material: Material, statistic: str, *, analysis: str = "") -> list[Row]:
    """Return the tests of a statistic for further raters and texts, where there are any, else those over texts."""
    own = [row for row in material.of(f"{statistic}_crossed") if not analysis or row.analysis == analysis]
    if any(row.p_adjusted is not None for row in own):
        return own
    return [row for row in material.of(statistic) if not analysis or row.analysis == analysis]


def setting(rows: Rows, name: str) -> Any:
    """Return a setting of the first row."""
    return (rows[0].settings or {}).get(name)


def why_not(rows: Rows) -> str:
    """Return the reason why no test of a family can be significant, if there is one."""
    reason = setting(rows, "cannot_differ")
    return f" {reason}" if reason else ""


def numeric(labels: Sequence[str]) -> bool:
    """Return whether labels are steps of a scale, which have an order, rather than words."""
    return all(label.removeprefix("-").replace(".", "", 1).isdigit() for label in labels)


def value_of(row: Row) -> float:
    """Return the value of a row from `Material.of`."""
    return row.value if row.value is not None else 0.0


def falling(row: Row) -> float:
    """Return the sort key for the highest value first."""
    return -value_of(row)


def by_system(material: Material, statistic: str, *, lowest_first: bool) -> list[Row]:
    """Return the rows of a statistic with one system and no label, by their values."""
    rows = [row for row in material.of(statistic) if row.system and not row.system_b and row.label is None]
    return sorted(rows, key=value_of if lowest_first else falling)


@dataclass(frozen=True, slots=True)
class Pairs:
    """Pairs of systems, each in the order of its row, as tables name it.

    `rows` are those that fit into a chart, the highest value first; `clear` are those for which a claim holds, the
    largest difference first. `left_off` is a phrase about those left off.
    """

    rows: list[Row]
    clear: list[Row]
    n: int

    @property
    def left_off(self) -> str:
        """Return a phrase about the pairs that the chart leaves off, if any."""
        return f", the {len(self.rows)} furthest apart of {self.n} pairs" if len(self.rows) < self.n else ""


def pairs_of(rows: Rows, distance: Callable[[float], float], clear: Callable[[Row], bool]) -> Pairs:
    """Return pairs for a chart; `distance` returns the distance of a value from no difference."""
    furthest = sorted(rows, key=lambda row: -distance(value_of(row)))
    shown_rows = sorted(furthest[:MOST_ROWS], key=falling)
    return Pairs(shown_rows, [row for row in furthest if clear(row)], len(rows))


def beside(row: Row, middle: float) -> bool:
    """Return whether the interval of a row lies on one side of a value."""
    return row.low is not None and row.high is not None and (row.low > middle or row.high < middle)


def point(row: Row, text: str, *, name: object, over_raters: Row | None = None, n: int | None = None) -> Point:
    """Return the point of a row."""
    return Point(
        name=str(name),
        shown=words.isolated(name),
        value=value_of(row),
        text=text,
        low=row.low,
        high=row.high,
        low_b=over_raters.low if over_raters else None,
        high_b=over_raters.high if over_raters else None,
        n=n,
    )


def pair_point(row: Row, text: str, *, sign: str) -> Point:
    """Return the point of a pair of systems, named "A − B" or "A above B"."""
    pair = point(row, text, name=f"{row.system} {sign} {row.system_b}", n=row.n_items)
    shown = f"{words.isolated(row.system)} {sign} {words.isolated(row.system_b)}"
    return replace(pair, shown=shown, p=row.p_adjusted)


def left_off(names: Sequence[object]) -> str:
    """Return a phrase about the names that the chart leaves off, if any."""
    return f", the {MOST_ROWS} highest of {len(names)}" if len(names) > MOST_ROWS else ""


def counted(rows: Rows, ratings: int | None = None, *, unit: str = "item") -> str:
    """Return the counts of the rows, such as "720 ratings, 20 items, 12 raters."; `unit` is the noun of n_items."""
    items = max((row.n_items or 0 for row in rows), default=0)
    raters = max((row.n_raters or 0 for row in rows), default=0)
    counts = [
        f"{n:,} {word}{'' if n == 1 else 's'}"
        for n, word in ((ratings or 0, "rating"), (items, unit), (raters, "rater"))
        if n
    ]
    return f" {', '.join(counts)}." if counts else ""


def each(rows: Rows) -> str:
    """Return the number of ratings per system; a text that several systems produced counts for each of them."""
    counts = [row.n_ratings for row in rows if row.n_ratings is not None]
    if not counts:
        return ""
    least, most = min(counts), max(counts)
    return f" {least:,} ratings each." if least == most else f" {least:,} to {most:,} ratings each."


def by_mean(rows: Sequence[Row]) -> list[str]:
    """Return the systems, the one with the highest mean over its rows first."""
    means: dict[str, list[float]] = {}
    for row in rows:
        means.setdefault(str(row.system), []).append(value_of(row))
    return sorted(means, key=lambda system: (-sum(means[system]) / len(means[system]), system))
