"""The studies of a project that an action fits, and the reasons why it does not fit the others."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tasks_app import access
from tasks_app.models import Membership, Project, ProjectWork, Study
from tasks_app.selectors import projects as reads
from tasks_app.selectors.projects import StudyRow

Action = ProjectWork.Action

IS_ALREADY = {
    Study.State.DRAFT: gettext_lazy("Not opened yet."),
    Study.State.OPEN: gettext_lazy("Already open."),
    Study.State.PAUSED: gettext_lazy("Already paused."),
    Study.State.CLOSED: gettext_lazy("Already closed."),
}


@dataclass(frozen=True, slots=True)
class Choice:
    """Studies that something is to be done to, and those that are left out with the reasons."""

    studies: Sequence[Study]
    left_out: Mapping[str, Sequence[Study]]


def choose(user: access.Person, project: Project, action: str, among: Collection[str] | None = None) -> Choice:
    """Choose the studies of a project that somebody may do something to; `among` names slugs, None for all."""
    studies: list[Study] = []
    left_out: dict[str, list[Study]] = {}
    for row in reads.rows_of(access.studies_of_project(user, project)):
        if among is not None and row.study.slug not in among:
            continue
        sentence = why_not(row, action)
        if sentence:
            left_out.setdefault(sentence, []).append(row.study)
        else:
            studies.append(row.study)
    return Choice(studies, left_out)


def why_not(row: StudyRow, action: str) -> str:
    """Return the reason why an action leaves a study out; "" if it does not."""
    if not access.reaches(row.role, Membership.Role.EDITOR):
        return _("You can only view this study; editors and owners can do this.")
    return str(_REASONS[Action(action)](row))


def _why_no_check(row: StudyRow) -> str:
    if row.is_checked is None:
        return _("Opened studies are not checked again.")
    return _("Already checked.") if row.is_checked else ""


def _why_not_open(row: StudyRow) -> str:
    if row.study.state == Study.State.OPEN:
        return str(IS_ALREADY[Study.State.OPEN])
    if row.study.state == Study.State.CLOSED:
        return _("Closed. Reopen it on its own page and give a reason.")
    return _("Not checked yet. Press “Check all” first.") if row.is_checked is False else ""


def _why_not_pause(row: StudyRow) -> str:
    return "" if row.study.state == Study.State.OPEN else str(IS_ALREADY[Study.State(row.study.state)])


def _why_not_close(row: StudyRow) -> str:
    return "" if row.study.state in Study.State.UNDER_WAY else str(IS_ALREADY[Study.State(row.study.state)])


_REASONS: Mapping[str, Callable[[StudyRow], str]] = {
    Action.CHECK: _why_no_check,
    Action.OPEN: _why_not_open,
    Action.PAUSE: _why_not_pause,
    Action.CLOSE: _why_not_close,
}
