"""Charts of several analyses of comparisons: shares of pairs, strengths of systems, and rank ranges."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from analytics_app.charts import words
from analytics_app.charts.drawing import Sketch
from analytics_app.charts.picking import (
    INTERVAL,
    Material,
    beside,
    counted,
    each,
    falling,
    left_off,
    pair_point,
    pairs_of,
    point,
    setting,
    value_of,
)
from analytics_app.charts.points import points_chart
from analytics_app.charts.ranked import (
    TESTED,
    apart_for_further_raters,
    correction,
    criterion_leader_title,
    not_significant,
    ranked,
)
from analytics_app.results import TO_RATERS_AND_TEXTS, Row


def pair_shares(
    material: Material, statistic: str, tested: str, kind: str, verb: str, sign: str, *, crossed: str = ""
) -> Iterator[Sketch]:
    """Draw the shares of pairs with the tests of `tested`, or those of `crossed` where it has tests."""
    if any(row.p_adjusted is not None for row in material.of(crossed)):
        statistic = tested = crossed
    tests = {(row.system, row.system_b): row for row in material.of(tested)}
    rows = [_with_p(row, tests) for row in material.of(statistic)]
    if not rows:
        return
    pairs = pairs_of(
        rows,
        lambda value: abs(value - 0.5),
        lambda row: beside(row, 0.5) and (row.p_adjusted is None or material.is_significant(row)),
    )
    points = [pair_point(row, words.share(value_of(row)), sign=sign) for row in pairs.rows]
    yield Sketch(
        kind=kind,
        title=_clear(pairs.clear, len(rows), material.name, verb),
        subtitle=(
            f"Share of comparisons for {material.name} in which the first of two systems stands above the other, ties "
            f"half{pairs.left_off}; {material.basis(rows)}. Line: {material.interval(rows, 'items')}. p: {_test(rows)}"
            f"{corrected(list(tests.values()))}.{each(rows)}{counted(rows)}"
        ),
        by_system=True,
        chart=points_chart(
            points, measure="Share of comparisons", limits=[(0.5, "even")], domain=(0.0, 1.0), percent=True
        ),
        columns=(("name", "Pair"), ("value", "Share"), *INTERVAL, ("p", "Adjusted p"), ("n", "Items")),
    )


def _test(rows: Sequence[Row]) -> str:
    crossed = setting(rows, "generalises_to") == TO_RATERS_AND_TEXTS
    return "raters and texts random" if crossed else "exact sign test over items"


def _with_p(row: Row, tests: Mapping[tuple[str | None, str | None], Row]) -> Row:
    """Return the row of a pair with the p of its test, which is in another row if the test leaves ties out."""
    test = tests.get((row.system, row.system_b))
    return replace(row, p_adjusted=test.p_adjusted if test else None)


def _clear(clear: Sequence[Row], n: int, criterion: str, verb: str) -> str:
    if not clear:
        either = "Neither of two systems" if n == 1 else "No system"
        return f"{either} {verb} {'the other' if n == 1 else 'another'} clearly for {criterion}"
    first = clear[0]
    if len(clear) == 1 or n == 1:
        pair = f"{words.short(first.system)} {verb} {words.short(first.system_b)}"
        share = words.share(value_of(first))
        if value_of(first) < 0.5:
            return f"{pair} in only {share} of comparisons for {criterion}"
        return f"{pair} for {criterion} ({share})"
    return (
        f"In {'all' if len(clear) == n else f'{len(clear)} of'} {n} pairs one system {verb} the other for {criterion}"
    )


def corrected(tests: Sequence[Row]) -> str:
    method = setting(tests, "correction") if tests else None
    return f", {correction(method)} for several tests" if method and method != "none" else ""


def strengths_of(
    material: Material,
    statistic: str,
    kind: str,
    measure: str,
    phrases: tuple[str, str],
    limits: Sequence[tuple[float, str]] = (),
    *,
    log: bool = False,
) -> Iterator[Sketch]:
    rows = sorted((row for row in material.of(statistic) if row.system), key=falling)
    if len(rows) < 2:
        return
    systems, (verb, measured) = ranked(material, rows), phrases
    tests = material.of(TESTED.get(statistic, ""))
    placed = {row.system for row in rows}
    plain = f"Systems by their {measured}"
    # A system that was compared and has no strength may be better than all that have one.
    complete = all({row.system, row.system_b} <= placed for row in tests)
    title = criterion_leader_title(
        systems.points,
        material.name,
        best=verb,
        otherwise=plain,
        alike=not_significant(material, tests),
        apart=apart_for_further_raters(material, tests),
    )
    yield Sketch(
        kind=kind,
        title=title if complete else f"{plain} for {material.name}",
        subtitle=(
            f"{measure} for {material.name}{left_off(rows)}; {material.basis(rows)}. "
            f"{systems.lines}{each(rows)}{counted(rows)}"
        ),
        by_system=True,
        chart=points_chart(systems.points, measure=measure, limits=limits, log=log),
        columns=(("name", "System"), ("value", measure), *systems.columns, ("n", "Ratings")),
    )


def rank_ranges(
    material: Material,
    titled: Callable[[Material, Mapping[str | None, float]], str],
    rank: str,
    cluster: str,
    kind: str,
    method: Callable[[Sequence[Row]], str],
) -> Iterator[Sketch]:
    rows = sorted((row for row in material.of(rank) if row.system and row.low is not None), key=value_of)
    if len(rows) < 2:
        return
    clusters = {row.system: value_of(row) for row in material.of(cluster)}
    points = [point(row, _range(row), name=row.system, n=row.n_ratings or row.n_items) for row in rows]
    yield Sketch(
        kind=kind,
        title=titled(material, clusters),
        subtitle=(
            f"Rank range for {material.name}, 1 is the best{left_off(rows)}; {material.basis(rows)}. {method(rows)}."
        ),
        by_system=True,
        chart=points_chart(points, measure="Rank: 1 is the best", domain=(1.0, float(len(rows))), whole=True),
        columns=(("name", "System"), ("value", "Rank"), ("low", "Best"), ("high", "Worst")),
        further=True,
    )


def _range(row: Row) -> str:
    if row.low == row.high:
        return f"{row.low:g}"
    return f"{row.low:g}–{row.high:g}"
