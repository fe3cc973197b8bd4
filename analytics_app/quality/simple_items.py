"""Simple items: exclude texts on which raters disagree too much."""

import numpy as np
from django.utils.translation import gettext_lazy as _

from analytics_app.quality.base import Removal, Rule, RuleSample, register, shared
from analytics_app.stats.values import compressed, value_codes
from tasks_app.settings.fields import whole_field


@register
class SimpleItems(Rule):
    """Remove the ratings of texts that got more different answers to one question than a limit allows.

    Answers are counted by criterion, over all raters and before any scale is reduced; the kept texts are the "simple"
    items of Borovikova et al.
    """

    label = _("Simple items only")
    summary = _("Leaves out texts that got more than three different answers.")
    source = (
        "Borovikova, Grobol, Halftermeyer and Billot (2022). A methodology for the comparison of human judgments with "
        "metrics for coreference resolution. HumEval, 16-23."
    )
    caution = _(
        "It removes disagreement and so raises agreement by itself: report agreement on all texts first. A text with "
        "many raters gets more different answers than one with few."
    )
    order = 50

    most = whole_field(_("Maximum number of different answers per text"), within=(1, 1000), initial=3)

    def remove(self, sample: RuleSample) -> Removal:
        """Mark the ratings of texts with too many different answers."""
        most, table = self.most, sample.table
        values, number = value_codes(np.where(np.isnan(table.value), 0.0, table.value))
        # Codes of labels follow those of values; missing answers come last.
        answer = np.where(np.isnan(table.value), len(values) + table.label, number)
        answered = (~np.isnan(table.value) | (table.label >= 0)) & ~np.isin(table.criterion, list(sample.task.marked))
        texts, text = compressed(table.text * (len(table.names.criteria) + 1) + table.criterion + 1)
        n_answers = int(answer.max(initial=0)) + 1
        pairs = np.unique((text * n_answers + answer)[answered])
        different = np.bincount(pairs // n_answers, minlength=len(texts))[text]
        mask = different > most
        counts = different[mask]
        return Removal(
            mask=mask,
            target="rating",
            ids=table.id[mask],
            reasons=shared(f"{n} different answers to this text, at most {most}" for n in counts.tolist()),
            values=counts.astype(float),
            limits=np.full(len(counts), float(most)),
        )
