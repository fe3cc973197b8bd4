"""People to invite: names, addresses, groups, sets and languages, from a file or pasted."""

from collections.abc import Collection, Mapping
from dataclasses import replace

from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.utils.translation import gettext as _

from tasks_app.importing.sheets import Row, Sheet, place, value
from tasks_app.models import Group, Invitation, Study
from tasks_app.services.arrival import invitations
from tasks_app.services.arrival.invitations import Person
from tasks_app.services.judging import reservations
from tasks_app.services.judging.reservations import FreeSet, TaskSets
from tasks_app.studyfile.problems import Problems, nearest
from tasks_app.texts import languages

# Our columns by the names that files may give them; pasted text without names has this order.
COLUMNS = {
    "name": "name",
    "email": "email",
    "e-mail": "email",
    "group": "group",
    "account": "account",
    "set": "set",
    "batch": "set",
    "task": "task",
    "language": "language",
}

LONGEST_NAME = Invitation._meta.get_field("name").max_length or 0
LONGEST_EMAIL = Invitation._meta.get_field("email").max_length or 0


def read(study: Study, name: str, text: str, accounts: Collection[str] = (), *, pasted: bool = False) -> list[Person]:
    """Return the people of a table; `accounts` are those that may be invited again.

    A table that was `pasted` may lack the names of its columns.

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
    invited = Invitation.objects.filter(study=study, user__username__in=[value(row, "account") for row in rows])
    accounts_taken = set(invited.values_list("user__username", flat=True))
    sets = _Sets(study) if any(value(row, "set") or value(row, "task") for row in rows) else None
    line_of: dict[str, int] = {}
    people = []
    for row in rows:
        name_of, email, group, account = (value(row, column) for column in ("name", "email", "group", "account"))
        person = Person(name_of, email, group, account, language=value(row, "language").lower())
        if sets is not None:
            person, wrong = sets.take(person, value(row, "task"), value(row, "set"))
            for column, fault in wrong:
                problems.add(name, *place(row, column), fault)
        for column, fault in _faults(person, groups, names_taken, accounts, accounts_taken, line_of):
            problems.add(name, *place(row, column), fault)
        _meet(row, person, line_of)
        accounts_taken |= {person.account} - {""}
        people.append(person)
    problems.raise_if_any()
    return people


class _Sets:
    """The sets that people can be invited to; a set that one person took is not free for the next."""

    def __init__(self, study: Study) -> None:
        self.by_task: Mapping[str, TaskSets] = reservations.sets_of(study)
        self.taken: set[int] = set()
        self.is_open = study.is_frozen

    def take(self, person: Person, task: str, name: str) -> tuple[Person, list[tuple[str, str]]]:
        """Return a person with the set that their row names, and the group that it is for; problems by column."""
        if not name:
            sentence = _("Fill in the column set as well, or leave task empty.")
            return person, [("task", sentence)] if task else []
        if not self.is_open:
            sentence = _(
                "Sets are drawn when the study is opened. Open it first, and pause it if nobody should come in yet."
            )
            return person, [("set", sentence)]
        if task not in self.by_task and (task or len(self.by_task) != 1):
            keys = list(self.by_task)
            sentence = (
                _("No task with sets has this key.")
                if task
                else _("Fill in the column task: this study has several tasks.")
            )
            return person, [("task" if task else "set", f"{sentence} {nearest(task, keys)}".rstrip())]
        of_task = self.by_task[task] if task else next(iter(self.by_task.values()))
        free_set, fault = self._find(of_task, name)
        if free_set is None:
            return person, [("set", fault)]
        group = person.group or free_set.group
        if free_set.group not in ("", group) or (of_task.groups and group not in of_task.groups):
            groups = ", ".join(sorted([free_set.group] if free_set.group else of_task.groups))
            return person, [("group", _("This set is for raters of: %(groups)s.") % {"groups": groups})]
        self.taken.add(free_set.booklet)
        return replace(person, group=group, booklet=free_set.booklet), []

    def _find(self, of_task: TaskSets, name: str) -> tuple[FreeSet | None, str]:
        """Return the first free set of a batch, or the set of a number; else None and the reason."""
        if name in of_task.batches:
            free = (of_task.free[number] for number in of_task.batches[name] if number in of_task.free)
            free_set = next((free_set for free_set in free if free_set.booklet not in self.taken), None)
            return free_set, _("All sets of this batch are taken or reserved.")
        number = int(name) if name.isdecimal() and len(name) < 10 else 0
        free_set = of_task.free.get(number)
        if free_set is not None and free_set.booklet not in self.taken:
            return free_set, ""
        if 0 < number <= of_task.n:
            return None, _("This set is taken or reserved.")
        sentence = _(
            "There is no such set. Sets are numbered from 1 to %(n)d: see the column booklet of the plan (Plan → "
            "Download the whole plan)."
        )
        sentence %= {"n": of_task.n}
        return None, f"{sentence} {nearest(name, of_task.batches)}".rstrip()


def _meet(row: Row, person: Person, line_of: dict[str, int]) -> None:
    line_of.setdefault(person.name, place(row, "name")[0])


def _faults(
    person: Person,
    groups: Collection[str],
    names_taken: Collection[str],
    accounts: Collection[str],
    accounts_taken: Collection[str],
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
    shipped = [language.code for language in languages.to_choose_from()]
    if person.language and person.language not in shipped:
        sentence = _("evalweb has no pages in this language.")
        problems.append(("language", f"{sentence} {nearest(person.language, shipped)}".rstrip()))
    if person.account and person.account not in accounts:
        problems.append(("account", _("There is no such account in your studies. Leave it empty to make a new one.")))
    elif person.account in accounts_taken:
        sentence = _("This account is invited to the study already, or in a line above.")
        problems.append(("account", sentence))
    return problems


def _is_email(text: str) -> bool:
    try:
        validate_email(text)
    except ValidationError:
        return False
    return len(text) <= LONGEST_EMAIL
