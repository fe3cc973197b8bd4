"""Charts of labels: their confidence, and the accuracy of raters."""

from collections.abc import Iterator

from analytics_app.charts import words
from analytics_app.charts.bars import bars_chart
from analytics_app.charts.drawing import Sketch, chart
from analytics_app.charts.picking import Material, point, setting, value_of
from analytics_app.charts.points import MOST_ROWS, points_chart


@chart(order=70)
def confidence(material: Material) -> Iterator[Sketch]:
    """Draw the distribution of the confidence of labels."""
    rows = [row for row in material.of("confidence_distribution") if row.label is not None]
    low = material.of("low_confidence_texts")
    if len(rows) < 2 or not low:
        return  # where all texts are as sure, the title would say it all
    limit, texts = setting(low, "threshold"), low[0].n_items or 0
    n = int(value_of(low[0]))
    statement = f"{n:,} of {texts:,} texts have an uncertain label for {material.name}"
    yield Sketch(
        kind="confidence",
        title=statement if n else f"Every text has a label that counts as sure for {material.name}",
        subtitle=(
            "Share of texts by the probability of their label (Dawid and Skene), which counts as uncertain below "
            f"{limit:g}; {material.basis(rows)}."
        ),
        by_system=False,
        chart=bars_chart([(str(row.label), value_of(row)) for row in rows], measure="Probability of the label"),
        columns=(("label", "Probability"), ("value", "Share of texts")),
    )


@chart(order=72)
def rater_accuracy(material: Material) -> Iterator[Sketch]:
    """Draw the share of each rater's labels that are right by the model, the lowest first."""
    rows = sorted((row for row in material.of("rater_accuracy") if row.rater), key=value_of)
    if len(rows) < 3:
        return
    points = [point(row, words.share(value_of(row)), name=row.rater, n=row.n_ratings) for row in rows]
    if points[0].text == points[-1].text:
        return
    most = f", the {MOST_ROWS} lowest of {len(points)}" if len(points) > MOST_ROWS else ""
    yield Sketch(
        kind="rater-accuracy",
        title=f"Raters find the likely label for {material.name} {points[0].text} to {points[-1].text} of the time",
        subtitle=(
            f"Expected share of a rater's labels that are right, by Dawid and Skene{most}; {material.basis(rows)}. "
            "The model is fitted to these same labels."
        ),
        by_system=False,
        chart=points_chart(points[:MOST_ROWS], measure="Accuracy", domain=(0.0, 1.0), percent=True),
        columns=(("name", "Rater"), ("value", "Accuracy"), ("n", "Labels")),
        further=True,
    )
