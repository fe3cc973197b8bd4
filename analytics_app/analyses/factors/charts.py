"""Charts of factors: scores of systems, scree, loadings."""

from collections.abc import Iterator, Sequence
from typing import Any

from analytics_app.charts import words
from analytics_app.charts.drawing import Sketch, chart
from analytics_app.charts.heat import heat_chart
from analytics_app.charts.lines import scree_chart
from analytics_app.charts.picking import INTERVAL, Material, counted, point, setting, value_of
from analytics_app.charts.points import MOST_ROWS, Point, points_chart
from analytics_app.results import Row


@chart(order=12)
def factor_scores(material: Material) -> Iterator[Sketch]:
    """Draw the scores of systems on each factor; a factor is named by the scales that load on it most."""
    rows = [row for row in material.of("factor_score") if row.system and row.metric]
    if not rows:
        return
    factors = list(dict.fromkeys(str(row.metric) for row in rows))
    titles = {factor: f"{factor.capitalize()} ({_strongest(material, factor)})" for factor in factors}
    points: list[Point] = []
    for factor in factors:
        of_factor = sorted((row for row in rows if row.metric == factor), key=lambda row: -value_of(row))
        points += [
            point(row, words.number(value_of(row), 1), name=f"{row.system} · {titles[factor]}", n=row.n_ratings)
            for row in of_factor
        ]
    yield Sketch(
        kind="factor-scores",
        title=_highest(rows, factors[0], titles[factors[0]]),
        subtitle=(
            f"Mean factor score (regression; 0 is the mean of all rows); {material.basis(rows)}. "
            f"Line: {material.interval(rows, 'items')}.{counted(rows)}"
        ),
        by_system=True,
        chart=points_chart(points[:MOST_ROWS], measure="Mean factor score", limits=[(0.0, "average")]),
        columns=(("name", "System and factor"), ("value", "Mean factor score"), *INTERVAL, ("n", "Rows")),
    )


def _strongest(material: Material, factor: str) -> str:
    of_factor = [row for row in material.of("loading") if row.metric == factor]
    return ", ".join(str(row.label) for row in sorted(of_factor, key=lambda row: -abs(value_of(row)))[:2])


def _highest(rows: Sequence[Row], factor: str, factor_title: str) -> str:
    of_factor = sorted((row for row in rows if row.metric == factor), key=lambda row: -value_of(row))
    first, others = of_factor[0], of_factor[1:]
    clear = first.low is not None and all(other.high is not None and other.high < first.low for other in others)
    if others and clear:
        return f"{words.short(first.system)} is highest on {factor_title}"
    return f"Systems on {len({row.metric for row in rows})} factors"


@chart(order=91)
def scree(material: Material) -> Iterator[Sketch]:
    """Draw the eigenvalues with those of random data, which give the number of factors."""
    eigenvalues, random = material.of("eigenvalue"), {row.label: row for row in material.of("eigenvalue_random")}
    # The analysis was refused.
    if not eigenvalues or not random or not material.of("n_factors"):
        return
    points = [
        {"number": int(str(row.label)), "value": value_of(row), "random": value_of(random[row.label])}
        for row in eigenvalues
        if row.label in random
    ]
    n = next((number for number, entry in enumerate(points) if entry["value"] <= entry["random"]), len(points))
    count_phrase = "No factor stands" if not n else "One factor stands" if n == 1 else f"{n} factors stand"
    quantile = float(setting(list(random.values()), "quantile") or 0.95)
    rows = material.of("kmo")
    yield Sketch(
        kind="scree",
        title=f"{count_phrase} above random data",
        subtitle=(
            f"Eigenvalues of the correlations of {len(points)} scales; dashed: {quantile * 100:g}{words.SPACE}% of "
            f"random data of the same size lie below (parallel analysis).{counted(rows, unit='text')}"
        ),
        by_system=any(row.by_system for row in eigenvalues),
        chart=scree_chart(points),
        columns=(("number", "Number"), ("value", "Eigenvalue"), ("random", "Random data")),
        further=True,
    )


@chart(order=92)
def loadings(material: Material) -> Iterator[Sketch]:
    """Draw a heat map of the loadings of each scale on each factor, with scales sorted by factor."""
    rows = [row for row in material.of("loading") if row.label and row.metric]
    if not rows:
        return
    factors = list(dict.fromkeys(str(row.metric) for row in rows))
    by_scale: dict[str, dict[str, float]] = {}
    for row in rows:
        by_scale.setdefault(str(row.label), {})[str(row.metric)] = value_of(row)

    def place(scale: str) -> tuple[int, float]:
        strongest = max(factors, key=lambda factor: abs(by_scale[scale].get(factor, 0.0)))
        return factors.index(strongest), -abs(by_scale[scale][strongest])

    cells: list[dict[str, Any]] = [
        {"row": row, "name": scale, "column": factor, "place": column, "value": by_scale[scale].get(factor, 0.0)}
        for row, scale in enumerate(sorted(by_scale, key=place)[:MOST_ROWS])
        for column, factor in enumerate(factors)
    ]
    fit = material.of("factor_fit")
    explained = sum(value_of(row) for row in material.of("variance_explained"))
    yield Sketch(
        kind="loadings",
        title=(
            f"{len(factors)} factors explain {words.share(explained)} of the variance"
            if len(factors) > 1
            else f"One factor explains {words.share(explained)} of the variance"
        ),
        subtitle=(
            f"Loadings by maximum likelihood, promax with Kaiser normalisation; darker: further from 0. "
            f"{material.basis(rows).capitalize()}.{counted(fit or material.of('kmo'), unit='text')}"
        ),
        by_system=any(row.by_system for row in rows),
        chart=heat_chart(cells, factors),
        columns=(("name", "Scale"), ("column", "Factor"), ("value", "Loading")),
    )
