"""Baseline scores of groups, and changes of scores of the same people, within and between groups."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import Any, ClassVar, TypeAlias

import numpy as np
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _
from numpy.typing import NDArray

from analytics_app.analyses.base import Rows, in_words
from analytics_app.analyses.shared.regrouped import GroupsOfRaters
from analytics_app.ratings import Floats
from analytics_app.results import Row
from analytics_app.show.labels import CORRECTIONS
from analytics_app.stats.comparison.change import (
    Compared,
    adjusted_difference,
    difference_of_changes,
    paired_change,
)
from analytics_app.stats.comparison.corrections import METHODS, adjust
from analytics_app.stats.comparison.two_groups import difference_of_means
from tasks_app.settings.fields import LineField, choice_field

# Places of two times in the course of a study, the earlier one first.
Pair: TypeAlias = tuple[int, int]

CONSECUTIVE, FIRST, EVERY = "consecutive", "first", "every"


def _validate_pairs(text: str) -> None:
    """Refuse pairs without “ to ” between two names. A pattern of them would take exponential time on a wrong pair."""
    for pair in text.split(";"):
        between = pair.find(" to ", 1)
        if not 0 < between < len(pair) - len(" to "):
            raise ValidationError(_("Write “week-1 to week-2”."))


class ChangeAnalysis(GroupsOfRaters):
    """An analysis of change, with settings for the times to compare and for the correction of the tests."""

    before_the_choice: ClassVar[Mapping[str, object]] = {"times_compared": FIRST}

    times_compared = choice_field(
        _("Time points compared"),
        [
            (CONSECUTIVE, _("each with the previous one, and the first with the last")),
            (FIRST, _("each with the first")),
            (EVERY, _("all pairs of time points")),
        ],
        initial=CONSECUTIVE,
    )
    only_times = LineField(
        required=False,
        initial="",
        max_length=500,
        validators=[_validate_pairs],
        label=_("Only these pairs of time points"),
        help_text=_(
            "Overrides the choice above. Name time points as in the results tables, such as “week-1 to week-2”; "
            "separate pairs with semicolons."
        ),
    )
    family = choice_field(
        _("Correction for several tests"), [(method, CORRECTIONS[method]) for method in METHODS], initial="sidak"
    )


@dataclass(frozen=True, slots=True)
class Time:
    """Scores of people at one time: `rater` ascending (n,), `group` code (n,), each of `scores` (n,), NaN for none.

    `own` is true for a time of the task that the rows are about.
    """

    name: str
    wave: int
    rater: NDArray[np.int64]
    group: NDArray[np.int64]
    scores: Mapping[str, Floats]
    own: bool

    def of(self, score: str, raters: NDArray[np.int64]) -> Floats:
        """Return a score of some raters, NaN for missing ones."""
        aligned = np.full(len(raters), np.nan)
        if len(self.rater):
            place = np.minimum(np.searchsorted(self.rater, raters), len(self.rater) - 1)
            present = self.rater[place] == raters
            aligned[present] = self.scores[score][place[present]]
        return aligned

    def raters(self, group: int | None) -> NDArray[np.int64]:
        """Return the raters of a group who answered at this time, or all of them, ascending."""
        return self.rater if group is None else self.rater[self.group == group]


def pairs_of(names: Sequence[str], times_compared: str, only_times: str = "") -> tuple[list[Pair], list[str]]:
    """Return the pairs of times to compare, and the requested pairs that are not in the study, as they were written.

    Examples
    --------
    >>> pairs_of(["a", "b", "c"], "consecutive")
    ([(0, 1), (0, 2), (1, 2)], [])
    >>> pairs_of(["a", "b", "c"], "consecutive", "b to c; c to d")
    ([(1, 2)], ['c to d'])
    """
    all_pairs = list(combinations(range(len(names)), 2))
    if only_times:
        places = {name: place for place, name in enumerate(names)}
        named_pairs = [pair.strip() for pair in only_times.split(";")]
        known = {
            f"{names[a]} to {names[b]}": (min(a, b), max(a, b))
            for a in places.values()
            for b in places.values()
            if a != b
        }
        return sorted({known[pair] for pair in named_pairs if pair in known}), [
            pair for pair in named_pairs if pair not in known
        ]
    last = len(names) - 1
    if times_compared == FIRST:
        return [pair for pair in all_pairs if pair[0] == 0], []
    if times_compared == CONSECUTIVE:
        return [pair for pair in all_pairs if pair[1] == pair[0] + 1 or pair == (0, last)], []
    return all_pairs, []


def baseline_rows(make: Rows, prefix: str, first: Time, groups: Sequence[int], *, correction: str) -> Iterator[Row]:
    """Yield the differences of groups at the first time, by Welch's t test: `{prefix}_baseline` and `…_effect`.

    Each pair of groups and each score is a test of one family.
    """
    names = make.sample.table.names.groups
    tests = []
    for score, values in first.scores.items():
        for low, high in combinations(groups, 2):
            of_groups = [values[first.group == group] for group in (high, low)]
            compared = difference_of_means(*of_groups, confidence=make.sample.common.confidence)
            about = {"label": score, "group": names[high], "slice": f"against={names[low]}"}
            difference = {"difference": f"{names[high]} minus {names[low]}", "test": "Welch's t", "d": "Hedges's g"}
            tests.append(_Test(f"{prefix}_baseline", about, compared, difference, own=True))
    yield from _corrected(make, tests, correction)


@dataclass(frozen=True, slots=True)
class _Test:
    """A test before it is corrected: the columns of its row, and whether the row belongs to this task."""

    statistic: str
    about: Mapping[str, Any]
    compared: Compared
    settings: Mapping[str, Any]
    own: bool
    effect_interval: str = "noncentral t"


@dataclass(frozen=True, slots=True)
class _Course:
    """The times of a study, the codes of its groups, and the prefix of its statistics."""

    make: Rows
    prefix: str
    times: Sequence[Time]
    groups: Sequence[int]

    def group_name(self, group: int | None) -> str | None:
        return None if group is None else self.make.sample.table.names.groups[group]

    def about(self, score: str, pair: Pair, group: int | None) -> dict[str, Any]:
        """Return the columns that identify the change of a row."""
        first, last = (self.times[place] for place in pair)
        return {
            "label": score,
            "group": self.group_name(group),
            "wave": last.wave,
            "metric": first.name,
            "metric_b": last.name,
        }

    def settings(self, pair: Pair, groups: Sequence[int | None]) -> dict[str, Any]:
        """Return the compared times, and the number of people of the earlier time who did not answer at the later."""
        first, last = (self.times[place] for place in pair)
        n_dropped = sum(np.setdiff1d(first.raters(group), last.rater).size for group in groups)
        return {"from": first.name, "to": last.name, "dropped_out": int(n_dropped)}

    def scores(self, score: str, pair: Pair, group: int | None) -> tuple[Floats, Floats]:
        """Return the scores at both times, aligned, of everybody in a group who answered at either."""
        first, last = (self.times[place] for place in pair)
        raters = np.union1d(first.raters(group), last.raters(group))
        return first.of(score, raters), last.of(score, raters)


def change_rows(
    make: Rows, prefix: str, times: Sequence[Time], groups: Sequence[int], analysis: ChangeAnalysis
) -> Iterator[Row]:
    """Yield the changes of each group and the differences between groups, of the pairs that end in this task.

    Statistics are `{prefix}_change`, `{prefix}_change_between` and `{prefix}_change_adjusted`, each a family of tests
    over pairs of times, groups and scores, and for each its `…_effect`. Rows have the earlier time in `metric` and
    the later one in `metric_b`.

    Parameters
    ----------
    make : Rows
    prefix : str
    times : sequence of Time
        In their order. A score is compared over the times that have it.
    groups : sequence of int
        Codes of the groups; with fewer than two, everybody is one group.
    analysis : ChangeAnalysis
        With the settings of the times to compare and of the correction.
    """
    names = [time.name for time in times]
    scores = list(dict.fromkeys(score for time in times for score in time.scores))
    pairs = {score: _pairs_of_score(score, times, analysis) for score in scores}
    course = _Course(make, prefix, times, groups if len(groups) > 1 else ())
    families: dict[str, list[_Test]] = {}
    for pair in sorted(set().union(*pairs.values())):
        for score in (score for score in scores if pair in pairs[score]):
            for test in (*_within(course, score, pair), *_between(course, score, pair)):
                families.setdefault(test.statistic, []).append(test)
    for tests in families.values():
        yield from _corrected(make, tests, analysis.family)
    if times[-1].own:
        for written in pairs_of(names, analysis.times_compared, analysis.only_times)[1]:
            known = ", ".join(names)
            note = f"Not computed: “{written}” does not name two times of this study, which are {known}."
            yield make.row(f"{prefix}_change", metric=written, note=note)


def _pairs_of_score(score: str, times: Sequence[Time], analysis: ChangeAnalysis) -> set[Pair]:
    """Return the pairs of times to compare among those that have a score."""
    places = [place for place, time in enumerate(times) if score in time.scores]
    names = [times[place].name for place in places]
    pairs, _unknown = pairs_of(names, analysis.times_compared, analysis.only_times)
    return {(places[first], places[last]) for first, last in pairs}


def _corrected(make: Rows, tests: Sequence[_Test], method: str) -> Iterator[Row]:
    """Yield the rows of a family of tests, each with its effect size."""
    adjusted = adjust([test.compared.estimate.p for test in tests], method)
    size = sum(test.compared.estimate.p is not None for test in tests)
    family = {"correction": method, "family": f"{in_words(size, 'test', 'tests')} of this kind"}
    for test, p in zip(tests, adjusted, strict=True):
        if not test.own:
            continue
        t = {} if test.compared.t is None else {"t": test.compared.t}
        settings = {**test.settings, **t, **family, "interval": "Student's t"}
        yield make.row(test.statistic, test.compared.estimate, p_adjusted=p, settings=settings, **test.about)
        of_effect = {**test.settings, "interval": test.effect_interval}
        yield make.row(f"{test.statistic}_effect", test.compared.effect, settings=of_effect, **test.about)


def _within(course: _Course, score: str, pair: Pair) -> Iterator[_Test]:
    """Yield the change of each group, or of everybody if there is only one group."""
    last = course.times[pair[1]]
    for group in course.groups or (None,):
        before, after = course.scores(score, pair, group)
        if group is not None and not len(before):
            continue
        compared = paired_change(before, after, confidence=course.make.sample.common.confidence)
        settings = {**course.settings(pair, [group]), "test": "paired t", "d": "mean over sd of changes"}
        yield _Test(f"{course.prefix}_change", course.about(score, pair, group), compared, settings, last.own)


# Comparisons of groups, by the end of the statistic: the function, its test, its effect size and its interval.
_BETWEEN: Mapping[str, tuple[Callable[..., Compared], str, str, str]] = {
    "change_between": (
        difference_of_changes,
        "Welch's t",
        "difference of changes over pooled sd of the earlier time, corrected (Morris 2008, d_ppc2)",
        "normal (Morris 2008, equation 25)",
    ),
    "change_adjusted": (
        adjusted_difference,
        "analysis of covariance, earlier time as covariate",
        "over residual sd",
        "noncentral t",
    ),
}


def _between(course: _Course, score: str, pair: Pair) -> Iterator[_Test]:
    """Yield the differences between the changes of two groups, the later group of the study minus the earlier."""
    last = course.times[pair[1]]
    for low, high in combinations(course.groups, 2):
        if not len(last.raters(low)) or not len(last.raters(high)):
            continue
        columns = (*course.scores(score, pair, high), *course.scores(score, pair, low))
        about = {**course.about(score, pair, high), "slice": f"against={course.group_name(low)}"}
        difference = {"difference": f"{course.group_name(high)} minus {course.group_name(low)}"}
        for name, (compare, test, d, interval) in _BETWEEN.items():
            compared = partial(compare, confidence=course.make.sample.common.confidence)(*columns)
            settings = {**course.settings(pair, [low, high]), **difference, "test": test, "d": d}
            yield _Test(f"{course.prefix}_{name}", about, compared, settings, last.own, interval)
