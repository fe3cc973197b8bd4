"""Tables of two runs: the exclusions of their rules, and every number of the comparison for its file."""

from collections.abc import Callable, Iterator, Mapping
from copy import copy
from typing import TypeAlias

from django.utils.translation import gettext as _

from analytics_app.models import ResultRow
from analytics_app.show import cells
from analytics_app.show.cells import Cell
from analytics_app.show.comparisons import Unit
from analytics_app.show.table import Column, Table
from analytics_app.views.comparing.criteria import changed_pairs, difference
from analytics_app.views.comparing.halves import Half
from analytics_app.views.run_words import Funnel, Step
from analytics_app.views.summary import Place

NONE = Cell(cells.DASH)

# The identity of a row: its statistic, its system, and the system it is compared with ("" for none).
About: TypeAlias = tuple[str, str, str]

# The value of a pair with its systems exchanged, by its unit.
TURNS: Mapping[Unit, Callable[[float], float]] = {
    "number": lambda value: -value,
    "share": lambda value: 1 - value,
    "ratio": lambda value: 1 / value,
}
# Digits on pages; the file has the unrounded numbers of the cells.
DIGITS = 4


def excluded(a: Half, b: Half) -> list[Table]:
    """Return a table for each task with the exclusions of both runs, rule by rule."""
    tables = []
    for key, steps in _steps(a, b):
        task = a.tasks.get(key, key)
        rows = [
            [
                Cell(label, strong=not any(step is not None and step.subtracted for step in pair)),
                *(cell for step in pair for cell in _counts(step)),
            ]
            for label, pair in steps.items()
        ]
        heads = [Column(_("Step"), number=False)]
        for half in (a, b):
            heads.append(Column(_("Ratings, %(run)s") % {"run": half.name}))
            heads.append(Column(_("Raters, %(run)s") % {"run": half.name}))
        title = _("What was excluded")
        tables.append(Table(f"{title}: {task}" if len(a.tasks) > 1 else title, heads, rows))
    return tables


def _steps(a: Half, b: Half) -> Iterator[tuple[str, dict[str, tuple[Step | None, Step | None]]]]:
    """Yield the key of each task with its steps in both runs, by label, the kept ratings last."""
    funnels: tuple[dict[str, Funnel], dict[str, Funnel]] = (
        {funnel.key: funnel for funnel in a.funnels},
        {funnel.key: funnel for funnel in b.funnels},
    )
    for key in dict.fromkeys([*funnels[0], *funnels[1]]):
        own = [{step.label: step for step in funnel[key].steps} if key in funnel else {} for funnel in funnels]
        labels = list(dict.fromkeys([*own[0], *own[1]]))
        last_steps = [label for label in labels if any(_is_last(funnel.get(key), label) for funnel in funnels)]
        ordered = [label for label in labels if label not in last_steps] + last_steps
        yield key, {label: (own[0].get(label), own[1].get(label)) for label in ordered}


def _is_last(funnel: Funnel | None, label: str) -> bool:
    return funnel is not None and bool(funnel.steps) and funnel.steps[-1].label == label


def _counts(step: Step | None) -> list[Cell]:
    if step is None:
        return [NONE, NONE]
    minus = "− " if step.subtracted and step.ratings else ""
    ratings, raters = cells.whole(step.ratings), cells.whole(step.raters)
    return [Cell(f"{minus}{ratings.text}", ratings.sort, numbers=ratings.numbers), raters]


# The file -------------------------------------------------------------------------------------------------


def everything(a: Half, b: Half) -> Table:
    """Return every number of the comparison as one table with lines for systems, pairs, measures and steps."""
    heads = [Column(head, number=False) for head in (_("Task"), _("Criterion"), _("Statistic"))]
    heads += [Column(head, number=False) for head in (_("System"), _("Compared with"))]
    for half in (a, b):
        heads += [
            Column(head % {"run": half.name})
            for head in (
                _("Value, %(run)s"), _("Interval, %(run)s"), _("Adjusted p, %(run)s"), _("Ratings, %(run)s"),
                _("Raters, %(run)s"),
            )
        ]  # fmt: skip
    heads += [Column(_("Difference (second − first run)")), Column(_("Tests disagree"), number=False)]
    rows = [*_of_criteria(a, b), *_of_steps(a, b)]
    return Table(_("Two runs side by side"), heads, rows)


