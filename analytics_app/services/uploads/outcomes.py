"""Upload outcomes measured elsewhere, such as calories, of raters in waves."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from django.db.models import Max
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from analytics_app.models import MeasuredOutcome
from analytics_app.services.uploads.flow import Uploaded
from analytics_app.services.uploads.named import NamedValues
from analytics_app.services.uploads.people import OfRaters
from tasks_app.models import Assignment, Rater
from tasks_app.services.waves import schedule
from tasks_app.studyfile.columns import Column, Kind
from tasks_app.studyfile.files.tables import Row
from tasks_app.studyfile.problems import Problem, StudyFileError, nearest


class RaterInWave(NamedTuple):
    """The rater of a value, and its wave."""

    rater: int
    wave: int


class Outcomes(NamedValues[RaterInWave], OfRaters[tuple[RaterInWave, str], float]):
    """A row is a rater in a wave."""

    stem, name, counted, verb = "outcomes", "outcome", "values", "uploaded outcomes"
    deleted_verb = "deleted outcome"
    noun, nouns = gettext_lazy("outcome"), gettext_lazy("outcomes")
    model = MeasuredOutcome
    columns = (
        Column("rater", Kind.WORD, gettext_lazy("Pseudonym, platform id, account, or name of the invitation."), True),
        Column(
            "wave",
            Kind.WORD,
            gettext_lazy("Number of the wave, or the key of a task in it. Not needed if there is one wave only."),
        ),
    )
    named_doc = gettext_lazy("Columns that hold what was measured. Columns of numbers are ticked; check them.")
    empty = gettext_lazy("There are no values below the header.")
    twice = gettext_lazy("Line %(line)d already has this outcome of this rater in this wave. Keep one of them.")
    draft = gettext_lazy("The study is a draft, so it has no raters yet. Open it, or import its ratings first.")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._waves = schedule.numbers(self.study)
        answered = Assignment.objects.filter(rater__study=self.study).aggregate(last=Max("wave"))["last"]
        self._last = max(*self._waves.values(), answered or 1, 1)

    def stored(self) -> Iterator[tuple[RaterInWave, str]]:
        """Yield the keys of all stored values."""
        values = MeasuredOutcome.objects.filter(study=self.study)
        for rater, wave, outcome in values.values_list("rater_id", "wave", "outcome"):
            yield RaterInWave(rater, wave), outcome

    def store(self, values: Mapping[tuple[RaterInWave, str], float]) -> Mapping[str, Any]:
        """Store the values under a lock of their raters, so that nobody is erased before the commit."""
        ids = {about.rater for about, _outcome in values}
        locked = Rater.objects.select_for_update(no_key=True).filter(pk__in=ids, erased_at=None).order_by("pk")
        if len(list(locked.values_list("pk", flat=True))) < len(ids):
            sentence = _("A rater of the file was erased while it was read. Remove their rows and upload it again.")
            raise StudyFileError([Problem(self.table.file, 0, 0, sentence)])
        return super().store(values)

    def rows(self, values: Mapping[tuple[RaterInWave, str], float]) -> Iterator[MeasuredOutcome]:
        """Yield the values as rows."""
        for (about, outcome), value in values.items():
            yield MeasuredOutcome(study=self.study, rater_id=about.rater, wave=about.wave, outcome=outcome, value=value)

    def uploaded(self, values: Mapping[tuple[RaterInWave, str], float]) -> Uploaded:
        """Count values, raters and outcomes."""
        n_raters, names = len({about.rater for about, _outcome in values}), self.names(values)
        summary = _("%(values)s of %(raters)s: %(names)s") % {
            "values": ngettext("%(n)d value", "%(n)d values", len(values)) % {"n": len(values)},
            "raters": ngettext("%(n)d rater", "%(n)d raters", n_raters) % {"n": n_raters},
            "names": ", ".join(names),
        }
        counts = {"values": len(values), "raters": n_raters, "outcomes": len(names)}
        return Uploaded(counts, summary, tuple(self.notes()), tuple(names))

    def about(self, row: Row) -> RaterInWave | None:
        """Return the rater and the wave of a row."""
        person, wave = self.person(row), self._wave(row)
        return RaterInWave(person.rater, wave) if person and person.rater is not None and wave is not None else None

    def _wave(self, row: Row) -> int | None:
        given = self.word(row, "wave")
        if not given and self._last == 1:
            return 1
        if not given:
            sentence = _("The study has %(n)d waves, so every row needs one.") % {"n": self._last}
            self.report(row, self.theirs("wave" if self.has("wave") else "rater"), sentence)
            return None
        number = int(given) if given.isascii() and given.isdecimal() and len(given) < 6 else self._waves.get(given, 0)
        if 1 <= number <= self._last:
            return number
        sentence = _("The study has no wave “%(name)s”. Its waves are 1 to %(n)d.") % {"name": given, "n": self._last}
        self.report(row, self.theirs("wave"), f"{sentence} {nearest(given, self._waves)}".rstrip())
        return None
