"""The chart of TrueSkill: rank ranges."""

from collections.abc import Iterator, Mapping, Sequence

from analytics_app.charts import words
from analytics_app.charts.compared import rank_ranges
from analytics_app.charts.drawing import Sketch, chart
from analytics_app.charts.picking import (
    Material,
    setting,
)
from analytics_app.results import Row

# Paired tests of systems, in the order in which they are looked for.
_PAIRED = (
    "magnitude_ratio_crossed", "magnitude_ratio", "win_rate_crossed", "win_rate", "ranked_above_half_crossed",
    "ranked_above_half",
    "difference_crossed", "difference", "range_difference",
)  # fmt: skip


@chart(order=7)
def trueskill_ranks(material: Material) -> Iterator[Sketch]:
    """Draw the rank ranges of TrueSkill."""
    ranges = "trueskill_rank", "trueskill_cluster", "trueskill-ranks"
    yield from rank_ranges(material, _by_trueskill, *ranges, _trueskill)


def _by_trueskill(material: Material, clusters: Mapping[str | None, float]) -> str:
    """Return a title that claims clusters only where tests of the same systems bear out each border between them.

    The ranges of TrueSkill come from drawing the same comparisons again and do not say what other items would change.
    """
    n = len(set(clusters.values()))
    tests = next((rows for name in _PAIRED if (rows := material.of(name))), [])
    significant = [row for row in tests if material.is_significant(row)]
    if tests and (n == 1 or not significant):
        return f"No clear difference between the systems for {material.name} (TrueSkill)"
    borders = sorted(set(clusters.values()))[1:]
    if tests and all(any(_crosses(row, clusters, border) for row in significant) for border in borders):
        return f"TrueSkill separates the systems into {n} clusters for {material.name}"
    return f"Systems by their TrueSkill rank for {material.name}"


def _crosses(row: Row, clusters: Mapping[str | None, float], border: float) -> bool:
    """Return whether a pair has one system above a border between clusters and one below it."""
    places = [clusters[system] for system in (row.system, row.system_b) if system in clusters]
    return len(places) == 2 and min(places) < border <= max(places)


def _trueskill(rows: Sequence[Row]) -> str:
    runs, steps, comparisons = (setting(rows, name) for name in ("runs", "steps", "comparisons"))
    why = ", once more than there are, as at WMT" if steps == comparisons + 1 else ""
    return (
        f"TrueSkill of {comparisons:,} comparisons. Each of {runs} runs draws one of them {steps:,} times, with "
        f"replacement{why}. Line: ranks of the runs without the outer 2.5{words.SPACE}% on each side. Other items may "
        "move ranks further"
    )
