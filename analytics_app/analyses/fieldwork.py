"""Fieldwork: participants, amount and time of their judgments, pay, and results of checks."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from numpy.typing import NDArray

from analytics_app.analyses.base import Analysis, Rows, Sample
from analytics_app.analyses.registry import register
from analytics_app.analyses.shared.answered import judgments_of
from analytics_app.models import ResultRow
from analytics_app.ratings import Floats
from analytics_app.ratings.extras.controls import Controls
from analytics_app.ratings.extras.excluded import Gone
from analytics_app.ratings.extras.people import COMPLETED, OUTCOMES, People
from analytics_app.ratings.extras.repeats import Repeats
from analytics_app.ratings.extras.times import Times
from analytics_app.results import Row
from analytics_app.show import cells, formats
from analytics_app.show.cells import DASH, Cell
from analytics_app.show.index import RowIndex
from analytics_app.show.notes import notes_of
from analytics_app.show.shown import StoredRows, named, own, table_of, tables_of
from analytics_app.show.table import Table
from tasks_app.task_types.base import Scale

WHOLE_STUDY = "Of the whole study, training and other tasks included."
NOBODY = "Nobody of these raters has ended yet, so there is no time."


@register
class Fieldwork(Analysis):
    """The numbers of a method section, for all ratings and for the kept ratings.

    Raters: `raters_recruited` and `raters_finished` of the study, `raters_ended` how others ended (`label`),
    `raters_judged` in this task, `raters_excluded` of them altogether, `raters_analysed`. Judgments:
    `judgments_analysed`, and `judgments_per_rater` and `judgments_per_unit` with label least, median and most. Time and
    pay of the analysed raters who have ended: `minutes` (label lower quartile, median, upper quartile), the same as
    `minutes_active` in this task, `hourly_pay`, `hourly_minimum` and `hourly_below`, the share paid less than that.
    Checks of the analysed raters: `control_accuracy`, `attention_accuracy`, `repeats_asked`.

    There are no slices: a rater who judged nothing of a slice was not excluded.
    """

    label = _("Fieldwork")
    summary = _("Who took part, how much and how long they judged, what it paid, and how checks and repeats went.")
    source = (
        "Howcroft et al. (2020). Twenty years of confusion in human evaluation. INLG, 169-182. Shimorina and Belz "
        "(2022). The human evaluation datasheet. HumEval, 54-75."
    )
    scales = frozenset(Scale)
    statistics = {
        "raters_recruited": _("Raters who enrolled in the study"),
        "raters_finished": _("Raters who finished the study"),
        "raters_ended": _("Raters who ended otherwise"),
        "raters_judged": _("Raters who judged in this task"),
        "raters_excluded": _("Raters excluded entirely"),
        "raters_analysed": _("Raters analysed"),
        "judgments_analysed": _("Judgments analysed"),
        "judgments_per_rater": _("Judgments per rater"),
        "judgments_per_unit": _("Judgments per unit"),
        "minutes": _("Minutes per rater"),
        "minutes_active": _("Minutes of work in this task"),
        "hourly_pay": _("Pay per hour"),
        "hourly_minimum": _("Minimum pay per hour of the study"),
        "hourly_below": _("Share of raters paid less than that"),
        "control_accuracy": _("Controls passed"),
        "attention_accuracy": _("Attention checks passed"),
        "repeats_asked": _("Pairs of answers to repeated questions"),
    }
    needs = frozenset({Controls, Gone, People, Repeats, Times})
    whole_task = True
    splits = False

    def compute(self, sample: Sample) -> Iterator[Row]:
        """Yield the rows of people, judgments, time and pay, checks."""
        make = Rows(self.name, sample)
        codes = judgments_of(sample)
        analysed = np.unique(sample.table.judgments.rater[codes]).astype(np.int64)
        yield from _people(make, analysed)
        yield from _judgments(make, codes)
        yield from _time_and_pay(make, analysed)
        yield from _checks(make, analysed)


def _people(make: Rows, analysed: NDArray[np.int64]) -> Iterator[Row]:
    table, people = make.sample.table, make.sample.extras[People]
    judged = len(np.unique(table.judgments.rater))
    enrolled = int(people.counts.sum())
    if enrolled:
        yield make.row("raters_recruited", value=float(enrolled))
    if (people.counts & ~people.imported).any():
        outcome = people.outcome[people.counts]
        yield make.row("raters_finished", value=float((outcome == COMPLETED).sum()))
        for code, name in enumerate(OUTCOMES):
            if code != COMPLETED and (outcome == code).any():
                yield make.row("raters_ended", value=float((outcome == code).sum()), label=name)
    yield make.row("raters_judged", value=float(judged))
    yield make.row("raters_excluded", value=float(judged - len(analysed)))
    yield make.row("raters_analysed", value=float(len(analysed)))


def _judgments(make: Rows, judged: NDArray[np.int64]) -> Iterator[Row]:
    table = make.sample.table
    yield make.row("judgments_analysed", value=float(len(judged)), n_ratings=len(table))
    for name, codes in (
        ("judgments_per_rater", table.judgments.rater[judged]),
        ("judgments_per_unit", table.judgments.unit[judged]),
    ):
        if len(codes):
            times = np.unique(codes, return_counts=True)[1]
            for label, value in (("least", times.min()), ("median", np.median(times)), ("most", times.max())):
                yield make.row(name, value=float(value), label=label)


def _time_and_pay(make: Rows, analysed: NDArray[np.int64]) -> Iterator[Row]:
    people, times = make.sample.extras[People], make.sample.extras[Times]
    minutes, paid = people.minutes[analysed], people.paid[analysed]
    known = minutes > 0
    if known.any():
        yield from _quartiles(make, "minutes", minutes[known], note=WHOLE_STUDY)
    elif (people.counts & ~people.imported).any():
        yield make.row("minutes", label="median", note=NOBODY)
    active = times.active[analysed] / 60
    if (active > 0).any():
        yield from _quartiles(make, "minutes_active", active[active > 0])
    known &= ~np.isnan(paid)
    if known.any() and not np.isnan(people.hourly):
        hourly = paid[known] / minutes[known] * 60
        settings = {"currency": people.currency}
        yield from _quartiles(make, "hourly_pay", hourly, note=WHOLE_STUDY, settings=settings)
        if people.hourly <= 0:
            return
        yield make.row("hourly_minimum", value=people.hourly, settings=settings)
        below = float((hourly < people.hourly - 0.005).mean())
        yield make.row("hourly_below", value=below, n_raters=int(known.sum()))


def _quartiles(make: Rows, name: str, values: Floats, **columns: Any) -> Iterator[Row]:
    for label, share in (("lower quartile", 0.25), ("median", 0.5), ("upper quartile", 0.75)):
        yield make.row(name, value=float(np.quantile(values, share)), label=label, n_raters=len(values), **columns)


def _checks(make: Rows, analysed: NDArray[np.int64]) -> Iterator[Row]:
    sample = make.sample
    controls = sample.extras[Controls]
    theirs = np.isin(controls.rater, analysed)
    for name, mine in (
        ("control_accuracy", theirs & ~controls.attention),
        ("attention_accuracy", theirs & controls.attention),
    ):
        if mine.any():
            n = len(np.unique(controls.rater[mine]))
            yield make.row(name, value=float(controls.passed[mine].mean()), n_items=int(mine.sum()), n_raters=n)
    repeats = sample.extras[Repeats].of(sample.table)
    if len(repeats):
        n = len(np.unique(repeats.rater))
        yield make.row("repeats_asked", value=float(len(repeats)), n_raters=n)


# The table of fieldwork: the figures of a method section, line by line.

COUNTS = frozenset(
    {
        "raters_recruited", "raters_finished", "raters_ended", "raters_judged", "raters_excluded", "raters_analysed",
        "judgments_analysed", "judgments_per_unit", "judgments_per_rater", "repeats_asked",
    }
)  # fmt: skip
SHARES = frozenset({"control_accuracy", "attention_accuracy", "hourly_below"})


@tables_of("fieldwork")
def fieldwork(rows: StoredRows, limit: float) -> Iterator[Table]:
    """Yield a table with one line for each measure: kept ratings, and all ratings if rules excluded some."""
    whole = [row for row in rows.rows if not row.slice]
    index = RowIndex(whole or rows.rows)
    kept_rows, before = _measures(index.kept), _measures(index.before)

    def n_raters(row: ResultRow | None) -> Cell:
        counts = [other.n_raters for other in kept_rows[_measure(row)] if other.n_raters is not None] if row else []
        return cells.whole(counts[0] if counts else None)

    was = own(gettext("Before rules"), lambda row: _spread(before.get(_measure(row), []) if row else []))
    columns = [
        named(gettext("Measure"), _named),
        own(
            gettext("Kept") if index.both else gettext("Value"),
            lambda row: _spread(kept_rows[_measure(row)] if row else []),
        ),
        own(gettext("Raters"), n_raters),
        *([was] if index.both else []),
    ]
    lines = [measured[0] for measured in kept_rows.values()]
    yield from table_of(index, gettext("Fieldwork"), columns, lines, notes=notes_of(index.kept))


def _measures(rows: Sequence[ResultRow]) -> dict[str, list[ResultRow]]:
    """Return the rows of each measure; rows of one distribution, such as its quartiles, belong together."""
    measures: dict[str, list[ResultRow]] = {}
    for row in rows:
        measures.setdefault(_measure(row), []).append(row)
    return measures


def _measure(row: ResultRow) -> str:
    return f"{row.statistic} {row.label}" if row.statistic == "raters_ended" else row.statistic


def _named(row: ResultRow) -> str:
    name = formats.statistic(row)
    if row.statistic == "raters_ended":
        return f"{name}: {(row.label or '').replace('_', ' ')}"
    if row.label in {"least", "lower quartile"}:
        ends = gettext("least, median, most") if row.label == "least" else gettext("median, and the middle half")
        name = f"{name} ({ends})"
    currency = (row.settings or {}).get("currency")
    return f"{name}, {currency}" if currency else name


def _spread(line: Sequence[ResultRow]) -> Cell:
    """Return a cell: one value, "12 (6 to 20)" for median and quartiles, or "6, 12, 20" for least, median and most."""
    if not line:
        return Cell(DASH)
    by_label = {row.label: row for row in line}
    if "median" not in by_label:
        return _value(line[0])
    low, middle, high = (
        by_label.get(first) or by_label.get(second)
        for first, second in (("least", "lower quartile"), ("median", ""), ("most", "upper quartile"))
    )
    if low is None or middle is None or high is None:
        return _value(by_label["median"])
    texts = [_value(row).text for row in (low, middle, high)]
    if "least" in by_label:
        return Cell(", ".join(texts), middle.value)
    return Cell(gettext("%(median)s (%(low)s to %(high)s)") % {"median": texts[1], "low": texts[0], "high": texts[2]},
                middle.value)  # fmt: skip


def _value(row: ResultRow) -> Cell:
    if row.value is None:
        return Cell(DASH)
    if row.statistic in SHARES:
        return cells.percent(row.value, 1)
    if row.statistic in COUNTS:
        return cells.number(row.value, 0 if row.value == int(row.value) else 1)
    return cells.number(row.value, 2 if "pay" in row.statistic or "minimum" in row.statistic else 1)
