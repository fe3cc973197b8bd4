"""The chart of fewer judgments: error of the joint label over the number of judgments per text."""

from collections.abc import Iterator

from analytics_app.charts import words
from analytics_app.charts.drawing import Sketch, chart
from analytics_app.charts.lines import course_chart
from analytics_app.charts.picking import INTERVAL, Material, setting, value_of

CALLED = {"majority_error": "majority", "model_error": "Dawid and Skene"}


@chart(order=75)
def fewer_judgments(material: Material) -> Iterator[Sketch]:
    """Draw the share of texts whose joint label differs, for each number of judgments."""
    curves = {name: [row for row in material.of(name) if row.label and row.value is not None] for name in CALLED}
    majority = curves["majority_error"]
    if len(majority) < 3:
        return
    names = [CALLED[name] for name, rows in curves.items() if rows]
    points = [
        {
            "panel": "error", "time": str(row.label), "name": CALLED[name], "value": value_of(row) * 100,
            "low": None if row.low is None else row.low * 100, "high": None if row.high is None else row.high * 100,
        }
        for name, rows in curves.items()
        for row in rows
    ]  # fmt: skip
    few, most = majority[min(2, len(majority) - 2)], setting(majority, "judgments")
    yield Sketch(
        kind="fewer-judgments",
        title=(
            f"With {few.label} of {most} judgments per text, {words.share(value_of(few))} of majority labels of "
            f"{material.name} differ"
        ),
        subtitle=(
            f"Share of texts whose joint label from so many judgments differs from that of all {most}; "
            f"{material.basis(majority)}. Line: {material.interval(majority, 'items')}."
        ),
        by_system=any(row.by_system for row in majority),
        chart=course_chart(
            [("error", "Texts with another label (%)")],
            points,
            names,
            [str(row.label) for row in majority],
        ),
        columns=(
            ("name", "Joint label"),
            ("time", "Judgments per text"),
            ("value", "Texts with another label (%)"),
            *INTERVAL,
        ),
        further=True,
    )
