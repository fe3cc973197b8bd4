"""Charts of comparisons: who is preferred, by how much, and where systems rank."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import log

from analytics_app.charts import words
from analytics_app.charts.drawing import Sketch
from analytics_app.charts.picking import (
    INTERVAL,
    Material,
    beside,
    counted,
    each,
    falling,
    only,
    pair_point,
    pairs_of,
    point,
    setting,
    value_of,
    why_not,
)
from analytics_app.charts.points import points_chart
from analytics_app.charts.ranked import TESTED, at_the_top, correction, not_significant, ranked
from analytics_app.charts.registry import chart
from analytics_app.results import Row


@chart(order=3)
def preferences(of: Material) -> Iterator[Sketch]:
    """Draw every pair of systems by how often one of them is preferred, ties half."""
    yield from _pairs_of(of, "win_rate_half", "win_rate", "preferences", "is preferred to", "over")


@chart(order=3)
def ranked_pairs(of: Material) -> Iterator[Sketch]:
    """Draw every pair of systems by how often one of them is ranked above the other, ties half."""
    yield from _pairs_of(of, "ranked_above_half", "ranked_above_half", "ranked-pairs", "is ranked above", "above")


def _pairs_of(of: Material, statistic: str, tested: str, kind: str, verb: str, sign: str) -> Iterator[Sketch]:
    tests = {(row.system, row.system_b): row for row in of.of(tested)}
    rows = [_with_p(row, tests) for row in of.of(statistic)]
    if not rows:
        return
    limit = round(1 - of.confidence, 9)
    pairs = pairs_of(
        rows, lambda value: abs(value - 0.5), lambda row: beside(row, 0.5) and _below(row.p_adjusted, limit)
    )
    points = [pair_point(row, words.share(value_of(row)), sign=sign) for row in pairs.rows]
    yield Sketch(
        kind=kind,
        title=_clear(pairs.clear, len(rows), of.name, verb),
        subtitle=(
            f"Share of comparisons for {of.name} in which the first of two systems stands above the other, ties half"
            f"{pairs.only}; {of.basis(rows)}. Line: {of.interval(rows, 'items')}. p: exact sign test over items"
            f"{_corrected(list(tests.values()))}.{each(rows)}{counted(rows)}"
        ),
        by_system=True,
        chart=points_chart(points, measure="Share of comparisons", limits=[(0.5, "even")], domain=(0.0, 1.0)),
        columns=(("name", "Pair"), ("value", "Share"), *INTERVAL, ("p", "Adjusted p"), ("n", "Items")),
    )


def _with_p(row: Row, tests: Mapping[tuple[str | None, str | None], Row]) -> Row:
    """Give a pair the p of its test, which stands in another row where ties are left out of it."""
    test = tests.get((row.system, row.system_b))
    return replace(row, p_adjusted=test.p_adjusted if test else None)


def _below(p: float | None, limit: float) -> bool:
    """Say whether a test that there is, is significant."""
    return p is None or p < limit


def _clear(clear: Sequence[Row], n: int, criterion: str, verb: str) -> str:
    if not clear:
        either = "Neither of two systems" if n == 1 else "No system"
        return f"{either} {verb} {'the other' if n == 1 else 'another'} clearly for {criterion}"
    first = clear[0]
    if len(clear) == 1 or n == 1:
        pair = f"{words.short(first.system)} {verb} {words.short(first.system_b)}"
        share = words.share(value_of(first))
        if value_of(first) < 0.5:
            return f"{pair} in only {share} of comparisons for {criterion}"
        return f"{pair} for {criterion} ({share})"
    return (
        f"In {'all' if len(clear) == n else f'{len(clear)} of'} {n} pairs one system {verb} the other for {criterion}"
    )


def _corrected(tests: Sequence[Row]) -> str:
    method = setting(tests, "correction") if tests else None
    return f", {correction(method)} for several tests" if method and method != "none" else ""


@chart(order=4)
def ratios(of: Material) -> Iterator[Sketch]:
    """Draw every pair of systems by the ratio of the first to the second, on an axis of logarithms."""
    found = of.of("magnitude_ratio")
    if not found:
        return
    limit = round(1 - of.confidence, 9)
    pairs = pairs_of(
        found, lambda value: abs(log(value)), lambda row: row.p_adjusted is not None and row.p_adjusted < limit
    )
    points = [pair_point(row, f"×{value_of(row):.2f}", sign="/") for row in pairs.rows]
    yield Sketch(
        kind="ratios",
        title=_times(pairs.clear, len(found), of.name, possible=setting(found, "cannot_differ") is None),
        subtitle=(
            f"Ratio of the first system to the second for {of.name}, from mean logarithms over the items both have"
            f"{pairs.only}; {of.basis(found)}. Line: {of.interval(found, 'items')}. To differ: p below {limit:g}"
            f"{_corrected(found)}.{why_not(found)}{counted(found)}"
        ),
        by_system=True,
        chart=points_chart(points, measure="Ratio of two systems", limits=[(1.0, "equal")], log=True),
        columns=(("name", "Pair"), ("value", "Ratio"), *INTERVAL, ("p", "Adjusted p"), ("n", "Items")),
    )


def _times(clear: Sequence[Row], n: int, criterion: str, *, possible: bool) -> str:
    if not clear and not possible:
        return f"Too little to find a significant difference for {criterion}"
    if not clear:
        return f"No two systems differ significantly for {criterion}"
    if len(clear) == 1:
        one = clear[0]
        times = f"{value_of(one):.2f} times"
        return f"{words.short(one.system)} gets {times} the number of {words.short(one.system_b)} for {criterion}"
    return f"{'All' if len(clear) == n else f'{len(clear)} of'} {n} pairs of systems differ for {criterion}"


@chart(order=5)
def geometric_means(of: Material) -> Iterator[Sketch]:
    """Draw the systems by their geometric mean."""
    yield from _systems_of(
        of, "geometric_mean", "geometric-means", "Geometric mean", ("gets the highest numbers", "geometric means")
    )


@chart(order=5)
def best_worst_scores(of: Material) -> Iterator[Sketch]:
    """Draw the systems by how much more often they are best than worst."""
    yield from _systems_of(
        of,
        "bw_score",
        "best-worst",
        "Best less worst, of times shown",
        ("is best most often, and worst least", "best-worst scores"),
        limits=((0.0, "as often"),),
    )


@chart(order=6)
def strengths(of: Material) -> Iterator[Sketch]:
    """Draw the systems by their strength in the model of Bradley and Terry."""
    yield from _systems_of(
        of, "bt_strength", "strengths", "Bradley-Terry strength (log)", ("is the strongest", "strengths")
    )


@chart(order=6)
def ranking_strengths(of: Material) -> Iterator[Sketch]:
    """Draw the systems by their strength in the model of Plackett and Luce."""
    yield from _systems_of(
        of, "pl_strength", "ranking-strengths", "Plackett-Luce strength (log)", ("is the strongest", "strengths")
    )


def _systems_of(
    of: Material,
    statistic: str,
    kind: str,
    measure: str,
    said: tuple[str, str],
    limits: Sequence[tuple[float, str]] = (),
) -> Iterator[Sketch]:
    found = sorted((row for row in of.of(statistic) if row.system), key=falling)
    if len(found) < 2:
        return
    systems, (verb, measured) = ranked(of, found), said
    yield Sketch(
        kind=kind,
        title=at_the_top(
            systems.points,
            of.name,
            best=verb,
            otherwise=f"Systems by their {measured}",
            alike=not_significant(of, TESTED.get(statistic)),
        ),
        subtitle=(
            f"{measure} for {of.name}{only(found)}; {of.basis(found)}. {systems.lines}{each(found)}{counted(found)}"
        ),
        by_system=True,
        chart=points_chart(systems.points, measure=measure, limits=limits),
        columns=(("name", "System"), ("value", measure), *systems.columns, ("n", "Ratings")),
    )


@chart(order=5)
def mean_ranks(of: Material) -> Iterator[Sketch]:
    """Draw the systems by their mean rank, the best first: 1 stands on the left."""
    found = sorted((row for row in of.of("rank_mean") if row.system), key=value_of)
    if len(found) < 2:
        return
    systems = ranked(of, found, text=lambda row: f"{value_of(row):.2f}")
    yield Sketch(
        kind="mean-ranks",
        title=at_the_top(systems.points, of.name, best="is ranked best", otherwise="Systems by their mean rank"),
        subtitle=(
            f"Mean rank for {of.name}, 1 is the best{only(found)}; {of.basis(found)}. "
            f"{systems.lines}{each(found)}{counted(found)}"
        ),
        by_system=True,
        chart=points_chart(systems.points, measure="Mean rank: 1 is the best"),
        columns=(("name", "System"), ("value", "Mean rank"), *systems.columns, ("n", "Rankings")),
    )


@chart(order=7)
def trueskill_ranks(of: Material) -> Iterator[Sketch]:
    """Draw the rank ranges of TrueSkill."""
    ranges = "trueskill_rank", "trueskill_cluster", "trueskill-ranks"
    yield from _ranges(of, _by_trueskill, *ranges, _trueskill)


@chart(order=45)
def cluster_ranks(of: Material) -> Iterator[Sketch]:
    """Draw the rank ranges of WMT's rank-sum tests."""
    for kind in ("z", "raw"):
        rank, cluster = f"cluster_rank_{kind}", f"cluster_{kind}"
        yield from _ranges(of, _by_rank_sum, rank, cluster, f"cluster-ranks-{kind}", _rank_sum)


