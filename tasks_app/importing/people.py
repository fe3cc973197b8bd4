"""People to invite: names, addresses and groups, from a file or pasted."""

from __future__ import annotations

from collections.abc import Collection

from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.utils.translation import gettext as _

from tasks_app.importing.sheets import Row, Sheet, place, value
from tasks_app.models import Group, Invitation, Study
from tasks_app.services.arrival import invitations
from tasks_app.services.arrival.invitations import Person
from tasks_app.studyfile.problems import Problems, nearest

COLUMNS = {"name": "name", "email": "email", "e-mail": "email", "group": "group", "account": "account"}

LONGEST_NAME = Invitation._meta.get_field("name").max_length or 0
LONGEST_EMAIL = Invitation._meta.get_field("email").max_length or 0


def read(study: Study, name: str, text: str, accounts: Collection[str] = (), *, pasted: bool = False) -> list[Person]:
    """Return the people of a table; `accounts` are those that may be invited again.

    What is `pasted` may come without the names of its columns.

    Raises
    ------
    tasks_app.studyfile.StudyFileError
        With every problem; nobody is invited then.
    """
    problems = Problems()
    rows = Sheet(name, text, COLUMNS, ("name",), bare=pasted).rows(problems)
    if not rows and not problems.count:
        problems.add(name, 0, 0, _("There are no people in it: write each person on a line of their own."))
    groups = set(Group.objects.filter(study=study).values_list("key", flat=True))
    names_taken = invitations.names_taken(study, [value(row, "name") for row in rows])
    line_of: dict[str, int] = {}
    people = []
    for row in rows:
        person = Person(*(value(row, column) for column in ("name", "email", "group", "account")))
        for column, fault in _faults(person, groups, names_taken, accounts, line_of):
            problems.add(name, *place(row, column), fault)
        _meet(row, person, line_of)
        people.append(person)
    problems.raise_if_any()
    return people


def _meet(row: Row, person: Person, line_of: dict[str, int]) -> None:
    line_of.setdefault(person.name, place(row, "name")[0])


def _faults(
    person: Person,
    groups: Collection[str],
    names_taken: Collection[str],
    accounts: Collection[str],
    line_of: dict[str, int],
) -> list[tuple[str, str]]:
    """Return the problems of an invited person as (column, sentence)."""
    problems = []
    if not person.name:
        problems.append(("name", _("A name is missing. Only you see it, and it may be made up.")))
    elif len(person.name) > LONGEST_NAME:
        problems.append(("name", _("A name has at most %(n)d characters.") % {"n": LONGEST_NAME}))
    elif person.name in line_of:
        sentence = _("This name stands in line %(line)d already. Give each person a name of their own.")
        problems.append(("name", sentence % {"line": line_of[person.name]}))
    elif person.name in names_taken:
        problems.append(
            ("name", _("Somebody with this name is already invited. Choose another name, or leave them out."))
        )
    if person.email and not _is_email(person.email):
        problems.append(("email", _("This is not an e-mail address.")))
    if person.group and person.group not in groups:
        sentence = _("There is no group of this key in the study.")
        problems.append(("group", f"{sentence} {nearest(person.group, groups)}".rstrip()))
    if person.account and person.account not in accounts:
        problems.append(("account", _("There is no such account in your studies. Leave it empty to make a new one.")))
    return problems


def _is_email(text: str) -> bool:
    try:
        validate_email(text)
    except ValidationError:
        return False
    return len(text) <= LONGEST_EMAIL
