"""Systems in the order of a figure: points, intervals, and clusters in words."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from analytics_app.charts import words
from analytics_app.charts.picking import INTERVAL, INTERVAL_OVER_RATERS, Material, point, value_of
from analytics_app.charts.points import Point
from analytics_app.results import Row

CORRECTIONS = {
    "holm": "Holm",
    "bonferroni": "Bonferroni",
    "sidak": "Šidák",
    "holm-sidak": "Holm and Šidák",
    "fdr_bh": "Benjamini and Hochberg",
}


def correction(method: object) -> str:
    """Name the method that corrects for several tests."""
    return CORRECTIONS.get(str(method), str(method))


@dataclass(frozen=True, slots=True)
class Ranked:
    """Points in the order of their rows, the sentence about their lines, and the columns of the intervals."""

    points: list[Point]
    lines: str
    columns: tuple[tuple[str, str], ...]


def ranked(
    of: Material,
    found: Sequence[Row],
    *,
    n: Callable[[Row], int | None] = lambda row: row.n_ratings,
    text: Callable[[Row], str] | None = None,
) -> Ranked:
    """Make a point of each system's row, with the interval over raters where there is one beside that over items."""
    second = {row.system: row for row in of.of(f"{found[0].statistic}_over_raters")}
    largest = max(abs(value_of(row)) for row in found)
    points = [
        point(
            row,
            text(row) if text else words.number(value_of(row), largest),
            name=row.system,
            over_raters=second.get(row.system),
            n=n(row),
        )
        for row in found
    ]
    return Ranked(
        points, _lines(points, of.interval(found, "items")), (*INTERVAL, *(INTERVAL_OVER_RATERS if second else ()))
    )


def _lines(points: Sequence[Point], over_items: str) -> str:
    """Say what the lines through points are, as far as there are any."""
    first, second = any(one.low is not None for one in points), any(one.low_b is not None for one in points)
    if first and second:
        return f"Thick line: {over_items}; thin line: over raters."
    if second:
        return "Thin line: over raters."
    return f"Line: {over_items}." if first else "Too little for an interval."


# The statistic whose tests compare two systems, by the statistic that ranks them.
TESTED = {
    "mean": "difference",
    "mean_z": "difference_z",
    "geometric_mean": "magnitude_ratio",
    "bt_strength": "win_rate",
    "mqm_score": "mqm_difference",
}


def not_significant(of: Material, tested: str | None) -> set[frozenset[str | None]]:
    """Return the pairs of systems that a test compared and found no significant difference between."""
    limit = round(1 - of.confidence, 9)
    rows = of.of(tested) if tested else []
    return {frozenset((row.system, row.system_b)) for row in rows if row.p_adjusted is None or row.p_adjusted >= limit}


def apart(
    points: Sequence[Point],
    *,
    best: str,
    among: str,
    otherwise: str,
    whole: str = "",
    alike: Collection[frozenset[str | None]] = (),
) -> str:
    """Name the first of some points where it is clearly apart from all others, else say between which it is not clear.

    Points come in the order of their values, whichever end is the better one. Two are not clearly apart where their
    intervals overlap, or where they are among `alike`: pairs whose test found no significant difference. `best` is said
    after the first one's name, `among` before the names of the others, none of which is skipped, or `whole` where these
    are all points.
    """
    first, others = points[0], points[1:]
    if not others or first.low is None or any(one.high is None for one in others):
        return otherwise
    near = [n for n, one in enumerate(others, 1) if _meet(first, one) or frozenset((first.name, one.name)) in alike]
    if near:
        among = whole if whole and near[-1] == len(others) else among
        return f"{among}, no clear difference between {words.names([one.name for one in points[: near[-1] + 1]])}"
    return f"{words.short(first.name)} {best}"


def at_the_top(
    points: Sequence[Point],
    criterion: str,
    *,
    best: str,
    otherwise: str,
    alike: Collection[frozenset[str | None]] = (),
) -> str:
    """Return the same for a criterion of which more is better, or of ranks."""
    best = f"{best} for {criterion} ({points[0].text})"
    among, whole = f"At the top for {criterion}", f"For {criterion}"
    return apart(points, best=best, among=among, whole=whole, otherwise=f"{otherwise} for {criterion}", alike=alike)


def _meet(one: Point, other: Point) -> bool:
    """Say whether the intervals of two points share a value, over items or over raters."""
    pairs = ((one.low, one.high, other.low, other.high), (one.low_b, one.high_b, other.low_b, other.high_b))
    return any(
        low is not None and high is not None and low_b is not None and high_b is not None
        and low <= high_b and low_b <= high
        for low, high, low_b, high_b in pairs
    )  # fmt: skip