def _by_rank_sum(of: Material, clusters: Mapping[str | None, float]) -> str:
    n = len(set(clusters.values()))
    separated = f"separates the systems into {n} clusters" if n > 1 else "leaves all systems in one cluster"
    return f"The rank-sum test {separated} for {of.name}"


def _by_trueskill(of: Material, clusters: Mapping[str | None, float]) -> str:
    """Return a title that claims clusters only where tests of the same systems bear out each border between them.

    The ranges of TrueSkill come from drawing the same comparisons again and do not say what other items would change.
    """
    n = len(set(clusters.values()))
    limit = round(1 - of.confidence, 9)
    tests = next((rows for name in _PAIRED if (rows := of.of(name))), [])
    significant = [row for row in tests if row.p_adjusted is not None and row.p_adjusted < limit]
    if tests and (n == 1 or not significant):
        return f"No clear difference between the systems for {of.name} (TrueSkill)"
    borders = sorted(set(clusters.values()))[1:]
    if tests and all(any(_crosses(row, clusters, border) for row in significant) for border in borders):
        return f"TrueSkill separates the systems into {n} clusters for {of.name}"
    return f"Systems by their TrueSkill rank for {of.name}"


# Paired tests of systems, in the order in which they are looked for.
_PAIRED = ("magnitude_ratio", "win_rate", "ranked_above_half", "difference", "range_difference")