def _of_criteria(a: Half, b: Half) -> Iterator[list[Cell]]:
    for key in dict.fromkeys([*a.summary.places, *b.summary.places]):
        places = a.place(key), b.place(key)
        disagreeing = {frozenset((pair.a, pair.b)) for pair in changed_pairs(key, a, b)}
        own = [_rows(place) for place in places]
        own[1] = dict(_in_order_of(own[0], own[1], places[1]))
        for about in dict.fromkeys([*own[0], *own[1]]):
            row_a, row_b = (rows.get(about) for rows in own)
            verdict = NONE
            if about[2] and all(row is not None and row.p_adjusted is not None for row in (row_a, row_b)):
                verdict = Cell(_("yes") if frozenset(about[1:]) in disagreeing else _("no"))
            yield _line(key, about, row_a, row_b, verdict)


def _rows(place: Place | None) -> dict[About, ResultRow]:
    """Return the rows of systems, of their pairs and of agreement, by statistic and systems."""
    if place is None:
        return {}
    compared = place.compared
    rows = [*compared.levels, *compared.pairs] if compared is not None else []
    if place.agreement is not None:
        rows.append(place.agreement.leading)
    return {(row.statistic, row.system or "", row.system_b or ""): row for row in rows}


def _in_order_of(
    first: Mapping[About, ResultRow], second: Mapping[About, ResultRow], place: Place | None
) -> Iterator[tuple[About, ResultRow]]:
    """Yield the rows of the second run, with pairs in the order of the first run."""
    unit = place.compared.comparison.unit if place is not None and place.compared is not None else "number"
    for (statistic, system, other), row in second.items():
        if other and (statistic, other, system) in first:
            yield (statistic, other, system), turned(row, unit)
        else:
            yield (statistic, system, other), row


def turned(row: ResultRow, unit: Unit) -> ResultRow:
    """Return the row of a pair as that of the same systems in the other order."""
    new, turn = copy(row), TURNS[unit]
    new.system, new.system_b = row.system_b, row.system
    ends = (row.value, row.high, row.low)
    new.value, new.low, new.high = (None if end is None or (unit == "ratio" and not end) else turn(end) for end in ends)
    return new


def _line(key: str, about: About, a: ResultRow | None, b: ResultRow | None, verdict: Cell) -> list[Cell]:
    statistic, system, other = about
    numbers = [cell for row in (a, b) for cell in _numbers(row)]
    apart = cells.number(difference(a, b), DIGITS)
    task, _separator, criterion = key.partition("--")
    return [
        Cell(task),
        cells.name(criterion if criterion != "all" else ""),
        Cell(statistic),
        cells.name(system),
        cells.name(other),
        *numbers,
        apart,
        verdict,
    ]


def _numbers(row: ResultRow | None) -> list[Cell]:
    if row is None:
        return [NONE] * 5
    return [
        cells.number(row.value, DIGITS),
        cells.interval(row.low, row.high, DIGITS),
        cells.number(row.p_adjusted, DIGITS),
        cells.whole(row.n_ratings),
        cells.whole(row.n_raters),
    ]


def _of_steps(a: Half, b: Half) -> Iterator[list[Cell]]:
    for task, steps in _steps(a, b):
        for label, pair in steps.items():
            numbers = [cell for step in pair for cell in (NONE, NONE, NONE, *(_plain_counts(step)))]
            apart = pair[1].ratings - pair[0].ratings if pair[0] is not None and pair[1] is not None else None
            yield [Cell(task), NONE, Cell(label), NONE, NONE, *numbers, cells.whole(apart), NONE]


def _plain_counts(step: Step | None) -> list[Cell]:
    return [cells.whole(step.ratings), cells.whole(step.raters)] if step is not None else [NONE, NONE]
