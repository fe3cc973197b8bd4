"""The possible known answers of tasks of a set-up: purposes and kinds, in words and as the task type grades them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from tasks_app.hooks.sections import Json
from tasks_app.models import Task
from tasks_app.models.items import GoldKind, GoldPurpose
from tasks_app.studyfile.files.writing import answer_text
from tasks_app.studyfile.own_sections.checks import known_answers
from tasks_app.studyfile.own_sections.known import KINDS, PURPOSES
from tasks_app.studyfile.reading import StudyReading
from tasks_app.studyfile.screens import DraftTask, draft_tasks
from tasks_app.task_types.base import GoldAnswer, Screen, UnitDraft

PURPOSE_WORDS: Mapping[str, Promise] = {
    GoldPurpose.SCREENING: _("asked before the instructions; a wrong answer ends participation, with part pay"),
    GoldPurpose.TRAINING: _("shown before the first set, with feedback and your explanation"),
    GoldPurpose.EXAM: _("shown after the training, without feedback; raters need the pass mark to go on"),
    GoldPurpose.CONTROL: _("shown among the units to judge, looking the same; counts as right or wrong"),
    GoldPurpose.ATTENTION: _("like control, but the text itself says what to answer, such as “choose 2 here”"),
}

KIND_WORDS: Mapping[str, Promise] = {
    GoldKind.EXACT: _("the rater gives this value"),
    GoldKind.RANGE: _("the value is between the two, ends included"),
    GoldKind.SET: _("the rater gives one of these values"),
    GoldKind.SPAN: _("a mark overlaps each of these errors; [] for a text without errors"),
    GoldKind.ORDER: _("the texts are put in this order, the best first, counted from 1 in the order of the file"),
}

# Example answers that are the same for every type and scale.
_EXAMPLES = {GoldKind.SPAN: '[{"start": 3, "end": 9}]', GoldKind.ORDER: "[2, 1]"}


@dataclass(frozen=True, slots=True)
class Answerable:
    """The possible known answers of a task: (value, words) of purposes, (value, words, example answer) of kinds."""

    task: str
    type: str
    purposes: Sequence[tuple[str, Promise]]
    kinds: Sequence[tuple[str, Promise, str]]


def answerable(reading: StudyReading) -> list[Answerable]:
    """Return the possible known answers of each task; tasks that can have none are listed without purposes."""
    return [_of_task(draft, reading.document["criteria"]) for draft in draft_tasks(reading)]


def _of_task(draft: DraftTask, criteria: list[dict[str, Json]]) -> Answerable:
    unit = next((unit for _key, unit in knowable_units(draft)), None)
    examples: dict[str, Json] = {}
    if unit is not None:
        for name in criteria_of(draft, unit):
            examples = {**kinds_of(draft, unit, name, criteria), **examples}
    kinds = [
        (kind, KIND_WORDS[kind], _EXAMPLES.get(GoldKind(kind)) or answer_text(examples[kind]))
        for kind in KINDS
        if kind in examples
    ]
    purposes = [(purpose, PURPOSE_WORDS[purpose]) for purpose in purposes_of(draft)] if kinds else []
    return Answerable(draft.task["key"], str(draft.kind.label), purposes, kinds)


def purposes_of(draft: DraftTask) -> list[str]:
    """Return the purposes that known answers of a task can have; none for tasks that are asked at the end."""
    return PURPOSES.get(Task.Stage(draft.task["stage"]), [])


def knowable_units(draft: DraftTask) -> Iterator[tuple[str, UnitDraft]]:
    """Yield the units of a task that can have a right answer: those with texts of one item."""
    if purposes_of(draft):
        yield from ((key, unit) for key, unit in draft.units.items() if len(set(unit.part_items)) <= 1)


def criteria_of(draft: DraftTask, unit: UnitDraft) -> list[str]:
    """Return the criteria that an answer about a unit can be about; "" where the task asks about none."""
    return [unit.criterion] if unit.criterion else list(draft.task["criteria"]) or [""]


def kinds_of(draft: DraftTask, unit: UnitDraft, criterion: str, criteria: list[dict[str, Json]]) -> dict[str, Json]:
    """Return the kinds of known answers about a criterion that the task type grades, each with an example answer."""
    screen, cleaned = draft.answer(unit, criteria)
    given = [
        answer
        for value in draft.kind.ratings(screen, cleaned)
        if not criterion or value.criterion == criterion
        if (answer := value.value if value.value is not None else value.label) is not None
    ]
    examples: dict[str, Json] = {}
    for kind in KINDS:
        for answer in _tries(kind, [_whole(value) for value in given], screen):
            if kind not in examples and _is_graded(draft, screen, cleaned, GoldAnswer(kind, answer, criterion or None)):
                examples[kind] = answer
    return examples


def _whole(value: float | str) -> float | str:
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _tries(kind: str, given: Sequence[float | str], screen: Screen) -> list[Json]:
    """Return answers of a kind, one of which every type that grades the kind accepts."""
    numbers = list(range(1, len(screen.parts) + 1))
    if kind == GoldKind.RANGE:
        return [[value - 1, value] for value in given if not isinstance(value, str)]
    if kind == GoldKind.SPAN:
        return [[]]
    if kind == GoldKind.ORDER:
        return [numbers, numbers[:2]]
    single = [*given, *numbers]
    return [[value] for value in single] if kind == GoldKind.SET else list(single)


def _is_graded(draft: DraftTask, screen: Screen, cleaned: Mapping[str, object], gold: GoldAnswer) -> bool:
    if known_answers.fault_of(gold.kind, gold.answer) is not None:
        return False
    try:
        draft.kind.grade(screen, cleaned, [gold])
    except ValueError:
        return False
    return known_answers.why_never(draft.kind, screen, gold) is None