def _crosses(row: Row, clusters: Mapping[str | None, float], border: float) -> bool:
    """Return whether a pair has one system above a border between clusters and one below it."""
    places = [clusters[system] for system in (row.system, row.system_b) if system in clusters]
    return len(places) == 2 and min(places) < border <= max(places)


def _trueskill(found: Sequence[Row]) -> str:
    runs, steps = setting(found, "runs"), setting(found, "steps")
    return f"TrueSkill, {runs} runs of {steps:,} comparisons drawn. Line: ranks of the runs without the outer 2.5" + (
        f"{words.SPACE}% on each side. Other items may move ranks further"
    )


def _rank_sum(found: Sequence[Row]) -> str:
    how = "z" if setting(found, "values") == "z" else "ratings"
    method = setting(found, "correction")
    corrected = "not corrected for several tests" if method == "none" else f"corrected ({correction(method)})"
    return f"By mean {how} over segments. Line: ranks that one-sided rank-sum tests leave open, {corrected}"


def _ranges(
    of: Material,
    titled: Callable[[Material, Mapping[str | None, float]], str],
    rank: str,
    cluster: str,
    kind: str,
    method: Callable[[Sequence[Row]], str],
) -> Iterator[Sketch]:
    found = sorted((row for row in of.of(rank) if row.system and row.low is not None), key=value_of)
    if len(found) < 2:
        return
    clusters = {row.system: value_of(row) for row in of.of(cluster)}
    points = [point(row, _range(row), name=row.system, n=row.n_ratings or row.n_items) for row in found]
    yield Sketch(
        kind=kind,
        title=titled(of, clusters),
        subtitle=f"Rank range for {of.name}, 1 is the best{only(found)}; {of.basis(found)}. {method(found)}.",
        by_system=True,
        chart=points_chart(points, measure="Rank: 1 is the best", domain=(1.0, float(len(found)))),
        columns=(("name", "System"), ("value", "Rank"), ("low", "Best"), ("high", "Worst")),
    )


def _range(row: Row) -> str:
    if row.low == row.high:
        return f"{row.low:g}"
    return f"{row.low:g}–{row.high:g}"
