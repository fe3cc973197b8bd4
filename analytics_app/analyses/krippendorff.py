"""Krippendorff's alpha, with an interval."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

import numpy as np
from django.utils.translation import gettext_lazy as _

from analytics_app.analyses.base import Rows, Sample, count, in_words
from analytics_app.analyses.registry import register
from analytics_app.analyses.shared.bootstrap import bootstrap
from analytics_app.analyses.shared.rated_texts import FIRST, BetweenRaters, clusters_of_texts, shared_by_systems
from analytics_app.analyses.shared.transforms import Overall, Reducible
from analytics_app.charts import words
from analytics_app.charts.drawing import Sketch, chart
from analytics_app.charts.picking import INTERVAL, Material, counted, point, setting, value_of
from analytics_app.charts.points import Point, points_chart
from analytics_app.ratings.extras.kinds import Kinds
from analytics_app.results import Row
from analytics_app.stats.agreement.krippendorff import Level, krippendorff_alpha
from analytics_app.stats.values import Estimate
from tasks_app.settings.fields import OneOfField, choice_field
from tasks_app.task_types.base import ORDERED_SCALES, Scale

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
    scales = ORDERED_SCALES | {Scale.NOMINAL}
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


# The chart of Krippendorff's alpha between raters.

# Krippendorff's bounds: no conclusions below the first, firm conclusions above the second (2004, p. 241).
TENTATIVE, RELIABLE = 0.667, 0.8


@chart(order=90, of_task=False, side_by_side=True)
def agreement(material: Material) -> Iterator[Sketch]:
    """Draw Krippendorff's alpha with his bounds, of a criterion or of all criteria of a task."""
    rows = [row for row in material.of("alpha") if row.criterion is not None]
    if not rows or (material.criterion is None and len(rows) < 2):
        return
    points = [point(row, words.bare(value_of(row)), name=material.called_in(row), n=row.n_ratings) for row in rows]
    level = setting(rows, "level")
    ratings = counted(rows, rows[0].n_ratings, unit="text") if material.criterion is not None else ""
    yield Sketch(
        kind="agreement",
        title=_agreed(points) if material.criterion is None else _agreed_on(points[0]),
        subtitle=(
            f"Krippendorff's alpha{f' ({level} distance)' if level else ''}; {material.basis(rows)}. "
            f"Line: {material.interval(rows, 'texts')}.{ratings}"
        ),
        by_system=any(row.by_system for row in rows),
        chart=points_chart(
            points,
            measure="Alpha: 0 as by chance, 1 full agreement",
            limits=[(TENTATIVE, "tentative: .667"), (RELIABLE, "reliable: .8")],
            domain=(0.0, 1.0),
        ),
        columns=(("name", "Criterion"), ("value", "Alpha"), *INTERVAL, ("n", "Ratings")),
        further=True,
    )


def _agreed_on(alpha: Point) -> str:
    statement = f"Alpha for {words.short(alpha.name)} is {alpha.text}"
    if alpha.low is None or alpha.high is None:
        return statement
    if alpha.high < TENTATIVE:
        return f"{statement}: its interval lies below .667"
    if alpha.low > RELIABLE:
        return f"{statement}: its interval lies above .8"
    if alpha.low > TENTATIVE and alpha.high < RELIABLE:
        return f"{statement}: its interval lies between .667 and .8"
    ends = f"interval {words.bare(alpha.low)} to {words.bare(alpha.high)}"
    if alpha.value < TENTATIVE:
        return f"{statement}, below .667 ({ends})"
    return f"{statement}, {'above' if alpha.value > RELIABLE else 'below'} .8 ({ends})"


def _agreed(points: Sequence[Point]) -> str:
    low, high = min(points, key=lambda alpha: alpha.value), max(points, key=lambda alpha: alpha.value)
    return f"Alpha goes from {low.text} ({words.short(low.name)}) to {high.text} ({words.short(high.name)})"
