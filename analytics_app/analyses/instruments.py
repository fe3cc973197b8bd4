"""Scores of published questionnaires, such as SUS, NASA-TLX and UEQ-S, by group and wave."""

from collections.abc import Iterator, Sequence

import numpy as np
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from analytics_app.analyses.base import Analysis, Question, QuestionCriterion, Rows, Sample, count
from analytics_app.analyses.registry import register
from analytics_app.models import ResultRow
from analytics_app.ratings import Floats
from analytics_app.results import Row
from analytics_app.show.formats import digits, interval, raters, whole
from analytics_app.show.notes import notes_of
from analytics_app.show.shown import Shown, StoredRows, named, own, table_of, tables_of
from analytics_app.show.table import Table
from analytics_app.stats.comparison.change import mean_with_limits
from analytics_app.stats.scales.reliability import cronbach_alpha
from analytics_app.stats.scales.scale_scores import Scores, prorated_sums
from analytics_app.stats.values import joined
from tasks_app.task_types.base import Scale
from tasks_app.task_types.questionnaire.instruments import Score, instrument_data, scores_of


@register
class Instruments(Analysis):
    """Scores of a published questionnaire as its data file declares them.

    Steps become values, those of reversed items from the other end; a score is their sum or mean, on the published
    range. A person who left out more items of a score than its authors allow has no score. Each row is one person in
    one wave.
    """

    label = _("Scores of questionnaires")
    summary = _("Scores of SUS, NASA-TLX or UEQ-S as published, by group and wave, with Cronbach's alpha.")
    source = (
        "Brooke (1996). SUS: a quick and dirty usability scale. Usability evaluation in industry, 189-194. "
        "Hart and Staveland (1988). Development of NASA-TLX (Task Load Index). Advances in Psychology 52, 139-183. "
        "Schrepp, Hinderks and Thomaschewski (2017). Design and evaluation of a short version of the User Experience "
        "Questionnaire (UEQ-S). International Journal of Interactive Multimedia and Artificial Intelligence 4(6)."
    )
    scales = frozenset({Scale.ORDINAL})
    task_types = frozenset({"questionnaire"})
    whole_task = True
    statistics = {
        "score_mean": _("Mean score of a questionnaire"),
        "score_sd": _("SD of the scores of a questionnaire"),
        "score_alpha": _("Cronbach's alpha of the items of a score"),
        "score_missing": _("People without a score of a questionnaire"),
    }

    @classmethod
    def fits(cls, question: Question) -> bool:
        """Return whether the question is a whole questionnaire with declared scores."""
        return super().fits(question) and any(_is_asked(score, question) for score in _scores_of(question))

    def compute(self, sample: Sample) -> Iterator[Row]:
        """Yield mean, spread, reliability and missing scores of each score of the questionnaire."""
        make = Rows(self.name, sample)
        for score in _scores_of(sample.question):
            if _is_asked(score, sample.question):
                yield from _of_score(make, score)


def _scores_of(question: Question) -> tuple[Score, ...]:
    return scores_of(str(question.params.get("instrument", "")))


def _is_asked(score: Score, question: Question) -> bool:
    return set(score.items) <= {criterion.key for criterion in question.criteria}


def item_values(steps: Floats, score: Score, n_steps: int) -> Floats:
    """Return the values of answers (steps from 1), with reversed items turned round, shape (n, items)."""
    turned = np.array([item in score.reversed for item in score.items])
    values: Floats = score.first + score.step * (np.where(turned, n_steps + 1 - steps, steps) - 1)
    return values


def scored(values: Floats, score: Score) -> Scores:
    """Return the score of each person, NaN if too many items are missing."""
    sums = prorated_sums(values, most_missing=score.most_missing)
    factor = score.times / (len(score.items) if score.combine == "mean" else 1)
    return Scores(sums.value * factor, sums.missing)


