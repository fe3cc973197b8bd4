"""Charts of labels: how sure they are, and how often raters are right."""

from __future__ import annotations

from collections.abc import Iterator

from analytics_app.charts import words
from analytics_app.charts.bars import bars_chart
from analytics_app.charts.drawing import Sketch
from analytics_app.charts.picking import Material, point, setting, value_of
from analytics_app.charts.points import MOST_ROWS, points_chart
from analytics_app.charts.registry import chart


@chart(order=70)
def confidence(of: Material) -> Iterator[Sketch]:
    """Draw how sure the labels of texts are."""
    found = [row for row in of.of("confidence_distribution") if row.label is not None]
    low = of.of("low_confidence_texts")
    if len(found) < 2 or not low:
        return  # where all texts are as sure, the title would say it all
    limit, texts = setting(low, "threshold"), low[0].n_items or 0
    n = int(value_of(low[0]))
    said = f"{n:,} of {texts:,} texts have an uncertain label for {of.name}"
    yield Sketch(
        kind="confidence",
        title=said if n else f"Every text has a label that counts as sure for {of.name}",
        subtitle=(
            "Share of texts by the probability of their label (Dawid and Skene), which counts as uncertain below "
            f"{limit:g}; {of.basis(found)}."
        ),
        by_system=False,
        chart=bars_chart([(str(row.label), value_of(row)) for row in found], measure="Probability of the label"),
        columns=(("label", "Probability"), ("value", "Share of texts")),
    )


@chart(order=72)
def rater_accuracy(of: Material) -> Iterator[Sketch]:
    """Draw how often each rater gives the label that the model takes for right, the least first."""
    found = sorted((row for row in of.of("rater_accuracy") if row.rater), key=value_of)
    if len(found) < 3:
        return
    points = [point(row, words.share(value_of(row)), name=row.rater, n=row.n_ratings) for row in found]
    if points[0].text == points[-1].text:
        return
    most = f", the {MOST_ROWS} lowest of {len(points)}" if len(points) > MOST_ROWS else ""
    yield Sketch(
        kind="rater-accuracy",
        title=f"Raters find the likely label for {of.name} {points[0].text} to {points[-1].text} of the time",
        subtitle=(
            f"Expected share of a rater's labels that are right, by Dawid and Skene{most}; {of.basis(found)}. "
            "The model is fitted to these same labels."
        ),
        by_system=False,
        chart=points_chart(points[:MOST_ROWS], measure="Accuracy", domain=(0.0, 1.0), percent=True),
        columns=(("name", "Rater"), ("value", "Accuracy"), ("n", "Labels")),
        further=True,
    )
