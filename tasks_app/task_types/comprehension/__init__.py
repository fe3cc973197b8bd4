"""Comprehension: a text is read, then questions about it are answered."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from tasks_app.settings.fields import YesNoField, whole_field
from tasks_app.task_types.base import (
    AnsweredOption,
    AnsweredQuestion,
    Criterion,
    Instruction,
    ItemTexts,
    Outcome,
    Parameters,
    Quality,
    Sample,
    Scale,
    Screen,
    Value,
)
from tasks_app.task_types.comprehension.questions import (
    LONGEST_ANSWER,
    ItemQuestion,
    OnlyIfEntry,
    problems_in,
    questions_of,
)
from tasks_app.task_types.instructed import number_of, said
from tasks_app.task_types.labels.options import in_drawn_order
from tasks_app.task_types.list_fields import EntriesField
from tasks_app.task_types.option_order import DrawnOptions
from tasks_app.task_types.option_questions import (
    NOT_AN_OPTION,
    OneTextForm,
    Option,
    OptionQuestion,
    missing,
    short_answer_field,
)
from tasks_app.task_types.registry import register
from tasks_app.task_types.simulation import latent_quality, share_of
from tasks_app.task_types.written import written

# The longest reading time that is accepted: one day, in seconds.
MOST_SECONDS = 86_400.0

ITEM_FIELD, STUDY_FIELD = "p1-q{n}", "p1-c-{key}"


@dataclass(frozen=True, slots=True)
class Question(OptionQuestion):
    """A question on the screen; without options it asks for a short answer.

    It may depend on an earlier question: `after` is the field of that question, `answers` are the answers to it after
    which this question is shown, and `answer_words` the same in words.
    """

    field: forms.BoundField
    note: str
    language: str
    after: str = ""
    after_title: str = ""
    answers: tuple[str, ...] = ()
    answer_words: tuple[str, ...] = ()


# Names the button that asks for the questions where no script shows them.
READ_ON = "read_on"


class ComprehensionForm(OneTextForm):
    """The answers to the questions of the item and of the study.

    The page fills two hidden fields: `reading` with the seconds of reading, and `read` with 1 once the rater has
    confirmed that they have read the text.
    """

    kind: Comprehension

    def make_fields(self) -> Iterator[tuple[str, forms.Field]]:
        """Yield a field for every question, then the two hidden fields that the page fills."""
        for question in self.item_questions:
            yield (
                ITEM_FIELD.format(n=question.number),
                _answer_field(question.words, self.kind.shown_options(self.screen, question)),
            )
        for criterion in self.study_questions:
            steps = [str(step) for step in range(1, len(criterion.labels) + 1)]
            yield STUDY_FIELD.format(key=criterion.key), _answer_field(criterion.wording, steps)
        hidden = forms.HiddenInput
        seconds = forms.FloatField(
            required=False, min_value=0, max_value=MOST_SECONDS, widget=hidden, label=_("Seconds of reading")
        )
        yield "reading", seconds
        yield "read", forms.ChoiceField(required=False, choices=(("1", ""),), widget=hidden, label=_("Text was read"))

    @property
    def read_on(self) -> dict[str, str]:
        """The mark that the text was read, where the button below it was pressed without scripts."""
        return {"read": "1"} if self.is_bound and self.data.get(self.read_on_name) else {}

    @property
    def read_on_name(self) -> str:
        """The name of the button that asks for the questions where no script shows them."""
        return self.add_prefix(READ_ON)

    @property
    def item_questions(self) -> tuple[ItemQuestion, ...]:
        """The questions of the item."""
        return self.kind.questions_on(self.screen)

    @property
    def study_questions(self) -> tuple[Criterion, ...]:
        """The criteria of the study, in the order of the screen."""
        return self.kind.asked(self.screen.shown_criteria)

    def questions(self) -> Iterator[Question]:
        """Yield the questions in the order of the screen, for the template."""
        language = self.shown.part.language or self.screen.language
        for question in self.item_questions:
            field = self[ITEM_FIELD.format(n=question.number)]
            shown = self.kind.shown_options(self.screen, question)
            options = tuple(
                Option(field.html_name, words, words, field.value() == words, self.kind.digit(n))
                for n, words in enumerate(shown, start=1)
            )
            yield Question(question.words, options, self._errors_of(field), field, "", self.screen.language or language)
        by_key = {criterion.key: criterion for criterion in self.study_questions}
        for criterion in self.study_questions:
            field = self[STUDY_FIELD.format(key=criterion.key)]
            options = tuple(
                Option(field.html_name, str(n), words, str(field.value() or "") == str(n), self.kind.digit(n))
                for n, words in enumerate(criterion.labels, start=1)
            )
            title = criterion.wording
            condition = self.kind.condition_of(criterion.key)
            earlier = by_key.get(condition.after) if condition is not None else None
            if condition is None or earlier is None:
                yield Question(title, options, self._errors_of(field), field, criterion.definition, criterion.language)
                continue
            yield Question(
                title,
                options,
                self._errors_of(field),
                field,
                criterion.definition,
                criterion.language,
                after=STUDY_FIELD.format(key=condition.after),
                after_title=earlier.wording,
                answers=tuple(str(n) for n, words in enumerate(earlier.labels, start=1) if words in condition.answers),
                answer_words=tuple(words for words in earlier.labels if words in condition.answers),
            )

    def _errors_of(self, field: forms.BoundField) -> tuple[str, ...]:
        return tuple(map(str, field.errors)) if self.is_bound else ()

    def criteria_asked(self, cleaned: Mapping[str, object]) -> tuple[Criterion, ...]:
        """Return the criteria that apply with these answers; a criterion may depend on the answer to an earlier one."""
        included: dict[str, Criterion] = {}
        for criterion in self.study_questions:
            condition = self.kind.condition_of(criterion.key)
            if condition is not None:
                earlier = included.get(condition.after)
                step = str(cleaned.get(STUDY_FIELD.format(key=condition.after)) or "")
                if earlier is None or not step or earlier.labels[int(step) - 1] not in condition.answers:
                    continue
            included[criterion.key] = criterion
        return tuple(included.values())

    def clean(self) -> dict[str, object]:
        """Require an answer to every question that applies, and drop answers to the others."""
        cleaned: dict[str, object] = super().clean() or self.cleaned_data
        if {"reading", "read"} & set(self.errors):
            self.add_error(None, gettext("The page did not send the reading time correctly. Reload the page."))
        for question in self.item_questions:
            self._require_answer(cleaned, ITEM_FIELD.format(n=question.number), question.words)
        asked_keys = {criterion.key for criterion in self.criteria_asked(cleaned)}
        for criterion in self.study_questions:
            name = STUDY_FIELD.format(key=criterion.key)
            if criterion.key in asked_keys:
                self._require_answer(cleaned, name, criterion.wording)
            else:
                self.errors.pop(name, None)
                cleaned[name] = ""
        return cleaned

    def _require_answer(self, cleaned: Mapping[str, object], name: str, question: str) -> None:
        if name not in self.errors and not cleaned.get(name):
            self.add_error(name, missing(question))


def _answer_field(label: str, options: tuple[str, ...] | list[str]) -> forms.Field:
    if options:
        return forms.ChoiceField(
            required=False,
            choices=[(option, "") for option in options],
            label=label,
            error_messages=NOT_AN_OPTION,
        )
    return short_answer_field(label, LONGEST_ANSWER)


# Seconds that a careful rater takes for a word; the worse a text is, the longer.
SECONDS_A_WORD = 0.25
STRAY = {Quality.CAREFUL: 0.15, Quality.SLOPPY: 0.4}

WRONG_WORDS = "I don't know"


def simulated_answer(kind: Comprehension, screen: Screen, quality: Quality, rng: Random) -> dict[str, str]:
    """Answer a screen: the better a text, the more of it is understood, with the noise of the rater's quality."""
    text = screen.shown_parts[0].part.content
    answer = {"read": "1", "reading": f"{_seconds(text, quality, rng):.3f}"}
    for question in kind.questions_on(screen):
        answer[ITEM_FIELD.format(n=question.number)] = _answered(kind, screen, question, quality, rng)
    for criterion in ComprehensionForm(kind, screen).study_questions:
        share = share_of(text, criterion.key, quality, rng)
        step = min(len(criterion.labels), 1 + int(share * len(criterion.labels)))
        answer[STUDY_FIELD.format(key=criterion.key)] = str(step)
    return answer


