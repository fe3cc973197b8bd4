"""Ranking: all texts of an item put in order, best first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from random import Random

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from tasks_app.settings.fields import YesNoField, whole_field
from tasks_app.task_types import blocks
from tasks_app.task_types.base import (
    Act,
    Compared,
    Criterion,
    Feedback,
    GoldAnswer,
    Graded,
    Instruction,
    ItemTexts,
    LaidOver,
    Outcome,
    Quality,
    Sample,
    Scale,
    Screen,
    ScreenForm,
    ShownPart,
    UnitDraft,
    Value,
)
from tasks_app.task_types.data import orders
from tasks_app.task_types.instructed import alternated, check_text
from tasks_app.task_types.registry import register
from tasks_app.task_types.simulation import share_of
from tasks_app.task_types.texts import SeveralTexts
from tasks_app.task_types.written import written


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


# Nobody can keep more texts in mind.
MOST_TEXTS = 10

# A simulated rater ties texts that seem nearer to each other than this share of the scale.
INDISTINCT = 0.03


@register
class Ranking(SeveralTexts):
    """All texts of an item put in order for each criterion, with ties or without.

    The order in which texts stand on the screen is drawn and is not an answer: no text has a place until the rater
    gives it one. What is stored are standings: 1 is the best, texts that tie share a place, and as many places are
    left out after it (1, 1, 3).
    """

    label = _("Ranking")
    purpose = _("Order several texts")
    summary = _("A rater puts all texts of an item in order, best first.")
    source = (
        "Bojar et al. (2016). Findings of the 2016 Conference on Machine Translation. WMT. "
        "Ramírez-Sánchez et al. (2022). Human evaluation of web-crawled parallel corpora for machine translation. "
        "HumEval."
    )
    use_when = _(
        "Use it to find out which of a few systems is better, when how much better does not matter and differences are "
        "too small for a scale. Three to five texts at a time are best."
    )
    analysed = _(
        "Mean and median rank with interval, share of first places, better, worse and tied per pair of systems, "
        "Kendall's W corrected for ties, the Friedman test, Plackett-Luce or TrueSkill with rank ranges, and the "
        "effect of the start order."
    )
    limits = _(
        "Ranks say which text is better, never by how much or whether it is good. The pairs that one ranking implies "
        "do not count as independent judgments. Beyond five texts, the middle of the order is guesswork. An item "
        "whose outputs are all identical is not shown."
    )
    outcomes = (
        Outcome(
            "rank",
            Scale.ORDINAL,
            per="criterion",
            doc=_(
                "Place of the text among those of its screen; 1 is the best. Texts that tie share a place, and as many "
                "places are left out after it (1, 1, 3). shown_value is where the text stood on the screen."
            ),
            low_is_good=True,
        ),
    )
    default_instructions = _(
        "Read all texts first. Then put them in order for each question: tap or click them one after the other, best "
        "first, or press their letters. You can drag them, undo your last step, or type the places. The order in "
        "which you find the texts means nothing."
    )
    acts = frozenset({Act.COMPARE, Act.ORDER})
    side_by_side = True
    grades_values = False
    judges_files = True
    has_styles = True
    begins_with = Sample(
        criteria=(
            Criterion(
                "quality",
                "Overall quality",
                definition="Everything that matters to you in a text like these.",
                question="In which order would you put these texts?",
                low="Worst",
                high="Best",
            ),
        )
    )

    Form = RankingForm

    ties = YesNoField(label=_("Allow ties"), help_text=_("Raters may give several texts the same place."))
    max_texts = whole_field(
        _("Most texts on a screen"),
        _("An item with more different texts is refused, unless “Texts at a time” is set. Five or fewer are best."),
        within=(2, MOST_TEXTS),
        initial=5,
    )
    texts_a_screen = blocks.texts_field(MOST_TEXTS)

    @property
    def most_places(self) -> int:
        """The most texts that one screen can have."""
        return self.texts_a_screen or self.max_texts

    def item_problems(self, item: ItemTexts) -> Iterator[str]:
        """Yield a sentence where an item has too few outputs to be ranked, or too many different ones."""
        if len(item.outputs) < 2:
            yield gettext("A ranking needs at least two outputs; this item has %(n)d.") % {"n": len(item.outputs)}
        if not self.texts_a_screen and len(item.groups) > self.max_texts:
            sentence = gettext(
                "This item has %(n)d different texts to be ranked; max_texts is %(most)d. Set texts_a_screen to rank a "
                "few at a time, leave outputs out, or raise max_texts (at most %(limit)d)."
            )
            yield sentence % {"n": len(item.groups), "most": self.max_texts, "limit": MOST_TEXTS}

    def heds(self, criterion: Criterion | None) -> dict[str, str]:
        """Describe the order as an instrument."""
        ties = gettext("ties are allowed") if self.ties else gettext("each place is given once")
        return {
            "4.3.3": gettext("As many places as texts on the screen, at most %(n)s") % {"n": self.most_places},
            "4.3.4": gettext("1 (best) to the number of texts; %(ties)s") % {"ties": ties},
            "4.3.5": gettext("Other: texts are put in order by tapping, letters, dragging or by typing their places"),
            "4.3.8": "relative quality estimation",
        }

    def instructed(self, criteria: Sequence[Criterion], check: int) -> Instruction:
        """Ask for the places of two texts."""
        places = alternated((1, 2), check)
        texts = tuple(
            ("", check_text(gettext("Please give this text place %(n)d.") % {"n": place})) for place in places
        )
        return Instruction(texts, tuple((criterion.key, "order", places) for criterion in criteria))

    def scale_of(self, criterion: Criterion | None = None) -> tuple[float, float, float]:
        """Return the places 1, 2 … up to the most texts on a screen."""
        return 1.0, float(self.most_places), 1.0

    def problem_in_value(self, value: float, criterion: Criterion | None) -> str | None:
        """Refuse a number that is no place."""
        _low, high, _step = self.scale_of()
        if value.is_integer() and 1 <= value <= high:
            return None
        about = {"high": written(high), "value": written(value)}
        return gettext("must be a place, a whole number from 1 to %(high)s; it is %(value)s.") % about

    def units(self, items: Sequence[ItemTexts], rng: Random) -> Iterator[UnitDraft]:
        """Make one unit a screen of distinct texts of an item; where there is one text only, nothing can be ranked."""
        return self.units_of_screens(items, self.texts_a_screen, rng)

    def ratings(self, screen: Screen, cleaned: Mapping[str, object]) -> Iterator[Value]:
        """Yield one standing for each text and criterion, on the canonical number of the text."""
        shown_parts = screen.shown_parts
        for criterion in screen.shown_criteria:
            given = [int(str(cleaned[field_name(shown.position, criterion.key)])) for shown in shown_parts]
            for shown, place in zip(shown_parts, standing(given), strict=True):
                yield Value(
                    "rank",
                    part=shown.part.number,
                    criterion=criterion.key,
                    value=float(place),
                    shown_value=float(shown.position),
                )

    def simulate(self, screen: Screen, quality: Quality, rng: Random) -> dict[str, str]:
        """Rank by the latent quality of each text, with the noise of the rater's quality.

        A straight-liner takes the texts as they stand on the screen.
        """
        answers: dict[str, str] = {}
        for criterion in screen.shown_criteria:
            shares = {
                shown.position: share_of(shown.part.content, criterion.key, quality, rng)
                for shown in screen.shown_parts
            }
            order = sorted(shares, key=lambda position: -shares[position])
            place = before = 0
            for number, position in enumerate(order, start=1):
                tied = (
                    self.ties
                    and before
                    and quality is not Quality.STRAIGHT_LINER
                    and shares[before] - shares[position] < INDISTINCT
                )
                place = place if tied else number
                answers[field_name(position, criterion.key)] = str(place)
                before = position
        return answers

    def grade(self, screen: Screen, cleaned: Mapping[str, object], gold: Sequence[GoldAnswer]) -> tuple[Graded, ...]:
        """Compare with known answers, of kind order too: texts of the unit, counted from 1, better ones first."""
        graded = []
        for answer in gold:
            if answer.kind == "order":
                given = self._places(screen, cleaned, answer)
                passed = all(place < following for place, following in pairwise(given))
                graded.append(Graded(answer, passed, tuple(given)))
            elif answer.part is None:
                raise ValueError(
                    gettext("A known ranking is of kind order: texts of the unit, better ones first, such as [2, 1].")
                )
            else:
                graded += super().grade(screen, cleaned, [answer])
        return tuple(graded)

    def laid_over(self, screen: Screen, cleaned: Mapping[str, object], gold: Sequence[GoldAnswer]) -> LaidOver:
        """Return the known orders beside the rater's."""
        compared = []
        for answer in gold:
            if answer.kind != "order" or not isinstance(answer.answer, list | tuple):
                continue
            about = [criterion for criterion in screen.criteria if answer.criterion in {None, criterion.key}]
            for criterion in about[:1]:
                names = {shown.part.number: field_name(shown.position, criterion.key) for shown in screen.shown_parts}
                given = {number: int(str(cleaned[name])) for number, name in names.items() if cleaned.get(name)}
                beside = orders([int(text) - 1 for text in answer.answer], screen.shown_parts, given)
                title = criterion.wording
                compared.append(Compared(title, tuple(names.values()), criterion.language, orders=beside))
        return LaidOver(questions=tuple(compared))

    def _places(self, screen: Screen, cleaned: Mapping[str, object], gold: GoldAnswer) -> list[float]:
        """Return the places that the texts of a known order were given.

        Raises
        ------
        ValueError
            Where the answer is no order of texts of the unit, or does not say for which of several criteria.
        """
        keys = [criterion.key for criterion in screen.criteria]
        criterion = gold.criterion or (keys[0] if len(keys) == 1 else None)
        if criterion is None:
            raise ValueError(gettext("Several criteria are asked. Say which one this order is about."))
        order = gold.answer
        parts = range(1, len(screen.parts) + 1)
        if not isinstance(order, list | tuple) or len(order) < 2 or len({*map(str, order)}) < len(order):
            raise ValueError(gettext("An order is a list of different texts, better ones first, such as [2, 1]."))
        if not all(isinstance(text, int) and not isinstance(text, bool) and text in parts for text in order):
            raise ValueError(
                gettext("An order names the texts of the unit by their numbers, 1 to %(n)d.") % {"n": len(parts)}
            )
        ranks = {value.part: value.value for value in self.ratings(screen, cleaned) if value.criterion == criterion}
        return [rank for text in order if (rank := ranks[text - 1]) is not None]

    def feedback(
        self, screen: Screen, cleaned: Mapping[str, object], gold: Sequence[GoldAnswer]
    ) -> tuple[Feedback, ...]:
        """Return feedback with the expected order, by the letters that the rater saw."""
        results = list(super().feedback(screen, cleaned, gold))
        letters = {shown.part.number + 1: shown.letter for shown in screen.shown_parts}
        names = {criterion.key: criterion.name for criterion in screen.criteria}
        for number, answer in enumerate(gold):
            if answer.kind == "order" and not results[number].passed and isinstance(answer.answer, list | tuple):
                order = " > ".join(letters[int(part)] for part in answer.answer)
                sentence = gettext("%(criterion)s: not quite. The order is %(order)s, better texts first.")
                about = {"criterion": names.get(answer.criterion or "", gettext("Order")), "order": order}
                results[number] = Feedback(False, sentence % about, answer.explanation)
        return tuple(results)
