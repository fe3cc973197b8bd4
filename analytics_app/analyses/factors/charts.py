"""Charts of factors: scores of systems, scree, loadings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from analytics_app.charts import words
from analytics_app.charts.drawing import Sketch
from analytics_app.charts.heat import heat_chart
from analytics_app.charts.lines import scree_chart
from analytics_app.charts.picking import INTERVAL, Material, counted, point, setting, value_of
from analytics_app.charts.points import MOST_ROWS, Point, points_chart
from analytics_app.charts.registry import chart
from analytics_app.results import Row


@chart(order=12)
def factor_scores(of: Material) -> Iterator[Sketch]:
    """Draw where systems stand on each factor, the factors told by the scales that load on them most."""
    found = [row for row in of.of("factor_score") if row.system and row.metric]
    if not found:
        return
    factors = list(dict.fromkeys(str(row.metric) for row in found))
    called = {factor: f"{factor.capitalize()} ({_strongest(of, factor)})" for factor in factors}
    points: list[Point] = []
    for factor in factors:
        mine = sorted((row for row in found if row.metric == factor), key=lambda row: -value_of(row))
        points += [
            point(row, words.number(value_of(row), 1), name=f"{row.system} · {called[factor]}", n=row.n_ratings)
            for row in mine
        ]
    yield Sketch(
        kind="factor-scores",
        title=_highest(found, factors[0], called[factors[0]]),
        subtitle=(
            f"Mean factor score (regression; 0 is the mean of all rows); {of.basis(found)}. "
            f"Line: {of.interval(found, 'items')}.{counted(found)}"
        ),
        by_system=True,
        chart=points_chart(points[:MOST_ROWS], measure="Mean factor score", limits=[(0.0, "average")]),
        columns=(("name", "System and factor"), ("value", "Mean factor score"), *INTERVAL, ("n", "Rows")),
    )


def _strongest(of: Material, factor: str) -> str:
    mine = [row for row in of.of("loading") if row.metric == factor]
    return ", ".join(str(row.label) for row in sorted(mine, key=lambda row: -abs(value_of(row)))[:2])


def _highest(found: Sequence[Row], factor: str, called: str) -> str:
    mine = sorted((row for row in found if row.metric == factor), key=lambda row: -value_of(row))
    first, others = mine[0], mine[1:]
    clear = first.low is not None and all(one.high is not None and one.high < first.low for one in others)
    if others and clear:
        return f"{words.short(first.system)} is highest on {called}"
    return f"Systems on {len({row.metric for row in found})} factors"


@chart(order=91)
def scree(of: Material) -> Iterator[Sketch]:
    """Draw the eigenvalues with those of random data: how many factors there are."""
    found, random = of.of("eigenvalue"), {row.label: row for row in of.of("eigenvalue_random")}
    # Refused: then there is nothing to count.
    if not found or not random or not of.of("n_factors"):
        return
    points = [
        {"number": int(str(row.label)), "value": value_of(row), "random": value_of(random[row.label])}
        for row in found
        if row.label in random
    ]
    n = next((number for number, one in enumerate(points) if one["value"] <= one["random"]), len(points))
    said = "No factor stands" if not n else "One factor stands" if n == 1 else f"{n} factors stand"
    quantile = float(setting(list(random.values()), "quantile") or 0.95)
    rows = of.of("kmo")
    yield Sketch(
        kind="scree",
        title=f"{said} above random data",
        subtitle=(
            f"Eigenvalues of the correlations of {len(points)} scales; dashed: {quantile * 100:g}{words.SPACE}% of "
            f"random data of the same size lie below (parallel analysis).{counted(rows, unit='text')}"
        ),
        by_system=any(row.by_system for row in found),
        chart=scree_chart(points),
        columns=(("number", "Number"), ("value", "Eigenvalue"), ("random", "Random data")),
        further=True,
    )


@chart(order=92)
def loadings(of: Material) -> Iterator[Sketch]:
    """Draw which scale belongs to which factor: a cell a loading, scales sorted by factor."""
    found = [row for row in of.of("loading") if row.label and row.metric]
    if not found:
        return
    factors = list(dict.fromkeys(str(row.metric) for row in found))
    by_scale: dict[str, dict[str, float]] = {}
    for row in found:
        by_scale.setdefault(str(row.label), {})[str(row.metric)] = value_of(row)

    def place(scale: str) -> tuple[int, float]:
        strongest = max(factors, key=lambda factor: abs(by_scale[scale].get(factor, 0.0)))
        return factors.index(strongest), -abs(by_scale[scale][strongest])

    cells: list[dict[str, Any]] = [
        {"row": row, "name": scale, "column": factor, "place": column, "value": by_scale[scale].get(factor, 0.0)}
        for row, scale in enumerate(sorted(by_scale, key=place)[:MOST_ROWS])
        for column, factor in enumerate(factors)
    ]
    fit = of.of("factor_fit")
    explained = sum(value_of(row) for row in of.of("variance_explained"))
    yield Sketch(
        kind="loadings",
        title=(
            f"{len(factors)} factors explain {words.share(explained)} of the variance"
            if len(factors) > 1
            else f"One factor explains {words.share(explained)} of the variance"
        ),
        subtitle=(
            f"Loadings by maximum likelihood, promax with Kaiser normalisation; darker: further from 0. "
            f"{of.basis(found).capitalize()}.{counted(fit or of.of('kmo'), unit='text')}"
        ),
        by_system=any(row.by_system for row in found),
        chart=heat_chart(cells, factors),
        columns=(("name", "Scale"), ("column", "Factor"), ("value", "Loading")),
    )
