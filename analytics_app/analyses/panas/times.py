"""PANAS answers by person and time; a time is a task in a wave."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analytics_app.analyses.base import Question, Sample
from analytics_app.analyses.shared.changes import Time
from analytics_app.ratings import Floats
from analytics_app.ratings.extras.same_questions import SameQuestions
from analytics_app.stats.scales.scale_scores import Scores, prorated_sums
from tasks_app.task_types.questionnaire.panas import NEGATIVE, POSITIVE, PREFIX

# The scales by their usual abbreviations, with their words.
SCALES = {"PA": POSITIVE, "NA": NEGATIVE}

STEPS = (1.0, 2.0, 3.0, 4.0, 5.0)
# Norms of Watson, Clark and Tellegen (1988): mean and SD of students, if two public sources of scoring agree.
NORMS = {"past_few_days": {"PA": (33.3, 7.2), "NA": (17.4, 6.2)}}


@dataclass(frozen=True, slots=True)
class Point:
    """The answers in one task and wave: `rater` ascending (n,), `group` (n,), `answers` by scale (n, 10)."""

    task: str
    wave: int
    rater: NDArray[np.int64]
    group: NDArray[np.int64]
    answers: dict[str, Floats]
    scores: dict[str, Scores]


@dataclass(frozen=True, slots=True)
class Times:
    """The points of a study in their order, the places of those of this task, and the groups that were asked."""

    points: tuple[Point, ...]
    own: tuple[int, ...]
    groups: tuple[int, ...]

    def name(self, place: int) -> str:
        """Return the name of a point: its task, or its wave if a task has several."""
        point = self.points[place]
        if sum(other.task == point.task for other in self.points) == 1:
            return point.task
        wave = f"wave {point.wave}"
        return wave if all(other.task == point.task for other in self.points) else f"{point.task}, {wave}"

    @property
    def course(self) -> list[Time]:
        """Return the points as times of a course, each with the scores to compare."""
        return [
            Time(
                name=self.name(place),
                wave=point.wave,
                rater=point.rater,
                group=point.group,
                scores={scale: scores.value for scale, scores in point.scores.items()},
                own=place in self.own,
            )
            for place, point in enumerate(self.points)
        ]


def times_of(sample: Sample, others: SameQuestions, most_missing: int, *, complete_only: bool) -> Times:
    """Return the answers to the words of PANAS in this task and in `others`, the tasks of the study that ask them too.

    On the basis of kept ratings, only kept answers of other tasks are used. Of several answers of a person to a word at
    one time the first counts. With `complete_only`, a person who left out any word has neither score.
    """
    table = sample.table
    scale_of, word_of = _words(sample)
    mask = others.kept if sample.basis == "kept" else np.ones(len(others.kept), dtype=bool)
    judgments = table.judgments
    columns: list[NDArray[Any]] = [
        np.r_[mine, theirs[mask]]
        for mine, theirs in (
            (np.full(len(table), others.here, dtype=np.int64), others.task),
            (judgments.wave[table.judgment], others.wave),
            (table.rater, others.rater),
            (judgments.group[table.judgment], others.group),
            (table.criterion, others.criterion),
            (table.value, others.value),
        )
    ]
    is_panas = (columns[4] >= 0) & ~np.isnan(columns[5])
    is_panas[is_panas] = scale_of[columns[4][is_panas]] >= 0
    task, wave, rater, group, criterion, value = (column[is_panas] for column in columns)
    points = []
    for code, number in sorted(set(zip(task.tolist(), wave.tolist(), strict=True))):
        at_time = (task == code) & (wave == number)
        words = scale_of[criterion[at_time]], word_of[criterion[at_time]]
        task_name = others.tasks[code] if code != others.here else sample.question.task
        points.append(
            _point(
                task_name,
                number,
                rater[at_time],
                group[at_time],
                words,
                value[at_time],
                most_missing,
                complete_only=complete_only,
            )
        )
    own = tuple(place for place, point in enumerate(points) if point.task == sample.question.task)
    groups = {int(code) for point in points for code in np.unique(point.group)} - {-1}
    return Times(tuple(points), own, tuple(sorted(groups)))


def _words(sample: Sample) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the scale of each criterion's word (-1 for none), and the place of the word in the scale."""
    scale = np.full(len(sample.table.names.criteria) + 1, -1, dtype=np.int64)
    place = scale.copy()
    codes = {criterion.key: criterion.code for criterion in sample.question.criteria}
    for number, words in enumerate(SCALES.values()):
        for index, word in enumerate(words):
            if (code := codes.get(f"{PREFIX}{word}", -1)) >= 0:
                scale[code], place[code] = number, index
    return scale, place


def _point(
    task: str,
    wave: int,
    rater: NDArray[np.int64],
    group: NDArray[np.int64],
    words: tuple[NDArray[np.int64], NDArray[np.int64]],
    value: Floats,
    most_missing: int,
    *,
    complete_only: bool,
) -> Point:
    raters, first, row = np.unique(rater, return_index=True, return_inverse=True)
    cells = np.full((len(SCALES), len(raters), 10), np.nan)
    # In reverse order, so that the first answer of several is kept.
    cells[words[0][::-1], row[::-1], words[1][::-1]] = value[::-1]
    if complete_only:
        cells[:, np.isnan(cells).any(axis=(0, 2))] = np.nan
    answers = dict(zip(SCALES, cells, strict=True))
    return Point(
        task,
        wave,
        raters.astype(np.int64),
        group[first].astype(np.int64),
        answers,
        {scale: prorated_sums(answer, most_missing=most_missing) for scale, answer in answers.items()},
    )


def in_group(point: Point, group: int | None) -> NDArray[np.bool_]:
    """Return a mask of the people of a point who belong to a group; None means everybody."""
    return np.ones(len(point.rater), dtype=bool) if group is None else point.group == group


def raters_of(points: Sequence[Point], group: int | None) -> NDArray[np.int64]:
    """Return the raters of a group who answered at any of these points, ascending."""
    raters = [point.rater[in_group(point, group)] for point in points]
    return np.unique(np.concatenate(raters)) if raters else np.empty(0, dtype=np.int64)


def steps_of(question: Question) -> tuple[float, ...]:
    """Return the steps on which the words were answered."""
    words = {f"{PREFIX}{word}" for scale in SCALES.values() for word in scale}
    return next((criterion.domain for criterion in question.criteria if criterion.key in words), ())


def about_steps(steps: tuple[float, ...]) -> str | None:
    """Return a note about sums of steps other than the published ones."""
    if steps == STEPS or not steps:
        return None
    return (
        f"Answered on {len(steps)} steps from {steps[0]:g} to {steps[-1]:g}, so scores go from {10 * steps[0]:g} to "
        f"{10 * steps[-1]:g} and cannot be compared with published ones."
    )


def norm_of(question: Question, scale: str, steps: tuple[float, ...]) -> str | None:
    """Return a note with the published norm, if there is a norm for the time frame of the question."""
    norm = NORMS.get(str(question.params.get("timeframe")))
    if norm is None or steps != STEPS or question.params.get("instrument") != "panas":
        return None
    mean, sd = norm[scale]
    return f"Published for the past few days (Watson et al. 1988, students): mean {mean}, SD {sd}."
