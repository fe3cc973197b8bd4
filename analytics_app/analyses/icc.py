"""Intraclass correlation in the forms that the design allows."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from django.utils.translation import gettext_lazy as _

from analytics_app.analyses.base import Rows, Sample, count, in_words
from analytics_app.analyses.registry import register
from analytics_app.analyses.shared.outputs import EQUAL_STEPS
from analytics_app.analyses.shared.rated_texts import BetweenRaters, RatedTexts, rated_texts
from analytics_app.analyses.shared.transforms import Overall
from analytics_app.results import Row
from analytics_app.stats.agreement.icc import icc_forms, icc_one_way
from analytics_app.stats.values import Estimate, joined
from tasks_app.settings.fields import choice_field, whole_field
from tasks_app.task_types.base import ORDERED_SCALES, Scale

NOT_CROSSED = "Raters did not all rate the same texts, so there are one-way forms only."
NO_LOG = "There are ratings of zero or below, which have no logarithm."
NO_BOUND = "The ICC of mean ratings is not above zero: nothing can be expected to correlate with them."
AT_MOST = "No measure is expected to correlate with the mean ratings of the texts more than this."

BY_F = {"interval": "F, of ICC2 by McGraw and Wong", "test": "F test that texts do not differ"}

FORMS = {
    "ICC1": "one-way random, one rating",
    "ICC1k": "one-way random, mean of k ratings",
    "ICC2": "two-way random, absolute agreement, one rating",
    "ICC2k": "two-way random, absolute agreement, mean of k ratings",
    "ICC3": "two-way mixed, consistency, one rating",
    "ICC3k": "two-way mixed, consistency, mean of k ratings",
}


@register
class Icc(Overall, BetweenRaters):
    """The share of the variance of ratings that is variance between texts.

    Rows `icc`, one per form: `settings` holds `form` (ICC1, ICC1k, and where every rater rated every text ICC2, ICC2k,
    ICC3 and ICC3k), `values` (raw or log: natural logarithms), `k` (the number of ratings in the mean of the forms for
    means; n0 if texts have unequal numbers) and `model`; `label` is the form, for logarithms the form and " of logs",
    as in "ICC1k of logs". `p` is of the F test that texts do not differ. `noise_bound` is the square root of ICC1k.
    Only the first rating of a text by each rater is used.

    With the setting `k`, only the first k ratings of each text are used, in order of arrival, and texts with fewer are
    left out. So a study with further ratings can be compared with papers that have k judgments per text.
    """

    label = _("Intraclass correlation")
    summary = _(
        "How reliable a single rating and the mean rating of a text are, with an interval; each row names its form."
    )
    source = (
        "Shrout and Fleiss (1979). Intraclass correlations: uses in assessing rater reliability. Psychological "
        "Bulletin 86(2), 420-428. McGraw and Wong (1996). Forming inferences about some intraclass correlation "
        "coefficients. Psychological Methods 1(1), 30-46."
    )
    scales = ORDERED_SCALES
    statistics = {"icc": _("ICC"), "noise_bound": _("Highest correlation that noise allows")}
    agreement = {"icc": 70}
    distinguishing_settings = ("values", "k")

    values = choice_field(
        _("Values"),
        [
            ("scale", _("by the scale: magnitudes also as logarithms")),
            ("raw", _("as given")),
            ("log", _("natural logarithms")),
            ("both", _("as given, and natural logarithms")),
        ],
        initial="scale",
    )
    k = whole_field(
        _("Only the first ratings of each text"),
        _("The number of ratings, in order of arrival; texts with fewer are left out. Leave empty for all ratings."),
        within=(2, 100),
    )

    def compute(self, sample: Sample) -> Iterator[Row]:
        """Yield the forms that the design allows, for the values, their logarithms, or both."""
        ratings, k = rated_texts(sample), self.k
        ratings = _first(ratings, int(k)) if k else ratings
        make, values_kind = Rows(self.name, sample), self.values
        ratio = sample.question.scale is Scale.RATIO
        # For magnitudes the logarithms come first.
        if values_kind in {"log", "both"} or (values_kind == "scale" and ratio):
            if len(ratings.values) and ratings.values.min() <= 0:
                undefined = Estimate(None, n_ratings=len(ratings.values), note=NO_LOG)
                yield make.row("icc", undefined, label="ICC1k of logs", settings={"form": "ICC1k", "values": "log"})
            else:
                yield from _forms(make, replace(ratings, values=np.log(ratings.values)), "log", crossed=not k)
        if values_kind != "log":
            yield from _forms(make, ratings, "raw", crossed=not k)


def _first(ratings: RatedTexts, k: int) -> RatedTexts:
    """Return the first k ratings of each text that has at least k."""
    order = np.lexsort((ratings.order, ratings.texts))
    texts = ratings.texts[order]
    starts = np.flatnonzero(np.r_[True, texts[1:] != texts[:-1]]) if len(texts) else np.zeros(0, dtype=np.int64)
    sizes = np.diff(np.r_[starts, len(texts)])
    place_in_text = np.arange(len(texts)) - np.repeat(starts, sizes)
    chosen = order[(place_in_text < k) & (np.repeat(sizes, sizes) >= k)]
    few = int((sizes < k).sum())
    left_out = (f"Left out: {in_words(few, 'text', 'texts')} with fewer than {k} ratings.",) if few else ()
    return replace(
        ratings,
        values=ratings.values[chosen],
        texts=ratings.texts[chosen],
        raters=ratings.raters[chosen],
        order=ratings.order[chosen],
        clusters=None if ratings.clusters is None else ratings.clusters[chosen],
        notes=(*ratings.notes, *left_out),
    )


def _forms(make: Rows, ratings: RatedTexts, values: str, *, crossed: bool) -> Iterator[Row]:
    """Yield the rows of all forms that the design allows."""
    confidence, suffix = make.sample.common.confidence, " of logs" if values == "log" else ""
    steps = EQUAL_STEPS if make.sample.question.scale is Scale.ORDINAL else None
    one_way = icc_one_way(ratings.values, ratings.texts, confidence=confidence)
    table = ratings.crossed if crossed else None
    two_way = table is not None and min(table.shape) > 1
    k = one_way.ratings
    k_setting: dict[str, Any] = {} if k is None else {"k": int(k) if k == int(k) else round(k, 6)}
    estimates: dict[str, Estimate] = {"ICC1k": one_way.average, "ICC1": one_way.single}
    if two_way and table is not None:
        forms = icc_forms(table, confidence=confidence)
        estimates = {form: forms[form] for form in ("ICC2k", "ICC2", "ICC3k", "ICC3", "ICC1k", "ICC1")}
    raters = count(ratings.raters)
    for form, estimate in estimates.items():
        form_note = None if two_way or estimate.value is None else NOT_CROSSED
        yield make.row(
            "icc",
            estimate,
            label=f"{form}{suffix}",
            n_raters=raters,
            note=joined(estimate.note, steps, form_note, *ratings.notes),
            settings={"form": form, "values": values, **k_setting, "model": FORMS[form], **BY_F, **ratings.settings},
        )
    bound = {"form": "ICC1k", "values": values, "interval": "that of ICC1k, through the root", **ratings.settings}
    yield make.row(
        "noise_bound", _bound(one_way.average), label=f"root of ICC1k{suffix}", n_raters=raters, settings=bound
    )


def _bound(average: Estimate) -> Estimate:
    """Return the square root of ICC1k: the highest correlation with the mean ratings that their noise allows."""
    counts: dict[str, Any] = {"n_ratings": average.n_ratings, "n_items": average.n_items}
    if average.value is None:
        return Estimate(None, **counts, note=average.note)
    if average.value <= 0:
        return Estimate(None, **counts, note=NO_BOUND)
    low = high = None
    if average.low is not None and average.high is not None:
        low, high = max(average.low, 0.0) ** 0.5, average.high**0.5
    return Estimate(average.value**0.5, low, high, **counts, note=AT_MOST)
