"""Ways of scoring: how the scores of systems correlate between ways, tasks and criteria."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, ClassVar

import numpy as np
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _
from numpy.typing import NDArray

from analytics_app.analyses.base import Question, QuestionCriterion, Rows, Sample, Words
from analytics_app.analyses.registry import register
from analytics_app.analyses.shared.bootstrap import bootstrap
from analytics_app.analyses.shared.filtered import FilteredAnalysis
from analytics_app.analyses.shared.pairs import clusters_of, unit_of
from analytics_app.analyses.shared.rated_texts import outcome_of
from analytics_app.analyses.ways_of_scoring.ways import WAYS, Entries, Scores, scores_of
from analytics_app.ratings import Extra
from analytics_app.ratings.extras.systems_elsewhere import SystemsElsewhere
from analytics_app.results import Row
from analytics_app.stats.comparison.corrections import adjust
from analytics_app.stats.metrics.system_scores import correlated_scores
from analytics_app.stats.resampling.bootstrap import interval
from analytics_app.stats.scales.standardise import judge_wise_z
from analytics_app.stats.values import Estimate, joined
from tasks_app.settings.fields import YesNoField, whole_field
from tasks_app.studyfile.fields import ListField
from tasks_app.studyfile.problems import nearest
from tasks_app.task_types.base import ORDERED_SCALES, Scale

COEFFICIENTS = ("pearson", "spearman", "kendall")
# With fewer systems even a perfect correlation is likely by chance.
FEW_SYSTEMS = 5
FEW = "With {n} systems this says little: chance alone often orders so few systems alike."
NOT_DRAWN = "TrueSkill is not computed again in resamples, so there is no interval."
TOO_FEW = "A correlation of systems takes at least 3 systems; 2 were rated here."


class WaysField(ListField):
    """Names of ways of scoring."""

    def clean(self, value: Any) -> Any:
        """Refuse names of no way."""
        given = super().clean(value)
        for name in given:
            if name not in WAYS:
                sentence = _now("There is no way of scoring “%(name)s”.") % {"name": name}
                raise ValidationError(f"{sentence} {nearest(str(name), WAYS)}".rstrip(), code="no_way")
        return given


@register
class WaysOfScoring(FilteredAnalysis):
    """Correlations over systems between ways of scoring the same ratings, and between tasks and criteria of a study.

    Ways are means, means of z, geometric means, comparisons won and TrueSkill. Tasks are compared on the criteria that
    both ask, by every way that both have and by the way that each is usually reported by; all of these rows stand with
    the first task. Criteria of one task are compared by that way. Intervals are bootstraps over items.
    """

    label = _("Ways of scoring")
    summary = _("Whether systems are ordered alike by other ways of scoring, in other tasks and on other criteria.")
    source = (
        "Novikova, Dušek and Rieser (2018). RankME: reliable human ratings for natural language generation. NAACL. "
        "Kendall (1945). The treatment of ties in ranking problems. Biometrika 33(3), 239-251."
    )
    scales = ORDERED_SCALES
    whole_task = True
    splits = False
    leads = False
    needs: ClassVar[frozenset[type[Extra]]] = frozenset({SystemsElsewhere})
    statistics: ClassVar[Mapping[str, Words]] = {
        "scoring_score": _("Score of a system by a way of scoring"),
        "scoring_pearson": _("Pearson's r of two scores over systems"),
        "scoring_spearman": _("Spearman's rho of two scores over systems"),
        "scoring_kendall": _("Kendall's tau-b of two scores over systems"),
    }

    ways = WaysField(
        label=_("Ways of scoring"),
        help_text=_(
            "mean, mean_z, geometric_mean, log_mean_z, comparisons_won or trueskill. "
            "Leave empty for all that fit the scale."
        ),
    )
    tasks = YesNoField(initial=True, label=_("Compare tasks on the criteria that they share"))
    criteria = YesNoField(initial=True, label=_("Compare the criteria of a task"))
    trueskill_runs = whole_field(_("Runs of TrueSkill"), within=(40, 2000), initial=200)

    @classmethod
    def fits(cls, question: Question) -> bool:
        """Say whether a task asks for numbers."""
        return question.whole and any(criterion.scale in ORDERED_SCALES for criterion in question.criteria)

    def needed(self) -> frozenset[type[Extra]]:
        """Read other tasks only where they are compared."""
        return (self.needs if self.tasks else frozenset()) | self.needed_by_filters

    def compute(self, sample: Sample) -> Iterator[Row]:
        """Yield the scores of each criterion and their correlations, then those of criteria and of tasks."""
        across = self.tasks and _is_whole(sample)
        mine = list(_own(sample))
        others = list(_others(sample, sample.extras[SystemsElsewhere])) if across else []
        make, judge = Rows(self.name, sample), _Judge(sample, self, [*mine, *others])
        own = [scored for scored in judge.scored(mine) if scored.several]
        if not own:
            return
        systems = {code for scored in own for code in np.flatnonzero(scored.entries_by_system)}
        if len(systems) < 3:
            yield make.row("scoring_spearman", note=TOO_FEW, by_system=True)
            return
        for scored in own:
            yield from _scores(make, scored)
            yield from _ways(make, scored)
        extra = sample.extras[SystemsElsewhere] if others else None
        titles = extra.titles if extra is not None else {}
        if self.criteria:
            pairs = [(a, b, a.lead, b.lead) for a, b in combinations(own, 2)]
            called = {criterion.key: criterion.name or criterion.key for criterion in sample.question.criteria}
            yield from _between(make, pairs, called, titles, "pairs of criteria")
        if extra is not None:
            everything = [*own, *(scored for scored in judge.scored(others) if scored.several)]
            yield from _between(make, list(_across(everything)), extra.called, titles, "pairs of tasks")


@dataclass(frozen=True, slots=True)
class _Scored:
    """A criterion of a task with its scores by way."""

    entries: Entries
    by_way: Mapping[str, Scores]

    @property
    def entries_by_system(self) -> NDArray[np.int64]:
        """Numbers of ratings by system."""
        return next(iter(self.by_way.values())).n

    @property
    def several(self) -> bool:
        """Whether several systems were rated."""
        return bool(self.by_way) and int(np.count_nonzero(self.entries_by_system)) > 1

    @property
    def lead(self) -> str:
        """The way that it is usually reported by, if that was asked for."""
        return self.entries.lead if self.entries.lead in self.by_way else next(iter(self.by_way))

    @property
    def place(self) -> str:
        """Its task and criterion."""
        return f"{self.entries.task}/{self.entries.criterion}"


class _Judge:
    """Scores the ratings of criteria, all with the same resamples of the items that are rated on any of them."""

    def __init__(self, sample: Sample, analysis: WaysOfScoring, everything: Sequence[Entries]) -> None:
        self.sample, self.n_runs = sample, analysis.trueskill_runs
        self.ways = list(analysis.ways) or list(WAYS)
        clusters = clusters_of(sample.table.names, by_document=sample.question.by_document)
        items = np.unique(np.concatenate([entries.item for entries in everything] or [np.empty(0, dtype=np.int64)]))
        self.place = np.full(len(clusters), -1, dtype=np.int64)
        self.place[items] = np.unique(clusters[items], return_inverse=True)[1].ravel()

    def scored(self, several: Sequence[Entries]) -> list[_Scored]:
        """Return the scores of criteria."""
        scores = scores_of(several, self.sample, self.place, self.ways, n_runs=self.n_runs)
        return [
            _Scored(entries, {one.way: one for one in by_way}) for entries, by_way in zip(several, scores, strict=True)
        ]


def _is_whole(sample: Sample) -> bool:
    """Say whether a sample is no slice by features, of which other tasks know nothing."""
    return all(part.startswith("system!=") for part in (sample.slice or "").split("; ") if part)


def _own(sample: Sample) -> Iterator[Entries]:
    """Yield the ratings of each criterion of the task."""
    table = sample.table
    row, system, item = table.by_system()
    counts = ~np.isnan(table.value[row]) & ~np.isin(system, sorted(sample.without))
    for criterion in sample.question.criteria:
        if criterion.scale not in ORDERED_SCALES:
            continue
        of_criterion = counts & (table.criterion[row] == criterion.code)
        rows = row[of_criterion]
        sign = -1.0 if _low_is_good(sample.question, criterion) else 1.0
        yield Entries(
            task=sample.question.task,
            criterion=criterion.key,
            scale=criterion.scale,
            value=sign * table.value[rows],
            z=sign * sample.z[rows],
            rater=table.rater[rows],
            system=system[of_criterion],
            item=item[of_criterion],
            screen=table.judgments.id[table.judgment[rows]],
        )


def _low_is_good(question: Question, criterion: QuestionCriterion) -> bool:
    outcome = outcome_of(replace(question, criterion=criterion.key))
    return outcome is not None and outcome.low_is_good


def _others(sample: Sample, other: SystemsElsewhere) -> Iterator[Entries]:
    """Yield the ratings of each criterion of the other tasks; z is within raters, over the ratings that count here."""
    counts = ~np.isin(other.system, sorted(sample.without))
    if sample.basis == "kept":
        counts &= other.kept
    for code, rated in enumerate(other.rated):
        of_question = counts & (other.question == code)
        value = (-1.0 if rated.low_is_good else 1.0) * other.value[of_question]
        yield Entries(
            task=rated.task,
            criterion=rated.criterion,
            scale=Scale(rated.scale),
            value=value,
            z=judge_wise_z(value, other.rater[of_question], **sample.common.of_z).z,
            rater=other.rater[of_question],
            system=other.system[of_question],
            item=other.item[of_question],
            screen=other.screen[of_question],
        )


def _scores(make: Rows, scored: _Scored) -> Iterator[Row]:
    """Yield the score of each system by each way, with its interval."""
    names, common = make.sample.table.names.systems, make.sample.common
    drawn = bootstrap(make.sample, "ways of scoring", unit_of(make.sample))
    for scores in scored.by_way.values():
        for code in np.flatnonzero(scores.n).tolist():
            value, n_items = scores.value[code], len(np.unique(scored.entries.item[scored.entries.system == code]))
            about: dict[str, Any] = {"criterion": scored.entries.criterion, "metric": scores.way, "by_system": True}
            counts: dict[str, Any] = {"system": names[code], "n_ratings": int(scores.n[code]), "n_items": n_items}
            if np.isnan(value):
                yield make.row("scoring_score", note="No rating of this system counts here.", **about, **counts)
            elif scores.drawn is None:
                yield make.row("scoring_score", value=float(value), **about, **counts)
            else:
                low, high, se, note = interval(scores.drawn[:, code], common.limits, n_items)
                estimate = Estimate(float(value), low=low, high=high, se=se, note=note)
                yield make.row("scoring_score", estimate, settings=drawn.settings, **about, **counts)


def _ways(make: Rows, scored: _Scored) -> Iterator[Row]:
    """Yield how two ways of scoring the same ratings correlate; they are of the same answers, so there is no p."""
    for a, b in combinations(scored.by_way.values(), 2):
        for name, estimate in _correlated(make, a, b):
            yield make.row(
                name, replace(estimate, p=None, df=None), criterion=scored.entries.criterion,
                metric=a.way, metric_b=b.way, by_system=True, settings=_settings_of(make, estimate),
            )  # fmt: skip


def _across(everything: Sequence[_Scored]) -> Iterator[tuple[_Scored, _Scored, str, str]]:
    """Yield the pairs of tasks on each criterion that both ask, with the ways by which they are compared."""
    for a, b in combinations(everything, 2):
        if a.entries.criterion != b.entries.criterion or a.entries.task == b.entries.task:
            continue
        ways = [(way, way) for way in a.by_way if way in b.by_way]
        if (a.lead, b.lead) not in ways:
            ways.insert(0, (a.lead, b.lead))
        for way, way_b in ways:
            yield a, b, way, way_b


def _between(
    make: Rows,
    pairs: Sequence[tuple[_Scored, _Scored, str, str]],
    called: Mapping[str, str],
    titles: Mapping[str, str],
    compared: str,
) -> Iterator[Row]:
    """Yield how the scores of two tasks or criteria correlate, with p adjusted over all pairs by one coefficient."""
    correction = make.sample.common.correction
    correlations = [dict(_correlated(make, a.by_way[way], b.by_way[way_b])) for a, b, way, way_b in pairs]
    for coefficient in COEFFICIENTS:
        name = f"scoring_{coefficient}"
        estimates = [by_name[name] for by_name in correlations]
        adjusted = adjust([estimate.p for estimate in estimates], correction)
        family = {"correction": correction, "family": f"{len(pairs)} {compared}"}
        for (a, b, way, way_b), estimate, p in zip(pairs, estimates, adjusted, strict=True):
            test = "Kendall's tau" if coefficient == "kendall" else _test(estimate)
            yield make.row(
                name, estimate, label=f"{a.place} and {b.place}", metric=way, metric_b=way_b, by_system=True,
                p_adjusted=p,
                settings={
                    **_settings_of(make, estimate), "test": test, **family,
                    "a": _named(a, called, titles), "b": _named(b, called, titles),
                    "leading": (way, way_b) == (a.lead, b.lead),
                },
            )  # fmt: skip


def _named(scored: _Scored, called: Mapping[str, str], titles: Mapping[str, str]) -> str:
    """Name a criterion as pages do, with its task where there are several."""
    criterion = called.get(scored.entries.criterion, scored.entries.criterion)
    return f"{titles[scored.entries.task]}: {criterion}" if titles else criterion


def _test(estimate: Estimate) -> str:
    return "all orders" if estimate.df is None else "t distribution"


def _correlated(make: Rows, a: Scores, b: Scores) -> Iterator[tuple[str, Estimate]]:
    """Yield the three correlations of two scores over the systems that have both."""
    both = int((~np.isnan(a.value) & ~np.isnan(b.value)).sum())
    drawn = None if a.drawn is None or b.drawn is None else (a.drawn, b.drawn)
    correlations = correlated_scores(
        a.value, b.value, drawn=drawn, n_items=a.n_clusters, confidence=make.sample.common.limits, settle=True,
        few=FEW_SYSTEMS, few_note=FEW.format(n=both),
    )  # fmt: skip
    for coefficient in COEFFICIENTS:
        estimate: Estimate = getattr(correlations, coefficient)
        skill = "trueskill" in {a.way, b.way} and estimate.value is not None
        note = joined(estimate.note, NOT_DRAWN if skill else None)
        yield f"scoring_{coefficient}", replace(estimate, n_items=None, note=note)


def _settings_of(make: Rows, estimate: Estimate) -> dict[str, Any]:
    drawn = bootstrap(make.sample, "ways of scoring", unit_of(make.sample))
    return {"n_ratings": "systems", **(drawn.settings if estimate.low is not None else {})}
