"""Predictions: labels that several models predicted for an item, such as the sense of a word, judged right or wrong."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from django import forms
from django.utils.functional import classproperty
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from tasks_app.settings.fields import YesNoField
from tasks_app.task_types.base import (
    AnsweredOption,
    AnsweredQuestion,
    Criterion,
    GoldAnswer,
    Graded,
    Instruction,
    ItemTexts,
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
from tasks_app.task_types.data import accepts
from tasks_app.task_types.instructed import NUMBERS, check_text
from tasks_app.task_types.labels import DetailQuestion, Question
from tasks_app.task_types.labels.options import EVERY, NONE, Detail, in_drawn_order, problem_in_options
from tasks_app.task_types.list_fields import TICKED, TickField, digit
from tasks_app.task_types.option_questions import NOT_AN_OPTION, Option, missing
from tasks_app.task_types.registry import register
from tasks_app.task_types.simulation import share_of
from tasks_app.task_types.texts import SeveralTexts
from tasks_app.texts.languages import spoken

# The answers that are about all predictions together; the last two are also stored labels.
BOTH, NONE_RIGHT, CANNOT_TELL, WRONG_TEXT = "both", "none_right", "cannot_tell", "wrong_text"
ALONE = (NONE_RIGHT, CANNOT_TELL, WRONG_TEXT)

# What an item says there is no choice but the tasks that show it, as every attention check does.
ONLY_TASKS = "only_tasks"

# More predictions are judged by a box for each of them.
MOST_IN_A_LIST = 2

# Names of fields: the single choice, the box of a prediction by its place on the screen, that of an answer about all.
ANSWER, TICK, TICK_ALONE, RIGHT_OPTION = "answer", "right-{position}", "all-{answer}", "right-option"


@dataclass(frozen=True, slots=True)
class Row:
    """A prediction on the screen, for the template."""

    shown: ShownPart
    name: str


class PredictionsForm(ScreenForm):
    """The answer to the one question of a screen: a choice for one or two predictions, boxes to tick for more."""

    kind: Predictions

    def make_fields(self) -> Iterator[tuple[str, forms.Field]]:
        """Yield the choice or the boxes, and the choice of the right option where the item has options."""
        self.options = self.kind.options_to_offer(self.screen)
        choices, question = self._choices(), self._criterion.wording
        if self.is_ticked:
            yield from ((name, TickField(required=False, label=f"{question} {words}")) for name, _key, words in choices)
        else:
            keys = [(key, words) for _name, key, words in choices]
            yield ANSWER, _choice_field(question, keys)
        if self.options:
            none = (NONE, gettext("None of these"))
            yield RIGHT_OPTION, _choice_field(_which(), [*((option, option) for option in self.options), none])

    @property
    def _criterion(self) -> Criterion:
        (criterion,) = self.kind.asked(self.screen.shown_criteria)
        return criterion

    @property
    def is_ticked(self) -> bool:
        """Whether each prediction has a box to tick, since there are many."""
        return len(self.screen.parts) > MOST_IN_A_LIST

    def _choices(self) -> list[tuple[str, str, str]]:
        """Return name of the field, key and words of each answer, in the order of the screen."""
        shown = self.screen.shown_parts
        if len(shown) == 1:
            about_each = [("1", gettext("The prediction is right"))]
            none = gettext("The prediction is wrong")
        elif len(shown) == MOST_IN_A_LIST:
            about_each = [
                (str(one.position), gettext("Only %(letter)s is right") % {"letter": one.letter}) for one in shown
            ]
            about_each.append((BOTH, gettext("Both are right")))
            none = gettext("Neither is right")
        else:
            about_each = [(str(one.position), gettext("%(letter)s is right") % {"letter": one.letter}) for one in shown]
            none = gettext("None of them is right")
        about_all = {
            NONE_RIGHT: none,
            CANNOT_TELL: gettext("I cannot tell"),
            WRONG_TEXT: gettext("Something is wrong with the source"),
        }
        return [
            *((TICK.format(position=key), key, words) for key, words in about_each),
            *((TICK_ALONE.format(answer=key), key, words) for key, words in about_all.items()),
        ]

    def rows(self) -> list[Row]:
        """Return the predictions in the order of the screen, for the template."""
        shown = self.screen.shown_parts
        return [Row(one, self.kind.name_of(one, alone=len(shown) == 1)) for one in shown]

    def unasked(self, cleaned: Mapping[str, object]) -> Collection[str]:
        """Return the right option where a prediction is right or nothing could be said."""
        return () if self.chosen(cleaned)[1] == NONE_RIGHT else (RIGHT_OPTION,)

    def questions(self) -> list[Question]:
        """Return the question with its options, and the question after “none”, for the template."""
        criterion, choices = self._criterion, self._choices()
        first = self[choices[0][0] if self.is_ticked else ANSWER]
        none = next(words for _name, key, words in choices if key == NONE_RIGHT)
        return [
            Question(
                title=criterion.wording,
                criterion=criterion,
                id=first.auto_id,
                multiple=self.is_ticked,
                options=tuple(self._option(n, *choice) for n, choice in enumerate(choices, start=1)),
                details=tuple(self._details(none)),
                words=None,
                errors=tuple(str(error) for errors in self.errors.values() for error in errors)
                if self.is_bound
                else (),
            )
        ]

    def _option(self, number: int, name: str, key: str, words: str) -> Option:
        field = self[name if self.is_ticked else ANSWER]
        value = TICKED if self.is_ticked else key
        checked = field.value() in (TICKED, True) if self.is_ticked else field.value() == key
        return Option(field.html_name, value, words, checked, digit(number), stands_alone=key in ALONE)

    def _details(self, none: str) -> Iterator[DetailQuestion]:
        if not self.options:
            return
        field, language = self[RIGHT_OPTION], self.screen.language
        options = [(option, option, language) for option in self.options]
        options.append((NONE, gettext("None of these"), ""))
        yield DetailQuestion(
            Detail(1, RIGHT_OPTION, none, _which(), self.options, optional=False),
            field,
            tuple(
                Option(field.html_name, value, words, field.value() == value, digit(n), language=spoken)
                for n, (value, words, spoken) in enumerate(options, start=1)
            ),
        )

    def chosen(self, cleaned: Mapping[str, object]) -> tuple[tuple[int, ...], str]:
        """Return the places of the predictions that are right by an answer, and the answer about all ("" for none)."""
        places = [shown.position for shown in self.screen.shown_parts]
        if self.is_ticked:
            right = tuple(place for place in places if cleaned.get(TICK.format(position=place)))
            return right, next((key for key in ALONE if cleaned.get(TICK_ALONE.format(answer=key))), "")
        answer = str(cleaned.get(ANSWER) or "")
        if answer in ALONE:
            return (), answer
        return tuple(place for place in places if answer in {str(place), BOTH}), ""

    def clean(self) -> dict[str, object]:
        """Require an answer, and the right option where no prediction is right; drop the option elsewhere."""
        cleaned: dict[str, object] = super().clean() or self.cleaned_data
        choices = self._choices()
        first = choices[0][0] if self.is_ticked else ANSWER
        right, about_all = self.chosen(cleaned)
        n_alone = sum(bool(cleaned.get(TICK_ALONE.format(answer=key))) for key in ALONE)
        if not right and not about_all and not self.errors:
            self.add_error(first, missing(self._criterion.wording))
        elif n_alone > 1 or (right and about_all):
            self.add_error(first, gettext("Tick predictions that are right, or one of the last three answers."))
        if RIGHT_OPTION in self.fields:
            if about_all != NONE_RIGHT:
                cleaned[RIGHT_OPTION] = ""
                self.errors.pop(RIGHT_OPTION, None)
            elif not cleaned.get(RIGHT_OPTION) and RIGHT_OPTION not in self.errors:
                self.add_error(RIGHT_OPTION, missing(_which()))
        return cleaned


def _which() -> str:
    return gettext("Which of these is right?")


def _choice_field(label: str, choices: list[tuple[str, str]]) -> forms.ChoiceField:
    return forms.ChoiceField(choices=choices, required=False, label=label, error_messages=NOT_AN_OPTION)


# Stored labels of a prediction; with CANNOT_TELL or WRONG_TEXT nothing was said about it.
RIGHT, WRONG = "right", "wrong"
VERDICTS = (RIGHT, WRONG, CANNOT_TELL, WRONG_TEXT)

VERDICT = Outcome(
    "verdict",
    Scale.NOMINAL,
    per="criterion",
    column="label",
    doc=_(
        "right or wrong, of each prediction; where the rater could not judge them, all predictions of a screen have "
        "cannot_tell or wrong_text."
    ),
)
OPTION = Outcome(
    RIGHT_OPTION,
    Scale.NOMINAL,
    per="unit",
    column="label",
    criterion=RIGHT_OPTION,
    optional=True,
    several=True,
    doc=_(
        "The right option of the item, for items that have options: the right prediction, or where none is right the "
        "option that the rater chose instead; none_of_these where no option is right. Its criterion is right-option."
    ),
)

# To a simulated rater, as shares of a scale: a prediction is right from the first one on, and no option of an item
# fits below the second one.
RIGHT_FROM, NONE_BELOW = 0.5, 0.2


@register
class Predictions(SeveralTexts):
    """All different predictions for an item on one screen, without the names of the models, and which are right.

    Outputs are predictions. Identical ones are shown once, and count for every model that made them. The order on the
    screen is drawn, each prediction in every place equally often.
    """

    label = _("Predictions")
    purpose = _("Judge what models predicted")
    summary = _("A rater sees what several models predicted for an item and says which predictions are right.")
    source = (
        "Lưu (2022). Towards human evaluation of mutual understanding in human-computer spontaneous conversation: an "
        "empirical study of word sense disambiguation for naturalistic social dialogs in American English. HumEval."
    )
    use_when = _(
        "Models choose a sense, a label or a short answer for each item, and you want to know how often each model is "
        "right. Use labels to have people choose without seeing predictions."
    )
    analysed = _(
        "Share of right predictions by model with tests, also by part of speech or any feature of items; how often "
        "both models, one of them or neither is right; how often the options of an item have the right one."
    )
    limits = _(
        "Raters who see a plausible prediction accept it more easily than they would have chosen it. Have some items "
        "labelled without predictions, too, if the share itself matters and not only the difference of models."
    )
    outcomes = (VERDICT, OPTION)
    default_instructions = _(
        "Read the source. Below it are predictions by computer programs. Say which of them are right here: one, "
        "several or none. Which prediction stands first was decided at random and means nothing. If you cannot tell, "
        "or if something is wrong with the source, say so."
    )
    criteria_needed = (1, 1)
    asks_apart = False
    judges_files = False
    has_styles = True
    begins_with = Sample(criteria=(Criterion("right", "Right prediction", question="Which prediction is right here?"),))
    sample = Sample(
        criteria=(Criterion("right", "Right prediction", question="Which prediction is right here?"),),
        options={EVERY: ["The bus replaces the train.", "The train replaces the bus.", "Nothing is running."]},
    )

    Form = PredictionsForm

    ask_right_option = YesNoField(
        initial=True,
        label=_("Ask for the right option"),
        help_text=_(
            "If no prediction is right, raters choose the right one of the item's options. These stand in the column "
            "options of the items, under the question's key or “labels”; items without them have no such question."
        ),
    )
    shuffle_options = YesNoField(
        label=_("Another order of the options for each rater"),
        help_text=_("Otherwise the options of an item stand as they are given."),
    )

    @classproperty
    def script(cls) -> str:
        """The script of labels: the question has the same form."""
        return "js/task_types/labels.js"

    @classproperty
    def styles(cls) -> str:
        """The style sheet of labels."""
        return "css/task_types/labels.css"

    @property
    def has_several_texts(self) -> bool:
        """Always: predictions of several models stand on a screen."""
        return True

    def brings(self) -> tuple[Criterion, ...]:
        """Return the criterion of the right option, where raters are asked for it."""
        if not self.ask_right_option:
            return ()
        question = gettext("Which of these is right?")
        return (Criterion(RIGHT_OPTION, gettext("Right option"), question=question, language=spoken()),)

    def item_problems(self, item: ItemTexts) -> Iterator[str]:
        """Yield a sentence for every list of options that is no choice."""
        if not self.ask_right_option:
            return
        for key, options in item.options.items():
            if key != ONLY_TASKS and isinstance(options, list | tuple) and (fault := problem_in_options(options)):
                yield f"options, {key}: {fault}"

    def name_of(self, shown: ShownPart, *, alone: bool) -> str:
        """Return “Prediction” or “Prediction A”."""
        return gettext("Prediction") if alone else gettext("Prediction %(letter)s") % {"letter": shown.letter}

    def units(self, items: Sequence[ItemTexts], rng: Random) -> Iterator[UnitDraft]:
        """Make one unit an item, with all its different predictions."""
        return (UnitDraft(item.unit_key, item.key, item.groups, item.document) for item in items if item.groups)

    def arrange_for_rater(self, criteria: Sequence[Criterion], rng: Random) -> dict[str, object]:
        """Draw the order of the options, where each rater has one."""
        own = super().arrange_for_rater(criteria, rng)
        return {**own, "seed": rng.getrandbits(32), "draw": 0} if self.shuffle_options else own

    def options_of(self, screen: Screen) -> tuple[str, ...]:
        """Return the options of an item in their canonical order; none where raters are not asked for the right one."""
        if not self.ask_right_option:
            return ()
        (criterion,) = self.asked(screen.criteria)
        given = screen.options.get(criterion.key, screen.options.get(EVERY))
        return tuple(given) if isinstance(given, list | tuple) and problem_in_options(given) is None else ()

    def options_to_offer(self, screen: Screen) -> tuple[str, ...]:
        """Return the options that may be right where no prediction is, in the order of the screen."""
        predicted = {part.text for part in screen.parts}
        return tuple(
            option
            for option in in_drawn_order(self.options_of(screen), screen.arrangement, RIGHT_OPTION)
            if option not in predicted
        )

    def answers_on(self, screen: Screen) -> int:
        """Return one answer a screen."""
        return 1

    def ratings(self, screen: Screen, cleaned: Mapping[str, object]) -> Iterator[Value]:
        """Yield a verdict on each prediction, on canonical parts, and the right options in their canonical order."""
        right, about_all = PredictionsForm(self, screen).chosen(cleaned)
        (criterion,) = self.asked(screen.criteria)
        said_of_all = about_all if about_all in {CANNOT_TELL, WRONG_TEXT} else ""
        for shown in screen.shown_parts:
            label = said_of_all or (RIGHT if shown.position in right else WRONG)
            yield Value(VERDICT.name, shown.part.number, criterion.key, label=label)
        if said_of_all:
            return
        for number, option in enumerate(self._right_options(screen, right, cleaned), start=1):
            yield Value(OPTION.name, criterion=RIGHT_OPTION, number=number, label=option)

    def _right_options(self, screen: Screen, right: Sequence[int], cleaned: Mapping[str, object]) -> list[str]:
        """Return the options of an item that an answer calls right; NONE where it rules out all of them."""
        options = self.options_of(screen)
        if right:
            texts = {shown.part.text for shown in screen.shown_parts if shown.position in right}
            return ([option for option in options if option in texts] or [NONE]) if options else []
        return [str(cleaned.get(RIGHT_OPTION) or NONE)] if options else []

    def labels_of(self, criterion: Criterion | None) -> tuple[str, ...] | None:
        """Return the verdicts on a prediction; options are those of the items."""
        return None if criterion is not None and criterion.key == RIGHT_OPTION else VERDICTS

    def labels_on(self, screen: Screen, criterion: Criterion) -> tuple[str, ...] | None:
        """Return the texts of the predictions beside the verdicts, which known answers may name; else the options."""
        if criterion.key == RIGHT_OPTION:
            return (*self.options_of(screen), NONE)
        return (*(part.text for part in screen.parts), NONE, *VERDICTS)

    def label_names(self) -> Mapping[str, Mapping[str, str]]:
        """Return the words of “none of these” among the options."""
        return {RIGHT_OPTION: {NONE: gettext("None of these")}} if self.ask_right_option else {}

    def heds(self, criterion: Criterion | None) -> dict[str, str]:
        """Describe the answers: a classification of the predictions, or of the item."""
        if criterion is not None and criterion.key == RIGHT_OPTION:
            answers, size = gettext("options of each item"), "N/A"
        else:
            words = [
                gettext("right"), gettext("wrong"), gettext("I cannot tell"),
                gettext("Something is wrong with the source"),
            ]  # fmt: skip
            answers, size = ", ".join(words), str(len(words))
        return {"4.3.3": size, "4.3.4": answers, "4.3.5": "multiple choice", "4.3.8": "classification or labelling"}

    def instructed(self, criteria: Sequence[Criterion], check: int) -> Instruction:
        """Ask for one of two predictions, which end in numbers; each says which, since the source may be hidden."""
        right = NUMBERS[check % len(NUMBERS)]
        others = [number for number in NUMBERS if number != right]
        text = check_text(gettext("Please answer that only the prediction %(number)s is right.") % {"number": right})
        chosen, other = f"{text}\n{right}", f"{text}\n{others[check % len(others)]}"
        answers = tuple((criterion.key, "exact", chosen) for criterion in criteria)
        return Instruction((("", chosen), ("", other)), answers, source=text)

    def grade(self, screen: Screen, cleaned: Mapping[str, object], gold: Sequence[GoldAnswer]) -> tuple[Graded, ...]:
        """Compare with known answers.

        Those about the question name the one right prediction by its text (exact) or all right ones (set), or
        none_of_these where none is right. Those that name a text of the screen are about its verdict.
        """
        graded = super().grade(screen, cleaned, gold)
        given = self._named(screen, cleaned)
        return tuple(
            self._graded(answer, given) if answer.part is None and answer.criterion != RIGHT_OPTION else one
            for answer, one in zip(gold, graded, strict=True)
        )

    def _graded(self, gold: GoldAnswer, given: tuple[str, ...]) -> Graded:
        if gold.kind == "set" and isinstance(gold.answer, list | tuple):
            return Graded(gold, sorted(given) == sorted(map(str, gold.answer)), given)
        return Graded(gold, len(given) == 1 and accepts(gold, given[0]), given)

    def _named(self, screen: Screen, cleaned: Mapping[str, object]) -> tuple[str, ...]:
        """Return an answer as known answers name it: texts of the right predictions, or the answer about all."""
        right, about_all = PredictionsForm(self, screen).chosen(cleaned)
        if about_all:
            return (NONE if about_all == NONE_RIGHT else about_all,)
        texts = (shown.part.text for shown in screen.shown_parts if shown.position in right)
        return tuple(dict.fromkeys(texts))

    def answered_questions(self, screen: Screen, cleaned: Mapping[str, object]) -> Iterator[AnsweredQuestion]:
        """Yield the predictions with those that were called right, and the right option."""
        (criterion,) = self.asked(screen.criteria)
        form, given = PredictionsForm(self, screen), self._named(screen, cleaned)
        options = {row.shown.part.text: row.shown.part.text for row in form.rows()}
        about_all = {
            NONE: gettext("None of them is right"),
            CANNOT_TELL: gettext("I cannot tell"),
            WRONG_TEXT: gettext("Something is wrong with the source"),
        }
        yield AnsweredQuestion(
            criterion.key,
            criterion.wording,
            tuple(name for name in form.fields if name != RIGHT_OPTION),
            criterion.language,
            options=(
                *(AnsweredOption(text, text, text in given, screen.language) for text in options),
                *(AnsweredOption(words, key, key in given) for key, words in about_all.items()),
            ),
        )
        if known := self.options_of(screen):
            right, about = form.chosen(cleaned)
            chosen = [] if about in {CANNOT_TELL, WRONG_TEXT} else self._right_options(screen, right, cleaned)
            yield AnsweredQuestion(
                RIGHT_OPTION,
                gettext("Which of these is right?"),
                (RIGHT_OPTION,),
                options=(
                    *(AnsweredOption(option, option, option in chosen, screen.language) for option in known),
                    AnsweredOption(gettext("None of these"), NONE, NONE in chosen),
                ),
                unnamed=False,
            )

    def simulate(self, screen: Screen, quality: Quality, rng: Random) -> dict[str, str]:
        """Call a prediction right by its latent quality, with the noise of the rater's quality."""
        form = PredictionsForm(self, screen)
        right = [
            shown.position
            for shown in screen.shown_parts
            if share_of(shown.part.content, self.asked(screen.criteria)[0].key, quality, rng) >= RIGHT_FROM
        ]
        if quality is Quality.STRAIGHT_LINER:
            right = [1]
        if form.is_ticked:
            named = [TICK.format(position=place) for place in right] or [TICK_ALONE.format(answer=NONE_RIGHT)]
            answers = dict.fromkeys(named, TICKED)
        elif not right:
            answers = {ANSWER: NONE_RIGHT}
        else:
            answers = {ANSWER: BOTH if len(right) > 1 else str(right[0])}
        if not right and form.options:
            share = share_of(screen.source, RIGHT_OPTION, quality, rng)
            place = int((share - NONE_BELOW) / (1 - NONE_BELOW) * len(form.options))
            option = NONE if share < NONE_BELOW else form.options[min(len(form.options) - 1, place)]
            answers[RIGHT_OPTION] = option
        return answers
