"""The raters of a file: who is new to the study, and who belongs to raters of the study itself."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from django.utils.translation import gettext as _

from tasks_app.models import Group, Rater, Study
from tasks_app.services.imports.storing import FileRater
from tasks_app.studyfile.fields import one_spelling
from tasks_app.studyfile.problems import nearest

# The beginning of the pseudonym of a rater whom nobody knows: each row of such a file has one of its own.
UNKNOWN = "unknown-"

# Same as the length of the column in the database.
LONGEST = 40


class BadRater(ValueError):
    """A row's rater cannot be used; `column` is the one to look at."""

    def __init__(self, column: str, sentence: str) -> None:
        super().__init__(sentence)
        self.column = column
        self.sentence = sentence


class _Stored(NamedTuple):
    """A rater that the study has already."""

    id: int
    kind: str
    group: str | None
    erased_at: datetime | None


@dataclass(slots=True)
class _Known:
    """A rater of the file: their number, group, and the line that said so."""

    number: int
    group: str | None
    line: int


class Raters:
    """Numbers the raters of a file in the order in which they are met."""

    def __init__(self, study: Study) -> None:
        columns = ("pseudonym", "id", "kind", "group__key", "erased_at")
        stored: Iterable[Any] = Rater.objects.filter(study=study).values_list(*columns)
        self._stored = {one_spelling(name): _Stored(*values) for name, *values in stored}
        self._groups = dict(Group.objects.filter(study=study).values_list("key", "id"))
        self._known: dict[str, _Known] = {}

    def number(self, name: str, group: str | None, line: int) -> int:
        """Return the number of a rater. Raises BadRater."""
        seen_rater = self._known.get(name)
        if seen_rater is None:
            seen_rater = self._known[name] = self._new(name, group, line)
        if group is not None and group != seen_rater.group:
            if seen_rater.group is not None:
                sentence = _("This rater is in the group “%(group)s” in line %(line)d. A rater is in one group.")
                raise BadRater("group", sentence % {"group": seen_rater.group, "line": seen_rater.line})
            self._check_group(name, group)
            seen_rater.group, seen_rater.line = group, line
        return seen_rater.number

    def _new(self, name: str, group: str | None, line: int) -> _Known:
        if len(name) > LONGEST:
            raise BadRater("rater", _("A pseudonym has at most %(n)d characters.") % {"n": LONGEST})
        stored = self._stored.get(name)
        if stored is not None:
            if stored.kind != Rater.Kind.IMPORTED:
                sentence = _(
                    "The study has a rater of this name who took part here. Import into a study of its own, or give "
                    "the raters of the file other names."
                )
                raise BadRater("rater", sentence)
            if stored.erased_at is not None:
                raise BadRater("rater", _("This rater's answers were erased and cannot be imported again."))
            group = stored.group if group is None else group
        if group is not None:
            self._check_group(name, group)
        return _Known(len(self._known), group, line)

    def _check_group(self, name: str, group: str) -> None:
        if group not in self._groups:
            sentence = _("The study has no such group.")
            raise BadRater("group", f"{sentence} {nearest(group, self._groups)}".rstrip())
        stored = self._stored.get(name)
        if stored is not None and stored.group != group:
            raise BadRater("group", _("This rater was imported before, in another group or in none."))

    def rows(self) -> list[FileRater]:
        """Return the raters by number."""
        return [
            FileRater(
                name,
                None if rater.group is None else self._groups[rater.group],
                self._stored[name].id if name in self._stored else None,
            )
            for name, rater in self._known.items()
        ]
