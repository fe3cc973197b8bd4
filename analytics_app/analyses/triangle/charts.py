"""Charts of the triangle test: right choices against the critical number, and the power curve."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from analytics_app.charts import words
from analytics_app.charts.drawing import Sketch, chart
from analytics_app.charts.lines import MOST_LINES, Curves, Observed, curves_chart
from analytics_app.charts.picking import INTERVAL, Material, falling, left_off, pair_point, setting, value_of
from analytics_app.charts.points import MOST_ROWS, points_chart
from analytics_app.results import Row
from analytics_app.stats.planning.discrimination_power import power_of_difference, power_of_similarity

GUESSING = 1 / 3
# Shares at which the curve is computed; it is drawn smoothly between them.
SHARES = [round(step / 50, 2) for step in range(51)]


@chart(order=5)
def verdicts(material: Material) -> Iterator[Sketch]:
    """Draw the share of right choices of each pair, with guessing and with the critical number as lines."""
    rows = sorted((row for row in material.of("triangle_share") if row.system), key=falling)
    if not rows:
        return
    critical = {(row.system, row.system_b): row for row in material.of("triangle_critical")}
    points = []
    for row in rows:
        needed = critical.get((row.system, row.system_b))
        share = value_of(needed) / row.n_ratings if needed is not None and row.n_ratings else None
        right = round(value_of(row) * (row.n_ratings or 0))
        pair = pair_point(row, f"{right:,} of {row.n_ratings or 0:,}: {words.share(value_of(row))}", sign="–")
        # The second line of a row connects guessing and the share that the verdict needs, the lower of them first.
        ends = sorted((GUESSING, share)) if share is not None else (None, None)
        points.append(replace(pair, n=row.n_ratings, low_b=ends[0], high_b=ends[1]))
    similarity = setting(rows, "goal") == "similarity"
    goal = "similarity allows" if similarity else "a difference needs"
    yield Sketch(
        kind="triangle",
        criterion=rows[0].criterion or "",
        title=_title(rows, similarity=similarity),
        subtitle=(
            f"Share of right choices; {material.basis(rows)}. Thick line: {material.confidence * 100:g}{words.SPACE}% "
            f"Clopper-Pearson interval; thin line below: from guessing (one in three) to what {goal}.{_judges(rows)}"
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


def _title(rows: Sequence[Row], *, similarity: bool) -> str:
    """Return a title that claims no more than was shown."""
    risk = float(setting(rows, "beta" if similarity else "alpha") or 0)
    shown = [row for row in rows if row.p_adjusted is not None and row.p_adjusted <= risk]
    if len(rows) > 1:
        if similarity:
            return f"{len(shown)} of {len(rows)} pairs of systems were shown to be similar"
        return f"For {len(shown)} of {len(rows)} pairs of systems it was shown that people can tell them apart"
    names = f"{words.short(rows[0].system)} and {words.short(rows[0].system_b)}"
    if similarity:
        return f"{names} are hard to tell apart" if shown else f"It was not shown that {names} are similar"
    return f"People can tell {names} apart" if shown else f"It was not shown that people can tell {names} apart"


def _judges(rows: Sequence[Row]) -> str:
    """Return a sentence with the number of judges of each pair."""
    counts = [row.n_raters for row in rows if row.n_raters is not None]
    if not counts:
        return ""
    least, most = min(counts), max(counts)
    judges = f"{least:,} judges" if least == most else f"{least:,} to {most:,} judges"
    return f" {judges}{' a pair' if len(rows) > 1 else ''}."


@chart(order=6)
def curves(material: Material) -> Iterator[Sketch]:
    """Draw the probability of the verdict by the true share of people who can tell, with the observed shares."""
    critical = [row for row in material.of("triangle_critical") if row.system and row.n_ratings]
    pairs = {(row.system, row.system_b) for row in critical}
    shown = sorted((row for row in material.of("discriminators") if (row.system, row.system_b) in pairs), key=falling)
    if not shown:
        return
    similarity = setting(critical, "goal") == "similarity"
    alpha, beta, pd = (float(setting(critical, name)) for name in ("alpha", "beta", "pd"))
    right = {row.n_ratings or 0: int(value_of(row)) for row in critical}
    counts = sorted(right)
    shown_counts = counts if len(counts) <= MOST_LINES else [counts[0], counts[-1]]

    def power(n: int, shares: Sequence[float]) -> list[float]:
        likely = (
            power_of_similarity(n, beta=beta, pd=pd, true=shares)
            if similarity
            else power_of_difference(n, alpha=alpha, pd=shares)
        )
        return [float(probability) for probability in likely]

    needed = "at most" if similarity else "at least"
    verdict = "similarity" if similarity else "a difference"
    risk = f"beta {beta:g}, {words.share(pd)} allowed" if similarity else f"alpha {alpha:g}"
    yield Sketch(
        kind="triangle-curve",
        criterion=shown[0].criterion or "",
        title=_expected(verdict, counts, [power(n, [0.0 if similarity else pd])[0] for n in counts], similarity, pd),
        subtitle=(
            f"Probability of showing {verdict} ({risk}) by the true share of people who can tell; exact binomial, "
            f"{needed} {_each(counts, right)} right. Below: the estimated share of people who can "
            f"tell, with its {material.confidence * 100:g}{words.SPACE}% Clopper-Pearson interval{left_off(shown)}."
        ),
        by_system=True,
        chart=curves_chart(
            Curves(
                {f"{n:,} answers": list(zip(SHARES, power(n, SHARES), strict=True)) for n in shown_counts},
                f"Probability of showing {verdict}",
                "Share of people who can tell",
                (pd, f"{'allowed' if similarity else 'planned'}: {words.share(pd)}"),
            ),
            [_observed(row) for row in shown[:MOST_ROWS]],
        ),
        columns=(
            ("name", "Systems, or answers"),
            ("x", "Share who can tell"),
            ("value", f"Probability of showing {verdict}"),
            *INTERVAL,
        ),
    )


def _observed(row: Row) -> Observed:
    ends = "" if row.low is None or row.high is None else f" ({words.share(row.low)} to {words.share(row.high)})"
    display_name = f"{words.isolated(row.system)} – {words.isolated(row.system_b)}"
    name = f"{row.system} – {row.system_b}"
    return Observed(name, display_name, f"{words.share(value_of(row))}{ends}", value_of(row), row.low, row.high)


def _expected(verdict: str, counts: Sequence[int], powers: Sequence[float], similarity: bool, pd: float) -> str:
    """Return a title with the probability of the verdict for these answers, if people are as the plan supposes."""
    n = f"{counts[0]:,}" if len(counts) == 1 else f"{counts[0]:,} to {counts[-1]:,}"
    low, high = words.share(min(powers)), words.share(max(powers))
    likely = low if low == high else f"{low} to {high}"
    supposed = "nobody can tell" if similarity else f"{words.share(pd)} of people can tell"
    return f"With {n} answers, the probability of showing {verdict} is {likely} if {supposed}"


def _each(counts: Sequence[int], right: Mapping[int, int]) -> str:
    """Return a phrase with the number of right choices needed, for each number of answers."""
    ends = [counts[0]] if len(counts) == 1 else [counts[0], counts[-1]]
    return " to ".join(f"{right[n]:,} of {n:,}" for n in ends)
