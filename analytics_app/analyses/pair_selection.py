"""A pre-study of adjective pairs: the selection of pairs that suit the texts of the main study."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from analytics_app.analyses.base import Analysis, Question, QuestionCriterion, Rows, Sample
from analytics_app.analyses.registry import register
from analytics_app.models import ResultRow
from analytics_app.ratings import Floats
from analytics_app.results import Row
from analytics_app.show.cells import DASH, Cell
from analytics_app.show.formats import digits, interval, raters
from analytics_app.show.notes import notes_of
from analytics_app.show.shown import Shown, StoredRows, lines_of, named, own, table_of, tables_of
from analytics_app.show.table import Table
from analytics_app.stats.comparison.change import mean_with_limits
from tasks_app.settings.fields import number_field
from tasks_app.task_types.base import Scale
from tasks_app.task_types.semantic_differential.pairs import ends_of

# The published cut-offs, on steps from 1: a pair with a lower mean or a higher SD is not used in the main study.
LEAST_MEAN, MOST_SD = 3.2, 1.2
# The tolerance for rounding errors in means and SDs that equal a cut-off.
ROUNDING = 1e-9
STEPS = 5


@register
class PairSelection(Analysis):
    """Mean and SD of the ratings of each adjective pair, and whether it is kept for the main study.

    For questionnaires that ask about pairs of words: questions or rows of a grid on one scale, written with a dash
    between the words, such as "confusing – clear". A pair is kept unless its mean is below `least_mean` or its SD above
    `most_sd`.
    """

    label = _("Selection of pairs")
    summary = _("Mean and SD of each adjective pair in a pre-study, and which pairs pass both cut-offs.")
    source = (
        "Macketanz, Naderi, Schmidt and Möller (2022). Perceptual quality dimensions of machine-generated text with a "
        "focus on machine translation. HumEval."
    )
    scales = frozenset({Scale.ORDINAL})
    task_types = frozenset({"questionnaire"})
    whole_task = True
    splits = False
    statistics = {
        "pair_mean": _("Mean rating of a pair"),
        "pair_sd": _("SD of the ratings of a pair"),
        "pair_kept": _("Pair kept for the main study (1) or not (0)"),
    }

    least_mean = number_field(_("Lowest mean kept"), within=(-100, 100), initial=LEAST_MEAN)
    most_sd = number_field(_("Highest SD kept"), within=(0, 100), initial=MOST_SD)

    @classmethod
    def fits(cls, question: Question) -> bool:
        """Return whether the question asks about pairs of words on one scale."""
        return super().fits(question) and len(_pairs(question)) > 1

    def compute(self, sample: Sample) -> Iterator[Row]:
        """Yield mean, SD and verdict of each pair, in the order in which the pairs were asked."""
        make, limits = Rows(self.name, sample), {"least_mean": self.least_mean, "most_sd": self.most_sd}
        for pair in _pairs(sample.question):
            values = sample.table.value[sample.table.criterion == pair.code]
            yield from _of_pair(make, pair, values[~np.isnan(values)], limits)


def _pairs(question: Question) -> list[QuestionCriterion]:
    """Return the questions about pairs of words that have the steps of the first one."""
    pairs = [
        criterion for criterion in question.criteria if criterion.scale is Scale.ORDINAL and ends_of(criterion.name)
    ]
    return [criterion for criterion in pairs if criterion.domain == pairs[0].domain]


def _of_pair(make: Rows, pair: QuestionCriterion, values: Floats, limits: Mapping[str, float]) -> Iterator[Row]:
    row_settings: dict[str, Any] = {"pair": pair.name, "steps": len(pair.domain)}
    counts = {"n_ratings": len(values), "n_raters": len(values)}
    about: dict[str, Any] = {"label": pair.key, **counts}
    mean = mean_with_limits(values, confidence=make.sample.common.confidence)
    yield make.row("pair_mean", mean, settings={**row_settings, "interval": "Student's t over people"}, **about)
    sd = float(values.std(ddof=1)) if len(values) > 1 else None
    few = None if sd is not None else "Fewer than two ratings have no spread."
    yield make.row("pair_sd", value=sd, note=few, settings={"ddof": 1}, **about)
    if mean.value is None or sd is None:
        yield make.row("pair_kept", note="A pair with fewer than two ratings is not judged.", settings=limits, **about)
        return
    fails = [
        *(["mean"] if mean.value < limits["least_mean"] - ROUNDING else []),
        *(["sd"] if sd > limits["most_sd"] + ROUNDING else []),
    ]
    assumption = None
    if len(pair.domain) != STEPS and limits == {"least_mean": LEAST_MEAN, "most_sd": MOST_SD}:
        assumption = (
            f"We assume that the published cut-offs are for {STEPS}-step scales; these pairs were rated on "
            f"{len(pair.domain)} steps, so set your own."
        )
    row_settings |= {**limits, "fails": fails}
    yield make.row("pair_kept", value=float(not fails), settings=row_settings, note=assumption, **about)


# The table of a pre-study, with one line for each pair and its verdict.


@tables_of("pair_selection")
def selection_table(rows: StoredRows, limit: float) -> Iterator[Table]:
    """Yield the table of the mean, SD and verdict of each pair, the highest mean first."""
    lines = sorted(lines_of(rows.of("pair_mean"), "label"), key=lambda row: row.value or 0, reverse=True)
    columns = [
        named(gettext("Pair"), lambda row: (row.settings or {}).get("pair") or row.label),
        own(gettext("People"), raters),
        own(gettext("Mean"), digits(2)),
        own(gettext("Interval"), interval(2)),
        Shown(gettext("SD"), "pair_sd", digits(2)),
        Shown(gettext("Kept"), "pair_kept", _kept, number=False),
        Shown(gettext("Mean before rules"), "pair_mean", digits(2), before=True),
    ]
    notes = notes_of(rows.of("pair_mean", "pair_sd", "pair_kept"))
    for row in rows.of("pair_kept")[:1]:
        settings = row.settings or {}
        cut_offs = {"mean": f"{settings['least_mean']:g}", "sd": f"{settings['most_sd']:g}"}
        notes.append(gettext("A pair is kept unless its mean is below %(mean)s or its SD above %(sd)s.") % cut_offs)
    yield from table_of(rows, gettext("Selection of pairs"), columns, lines, by=("label",), notes=notes)


def _kept(row: ResultRow | None) -> Cell:
    """Return the cell of the verdict on a pair, with the reasons if it is not kept."""
    if row is None or row.value is None:
        return Cell(DASH)
    fails = (row.settings or {}).get("fails", ())
    phrases = {"mean": gettext("mean too low"), "sd": gettext("SD too high")}
    return (
        Cell(gettext("yes"))
        if row.value
        else Cell(gettext("no: %(fails)s") % {"fails": ", ".join(phrases[reason] for reason in fails)})
    )
