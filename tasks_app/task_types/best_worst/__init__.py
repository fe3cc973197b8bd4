"""Best-worst scaling: of a few texts, choose the best and the worst."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from tasks_app.settings.fields import choice_field, line_field, whole_field
from tasks_app.settings.orders import latin_orders
from tasks_app.task_types.base import (
    Act,
    AnsweredOption,
    AnsweredQuestion,
    Criterion,
    GoldAnswer,
    Graded,
    Instruction,
    ItemTexts,
    LaidOver,
    Outcome,
    Parameters,
    Quality,
    Sample,
    Scale,
    Screen,
    ScreenForm,
    ShownPart,
    UnitDraft,
    Value,
    Words,
)
from tasks_app.task_types.best_worst.known_answers import by_end, end_key, grade_choice
from tasks_app.task_types.best_worst.tuples import design, draw
from tasks_app.task_types.instructed import check_text
from tasks_app.task_types.registry import register
from tasks_app.task_types.simulation import share_of
from tasks_app.task_types.texts import SeveralTexts
from tasks_app.texts import languages


def field_name(end: str, criterion: str) -> str:
    """Name the form field of one end (best, worst) and criterion."""
    return f"{end}-{criterion}"


@dataclass(frozen=True, slots=True)
class Choice:
    """One text that can be chosen for one end: the field, its place, and whether it is chosen."""

    field: forms.BoundField
    end: str
    word: str
    language: str
    shown: ShownPart
    checked: bool


@dataclass(frozen=True, slots=True)
class Row:
    """One text on the screen with the ends it can be chosen for."""

    shown: ShownPart
    choices: tuple[Choice, ...]


@dataclass(frozen=True, slots=True)
class Question:
    """One criterion with all texts; `missing` holds the sentence to show while one end, or both, are not chosen."""

    criterion: Criterion
    words: str
    best: forms.BoundField
    worst: forms.BoundField
    rows: tuple[Row, ...]
    missing: Mapping[str, str]

    @property
    def errors(self) -> list[str]:
        """The error messages of both choices."""
        return [str(error) for field in (self.best, self.worst) for error in field.errors]


class TextField(forms.TypedChoiceField):
    """A choice of one of the texts on the screen, by its place; `texts` names them as the screen does."""

    def __init__(self, *, texts: Mapping[str, str], missing: str, label: str) -> None:
        super().__init__(
            choices=list(texts.items()),
            coerce=int,
            empty_value=None,
            widget=forms.RadioSelect,
            label=label,
            error_messages={"required": missing, "invalid_choice": missing},
        )
        self.texts = texts

    def in_words(self, value: object) -> str:
        """Name the text as the screen does."""
        return self.texts.get(str(value), "")


class BestWorstForm(ScreenForm):
    """The form of a screen."""

    kind: BestWorst

    def make_fields(self) -> Iterator[tuple[str, forms.Field]]:
        """Yield a choice of the best and one of the worst for every criterion."""
        screen = self.screen
        own = {"best": self.kind.best_word, "worst": self.kind.worst_word}
        with languages.speaking(screen.language) as spoken:
            ours = {"best": gettext("Best"), "worst": gettext("Worst")}
        self.words = {end: word or ours[end] for end, word in own.items()}
        self.language_of = {end: screen.language if word else spoken for end, word in own.items()}
        texts = {str(shown.position): shown.name for shown in screen.shown_parts}
        for criterion in screen.shown_criteria:
            question = criterion.wording
            for end, word in self.words.items():
                yield (
                    field_name(end, criterion.key),
                    TextField(texts=texts, missing=self._missing(criterion, word), label=f"{question} {word}"),
                )

    def clean(self) -> dict[str, object]:
        """Refuse one text for both ends."""
        cleaned = super().clean() or self.cleaned_data
        for criterion in self.screen.shown_criteria:
            best, worst = (cleaned.get(field_name(end, criterion.key)) for end in ("best", "worst"))
            if best is not None and best == worst:
                sentence = (
                    gettext("“%(criterion)s”: make two different choices for “%(best)s” and “%(worst)s”.")
                    if self.screen.shows_files
                    else gettext("“%(criterion)s”: choose two different texts for “%(best)s” and “%(worst)s”.")
                )
                self.add_error(
                    field_name("worst", criterion.key), sentence % {"criterion": criterion.quoted, **self.words}
                )
        return cleaned

    def questions(self) -> list[Question]:
        """Return the criteria with their texts, for the template."""
        return [self._question(criterion) for criterion in self.screen.shown_criteria]

    def _question(self, criterion: Criterion) -> Question:
        fields = {end: self[field_name(end, criterion.key)] for end in self.words}
        rows = tuple(
            Row(
                shown,
                tuple(
                    Choice(
                        field,
                        end,
                        self.words[end],
                        self.language_of[end],
                        shown,
                        str(field.value()) == str(shown.position),
                    )
                    for end, field in fields.items()
                ),
            )
            for shown in self.screen.shown_parts
        )
        both = (
            gettext("“%(criterion)s”: make a choice for “%(best)s” and another for “%(worst)s”.")
            if self.screen.shows_files
            else gettext("“%(criterion)s”: choose a text for “%(best)s” and another for “%(worst)s”.")
        )
        return Question(
            criterion=criterion,
            words=criterion.wording,
            best=fields["best"],
            worst=fields["worst"],
            rows=rows,
            missing={
                **{end: self._missing(criterion, word) for end, word in self.words.items()},
                "both": both % {"criterion": criterion.quoted, **self.words},
            },
        )

    def _missing(self, criterion: Criterion, word: str) -> str:
        about = {"criterion": criterion.quoted, "word": word}
        if self.screen.shows_files:
            return gettext("“%(criterion)s”: make a choice for “%(word)s”.") % about
        return gettext("“%(criterion)s”: choose a text for “%(word)s”.") % about


# The number of tuples with each text, where tuples mix all items. Of four texts each, these are twice as many tuples as
# texts: with so many, Kiritchenko and Mohammad (2016) found scores that halves of the raters agree on.
APPEARANCES = 8

BEST, WORST, NEITHER = "best", "worst", "neither"


NO_INSTRUCTION = _(
    "Screens mix the texts of several items, so a check would stand among texts that are judged. Show some "
    "texts twice instead: “Units of a set that are shown twice”, below."
)


@register
class BestWorst(SeveralTexts):
    """The best and the worst of three to five texts for each criterion; the others are stored as neither.

    Tuples are made here, each text in equally many and pairs spread evenly: of the texts of one item, or of all.
    """

    label = _("Best-worst scaling")
    purpose = _("Pick the best and the worst")
    summary = _("A rater chooses the best and the worst of a few texts.")
    source = (
        "Louviere, Flynn and Marley (2015). Best-Worst Scaling: Theory, Methods and Applications. Cambridge University "
        "Press. Kiritchenko and Mohammad (2017). Best-worst scaling more reliable than rating scales. ACL."
    )
    use_when = _(
        "Differences are small, or scales are used in too many ways: choosing is easier than rating, and one choice of "
        "best and worst among four texts settles five of their six pairs."
    )
    analysed = _(
        "Times chosen as best less times chosen as worst, divided by times shown, with intervals; ranks; and how well "
        "scores from two halves of the judgments agree."
    )
    limits = _(
        "Scores compare texts with each other only and say nothing of how good all of them are. More than five texts "
        "are too many to hold in mind. An item whose texts are all alike is left out, since nothing can be chosen."
    )
    outcomes = (
        Outcome(
            "choice",
            Scale.NOMINAL,
            per="criterion",
            column="label",
            doc=_("best, worst or neither, for every text on the screen, so that the data say which texts were shown."),
        ),
    )
    default_instructions = _(
        "Read all the texts. Then choose the best one and the worst one: two different texts. If two seem equally "
        "good, go with your first impression. There are no right or wrong answers: we want to know how you see it."
    )
    acts = frozenset({Act.COMPARE, Act.CHOOSE_ENDS})
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
                question="Which of these texts is the best, and which is the worst?",
            ),
        )
    )

    Form = BestWorstForm

    size = whole_field(_("Texts on a screen"), _("Four are usual."), within=(3, 5), initial=4)
    of = choice_field(
        _("Choose among"),
        (
            ("item", _("the texts of one item")),
            ("item_once", _("the texts of one item, each on one screen only")),
            ("all", _("texts of all items, mixed")),
        ),
        _(
            "On one screen only, each text is shown once, and over all items every two systems meet about equally "
            "often. Mixed, texts stand alone: no source, reference or media is shown with them."
        ),
        initial="item",
    )
    appearances = whole_field(
        _("Screens for each text"),
        _("Leave empty for 8 if items are mixed, otherwise for just enough that every two texts of an item meet."),
        within=(1, 100),
    )
    best_word = line_field(_("Word for the best"), _("Such as “Most positive”. Leave empty for “Best”."), length=60)
    worst_word = line_field(_("Word for the worst"), _("Such as “Most negative”. Leave empty for “Worst”."), length=60)

    class Settings(Parameters):
        def clean(self) -> dict[str, object]:
            """Refuse one word for both ends, a word for one end only, and a number of screens for texts shown once."""
            cleaned = super().clean() or self.cleaned_data
            if cleaned.get("of") == "item_once" and cleaned.get("appearances") is not None:
                self.add_error("appearances", _("Each text is on one screen only. Leave this empty."))
            best, worst = cleaned.get("best_word"), cleaned.get("worst_word")
            if bool(best) != bool(worst) or (best and best == worst):
                self.add_error("worst_word", _("Give two different words, or none."))
            return cleaned

    def instructed(self, criteria: Sequence[Criterion], check: int) -> Instruction | Words:
        """Ask for the best and the worst of three texts, unless texts of several items meet on a screen."""
        if self.of == "all":
            return NO_INSTRUCTION
        best, worst = self.best_word or gettext("Best"), self.worst_word or gettext("Worst")
        as_end = gettext("Please choose this text as “%(word)s”.")
        sentences = [as_end % {"word": best}, as_end % {"word": worst}, gettext("Please do not choose this text.")]
        shift = check % len(sentences)
        turned = sentences[shift:] + sentences[:shift]
        order = [turned.index(sentences[0]) + 1, turned.index(sentences[1]) + 1]
        texts = tuple(("", check_text(sentence)) for sentence in turned)
        return Instruction(texts, tuple((criterion.key, "order", order) for criterion in criteria))

    def units(self, items: Sequence[ItemTexts], rng: Random) -> Iterator[UnitDraft]:
        """Make one unit a tuple, of the texts of each item or of all items."""
        if self.of == "all":
            yield from self._over_all(items, rng)
        elif self.of == "item_once":
            yield from self.units_of_screens(items, self.size, rng)
        else:
            yield from self._within_items(items, rng)

    def _within_items(self, items: Sequence[ItemTexts], rng: Random) -> Iterator[UnitDraft]:
        """Make tuples of the texts of each item; the texts that are in one tuple more than others rotate over items."""
        turns: dict[int, Iterator[tuple[int, ...]]] = {}
        for item in items:
            n = len(item.groups)
            if n < 2:
                continue
            if n <= self.size:
                yield UnitDraft(item.unit_key, item.key, item.groups, item.document)
                continue
            names = next(turns.setdefault(n, latin_orders(n, rng)))
            for number, places in enumerate(design(n, self.size, self.appearances), start=1):
                parts = tuple(item.groups[text] for text in sorted(names[place] for place in places))
                yield UnitDraft(f"{item.unit_key}/{number}", item.key, parts, item.document)

    def _over_all(self, items: Sequence[ItemTexts], rng: Random) -> Iterator[UnitDraft]:
        """Make tuples of the texts of all items; equal texts of different items never stand in one."""
        texts = [(item.key, group, item.outputs[group[0]].content) for item in items for group in item.groups]
        drawn = draw([text for _item, _group, text in texts], self.size, self.appearances or APPEARANCES, rng)
        for number, members in enumerate(drawn, start=1):
            shown = [texts[text] for text in sorted(members)]
            yield UnitDraft(
                f"tuple-{number}",
                None,
                tuple(group for _item, group, _text in shown),
                part_items=tuple(item for item, _group, _text in shown),
            )

    def labels_of(self, criterion: Criterion | None) -> tuple[str, ...] | None:
        """Return the labels that texts are stored with: best, worst and neither."""
        return (BEST, WORST, NEITHER)

    def ratings(self, screen: Screen, cleaned: Mapping[str, object]) -> Iterator[Value]:
        """Give every text on the screen a label: best, worst or neither."""
        for criterion in screen.shown_criteria:
            chosen = {cleaned[field_name(end, criterion.key)]: end for end in (WORST, BEST)}
            for shown in screen.shown_parts:
                label = chosen.get(shown.position, NEITHER)
                yield Value("choice", part=shown.part.number, criterion=criterion.key, label=label)

    def grade(self, screen: Screen, cleaned: Mapping[str, object], gold: Sequence[GoldAnswer]) -> tuple[Graded, ...]:
        """Compare with known answers: texts of the unit by their numbers from 1, or the label of one part."""
        values = tuple(self.ratings(screen, cleaned))
        return tuple(grade_choice(values, answer, len(screen.parts)) for answer in gold)

    def answered_questions(self, screen: Screen, cleaned: Mapping[str, object]) -> Iterator[AnsweredQuestion]:
        """Yield the choice of the best and of the worst for every criterion, the texts by their numbers from 1."""
        form = self.form(screen)
        for criterion in screen.shown_criteria:
            for end in (BEST, WORST):
                name = field_name(end, criterion.key)
                options = (
                    AnsweredOption(
                        shown.name,
                        float(shown.part.number + 1),
                        str(shown.position) == str(cleaned.get(name)),
                    )
                    for shown in screen.shown_parts
                )
                key, title = end_key(end, criterion.key), str(form.fields[name].label)
                yield AnsweredQuestion(key, title, (name,), criterion.language, options=tuple(options), unnamed=False)

    def laid_over(self, screen: Screen, cleaned: Mapping[str, object], gold: Sequence[GoldAnswer]) -> LaidOver:
        """Compare the choice of the best text, and that of the worst where the known answer is an order."""
        return super().laid_over(screen, cleaned, list(by_end(gold, screen.criteria)))

    def heds(self, criterion: Criterion | None) -> dict[str, str]:
        """Describe the choice as an instrument."""
        size = {"n": self.size}
        return {
            "4.3.3": "3",
            "4.3.4": gettext("best, worst, neither: one best and one worst among at most %(n)s texts") % size,
            "4.3.5": "multiple choice",
            "4.3.8": "relative quality estimation",
        }

    def simulate(self, screen: Screen, quality: Quality, rng: Random) -> dict[str, str]:
        """Choose by the latent quality of the texts as this rater sees it; a straight-liner by their places."""
        answers: dict[str, str] = {}
        shown_parts = screen.shown_parts
        for criterion in screen.shown_criteria:
            by_place = quality is Quality.STRAIGHT_LINER
            shares = {
                shown.position: -shown.position
                if by_place
                else share_of(shown.part.content, criterion.key, quality, rng)
                for shown in shown_parts
            }
            ordered = sorted(shares, key=lambda position: shares[position])
            answers[field_name(BEST, criterion.key)] = str(ordered[-1])
            answers[field_name(WORST, criterion.key)] = str(ordered[0])
        return answers
