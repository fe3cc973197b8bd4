"""The form of a ranking: a number field for the place of each text, criterion by criterion."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django import forms
from django.utils.translation import gettext

from tasks_app.task_types.base import Criterion, ScreenForm, ShownPart

if TYPE_CHECKING:
    from tasks_app.task_types.ranking import Ranking


def field_name(position: int, criterion: str) -> str:
    """Name the form field of one text and criterion, by the text's place on the rater's screen."""
    return f"p{position}-{criterion}"


def standing(places: Sequence[int]) -> list[int]:
    """Return places as they are stored: 1 is the best, equals share a place, and as many are left out after it.

    What is given may leave them out (1, 1, 3) or not (1, 1, 2): both say the same.
    """
    return [1 + sum(other < place for other in places) for place in places]


def gap(places: Sequence[int]) -> int | None:
    """Return the first place that nobody has though somebody stands behind it; None where there is none."""
    given = sorted(places)
    if given == sorted(standing(places)):
        return None
    for expected, place in enumerate(sorted(set(given)), start=1):
        if place != expected:
            return expected
    return None


@dataclass(frozen=True, slots=True)
class Place:
    """A text on the screen and the field that takes its place."""

    shown: ShownPart
    field: forms.BoundField


@dataclass(frozen=True, slots=True)
class Question:
    """A criterion with the places of all texts."""

    criterion: Criterion
    id: str
    places: tuple[Place, ...]
    errors: tuple[str, ...]
    missing: str


@dataclass(frozen=True, slots=True)
class Row:
    """A text on the screen, for the template."""

    shown: ShownPart


class RankingForm(ScreenForm):
    """A number for every text and criterion. Without ties each place is given once; with them none is left out."""

    kind: Ranking

    def make_fields(self) -> Iterator[tuple[str, forms.Field]]:
        """Yield a number for every criterion and text."""
        for criterion in self.screen.shown_criteria:
            for shown in self.screen.shown_parts:
                yield (
                    field_name(shown.position, criterion.key),
                    _field(criterion, shown, len(self.screen.parts), self.screen.shows_files),
                )

    def rows(self) -> list[Row]:
        """Return the texts, for the template."""
        return [Row(shown) for shown in self.screen.shown_parts]

    def questions(self) -> list[Question]:
        """Return the criteria with their fields, for the template."""
        questions = []
        for criterion in self.screen.shown_criteria:
            places = tuple(
                Place(shown, self[field_name(shown.position, criterion.key)]) for shown in self.screen.shown_parts
            )
            errors = tuple(str(error) for place in places for error in place.field.errors)
            missing = (
                gettext("“%(criterion)s”: some have no place yet.")
                if self.screen.shows_files
                else gettext("“%(criterion)s”: give every text a place.")
            ) % {"criterion": criterion.quoted}
            identifier = f"{places[0].field.auto_id}-question" if places else criterion.key
            questions.append(Question(criterion, identifier, places, errors, missing))
        return questions

    def clean(self) -> dict[str, object]:
        """Refuse two texts at one place where there are no ties, and places left out where there are."""
        cleaned: dict[str, object] = super().clean() or self.cleaned_data
        shown_parts = self.screen.shown_parts
        for criterion in self.screen.shown_criteria:
            given = [(shown, cleaned.get(field_name(shown.position, criterion.key))) for shown in shown_parts]
            places = [(shown, place) for shown, place in given if isinstance(place, int)]
            if self.kind.ties:
                if len(places) == len(given):
                    self._refuse_gap(criterion, places)
            else:
                self._refuse_ties(criterion, places)
        return cleaned

    def _refuse_ties(self, criterion: Criterion, places: Sequence[tuple[ShownPart, int]]) -> None:
        first: dict[int, ShownPart] = {}
        for shown, place in places:
            other = first.setdefault(place, shown)
            if other is not shown:
                about = {"criterion": criterion.quoted, "one": other.letter, "other": shown.letter, "place": place}
                sentence = (
                    gettext("“%(criterion)s”: %(one)s and %(other)s are both at place %(place)s. Give each its own.")
                    if self.screen.shows_files
                    else gettext(
                        "“%(criterion)s”: texts %(one)s and %(other)s are both at place %(place)s. Give each its own."
                    )
                )
                self.add_error(field_name(shown.position, criterion.key), sentence % about)

    def _refuse_gap(self, criterion: Criterion, places: Sequence[tuple[ShownPart, int]]) -> None:
        missing = gap([place for _shown, place in places])
        if missing is not None:
            behind = next(shown for shown, place in places if place > missing)
            sentence = (
                gettext("“%(criterion)s”: place %(place)s is empty. Begin with 1 and leave no place out.")
                if self.screen.shows_files
                else gettext("“%(criterion)s”: no text is at place %(place)s. Begin with 1 and leave no place out.")
            )
            about = {"criterion": criterion.quoted, "place": missing}
            self.add_error(field_name(behind.position, criterion.key), sentence % about)


def _field(criterion: Criterion, shown: ShownPart, n: int, shows_files: bool) -> forms.Field:
    about = {"criterion": criterion.quoted, "letter": shown.letter, "n": n}
    label = gettext("%(criterion)s: place of text %(letter)s")
    missing = gettext("“%(criterion)s”: give text %(letter)s a place.")
    wrong = gettext("“%(criterion)s”: the place of text %(letter)s must be a whole number from 1 to %(n)s.")
    if shows_files:
        label = gettext("%(criterion)s: place of %(letter)s")
        missing = gettext("“%(criterion)s”: give %(letter)s a place.")
        wrong = gettext("“%(criterion)s”: the place of %(letter)s must be a whole number from 1 to %(n)s.")
    return forms.IntegerField(
        min_value=1,
        max_value=n,
        widget=forms.TextInput(attrs={"inputmode": "numeric"}),
        label=label % {"criterion": criterion.name, "letter": shown.letter},
        error_messages={
            "required": missing % about,
            "invalid": wrong % about,
            "min_value": wrong % about,
            "max_value": wrong % about,
        },
    )
