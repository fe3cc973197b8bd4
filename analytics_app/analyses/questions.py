"""The questions of a questionnaire: counts of answers, medians, means and spread."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from analytics_app.analyses.base import Analysis, QuestionCriterion, Rows, Sample
from analytics_app.analyses.registry import register
from analytics_app.analyses.shared.answer_counts import answer_counts
from analytics_app.charts.bars import stacked_chart
from analytics_app.charts.drawing import Sketch, chart
from analytics_app.charts.picking import Material, counted, value_of
from analytics_app.models import ResultRow
from analytics_app.ratings import Table
from analytics_app.results import Row
from analytics_app.show import cells, formats
from analytics_app.show.cells import DASH, Cell
from analytics_app.show.formats import digits, raters, share
from analytics_app.show.index import RowIndex
from analytics_app.show.notes import notes_of
from analytics_app.show.shown import Shown, StoredRows, lines_of, named, own, table_of, tables_of
from analytics_app.show.table import Table as ShownTable
from analytics_app.stats.comparison.change import mean_with_limits
from analytics_app.stats.values import Estimate
from tasks_app.task_types.base import Scale

QUARTERS = {"answer_lower_quarter": 0.25, "answer_median": 0.5, "answer_upper_quarter": 0.75}


@register
class Questions(Analysis):
    """Counts and shares of every answer, median and quartiles (type 7) of steps and numbers, mean and SD of numbers.

    Each person answers once a wave; where a task has several waves or groups there are rows for each. Who left a
    question out is counted: of those who answered anything of the task.
    """

    label = _("Questions")
    summary = _("How many gave each answer to each question, with medians of steps and means of numbers.")
    source = "Amidei, Piwek and Willis (2019). The use of rating and Likert scales in NLG human evaluation tasks. INLG."
    scales = frozenset({Scale.ORDINAL, Scale.NOMINAL, Scale.INTERVAL})
    task_types = frozenset({"questionnaire"})
    whole_task = True
    statistics = {
        "people": _("People who answered anything"),
        "question_mode": _("Share of the most frequent answer"),
        "question_median": _("Median of the numbers given"),
        "answered": _("People who answered"),
        "not_answered": _("People who did not answer"),
        "answer_count": _("Count of an answer"),
        "answer_share": _("Share of an answer"),
        "answer_lower_quarter": _("Lower quartile of answers"),
        "answer_median": _("Median of answers"),
        "answer_upper_quarter": _("Upper quartile of answers"),
        "answer_mean": _("Mean of numbers"),
        "answer_sd": _("SD of numbers"),
    }

    def compute(self, sample: Sample) -> Iterator[Row]:
        """Yield the rows of each question, in their order."""
        table, make = sample.table, Rows(self.name, sample)
        people = table.n_raters
        yield make.row("people", value=float(people), n_raters=people)
        for question in sample.question.criteria:
            if question.scale is Scale.TEXT:
                continue
            ratings = table.where(table.criterion == question.code)
            about: dict[str, Any] = {"criterion": question.key, "n_raters": ratings.n_raters}
            yield make.row("answered", value=float(ratings.n_raters), **about)
            yield make.row("not_answered", value=float(people - ratings.n_raters), **about)
            yield from _answers(make, question, ratings, about)
            if question.scale is not Scale.NOMINAL:
                yield from _middle(make, question, ratings, about)
            if sample.group is None and sample.wave is None:
                yield _at_a_glance(make, question, ratings)


def _answers(make: Rows, question: QuestionCriterion, ratings: Table, about: Mapping[str, Any]) -> Iterator[Row]:
    """Yield the count and share of each option."""
    options, counts = answer_counts(question, ratings)
    total, settings = sum(counts), {"question": question.name}
    for option, count in zip(options, counts, strict=True):
        yield make.row("answer_count", value=float(count), label=option, **about)
        none = None if total else "Nobody answered this."
        yield make.row(
            "answer_share", value=count / total if total else None, label=option, note=none, settings=settings, **about
        )


def _at_a_glance(make: Rows, question: QuestionCriterion, ratings: Table) -> Row:
    """Return the row of the share of the most frequent answer, or of the median of numbers, for the overview."""
    options, counts = answer_counts(question, ratings)
    about: dict[str, Any] = {"label": question.key, "n_raters": ratings.n_raters}
    values = ratings.value[~np.isnan(ratings.value)]
    if not sum(counts) and not len(values):
        return make.row("question_mode", note="Nobody answered this.", settings={"question": question.name}, **about)
    if not options:
        return make.row(
            "question_median", value=float(np.median(values)), settings={"question": question.name}, **about
        )
    most = max(counts)
    tied = [option for option, count in zip(options, counts, strict=True) if count == most]
    settings: dict[str, Any] = {"question": question.name, "answers": tied}
    if len(values):
        settings["median"] = float(np.median(values))
    return make.row("question_mode", value=most / sum(counts), settings=settings, **about)


def _middle(make: Rows, question: QuestionCriterion, ratings: Table, about: Mapping[str, Any]) -> Iterator[Row]:
    """Yield median and quartiles, and mean and SD of numbers."""
    values = ratings.value[~np.isnan(ratings.value)]
    none = None if len(values) else "Nobody answered this."
    for name, quantile in QUARTERS.items():
        yield make.row(name, value=float(np.quantile(values, quantile)) if len(values) else None, note=none, **about)
    if question.scale is Scale.INTERVAL:
        mean: Estimate = mean_with_limits(values, confidence=make.sample.common.confidence)
        yield make.row("answer_mean", mean, settings={"interval": "Student's t over people"}, **about)
        spread = float(values.std(ddof=1)) if len(values) > 1 else None
        why = None if spread is not None else "Fewer than two answers have no spread."
        yield make.row("answer_sd", value=spread, note=why, settings={"ddof": 1}, **about)


# The table of a question: counts of answers, of everybody and of each group and wave.

PEOPLE = ("people", "answered", "not_answered")
GLANCES = ("question_mode", "question_median")
MIDDLE = ("answer_lower_quarter", "answer_median", "answer_upper_quarter", "answer_mean", "answer_sd")


@tables_of("questions")
def question_table(rows: StoredRows, limit: float) -> Iterator[ShownTable]:
    """Yield the table of a question (a line for each answer, then counts, median, mean), or the overview of all."""
    index = RowIndex([row for row in rows.rows if not row.slice])
    if index.of(*GLANCES):
        yield from _overview(index)
        return

    def value(row: ResultRow | None) -> Cell:
        if row is None or row.statistic != "answer_count":
            return digits(0 if row is not None and row.statistic in PEOPLE else 2)(row)
        return _share(index, row)

    parts = {(row.group, row.wave): {"group": row.group, "wave": row.wave} for row in index.kept}
    answers = index.of("answer_count")
    is_box = list(dict.fromkeys(row.label for row in answers)) == ["0", "1"]
    columns = [
        named(gettext("Answer"), lambda row: _called(row, is_box=is_box)),
        *(Shown(_part(*part), "", value, about) for part, about in parts.items()),
        Shown(gettext("Before rules"), "", value, {"group": None, "wave": None}, before=True),
    ]
    lines = lines_of(answers, "label")
    lines += [row for name in (*PEOPLE, *MIDDLE) for row in index.of(name)[:1]]
    yield from table_of(index, gettext("Answers"), columns, lines, by=("label",), notes=notes_of(index.kept))


def _called(row: ResultRow, *, is_box: bool) -> object:
    """Return the name of an answer, or of a measure of all answers. The stored values of a box are 0 and 1."""
    if row.statistic != "answer_count":
        return formats.statistic(row)
    return {"0": gettext("not ticked"), "1": gettext("ticked")}[str(row.label)] if is_box else row.label


def _overview(rows: StoredRows) -> Iterator[ShownTable]:
    """Yield the overview: a line for each question with the number of answers, and the mode or the median."""

    def most(row: ResultRow | None) -> Cell:
        return share(row) if row is not None and row.statistic == "question_mode" else Cell(DASH)

    def median(row: ResultRow | None) -> Cell:
        if row is not None and row.statistic == "question_mode":
            return cells.number((row.settings or {}).get("median"), 1)
        return digits(2)(row)

    columns = [
        named(gettext("Question"), lambda row: (row.settings or {}).get("question") or row.label),
        own(gettext("People"), raters),
        named(gettext("Most frequent answer"), lambda row: ", ".join((row.settings or {}).get("answers", ()))),
        own(gettext("Share"), most),
        own(gettext("Median"), median),
    ]
    yield from table_of(rows, gettext("Questions at a glance"), columns, rows.of(*GLANCES))


def _part(group: str | None, wave: int | None) -> str:
    parts = [group] if group else []
    if wave is not None:
        parts.append(gettext("wave %(n)s") % {"n": wave})
    return ", ".join(parts) or gettext("Everybody")


def _share(rows: StoredRows, number: ResultRow) -> Cell:
    """Return a cell with the count of an answer, and its share of all answers."""
    if number.value is None:
        return Cell(DASH)
    about = {"label": number.label, "group": number.group, "wave": number.wave}
    share_of = rows.one("answer_share", before=number.basis == "all", **about)
    if share_of is None or share_of.value is None:
        return cells.whole(int(number.value))
    return Cell(f"{int(number.value)} ({cells.percent(share_of.value).text})", number.value)


# The chart of questions with the same steps, one bar below the other.

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