def _seconds(text: str, quality: Quality, rng: Random) -> float:
    if quality in STRAY:
        effort = 1.5 - latent_quality(text)
        return max(1, len(text.split())) * SECONDS_A_WORD * effort * rng.lognormvariate(0, STRAY[quality])
    return 1.0 + rng.random()


def _answered(kind: Comprehension, screen: Screen, question: ItemQuestion, quality: Quality, rng: Random) -> str:
    options = kind.shown_options(screen, question)
    if quality is Quality.STRAIGHT_LINER:
        return options[0] if options else WRONG_WORDS
    if quality is Quality.RANDOM:
        return rng.choice(options) if options else WRONG_WORDS
    understood = share_of(screen.shown_parts[0].part.content, f"question-{question.number}", quality, rng)
    if rng.random() < 0.4 + 0.6 * understood:
        return question.correct[0]
    wrong = [option for option in options if option not in question.correct]
    return rng.choice(wrong) if wrong else WRONG_WORDS


MOST_QUESTIONS = 20
LEAST_STEPS, MOST_STEPS = 2, 11

QUESTION, CORRECT, RIGHT_SHARE, READING = "question-{n}", "correct-{n}", "right-share", "reading-seconds"

# The datasheet's answers for everything but the study's own questions.
EXTRINSIC = {"4.2.1": "objective", "4.2.3": "extrinsic"}

