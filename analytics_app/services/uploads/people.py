"""Tables about raters: who a name in a file stands for."""

from typing import Any, NamedTuple

from django.db.models import Q
from django.utils.translation import gettext as _

from analytics_app.services.uploads.flow import Key, Upload, Value
from tasks_app.models import Identity, Invitation, Rater, Study
from tasks_app.studyfile.files.tables import Row
from tasks_app.studyfile.problems import nearest


class Person(NamedTuple):
    """A rater, or somebody who was invited and has not begun."""

    rater: int | None
    invitation: int | None = None


class OfRaters(Upload[Key, Value]):
    """A kind of table with a column that names raters."""

    takes_invited = False

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._people = people_by_name(self.study)
        self._pseudonyms = Rater.objects.filter(study=self.study, erased_at=None).values_list("pseudonym", flat=True)

    def person(self, row: Row) -> Person | None:
        """Return who a row names; None where that was reported as a problem."""
        column, given = self.theirs("rater"), self.word(row, "rater")
        if not given:
            self.report(row, column, _("Every row needs a rater."))
            return None
        people = self._people.get(given, set())
        raters = {person for person in people if person.rater is not None}
        people = people if self.takes_invited else raters or people
        if len(people) == 1 and (raters or self.takes_invited):
            return next(iter(people))
        guess = ""
        if people and not (raters or self.takes_invited):
            sentence = _("“%(name)s” has an invitation but has not begun yet. Upload the value after they have.")
        elif people:
            sentence = _("“%(name)s” names several raters. Use their pseudonyms.")
        else:
            sentence, guess = _("The study has no rater “%(name)s”."), nearest(given, self._pseudonyms)
            if self.takes_invited:
                sentence = _("The study has no rater “%(name)s”, and nobody is invited under this name.")
        self.report(row, column, f"{sentence % {'name': given}} {guess}".rstrip())
        return None


def people_by_name(study: Study) -> dict[str, set[Person]]:
    """Return who each name stands for.

    Names are pseudonyms, ids of a platform, the names of invitations, and the names of accounts. Trial raters, erased
    raters and withdrawn invitations have none.
    """
    raters = Rater.objects.filter(study=study, erased_at=None).exclude(kind=Rater.Kind.SANDBOX)
    names: dict[str, set[Person]] = {}
    for pseudonym, pk in raters.values_list("pseudonym", "pk"):
        names[pseudonym] = {Person(pk)}
    for name, pk in Identity.objects.filter(rater__in=raters).values_list("external_id", "rater_id"):
        names.setdefault(name, set()).add(Person(pk))
    invitations = Invitation.objects.filter(Q(rater__in=raters) | Q(study=study, rater=None, revoked_at=None))
    for pk, rater, name, account in invitations.values_list("pk", "rater_id", "name", "user__username"):
        person = Person(rater) if rater else Person(None, pk)
        for called in (name, account):
            if called:
                names.setdefault(called, set()).add(person)
    return names
