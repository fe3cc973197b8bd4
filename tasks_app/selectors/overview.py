"""The list of a rater's set: answered and open units, with search."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext_lazy as _

from tasks_app.models import Assignment, Judgment, Rater
from tasks_app.selectors import screens
from tasks_app.task_types import TaskType
from tasks_app.task_types.base import Screen, Words

State = Assignment.State
Purpose = Assignment.Purpose

# Purposes of listed texts: those to judge, among them checks.
LISTED = (Purpose.WARM_UP, Purpose.MAIN, Purpose.CONTROL, Purpose.ATTENTION)

# States of assignments as a rater's list names them. Units that went to another rater are not in the list.
PENDING, ANSWERED, SKIPPED = "pending", "answered", "skipped"
SEEN_AS = {
    State.RESERVED: PENDING,
    State.LIVE: PENDING,
    State.SUBMITTED: ANSWERED,
    State.SURPLUS: ANSWERED,
    State.SKIPPED: SKIPPED,
    State.REPLACED: ANSWERED,
}
LABELS: Mapping[str, Words] = {PENDING: _("to do"), ANSWERED: _("answered"), SKIPPED: _("skipped")}


@dataclass(frozen=True, slots=True)
class Entry:
    """One unit of a rater's set, as they see it: never with a system, an item's name or a purpose."""

    order: int
    state: str
    kind: TaskType
    screen: Screen
    answer: Mapping[str, Any]
    skip_reason: str
    comment: str

    @property
    def label(self) -> Words:
        """The state in words."""
        return LABELS[self.state]

    @property
    def source(self) -> str:
        """The source, where the task shows it."""
        return self.screen.source if self.kind.params.get("show_source", True) else ""

    @property
    def texts(self) -> tuple[str, ...]:
        """The texts to be judged, in the order of the screen."""
        return tuple(shown.part.text for shown in self.screen.shown_parts)

    def has(self, words: str) -> bool:
        """Return whether a text or the source holds these words."""
        sought = words.casefold()
        return any(sought in text.casefold() for text in (self.source, *self.texts))


def entries(rater: Rater) -> list[Entry]:
    """Return the units of a rater's sets with a type that lists them, in their order; at most eight queries.

    A list that named a text twice would tell a repeat, and one with the test would tell what is asked in it.
    """
    listed = Assignment.objects.filter(rater=rater, state__in=list(SEEN_AS), purpose__in=LISTED)
    assignments = list(listed.select_related("unit").order_by("order", "id"))
    frames = {pk: screens.frame_of(pk, rater.study) for pk in {assignment.unit.task_id for assignment in assignments}}
    shown_assignments = [assignment for assignment in assignments if frames[assignment.unit.task_id].kind.set_overview]
    materials = screens.read_materials([assignment.unit_id for assignment in shown_assignments])
    current = Judgment.objects.filter(assignment__in=shown_assignments).current()
    judgments = {judgment.assignment_id: judgment for judgment in current}
    entries = []
    for assignment in shown_assignments:
        frame, judgment = frames[assignment.unit.task_id], judgments.get(assignment.pk)
        material = materials.get(assignment.unit_id, screens.NOTHING_TO_READ)
        entries.append(
            Entry(
                order=assignment.order,
                state=SEEN_AS[State(assignment.state)],
                kind=frame.kind,
                screen=screens.make_screen(frame, material, rater.study, assignment.arrangement),
                answer=judgment.answer if judgment else {},
                skip_reason=judgment.get_skip_reason_display() if judgment else "",
                comment=judgment.comment if judgment else "",
            )
        )
    return entries
