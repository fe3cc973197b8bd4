"""Judged predictions: how often each model is right, how often two models are, and coverage of the options."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from django.utils.translation import gettext_lazy as _
from numpy.typing import NDArray

from analytics_app.analyses.base import Rows, Sample
from analytics_app.analyses.labels.shares import ByOutput, answered_of, shares
from analytics_app.analyses.predictions.verdicts import ANSWERS, OUTCOMES, Verdicts, covered, outcomes_of, verdicts_of
from analytics_app.analyses.registry import register
from analytics_app.analyses.shared.bootstrap import bootstrap
from analytics_app.analyses.shared.crossed_shares import Columns, crossed_columns
from analytics_app.analyses.shared.filtered import FilteredAnalysis
from analytics_app.analyses.shared.outputs import interval_note
from analytics_app.analyses.shared.pair_tests import pair_tests
from analytics_app.ratings import Floats
from analytics_app.results import Row
from analytics_app.stats.comparison.means import group_means
from analytics_app.stats.comparison.paired import item_means
from analytics_app.stats.values import joined
from tasks_app.task_types.base import Scale
from tasks_app.task_types.predictions.form import RIGHT_OPTION

NOTHING_JUDGED = "No prediction was called right or wrong."


@register
class Predictions(FilteredAnalysis):
    """How often the predictions of each model are right, by raters who saw them without the names of the models.

    Answers that nobody can tell, or that something is wrong with the source, count neither as right nor as wrong. A
    prediction that several models made counts for each. Intervals and tests are over items (documents, where these were
    shown whole) and, unless the plan says otherwise, with raters and items both random. `slices` give the same for each
    part of speech, or any feature of items.
    """

    label = _("Judged predictions")
    summary = _("How often each model is right, with tests; how often both are, or neither; coverage of the options.")
    source = (
        "Lưu (2022). Towards human evaluation of mutual understanding in human-computer spontaneous conversation: an "
        "empirical study of word sense disambiguation for naturalistic social dialogs in American English. HumEval."
    )
    scales = frozenset({Scale.NOMINAL})
    task_types = frozenset({"predictions"})
    whole_task = True
    statistics = {
        "prediction_right": _("Share of right predictions"),
        "prediction_right_crossed": _("Share of right predictions, for further raters and texts"),
        "prediction_difference": _("Difference of shares of right predictions"),
        "prediction_difference_crossed": _("Difference of shares of right predictions, for further raters and texts"),
        "prediction_answers": _("Share of answers by how many predictions are right"),
        "prediction_pair": _("Share of answers by which of two models is right"),
        "option_coverage": _("Share of answers for which the right option is in the list"),
    }

    def of_pairs(self, sample: Sample) -> dict[str, Any]:
        """Return the columns that identify the leading row of a pair of systems."""
        return {"statistic": "prediction_difference", "criterion": _asked(sample)}

    def compute(self, sample: Sample) -> Iterator[Row]:
        """Yield the rows of the task's one question."""
        make, key = Rows(self.name, sample), _asked(sample)
        verdicts = verdicts_of(sample, key)
        if not len(verdicts.text):
            return
        yield from _answers(make, verdicts, key)
        yield from _coverage(make, key)
        if not verdicts.is_judged.any():
            yield make.row("prediction_right", criterion=key, note=NOTHING_JUDGED)
            return
        judged = verdicts.where(verdicts.is_judged)
        outputs = ByOutput.of(sample, judged.text)
        yield from _right(make, judged, outputs, key)
        yield from _differences(make, judged, outputs, key)
        yield from _pairs(make, judged, outputs, key)


def _asked(sample: Sample) -> str:
    """Return the key of the question about the predictions; the type brings the other one along."""
    return next((one.key for one in sample.question.criteria if one.key != RIGHT_OPTION), "")


