"""Features: ratings by properties of outputs, and the dependence of differences between systems on them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from django import forms
from django.utils.translation import gettext_lazy as _
from numpy.typing import NDArray

from analytics_app.analyses.base import Question, Rows, Sample, in_words
from analytics_app.analyses.features.groups import Grouped, grouped
from analytics_app.analyses.features.rules import Feature, FeaturesField, read_features
from analytics_app.analyses.registry import register
from analytics_app.analyses.shared.bootstrap import bootstrap
from analytics_app.analyses.shared.filtered import FilteredAnalysis
from analytics_app.analyses.shared.outputs import interval_note
from analytics_app.analyses.shared.pairs import chosen_pairs, clusters_of, unit_of
from analytics_app.analyses.shared.rated_texts import low_is_good
from analytics_app.ratings import Floats
from analytics_app.ratings.extras.base import Extra
from analytics_app.ratings.extras.due_units import Wanted
from analytics_app.ratings.extras.shown_texts import ShownTexts
from analytics_app.results import Row
from analytics_app.stats.comparison.corrections import adjust
from analytics_app.stats.comparison.interaction import difference_of_differences
from analytics_app.stats.comparison.means import group_means
from analytics_app.stats.values import Estimate, joined
from tasks_app.settings.fields import WholeField, whole_field
from tasks_app.task_types.base import ORDERED_SCALES

# With fewer outputs of a system in a group than this, a row has a warning.
FEW_OUTPUTS = 5
NO_OUTPUT = "No output of this system has this value."


@register
class Features(FilteredAnalysis):
    """Mean ratings by features of outputs, and how much the differences of systems depend on each feature.

    Features are columns of the items or are computed from outputs by declared rules. Numbers are cut into groups.
    A contrast is the difference of two systems on outputs with a value minus that on all other outputs, tested with
    standard errors that are robust to dependence within items (documents, where these were shown whole).
    """

    label = _("Features of outputs")
    summary = _("Ratings by features such as length, and whether differences of systems depend on them.")
    source = (
        "van Miltenburg et al. (2020). Evaluation rules! On the use of grammars and rule-based systems for NLG "
        "evaluation. EvalNLGEval, 17-27. Cameron and Miller (2015). A practitioner's guide to cluster-robust "
        "inference. Journal of Human Resources 50(2), 317-372."
    )
    scales = ORDERED_SCALES
    needs = frozenset({ShownTexts, Wanted})
    statistics = {
        "feature_mean": _("Mean by feature"),
        "feature_contrast": _("Difference of differences by feature"),
        "feature_outputs": _("Outputs by feature"),
    }

    features = FeaturesField(
        required=False,
        initial="",
        max_length=4000,
        widget=forms.Textarea(attrs={"rows": 4, "spellcheck": "false"}),
        label=_("Features"),
        help_text=_(
            "One per line: domain for feature_domain of the items, or a name and a rule, such as “length: words”, "
            "“question: matches \\?” or “hedged: contains may, might”. Limits between groups of numbers go "
            "after the name: “length (10, 20): words”. Rules: words, characters, sentences, matches, count, "
            "contains, numbers_lost, numbers_kept, copied. If empty, this analysis is skipped."
        ),
    )
    groups: WholeField[int | None] = whole_field(
        _("Groups of numbers"),
        _("Numbers without limits of their own are cut into so many groups of about equal size."),
        within=(2, 10),
        initial=3,
        required=False,
    )

    @classmethod
    def fits(cls, question: Question) -> bool:
        """Return whether the ratings are not ranks, where the lowest is the best."""
        return super().fits(question) and not low_is_good(question)

    def needed(self) -> frozenset[type[Extra]]:
        """Return the extras: texts only if a rule is computed from them, and none if no feature is declared."""
        features = read_features(self.features)
        own = self.needs if any(feature.rule for feature in features) else frozenset({Wanted} if features else ())
        return own | self.needed_by_filters

    def compute(self, sample: Sample) -> Iterator[Row]:
        """Yield the rows of every feature; none if no feature is declared."""
        features = read_features(self.features)
        if not features:
            return
        make, rated = Rows(self.name, sample), Rated.of(sample)
        contrasts: list[tuple[dict[str, Any], Estimate]] = []
        for feature in features:
            groups = grouped(sample, feature, self.groups or 3)
            if isinstance(groups, str) or not len(rated.value):
                why = groups if isinstance(groups, str) else "Nothing was rated."
                yield make.row("feature_mean", label=feature.name, note=why, settings=_feature_settings(feature, ""))
                continue
            yield from _means(make, rated, groups)
            yield from _outputs(make, groups)
            contrasts += _contrasts(sample, rated, groups)
        adjusted = adjust([estimate.p for _about, estimate in contrasts], sample.common.correction)
        family = {
            "interval": f"t, cluster-robust over {rated.unit}",
            "test": f"t of OLS, cluster-robust over {rated.unit}",
            "correction": sample.common.correction,
            "family": f"{sum(estimate.p is not None for _about, estimate in contrasts)} contrasts of one criterion",
        }
        for (about, estimate), p in zip(contrasts, adjusted, strict=True):
            settings_of = {**family, **about["settings"]}
            yield make.row(
                "feature_contrast", estimate, **{**about, "settings": settings_of}, p_adjusted=p, by_system=True
            )


@dataclass(frozen=True, slots=True)
class Rated:
    """Ratings once for each shown output that they count for; `place` is its row in `names.shown_part`."""

    value: Floats
    place: NDArray[np.int64]
    system: NDArray[np.int64]
    item: NDArray[np.int64]
    rater: NDArray[np.int64]
    cluster: NDArray[np.int64]
    systems: tuple[str, ...]
    unit: str

    @classmethod
    def of(cls, sample: Sample) -> Rated:
        """Return the rated outputs of a sample, without the systems that it leaves out."""
        table, names = sample.table, sample.table.names
        row, system, item = table.by_system()
        _rows, first = np.unique(row, return_index=True)
        within = np.arange(len(row)) - np.repeat(first, np.diff(np.r_[first, len(row)]))
        place = np.searchsorted(names.shown_part, table.part[row], side="left") + within
        keep = ~np.isnan(table.value[row]) & ~np.isin(system, sorted(sample.without))
        known, code = np.unique(system[keep], return_inverse=True)
        of_item = item[keep].astype(np.int64)
        return cls(
            value=table.value[row][keep],
            place=place[keep].astype(np.int64),
            system=code.astype(np.int64),
            item=of_item,
            rater=table.rater[row][keep].astype(np.int64),
            cluster=clusters_of(names, by_document=sample.question.by_document)[of_item],
            systems=tuple(names.systems[system_code] for system_code in known),
            unit=unit_of(sample),
        )


def _feature_settings(feature: Feature, value: str) -> dict[str, Any]:
    return {"feature": feature.name, "feature_value": value, "declared": str(feature)}


def _means(make: Rows, rated: Rated, groups: Grouped) -> Iterator[Row]:
    """Yield the mean of each group, over all systems and of each system."""
    group = groups.group[rated.place]
    has_value = group >= 0
    n_without = len(np.unique(rated.place[~has_value]))
    without = f"{in_words(n_without, 'output has', 'outputs have')} no value." if n_without else None
    n = len(groups.values)
    for systems in ((), rated.systems):
        cell = group if not systems else group * len(systems) + rated.system
        drawn = bootstrap(make.sample, f"means by {groups.feature.name}{' and system' if systems else ''}", rated.unit)
        means = group_means(
            rated.value[has_value],
            cell[has_value],
            rated.cluster[has_value],
            n_groups=n * max(len(systems), 1),
            **drawn.options,
        )
        for code, mean in enumerate(means):
            place, system = divmod(code, len(systems)) if systems else (code, 0)
            in_cell = has_value & (cell == code)
            yield make.row(
                "feature_mean",
                mean,
                label=f"{groups.feature.name}: {groups.values[place]}",
                **({"system": systems[system]} if systems else {}),
                # A group with outputs of only some systems distinguishes these from the others.
                by_system=bool(systems) or len(np.unique(rated.system[in_cell])) < len(rated.systems),
                n_ratings=int(in_cell.sum()),
                n_items=len(np.unique(rated.item[in_cell])),
                n_raters=len(np.unique(rated.rater[in_cell])),
                note=joined(mean.note, None if systems else without, interval_note(mean, rated.unit)),
                settings={**drawn.settings, **_feature_settings(groups.feature, groups.values[place])},
            )


def _outputs(make: Rows, groups: Grouped) -> Iterator[Row]:
    """Yield the number of outputs of each system in each group, rated or not, for the whole sample only."""
    sample, names = make.sample, make.sample.table.names
    if sample.slice is not None or sample.group is not None or sample.wave is not None:
        return
    for code in np.unique(names.shown_system).tolist():
        of_system = names.shown_system == code
        for place, value in enumerate(groups.values):
            cell = of_system & (groups.group == place)
            outputs = set(zip(names.shown_part[cell].tolist(), names.shown_item[cell].tolist(), strict=True))
            few = f"Fewer than {FEW_OUTPUTS} outputs of this system have this value."
            yield make.row(
                "feature_outputs",
                value=float(len(outputs)),
                label=f"{groups.feature.name}: {value}",
                system=names.systems[code],
                n_items=len(np.unique(names.shown_item[cell])),
                note=NO_OUTPUT if not outputs else few if len(outputs) < FEW_OUTPUTS else None,
                settings=_feature_settings(groups.feature, value),
            )


def _contrasts(sample: Sample, rated: Rated, groups: Grouped) -> list[tuple[dict[str, Any], Estimate]]:
    """Return the difference of differences of each pair of systems and each group against all others.

    Two groups have only one contrast, that of the second: that of the first is its negative.
    """
    if len(groups.values) < 2:
        return []
    group = groups.group[rated.place]
    # The mean rating of each output, so that an output with many ratings counts once.
    outputs, first, entry = np.unique(
        rated.place * len(rated.systems) + rated.system, return_index=True, return_inverse=True
    )
    value = np.bincount(entry, weights=rated.value, minlength=len(outputs)) / np.bincount(entry)
    system, cluster, group = rated.system[first], rated.cluster[first], group[first]
    contrasts = []
    for a, b in chosen_pairs(rated.systems, sample.common.pairs):
        of_pair = np.isin(system, (a, b)) & (group >= 0)
        for place in range(len(groups.values)) if len(groups.values) > 2 else (1,):
            estimate = difference_of_differences(
                value[of_pair],
                (system[of_pair] == b).astype(int),
                (group[of_pair] == place).astype(int),
                cluster[of_pair],
                confidence=sample.common.confidence,
                unit=rated.unit,
            )
            about = {
                "system": rated.systems[a],
                "system_b": rated.systems[b],
                "label": f"{groups.feature.name}: {groups.values[place]}",
                "settings": _feature_settings(groups.feature, groups.values[place]),
            }
            contrasts.append((about, estimate))
    return contrasts
