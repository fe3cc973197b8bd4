"""Queries of exports: ids by the names in a request, and who may export."""

from collections.abc import Sequence
from typing import Any

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from tasks_app import access
from tasks_app.models import Judgment, Membership, Rater, Study, Task


class UnknownName(ValueError):
    """The study has nothing of that name; the message repeats the name."""


def ids_of(rows: QuerySet[Any], column: str, names: Sequence[str], sentence: str) -> tuple[int, ...]:
    """Return the ids of rows by their names; rows of several versions share one.

    Raises UnknownName with `sentence`, which has %(name)s in it, for the first name that no row has.
    """
    pairs = list(rows.filter(**{f"{column}__in": names}).values_list("pk", column))
    names_found = {name for _pk, name in pairs}
    for name in names:
        if name not in names_found:
            raise UnknownName(sentence % {"name": name})
    return tuple(pk for pk, _name in pairs)


def task_ids(study: Study, keys: Sequence[str]) -> tuple[int, ...]:
    """Return the ids of tasks by key, of every version. Raises UnknownName."""
    return ids_of(Task.objects.filter(study=study), "key", keys, _("There is no task “%(name)s” in this study."))


def rater_ids(study: Study, pseudonyms: Sequence[str]) -> tuple[int, ...]:
    """Return the ids of raters by pseudonym. Raises UnknownName."""
    sentence = _("There is no rater “%(name)s” in this study.")
    return ids_of(Rater.objects.filter(study=study), "pseudonym", pseudonyms, sentence)


def may_export(study: Study, role: str | None) -> bool:
    """Return whether somebody with a role (None: a superuser from outside) may take judgments and ratings out now.

    Every member may of a draft and of a closed study, while it is under way its owners alone, and it is written down:
    whoever sees single answers could steer raters.
    """
    return study.state not in Study.State.UNDER_WAY or access.reaches(role, Membership.Role.OWNER)


def current_judgments(study: Study, until: int) -> QuerySet[Judgment]:
    """Return the answer to each assignment that was current when `until` was the last judgment.

    Whoever only tried the study out is left out.
    """
    return (
        Judgment.objects.current(until=until)
        .filter(assignment__rater__study=study)
        .exclude(assignment__rater_kind="sandbox")
        .select_related("assignment__rater", "assignment__unit__task")
    )