ANSWER = Outcome(
    "answer",
    Scale.TEXT,
    per="criterion",
    column="text",
    optional=True,
    doc=_(
        "The answer to a question of the item; the criterion is question-1, question-2 … shown_value is the place of "
        "the chosen option on the screen."
    ),
)
# The mean of these 0s and 1s is the share of right answers, by which systems are compared.
IS_RIGHT = Outcome(
    "correct",
    Scale.INTERVAL,
    per="criterion",
    graded=True,
    optional=True,
    doc=_("1 where the answer is right, else 0; the criterion is correct-1, correct-2 …"),
)
SHARE = Outcome(
    "right-share",
    Scale.INTERVAL,
    per="part",
    criterion=RIGHT_SHARE,
    graded=True,
    doc=_("The share of the item's questions that were answered right, from 0 to 1."),
)
SECONDS = Outcome(
    "reading-seconds",
    Scale.RATIO,
    per="part",
    criterion=READING,
    optional=True,
    measured=True,
    doc=_("Seconds for which the text was in view before the questions came, without breaks and hidden pages."),
)
STEP = Outcome(
    "step",
    Scale.ORDINAL,
    per="criterion",
    optional=True,
    doc=_("The chosen answer to a question of the study; 1 is the first. There is none where it was not asked."),
)


@dataclass(frozen=True, slots=True)
class Condition:
    """The condition for a criterion: one of these answers to an earlier criterion."""

    after: str
    answers: tuple[str, ...]


