"""Draw the remaining ratings of a task after each quality rule."""

from collections.abc import Iterator, Sequence

from analytics_app.charts import words
from analytics_app.charts.drawing import Sketch
from analytics_app.charts.steps import steps_chart
from analytics_app.quality import rule_name
from analytics_app.results import Row

# The end of the keys of these plots.
KIND = "rules"


def sketches(rows: Sequence[Row]) -> Iterator[Sketch]:
    """Yield the chart of a funnel; none if the rules excluded nothing."""
    steps = {row.statistic: row for row in rows if row.statistic in {"collected", "kept"}}
    left = [row for row in rows if row.statistic == "left"]
    first, last = steps["collected"], steps["kept"]
    if not left or _ratings(first) == _ratings(last):
        return
    kept_phrase = (
        f"{_ratings(last):,} of {_ratings(first):,} ratings ({words.share(_ratings(last) / _ratings(first), 1)})"
    )
    n_raters = f"{last.n_raters or 0:,} of {first.n_raters or 0:,} raters"
    points = [
        {
            "name": "Before the rules" if row is first else rule_name(row.label or ""),
            "value": _ratings(row),
            "share": _ratings(row) / _ratings(first),
            "raters": row.n_raters or 0,
            "texts": row.n_items or 0,
            "text": f"{_ratings(row):,} · {row.n_raters or 0:,}",
        }
        for row in (first, *left)
    ]
    yield Sketch(
        kind=KIND,
        title=f"The rules kept {kept_phrase}, from {n_raters}",
        subtitle=(
            "Ratings and raters left after each quality rule, in order of application; a rater counts with at least "
            "one rating left. Grey: ratings excluded so far."
        ),
        by_system=False,
        chart=steps_chart(points),
        columns=(("name", "Step"), ("value", "Ratings"), ("share", "Share"), ("raters", "Raters"), ("texts", "Texts")),
    )


def _ratings(row: Row) -> int:
    return row.n_ratings or 0
