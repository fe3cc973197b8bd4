"""The triangle test at one glance: how many were right, against guessing and against what the verdict needs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from analytics_app.charts import words
from analytics_app.charts.drawing import Sketch
from analytics_app.charts.picking import INTERVAL, Material, falling, pair_point, setting, value_of
from analytics_app.charts.points import points_chart
from analytics_app.charts.registry import chart
from analytics_app.results import Row

GUESSING = 1 / 3


@chart(order=5)
def verdicts(of: Material) -> Iterator[Sketch]:
    """Draw the share of right choices of each pair, with guessing and with the critical number as lines."""
    found = sorted((row for row in of.of("triangle_share") if row.system), key=falling)
    if not found:
        return
    critical = {(row.system, row.system_b): row for row in of.of("triangle_critical")}
    points = []
    for row in found:
        needed = critical.get((row.system, row.system_b))
        share = value_of(needed) / row.n_ratings if needed is not None and row.n_ratings else None
        right = round(value_of(row) * (row.n_ratings or 0))
        own = pair_point(row, f"{right:,} of {row.n_ratings or 0:,}: {words.share(value_of(row))}", sign="–")
        # The second line of a row, from guessing to what the verdict needs, whichever of the two is more.
        ends = sorted((GUESSING, share)) if share is not None else (None, None)
        points.append(replace(own, n=row.n_ratings, low_b=ends[0], high_b=ends[1]))
    similarity = setting(found, "goal") == "similarity"
    goal = "similarity allows" if similarity else "a difference needs"
    yield Sketch(
        kind="triangle",
        criterion=found[0].criterion or "",
        title=_title(found, similarity=similarity),
        subtitle=(
            f"Share of right choices; {of.basis(found)}. Thick line: {of.confidence * 100:g}{words.SPACE}% "
            f"Clopper-Pearson interval; thin line below: from guessing (one in three) to what {goal}.{_judges(found)}"
        ),
        by_system=True,
        chart=points_chart(
            points,
            measure="Share of right choices",
            limits=[(GUESSING, "guessing")],
            domain=(0.2, 0.6),
            percent=True,
        ),
        columns=(
            ("name", "Systems"),
            ("value", "Share right"),
            *INTERVAL,
            ("low_b", "Guessing"),
            ("high_b", "Allowed" if similarity else "Needed"),
            ("p", "Adjusted p"),
            ("n", "Answers"),
        ),
    )


def _title(found: Sequence[Row], *, similarity: bool) -> str:
    """Say what was shown, and no more."""
    risk = float(setting(found, "beta" if similarity else "alpha") or 0)
    shown = [row for row in found if row.p_adjusted is not None and row.p_adjusted <= risk]
    if len(found) > 1:
        if similarity:
            return f"{len(shown)} of {len(found)} pairs of systems were shown to be similar"
        return f"For {len(shown)} of {len(found)} pairs of systems it was shown that people can tell them apart"
    names = f"{words.short(found[0].system)} and {words.short(found[0].system_b)}"
    if similarity:
        return f"{names} are hard to tell apart" if shown else f"It was not shown that {names} are similar"
    return f"People can tell {names} apart" if shown else f"It was not shown that people can tell {names} apart"


def _judges(found: Sequence[Row]) -> str:
    """Say how many judged each pair."""
    counts = [row.n_raters for row in found if row.n_raters is not None]
    if not counts:
        return ""
    least, most = min(counts), max(counts)
    said = f"{least:,} judges" if least == most else f"{least:,} to {most:,} judges"
    return f" {said}{' a pair' if len(found) > 1 else ''}."
