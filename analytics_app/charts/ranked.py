"""Systems in the order of a figure: points, intervals, and clusters in words."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from analytics_app.charts import words
from analytics_app.charts.picking import INTERVAL, INTERVAL_OVER_RATERS, Material, point, value_of
from analytics_app.charts.points import Point
from analytics_app.results import TO_RATERS_AND_TEXTS, Row
from analytics_app.show.labels import CORRECTIONS


def correction(method: object) -> str:
    """Return the name of the method that corrects for several tests."""
    return str(CORRECTIONS.get(str(method), method))


@dataclass(frozen=True, slots=True)
class Ranked:
    """Points in the order of their rows, the sentence about their lines, and the columns of the intervals."""

    points: list[Point]
    lines: str
    columns: tuple[tuple[str, str], ...]


def ranked(
    material: Material,
    rows: Sequence[Row],
    *,
    n: Callable[[Row], int | None] = lambda row: row.n_ratings,
    text: Callable[[Row], str] | None = None,
) -> Ranked:
    """Return a point for each system's row, with the interval over raters if there is one besides that over items."""
    second = {row.system: row for row in material.of(f"{rows[0].statistic}_over_raters")}
    largest = max(abs(value_of(row)) for row in rows)
    points = [
        point(
            row,
            text(row) if text else words.number(value_of(row), largest),
            name=row.system,
            over_raters=second.get(row.system),
            n=n(row),
        )
        for row in rows
    ]
    return Ranked(
        points, _lines(points, material.interval(rows, "items")), (*INTERVAL, *(INTERVAL_OVER_RATERS if second else ()))
    )


def _lines(points: Sequence[Point], over_items: str) -> str:
    """Return a sentence about the lines through points, if there are any."""
    first, second = any(point.low is not None for point in points), any(point.low_b is not None for point in points)
    if first and second:
        return f"Thick line: {over_items}; thin line: over raters."
    if second:
        return "Thin line: over raters."
    return f"Line: {over_items}." if first else "Too little for an interval."


# The statistic whose tests compare two systems, by the statistic that ranks them.
TESTED = {
    "mean": "difference",
    "mean_crossed": "difference_crossed",
    "mean_z": "difference_z",
    "geometric_mean": "magnitude_ratio",
    "geometric_mean_crossed": "magnitude_ratio_crossed",
    "bt_strength": "win_rate",
    "bt_strength_crossed": "win_rate_crossed",
    "rank_mean_crossed": "ranked_above_half_crossed",
    "mqm_score": "mqm_difference",
    "mqm_score_crossed": "mqm_difference_crossed",
}


def not_significant(material: Material, tests: Sequence[Row]) -> set[frozenset[str | None]]:
    """Return the tested pairs of systems without a significant difference."""
    return {frozenset((row.system, row.system_b)) for row in tests if not material.is_significant(row)}


def apart_for_further_raters(material: Material, tests: Sequence[Row]) -> set[frozenset[str | None]]:
    """Return the pairs of systems that differ significantly for further raters and texts.

    Their intervals may overlap all the same: these allow for texts and raters that both systems have in common.
    """
    clear = (row for row in tests if row.p_adjusted is not None and material.is_significant(row))
    return {
        frozenset((row.system, row.system_b))
        for row in clear
        if (row.settings or {}).get("generalises_to") == TO_RATERS_AND_TEXTS
    }


def leader_title(
    points: Sequence[Point],
    *,
    best: str,
    among: str,
    otherwise: str,
    whole: str = "",
    alike: Collection[frozenset[str | None]] = (),
    apart: Collection[frozenset[str | None]] = (),
) -> str:
    """Return a title with the first point if it is clearly apart from all others, else with those it is near to.

    Points are in the order of their values, the better end first. Two points are not clearly apart if their intervals
    overlap, or if they are in `alike`: pairs without a significant difference; those in `apart` are, whatever their
    intervals. `best` follows the name of the first point; `among` precedes the names of the near points, of which only
    those in `apart` are skipped, or `whole` if these are all points.
    """
    first, others = points[0], points[1:]
    if not others or first.low is None or any(other.high is None for other in others):
        return otherwise
    pairs = [frozenset((first.name, other.name)) for other in others]
    near = [
        n
        for n, (other, pair) in enumerate(zip(others, pairs, strict=True), 1)
        if pair in alike or (pair not in apart and _meet(first, other))
    ]
    if near:
        named = [other.name for other, pair in zip(others[: near[-1]], pairs, strict=False) if pair not in apart]
        among = whole if whole and len(named) == len(others) else among
        return f"{among}, no clear difference between {words.names([first.name, *named])}"
    return f"{words.short(first.name)} {best}"


def criterion_leader_title(
    points: Sequence[Point],
    criterion: str,
    *,
    best: str,
    otherwise: str,
    alike: Collection[frozenset[str | None]] = (),
    apart: Collection[frozenset[str | None]] = (),
) -> str:
    """Return the title of `leader_title` for a criterion where more is better, or for ranks."""
    best = f"{best} for {criterion} ({points[0].text})"
    among, whole = f"At the top for {criterion}", f"For {criterion}"
    return leader_title(
        points,
        best=best,
        among=among,
        whole=whole,
        otherwise=f"{otherwise} for {criterion}",
        alike=alike,
        apart=apart,
    )


def _meet(first: Point, second: Point) -> bool:
    """Return whether the intervals of two points overlap, over items or over raters."""
    pairs = ((first.low, first.high, second.low, second.high), (first.low_b, first.high_b, second.low_b, second.high_b))
    return any(
        low is not None and high is not None and low_b is not None and high_b is not None
        and low <= high_b and low_b <= high
        for low, high, low_b, high_b in pairs
    )  # fmt: skip