def _of_score(make: Rows, score: Score) -> Iterator[Row]:
    sample = make.sample
    criteria = {criterion.key: criterion for criterion in sample.question.criteria}
    items = [criteria[key] for key in score.items]
    values = item_values(_answers(sample, items), score, len(items[0].domain))
    scores = scored(values, score)
    known = scores.value[~np.isnan(scores.value)]
    several = count(sample.table.judgments.wave[sample.table.judgment]) > 1
    mean = mean_with_limits(scores.value, confidence=sample.common.confidence)
    note = joined(mean.note, "People count once for each wave." if several else None)
    settings = {
        "name": score.name,
        "limits": list(score.limits),
        "most_missing": score.most_missing,
        "interval": "Student's t over people",
        "source": instrument_data(str(sample.question.params["instrument"]))["source"],
    }
    yield make.row("score_mean", mean, label=score.key, note=note, settings=settings)
    sd = float(known.std(ddof=1)) if len(known) > 1 else None
    few = None if sd is not None else "Fewer than two scores have no spread."
    yield make.row("score_sd", value=sd, label=score.key, n_raters=len(known), note=few, settings={"ddof": 1})
    complete = values[~np.isnan(values).any(axis=1)]
    alpha = cronbach_alpha(complete, confidence=sample.common.confidence)
    about = {"interval": "Feldt", "rows": "complete", "reversed": sorted(score.reversed)}
    yield make.row("score_alpha", alpha, label=score.key, settings=about)
    missing = float(np.isnan(scores.value).sum())
    yield make.row("score_missing", value=missing, label=score.key, n_raters=len(scores.value))


def _answers(sample: Sample, items: list[QuestionCriterion]) -> Floats:
    """Return the steps of each judgment that answers any item, NaN for missing answers, shape (judgments, items)."""
    table = sample.table
    place = np.full(len(table.names.criteria) + 1, -1, dtype=np.int64)
    for number, item in enumerate(items):
        place[item.code] = number
    mine = np.flatnonzero((place[table.criterion] >= 0) & ~np.isnan(table.value))
    judgments, row = np.unique(table.judgment[mine], return_inverse=True)
    cells = np.full((len(judgments), len(items)), np.nan)
    cells[row, place[table.criterion[mine]]] = table.value[mine]
    return cells


# The table of scored questionnaires, with one line for each score, group and wave.

BY = ("label", "group", "wave")


@tables_of("instruments")
def scores_table(rows: StoredRows, limit: float) -> Iterator[Table]:
    """Yield means with intervals, spread, reliability, and people without a score."""
    lines = rows.of("score_mean")
    columns = [
        named(gettext("Score"), _called),
        own(gettext("People"), raters),
        own(gettext("Mean"), digits(2)),
        own(gettext("Interval"), interval(2)),
        Shown(gettext("SD"), "score_sd", digits(2)),
        Shown(gettext("Alpha"), "score_alpha", digits(2)),
        Shown(gettext("Interval of alpha"), "score_alpha", interval(2)),
        Shown(gettext("No score"), "score_missing", whole),
        Shown(gettext("Mean before rules"), "", digits(2), before=True),
    ]
    notes = [*notes_of(rows.of("score_mean", "score_sd", "score_alpha")), *_ranges(lines)]
    yield from table_of(rows, gettext("Scores of the questionnaire"), columns, lines, by=BY, notes=notes)


def _called(row: ResultRow) -> str:
    """Return the name of a score with its group and wave."""
    wave = gettext("wave %(n)s") % {"n": row.wave} if row.wave else None
    name = (row.settings or {}).get("name") or row.label
    return ", ".join(filter(None, (str(name), row.group, wave)))


def _ranges(lines: Sequence[ResultRow]) -> Iterator[str]:
    """Yield sentences about the ranges of scores, and their sources."""
    for low, high in dict.fromkeys(tuple((row.settings or {})["limits"]) for row in lines):
        yield gettext("Scores go from %(low)s to %(high)s.") % {"low": f"{low:g}", "high": f"{high:g}"}
    for source in dict.fromkeys((row.settings or {})["source"] for row in lines):
        yield gettext("Scored as published: %(source)s") % {"source": source}
