"""The chart of questions with the same steps, one bar below the other."""

from collections.abc import Iterator, Sequence

from analytics_app.charts.bars import stacked_chart
from analytics_app.charts.drawing import Sketch, chart
from analytics_app.charts.picking import Material, counted, value_of

# The most and the fewest questions of a readable chart, and the fewest steps of its questions.
MOST_QUESTIONS, LEAST_QUESTIONS, LEAST_STEPS = 12, 2, 3


@chart(order=13)
def answers(material: Material) -> Iterator[Sketch]:
    """Draw the shares of answers as one bar for each question, with one chart for questions with the same steps."""
    rows = [row for row in material.of("answer_share") if row.label is not None and row.criterion]
    by_question: dict[str, dict[str, float]] = {}
    names: dict[str, str] = {}
    for row in rows:
        by_question.setdefault(str(row.criterion), {})[str(row.label)] = value_of(row)
        names[str(row.criterion)] = str((row.settings or {}).get("question") or row.criterion)
    middle = {str(row.criterion): value_of(row) for row in material.of("answer_median")}
    blocks: dict[tuple[str, ...], list[str]] = {}
    for key, shares in by_question.items():
        blocks.setdefault(tuple(shares), []).append(key)
    for number, (labels, keys) in enumerate(blocks.items()):
        if len(labels) < LEAST_STEPS or not LEAST_QUESTIONS <= len(keys) <= MOST_QUESTIONS:
            continue
        yield Sketch(
            kind="answers" if not number else f"answers-{number + 1}",
            title=_medians([middle[key] for key in keys if key in middle], len(keys)),
            subtitle=(
                f"Share of people at each step, {len(keys)} questions; {material.basis(rows)}."
                f"{counted([row for row in rows if row.criterion in keys])}"
            ),
            by_system=False,
            chart=stacked_chart({names[key]: by_question[key] for key in keys}, labels, measure="Step", ordered=True),
            columns=(("name", "Question"), ("label", "Step"), ("value", "Share")),
        )


def _medians(medians: Sequence[float], questions: int) -> str:
    if not medians:
        return f"Answers to {questions} questions"
    least, most = min(medians), max(medians)
    if least == most:
        return f"The median answer to each of {questions} questions is {least:g}"
    return f"Median answers to {questions} questions go from {least:g} to {most:g}"
