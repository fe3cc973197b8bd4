"""Settings that choose texts by their ratings: those on which all raters agree, or with enough ratings."""

from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np
from django.utils.translation import gettext_lazy as _
from numpy.typing import NDArray

from analytics_app.analyses.base import Sample
from analytics_app.analyses.metrics.directed import DirectedAnalysis
from analytics_app.ratings import Extra, Mask
from analytics_app.ratings.extras.task_ratings import TaskRatings
from tasks_app.settings.fields import line_field, naming, number_field, whole_field


class SelectedTexts(DirectedAnalysis):
    """An analysis of metrics with settings that choose the texts by their ratings."""

    needs: ClassVar[frozenset[type[Extra]]] = frozenset({TaskRatings})

    agreed_on = naming(
        line_field(
            _("Only texts on which all raters agree by this criterion"),
            _(
                "A text counts if at least two raters rated it on that criterion and all of them gave the same rating. "
                "Leave empty to include all texts."
            ),
            length=80,
        ),
        "criteria",
    )
    agree_within = number_field(
        _("Ratings this near count as the same"),
        _("For sliders, on which equal ratings are rare: raters agree if no two of them are further apart."),
        within=(0, 1_000_000),
        initial=0,
    )
    least_ratings = whole_field(
        _("Only texts with at least this many ratings"),
        _("Ratings on the criterion that is analysed. 0 includes all texts."),
        within=(0, 1000),
        initial=0,
    )

    def needed(self) -> frozenset[type[Extra]]:
        """Return the extras of the analysis: the ratings on other criteria only where one is named."""
        needed = super().needed()
        return needed if self.agreed_on else needed - {TaskRatings}

    def parts(self, sample: Sample) -> Iterator[Sample]:
        """Yield each part with the ratings of the chosen texts only."""
        for part in super().parts(sample):
            yield self._selected(part) if self.agreed_on or self.least_ratings else part

    def _selected(self, part: Sample) -> Sample:
        """Return the ratings of the chosen texts, with a slice that names the choice."""
        row, system, item = part.table.by_system()
        text = _keys(part, system, item)
        chosen = np.ones(len(text), dtype=bool)
        labels = [] if part.slice is None else [part.slice]
        if self.least_ratings:
            known = ~np.isnan(part.table.value[row])
            _texts, place = np.unique(text, return_inverse=True)
            chosen &= np.bincount(place[known], minlength=len(_texts))[place] >= self.least_ratings
            labels.insert(0, f"at least {self.least_ratings} ratings")
        if self.agreed_on:
            chosen &= np.isin(text, self._agreed(part, np.unique(part.table.rater)))
            within = f" within {self.agree_within:g}" if self.agree_within else ""
            labels.insert(0, f"all raters agree on {self.agreed_on}{within}")
        kept: Mask = np.zeros(len(part.table), dtype=bool)
        kept[row[chosen]] = True
        return part.where(kept, slice="; ".join(labels))

    def _agreed(self, part: Sample, raters: NDArray[Any]) -> NDArray[np.int64]:
        """Return the keys of the texts on which at least two of these raters, and all of them, agree."""
        ratings = part.extras[TaskRatings]
        of_criterion = ratings.criterion == part.table.names.criterion_code(self.agreed_on)
        of_criterion &= np.isin(ratings.rater, raters)
        text = _keys(part, ratings.system[of_criterion], ratings.item[of_criterion])
        rater, value = ratings.rater[of_criterion], ratings.value[of_criterion]
        order = np.lexsort((value, text))
        text, rater, value = text[order], rater[order], value[order]
        texts, first, n = np.unique(text, return_index=True, return_counts=True)
        if not len(texts):
            return texts
        apart = value[first + n - 1] - value[first]
        several = np.minimum.reduceat(rater, first) < np.maximum.reduceat(rater, first)
        # Sums of decimals of a slider differ by rounding.
        agreed: NDArray[np.int64] = texts[several & (apart <= self.agree_within + 1e-9)]
        return agreed


def _keys(part: Sample, system: NDArray[Any], item: NDArray[Any]) -> NDArray[np.int64]:
    """Return a number for each text, by its system and item."""
    keys: NDArray[np.int64] = item.astype(np.int64) * len(part.table.names.systems) + system
    return keys


def unknown_criterion(settings: SelectedTexts, sample: Sample) -> str | None:
    """Return a note where nobody rated the texts of this task on the criterion that the settings name; else None."""
    if not settings.agreed_on:
        return None
    names, rated = sample.table.names, np.unique(sample.extras[TaskRatings].criterion)
    if names.criterion_code(settings.agreed_on) in rated:
        return None
    known = ", ".join(names.criteria[code] for code in rated if code >= 0)
    return f"Texts were to be chosen by “{settings.agreed_on}”, and this task has ratings on {known} only."