def _right(make: Rows, judged: Verdicts, outputs: ByOutput, key: str) -> Iterator[Row]:
    """Yield the share of right predictions of each model, and all comparisons for further raters and texts."""
    rater = judged.rater[outputs.entry]
    n_raters = [len(np.unique(rater[outputs.system == code])) for code in range(len(outputs.systems))]
    values = judged.is_right[:, np.newaxis].astype(float)
    yield from shares(make, "prediction_right", values, outputs, [None], n_raters=n_raters, criterion=key)
    if make.sample.common.generalise_to != "raters_and_texts":
        return
    columns = Columns(
        level="prediction_right_crossed",
        difference="prediction_difference_crossed",
        labels=[None],
        of="pairs of one criterion",
        criterion=key,
    )
    yield from crossed_columns(make, answered_of(outputs, values, judged.rater), columns, outputs.pairs(make.sample))


def _differences(make: Rows, judged: Verdicts, outputs: ByOutput, key: str) -> Iterator[Row]:
    """Yield the differences of every two models on the items of both."""
    pairs = outputs.pairs(make.sample)
    if not pairs:
        return
    right = judged.is_right[outputs.entry].astype(float)
    matrix, items = item_means(right, outputs.system, outputs.item, len(outputs.systems))
    family = pair_tests(
        make,
        matrix,
        pairs,
        purpose="right predictions",
        unit=outputs.unit,
        clusters=outputs.clusters_of(items),
        of="pairs of one criterion",
    )
    for (a, b), test in zip(pairs, family.tests, strict=True):
        settings = {"means": f"of {outputs.unit}"}
        yield test.row(make, "prediction_difference", **outputs.names(a, b), criterion=key, settings=settings)


def _pairs(make: Rows, judged: Verdicts, outputs: ByOutput, key: str) -> Iterator[Row]:
    """Yield for every two models the shares of answers by which both, one or neither of them are right."""
    for a, b in outputs.pairs(make.sample):
        outcome, cluster = outcomes_of(judged, outputs, a, b)
        if not len(outcome):
            continue
        about = {"criterion": key, **outputs.names(a, b)}
        yield from _shared(make, "prediction_pair", outcome, OUTCOMES, cluster, outputs.unit, about)


def _answers(make: Rows, verdicts: Verdicts, key: str) -> Iterator[Row]:
    """Yield the shares of answers by how many of their predictions are right, or why none was judged."""
    yield from _shared(
        make, "prediction_answers", verdicts.answer, ANSWERS, verdicts.cluster, verdicts.unit, {"criterion": key}
    )


def _coverage(make: Rows, key: str) -> Iterator[Row]:
    """Yield the share of answers with a right option that the item offers."""
    is_covered, cluster, unit = covered(make.sample)
    if not len(is_covered):
        return
    drawn = bootstrap(make.sample, "coverage", unit)
    (share,) = group_means(
        is_covered.astype(float),
        np.zeros(len(cluster), dtype=np.int64),
        cluster,
        n_groups=1,
        shares=True,
        **drawn.options,
    )
    note = joined(share.note, interval_note(share, unit))
    yield make.row("option_coverage", share, criterion=key, note=note, settings=drawn.settings)


def _shared(
    make: Rows,
    statistic: str,
    codes: NDArray[np.int64],
    names: tuple[str, ...],
    cluster: NDArray[np.int64],
    unit: str,
    about: dict[str, Any],
) -> Iterator[Row]:
    """Yield the share of each of some exclusive outcomes, with its interval."""
    n = len(names)
    is_outcome: Floats = (codes[:, np.newaxis] == np.arange(n)).astype(float)
    drawn = bootstrap(make.sample, statistic, unit)
    means = group_means(
        is_outcome.ravel(),
        np.tile(np.arange(n), len(codes)),
        np.repeat(cluster, n),
        n_groups=n,
        shares=True,
        **drawn.options,
    )
    for name, mean in zip(names, means, strict=True):
        note = joined(mean.note, interval_note(mean, unit))
        yield make.row(statistic, mean, **about, label=name, note=note, settings=drawn.settings)
