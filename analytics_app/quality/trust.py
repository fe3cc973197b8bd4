"""Trust coefficients: exclude raters who lower the agreement of a group by their presence."""

import zlib

import numpy as np
from django.utils.translation import gettext_lazy as _

from analytics_app.quality.base import Removal, Rule, RuleSample, by_criterion, not_tested, register, remove_raters
from analytics_app.ratings.carefulness import raters_in
from analytics_app.stats.quality.trust import MOST_RATERS, trust_coefficients
from analytics_app.stats.quality.trust import Trust as Coefficients
from tasks_app.settings.fields import choice_field, number_field


@register
class Trust(Rule):
    """Remove raters with a trust coefficient at or below a limit; with several criteria the mean counts.

    For up to 14 raters all groups are compared, for more a sample whose seed is derived from the names of task and
    criterion.
    """

    label = _("Trust coefficients")
    summary = _("Leaves out raters whose presence in a group goes with low agreement.")
    source = (
        "Borovikova, Grobol, Halftermeyer and Billot (2022). A methodology for the comparison of human judgments with "
        "metrics for coreference resolution. HumEval, 16-23."
    )
    caution = _(
        "It selects on the agreement that it then raises: report agreement of all raters first. Groups without alpha "
        "count as full agreement, which favours raters with few answers."
    )
    order = 60

    limit = number_field(_("Coefficient at or below which a rater is left out"), within=(-1, 1), initial=0.5)
    level = choice_field(
        _("Level of measurement"),
        (
            ("nominal", _("nominal, as published")),
            ("ordinal", _("ordinal, which fits a scale better")),
            ("interval", _("interval")),
        ),
        initial="nominal",
    )

    def remove(self, sample: RuleSample) -> Removal:
        """Exclude raters with a low mean coefficient."""
        table, limit, level = sample.table, self.limit, self.level
        raters, notes = raters_in(table), {}
        if len(raters) > MOST_RATERS:
            return Removal.nothing(sample, f"There are {len(raters):,} raters, and it takes {MOST_RATERS} at most.")
        total, n = np.zeros(len(table.names.raters)), np.zeros(len(table.names.raters), dtype=np.int64)
        criteria = [code for code in np.unique(table.criterion).tolist() if code not in sample.task.marked]
        for criterion in criteria:
            name = table.names.criteria[criterion] if criterion >= 0 else sample.task.key
            trust = _coefficients(sample, criterion, level, f"{sample.task.key}/{name}")
            if sentence := about(trust):
                notes[name] = sentence
            if trust.coefficients is not None:
                total[trust.raters] += trust.coefficients
                n[trust.raters] += 1
        mean = total / np.maximum(n, 1)
        excluded = raters[((n > 0) & (mean <= limit))[raters]]
        return remove_raters(
            sample,
            excluded,
            [
                f"trust coefficient {mean[rater]:.3f}"
                f"{f' (mean of {n[rater]} criteria)' if n[rater] > 1 else ''}, above {limit:g} is asked"
                for rater in excluded
            ],
            values=mean[excluded],
            limits=limit,
            notes=[
                *by_criterion(notes, len(criteria)),
                *not_tested(int((n[raters] == 0).sum()), "they have no coefficient"),
            ],
        )


def _coefficients(sample: RuleSample, criterion: int, level: str, name: str) -> Coefficients:
    """Return the coefficients on a criterion, from each rater's first rating of a text."""
    table = sample.table.where(sample.table.criterion == criterion)
    labelled = bool(np.isnan(table.value).all()) and level == "nominal"
    answered = table.label >= 0 if labelled else ~np.isnan(table.value)
    table = table.where(answered)
    keys = table.text * len(table.names.raters) + table.rater
    first_rows = np.sort(np.unique(keys, return_index=True)[1])
    values = table.label.astype(float) if labelled else table.value
    rng = np.random.default_rng(zlib.crc32(name.encode()))

    return trust_coefficients(values[first_rows], table.text[first_rows], table.rater[first_rows], level=level, rng=rng)  # type: ignore[arg-type]


def about(coefficients: Coefficients) -> str:
    """Return a note on coefficients: groups without alpha, and whether groups were sampled."""
    if coefficients.note:
        return coefficients.note
    sentences = []
    if coefficients.undefined:
        n = f"{coefficients.undefined:,} of {coefficients.subsets:,} groups of raters have no alpha and count as 1"
        sentences.append(f"{n}, which favours raters with few answers.")
    if coefficients.sampled:
        sentences.append(f"A sample of {coefficients.subsets:,} groups of raters.")
    return " ".join(sentences)