@register
class Comprehension(DrawnOptions):
    """The text alone first, and the questions of its item once the rater has read it.

    Right answers are compared on the server and are never part of a page before the rater has answered. How long the
    text was read is known before the first question is seen, so that nobody reads for the questions.
    """

    label = _("Comprehension")
    purpose = _("Find out what readers understand")
    summary = _("A rater reads a text, then answers questions about it that have right answers.")
    source = (
        "Howcroft et al. (2020). Twenty years of confusion in human evaluation: NLG needs evaluation sheets and "
        "standardised definitions. INLG."
    )
    use_when = _(
        "Use it for extrinsic (task-based) evaluation: whether readers can do something with a text, such as answer "
        "questions about it, rather than what they think of it."
    )
    analysed = _(
        "Share of right answers and seconds of reading by system, each with intervals and differences between systems "
        "on the same items; right answers to each question by system; answers to the study's own questions as those of "
        "any ordinal scale."
    )
    limits = _(
        "Questions can be answered right by chance or from what readers know anyway: ask people without the text, too. "
        "Nobody should read two texts of one item, since the second one is read with the questions in mind: set "
        "spacing, or one text of an item for each rater. Without JavaScript the questions come on a page of their own, "
        "and no reading time is recorded. With text_stays off the text is hidden, not removed from the page."
    )
    outcomes = (ANSWER, IS_RIGHT, SHARE, SECONDS, STEP)
    default_instructions = _(
        "Read the text as you would normally read it. When you have finished, press the button below it. Then answer "
        "the questions about the text. If you do not know an answer, choose the one that seems most likely."
    )
    criteria_needed = (0, None)
    asks_apart = False
    seconds_an_answer = 8.0
    grades_values = False
    judges_files = True
    has_styles = True
    begins_with = Sample(
        criteria=(
            Criterion(
                "sureness",
                "Sureness",
                question="How sure are you of your answers?",
                labels=("Not sure", "Fairly sure", "Very sure"),
            ),
        )
    )
    sample = Sample(
        params={"questions": 2, "only_if": [{"criterion": "reason", "after": "sureness", "answers": ["Not sure"]}]},
        criteria=(
            Criterion("sureness", "Sureness", question="How sure are you of your answers?",
                      labels=("Not sure", "Fairly sure", "Very sure")),
            Criterion("reason", "Reason", question="What made it hard?",
                      labels=("The text", "The questions", "Something else")),
        ),
        options={"questions": [
            {"question": "How can travellers get to Lisbon today?", "options": ["By bus", "By train", "Not at all"],
             "correct": "By bus"},
            {"question": "Which city is the text about?", "correct": ["Lisbon", "Lisboa"]},
        ]},
    )  # fmt: skip

    Form = ComprehensionForm

    show_source = YesNoField(label=_("Show the source"), help_text=_("Above the text to be read."))
    questions = whole_field(
        _("Questions per item, at most"),
        _("Questions and right answers stand in the column options of the items."),
        within=(1, MOST_QUESTIONS),
        initial=5,
    )
    text_stays = YesNoField(
        initial=True,
        label=_("Keep the text visible"),
        help_text=_("The text stays beside the questions. Switched off, it is hidden as soon as the questions appear."),
    )
    only_if = EntriesField(
        OnlyIfEntry,
        label=_("Asked only after some answers"),
        help_text=_("Criteria that depend on the answer to an earlier criterion of the task."),
    )

    class Settings(Parameters):
        def clean(self) -> dict[str, object]:
            """Refuse two conditions on one criterion."""
            cleaned: dict[str, Any] = super().clean() or self.cleaned_data
            keys = [condition.get("criterion") for condition in cleaned.get("only_if") or []]
            if len(set(keys)) < len(keys):
                self.add_error("only_if", _("A criterion can have one condition."))
            return cleaned

    def brings(self) -> tuple[Criterion, ...]:
        """Return criteria for the answers to an item's questions, whether each is right, their share, and the time."""
        numbers = range(1, self.questions + 1)
        answers = (
            Criterion(QUESTION.format(n=n), gettext("Question %(n)d") % {"n": n}, kind="question") for n in numbers
        )
        right = (Criterion(CORRECT.format(n=n), gettext("Question %(n)d right") % {"n": n}) for n in numbers)
        return (
            *answers,
            *right,
            Criterion(RIGHT_SHARE, gettext("Share of right answers")),
            Criterion(READING, gettext("Reading time in seconds")),
        )

    def outcome_of(self, criterion: Criterion | None) -> Outcome | None:
        """Return the outcome by the key of the criterion; those of the study have steps."""
        key = criterion.key if criterion is not None else ""
        named = {RIGHT_SHARE: SHARE, READING: SECONDS}
        for n in range(1, self.questions + 1):
            named |= {QUESTION.format(n=n): ANSWER, CORRECT.format(n=n): IS_RIGHT}
        return named.get(key, STEP)

    def condition_of(self, criterion: str) -> Condition | None:
        """Return the condition on which a criterion is asked; None where it always is."""
        entry = next((given for given in self.only_if if given.criterion == criterion), None)
        return Condition(entry.after, tuple(entry.answers)) if entry else None

    def problems(self, criteria: Sequence[Criterion]) -> Iterator[str]:
        """Yield a sentence for every criterion without steps, and for conditions that cannot be met."""
        yield from super().problems(criteria)
        for criterion in criteria:
            if not LEAST_STEPS <= len(criterion.labels) <= MOST_STEPS:
                yield (
                    f"Criterion {criterion.key!r} needs {LEAST_STEPS} to {MOST_STEPS} labels, the answers to choose "
                    f"from; {len(criterion.labels)} given."
                )
        keys = [criterion.key for criterion in criteria]
        for entry in self.only_if:
            dependent, after = entry.criterion, entry.after
            unknown = [key for key in (dependent, after) if key not in keys]
            if unknown:
                yield f"only_if names {unknown[0]!r}, which is none of the criteria: {', '.join(keys) or 'none'}."
            elif keys.index(after) >= keys.index(dependent):
                yield f"only_if: {dependent!r} can only depend on a criterion before it; {after!r} is not."
            else:
                labels = criteria[keys.index(after)].labels
                for answer in entry.answers:
                    if answer not in labels:
                        yield f"only_if: {answer!r} is no label of {after!r}: {', '.join(labels)}."

    def item_problems(self, item: ItemTexts) -> Iterator[str]:
        """Yield a sentence for everything that is wrong with the questions of an item."""
        yield from problems_in(item.options, self.questions)

    def questions_on(self, screen: Screen) -> tuple[ItemQuestion, ...]:
        """Return the questions of the item of a screen."""
        return questions_of(screen.options)[: self.questions]

    def shown_options(self, screen: Screen, question: ItemQuestion) -> tuple[str, ...]:
        """Return the options of a question in the order of the screen, as it was drawn."""
        return in_drawn_order(question.options, screen.arrangement, QUESTION.format(n=question.number))

    def instructed(self, criteria: Sequence[Criterion], check: int) -> Instruction:
        """Ask which number stands in the text; the study's own questions may be answered in any way."""
        number = number_of(check)
        text = said(gettext("Please answer with this number: %(number)s") % {"number": number})
        question = {"question": gettext("Which number does the text ask for?"), "correct": number}
        return Instruction((("", text),), (("correct-1", "exact", 1),), options={"questions": [question]})

    def arrange_for_rater(self, criteria: Sequence[Criterion], rng: Random) -> dict[str, object]:
        """Draw the order of the study's criteria; where one depends on another they stay in the order of the study."""
        own = super().arrange_for_rater(criteria, rng)
        return {**own, "criteria": [criterion.key for criterion in self.asked(criteria)]} if self.only_if else own

    def answers_on(self, screen: Screen) -> int:
        """Count the questions of a screen, including all that depend on others."""
        return max(1, len(self.questions_on(screen)) + len(self.asked(screen.criteria)))

    def scale_of(self, criterion: Criterion | None = None) -> tuple[float, float, float] | None:
        """Return 0 to 1 for right or wrong, and as many steps as labels for a criterion of the study."""
        outcome = self.outcome_of(criterion)
        if outcome == IS_RIGHT:
            return (0.0, 1.0, 1.0)
        if outcome == STEP and criterion is not None and criterion.labels:
            return (1.0, float(len(criterion.labels)), 1.0)
        return None

    def problem_in_value(self, value: float, criterion: Criterion | None) -> str | None:
        """Refuse a number that is no step, no share, or no time that a reading takes."""
        outcome, scale = self.outcome_of(criterion), self.scale_of(criterion)
        if scale is not None:
            if value % 1 == 0 and scale[0] <= value <= scale[1]:
                return None
            about = {"low": written(scale[0]), "high": written(scale[1]), "value": written(value)}
            return gettext("must be a whole number from %(low)s to %(high)s; it is %(value)s.") % about
        if outcome == SHARE:
            return None if 0 <= value <= 1 else gettext("must be a share from 0 to 1.")
        if outcome == SECONDS and not 0 <= value <= MOST_SECONDS:
            return gettext("must be seconds, from 0 to %(n)d.") % {"n": MOST_SECONDS}
        return None

    def heds(self, criterion: Criterion | None) -> dict[str, str]:
        """Describe answers as task performance, and the study's own questions as multiple choice."""
        outcome = self.outcome_of(criterion)
        if outcome == STEP and criterion is not None:
            return {
                "4.3.3": str(len(criterion.labels)),
                "4.3.4": ", ".join(f"{n} ({words})" for n, words in enumerate(criterion.labels, start=1)),
                "4.3.5": "multiple choice",
                "4.3.8": "direct quality estimation",
            }
        if outcome == SECONDS:
            return {**EXTRINSIC, "4.3.3": "N/A", "4.3.4": "N/A", "4.3.5": "N/A",
                    "4.3.6": gettext("The seconds for which the text was read before the questions came are recorded."),
                    "4.3.8": "user-text interaction"}  # fmt: skip
        values = {ANSWER: gettext("options or short answers of each item"), IS_RIGHT: "0, 1", SHARE: "0 to 1"}
        return {
            **EXTRINSIC,
            "4.3.3": "2" if outcome == IS_RIGHT else "N/A",
            "4.3.4": values[outcome] if outcome in (ANSWER, IS_RIGHT, SHARE) else "N/A",
            "4.3.5": "multiple choice" if outcome == ANSWER else "N/A",
            "4.3.8": "task performance",
        }

    def ratings(self, screen: Screen, cleaned: Mapping[str, object]) -> Iterator[Value]:
        """Yield right or wrong and the answer for every question, their share, the reading time, then the steps."""
        form, part = ComprehensionForm(self, screen), screen.shown_parts[0].part.number
        right: list[bool] = []
        answers: list[Value] = []
        for question in form.item_questions:
            answer = str(cleaned[ITEM_FIELD.format(n=question.number)])
            right.append(question.is_right(answer))
            shown = self.shown_options(screen, question)
            place = float(shown.index(answer) + 1) if answer in shown else None
            key = QUESTION.format(n=question.number)
            answers.append(Value(ANSWER.name, part=part, criterion=key, text=answer, shown_value=place))
        for question, is_right in zip(form.item_questions, right, strict=True):
            yield Value(IS_RIGHT.name, part=part, criterion=CORRECT.format(n=question.number), value=float(is_right))
        yield from answers
        if right:
            yield Value(SHARE.name, part=part, criterion=RIGHT_SHARE, value=sum(right) / len(right))
        seconds = cleaned.get("reading")
        # Unless the button was pressed, the end of the reading is unknown.
        if cleaned.get("read") and isinstance(seconds, float):
            yield Value(SECONDS.name, part=part, criterion=READING, value=seconds + 0.0)
        for criterion in form.criteria_asked(cleaned):
            step = float(str(cleaned[STUDY_FIELD.format(key=criterion.key)]))
            yield Value(STEP.name, part=part, criterion=criterion.key, value=step)

    def answered_questions(self, screen: Screen, cleaned: Mapping[str, object]) -> Iterator[AnsweredQuestion]:
        """Yield the questions that have options, as known answers name them: right or not."""
        for question in self.questions_on(screen):
            name = ITEM_FIELD.format(n=question.number)
            options = tuple(
                AnsweredOption(words, float(question.is_right(words)), cleaned.get(name) == words, screen.language)
                for words in self.shown_options(screen, question)
            )
            if options:
                key = CORRECT.format(n=question.number)
                yield AnsweredQuestion(key, question.words, (name,), screen.language, options=options, unnamed=False)

    def simulate(self, screen: Screen, quality: Quality, rng: Random) -> dict[str, str]:
        """Answer as a rater who understands good texts better than bad ones."""
        return simulated_answer(self, screen, quality, rng)
