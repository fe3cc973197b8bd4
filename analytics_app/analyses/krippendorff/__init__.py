"""Krippendorff's alpha, with an interval."""

from collections.abc import Iterator, Mapping
from typing import Literal

import numpy as np
from django.utils.translation import gettext_lazy as _

from analytics_app.analyses.base import Rows, Sample, count, in_words
from analytics_app.analyses.registry import register
from analytics_app.analyses.shared.bootstrap import bootstrap
from analytics_app.analyses.shared.rated_texts import FIRST, BetweenRaters, clusters_of_texts, shared_by_systems
from analytics_app.analyses.shared.transforms import Overall, Reducible
from analytics_app.ratings.extras.kinds import Kinds
from analytics_app.results import Row
from analytics_app.stats.agreement.krippendorff import Level, krippendorff_alpha
from analytics_app.stats.values import Estimate
from tasks_app.settings.fields import OneOfField, choice_field
from tasks_app.task_types.base import Scale

NO_RATIO = "There are ratings below zero, so the scale has no ratios: choose the level interval."
NO_LOG = "There are ratings of zero or below, which have no logarithm."
LEVELS: Mapping[Scale, Level] = {
    Scale.NOMINAL: "nominal",
    Scale.ORDINAL: "ordinal",
    Scale.INTERVAL: "interval",
    Scale.RATIO: "ratio",
}


@register
class Krippendorff(Reducible, Overall, BetweenRaters):
    """Krippendorff's alpha over the texts, with a bootstrap interval over texts (documents shown whole).

    A text shown once for several systems counts once. Only the first rating of a rater for a text enters.
    """

    label = _("Krippendorff's alpha")
    summary = _(
        "Agreement beyond chance, for any number of raters and with missing ratings, with an interval over texts."
    )
    source = "Krippendorff (2004). Reliability in content analysis. Human Communication Research 30(3), 411-433."
    scales = frozenset({Scale.NOMINAL, Scale.ORDINAL, Scale.INTERVAL, Scale.RATIO})
    statistics = {"alpha": _("Krippendorff's alpha")}
    agreement = {"alpha": 10}
    needs = frozenset({Kinds})
    distinguishing_settings = ("level", "reduce", "values")

    level: OneOfField[Literal["scale"] | Level] = choice_field(
        _("Level of measurement"),
        [("scale", _("by the scale")), *((level, level) for level in LEVELS.values())],
        initial="scale",
    )
    values = choice_field(
        _("Values"),
        [("raw", _("as given")), ("log", _("natural logarithms"))],
        _("Logarithms for magnitudes, with the level interval."),
        initial="raw",
    )

    def compute(self, sample: Sample) -> Iterator[Row]:
        """Yield the row of alpha."""
        sample, lost = self.on_its_scale(sample)
        question = sample.question
        level = LEVELS[question.scale] if self.level == "scale" else self.level
        once = sample.first_per_rater()
        # Categories are labels, or numbers that represent labels, such as 1 for right.
        nominal_label = question.scale is Scale.NOMINAL and bool((once.table.label >= 0).any())
        rated = once.table.label >= 0 if nominal_label else ~np.isnan(once.table.value)
        values = once.table.label.astype(float) if nominal_label else once.table.value
        values, texts, raters = values[rated], once.text[rated], once.table.rater[rated]
        documents = clusters_of_texts(once)
        over = "texts" if documents is None else "documents"
        drawn = bootstrap(sample, f"alpha {level}", over, of="agreement")
        logs = self.values == "log" and not nominal_label
        if len(values) and ((logs and values.min() <= 0) or (level == "ratio" and values.min() < 0)):
            alpha = Estimate(None, n_ratings=len(values), note=NO_LOG if logs else NO_RATIO)
        else:
            alpha = krippendorff_alpha(
                np.log(values) if logs else values,
                texts,
                level=level,
                domain=None if logs else question.domain or None,
                clusters=documents[rated] if documents is not None else None,
                **drawn.options,
            )
        _text, index, times = np.unique(texts, return_inverse=True, return_counts=True)
        pairable = np.zeros(len(once.table), dtype=bool)
        pairable[np.flatnonzero(rated)[times[index] > 1]] = True
        shared_note, shared = shared_by_systems(once, pairable)
        twice = len(sample.table) - len(once.table)
        notes = [note for note in (alpha.note, lost, shared_note) if note]
        if twice:
            notes.append(
                f"{in_words(twice, 'further rating', 'further ratings')} of a text by the same rater left out."
            )
        yield Rows(self.name, sample).row(
            "alpha",
            alpha,
            label="of logs" if logs else None,
            n_raters=count(raters[times[index] > 1]) if len(raters) else 0,
            note=" ".join(notes) or None,
            settings={
                "level": level,
                **({"values": "log"} if logs else {}),
                **drawn.settings,
                "ratings": FIRST,
                **shared,
            },
        )
