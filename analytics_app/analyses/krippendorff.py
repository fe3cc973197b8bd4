"""Krippendorff's alpha, with an interval."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from django import forms
from django.utils.translation import gettext_lazy as _

from analytics_app.analyses.base import Analysis, OverallFilters, Rows, Sample, count, in_words
from analytics_app.analyses.registry import register
from analytics_app.results import Row
from analytics_app.stats.agreement import krippendorff_alpha
from analytics_app.stats.estimate import Estimate
from tasks_app.task_types.base import Scale

NO_RATIO = "There are ratings below zero, so the scale has no ratios: choose the level interval."
LEVELS = ("nominal", "ordinal", "interval", "ratio")


@register
class Krippendorff(Analysis):
    """Krippendorff's alpha over the texts, with a percentile bootstrap interval over texts.

    A text shown once for several systems counts once. Only the first rating of a rater for a text enters.
    """

    label = _("Krippendorff's alpha")
    summary = _("How far raters agree beyond chance, whoever rated what; with an interval over texts.")
    source = "Krippendorff (2004). Reliability in content analysis. Human Communication Research 30(3), 411-433."
    scales = frozenset({Scale.NOMINAL, Scale.ORDINAL, Scale.INTERVAL, Scale.RATIO})
    told_apart_by = ("level",)

    class Settings(OverallFilters):
        level = forms.ChoiceField(
            choices=[("scale", _("as the scale has it")), *((level, level) for level in LEVELS)],
            initial="scale",
            label=_("Level of measurement"),
        )

    def compute(self, sample: Sample, settings: Mapping[str, Any]) -> Iterator[Row]:
        """Yield one row, alpha."""
        question, common = sample.question, sample.common
        level: Any = str(question.scale) if settings["level"] == "scale" else settings["level"]
        once = sample.first_per_rater()
        rated = ~np.isnan(once.table.value) if question.scale is not Scale.NOMINAL else once.table.label >= 0
        nominal_label = question.scale is Scale.NOMINAL
        values = once.table.label.astype(float) if nominal_label else once.table.value
        values, texts, raters = values[rated], once.text[rated], once.table.rater[rated]
        if level == "ratio" and len(values) and values.min() < 0:
            found = Estimate(None, n_ratings=len(values), note=NO_RATIO)
        else:
            found = krippendorff_alpha(
                values,
                texts,
                level=level,
                domain=question.domain or None,
                n_resamples=common.n_resamples,
                confidence=common.confidence,
                rng=sample.rng(f"alpha {level}"),
            )
        _text, index, times = np.unique(texts, return_inverse=True, return_counts=True)
        twice = len(sample.table) - len(once.table)
        notes = [found.note] if found.note else []
        if twice:
            notes.append(
                f"{in_words(twice, 'further rating', 'further ratings')} of a text by the same rater left out."
            )
        yield Rows(self.name, sample).row(
            "alpha",
            found,
            n_raters=count(raters[times[index] > 1]) if len(raters) else 0,
            note=" ".join(notes) or None,
            settings={"level": level, "interval": "bootstrap over texts", "n_resamples": common.n_resamples},
        )
