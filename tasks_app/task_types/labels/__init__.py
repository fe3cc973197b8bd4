"""Labels: one or several categories for each criterion, out of a list."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from tasks_app.settings.fields import YesNoField, added_later, naming
from tasks_app.task_types.base import (
    AnsweredOption,
    AnsweredQuestion,
    Criterion,
    GoldAnswer,
    Graded,
    Instruction,
    ItemTexts,
    Outcome,
    ParameterProblem,
    Quality,
    Sample,
    Scale,
    Screen,
    Value,
)
from tasks_app.task_types.data import all_of_a_set
from tasks_app.task_types.instructed import NUMBERS, in_lines
from tasks_app.task_types.labels.options import (
    NONE,
    Detail,
    DetailEntry,
    details_of,
    in_drawn_order,
    options_of,
    problem_in_options,
    problems_in_item,
    turned,
)
from tasks_app.task_types.list_fields import TICKED, EntriesField, TickField, WordsField
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
from tasks_app.task_types.set_time import TimedTexts
from tasks_app.task_types.simulation import share_of
from tasks_app.task_types.texts import PagedTexts

LONGEST_WORDS = 2_000

# One text a screen, so it is always the first.
CHOICE, TICK, NOTHING, WORDS, DETAIL = "p1-{key}", "p1-o{n}-{key}", "p1-none-{key}", "p1-text-{key}", "p1-d{n}-{key}"


@dataclass(frozen=True, slots=True)
class DetailQuestion:
    """A question after a label."""

    detail: Detail
    field: forms.BoundField
    options: tuple[Option, ...]
    language: str = ""


@dataclass(frozen=True, slots=True)
class Question(OptionQuestion):
    """One criterion on the screen."""

    criterion: Criterion
    id: str
    multiple: bool
    details: tuple[DetailQuestion, ...]
    words: forms.BoundField | None


class LabelsForm(OneTextForm):
    """The form of one text."""

    kind: Labels
    # The criteria of the study, in the order of the screen, each with its options in their order.
    criteria_with_options: tuple[tuple[Criterion, tuple[str, ...]], ...]

    def make_fields(self) -> Iterator[tuple[str, forms.Field]]:
        """Yield the fields of every criterion."""
        kind, screen = self.kind, self.screen
        self.criteria_with_options = tuple(
            (criterion, kind.shown_options(screen, criterion)) for criterion in kind.asked(screen.shown_criteria)
        )
        for criterion, options in self.criteria_with_options:
            yield from _fields(kind, criterion, options)

    @property
    def asked_of_text(self) -> Sequence[Criterion]:
        """The questions about the text."""
        return [criterion for criterion, _options in self.criteria_with_options]

    def questions(self) -> list[Question]:
        """Return the questions in the order of the screen, for the template."""
        return [self._question(criterion, options) for criterion, options in self.criteria_with_options]

    def _question(self, criterion: Criterion, options: tuple[str, ...]) -> Question:
        key = criterion.key
        own = [name for name in self.fields if name in set(_names(self.kind, criterion, options))]
        details = tuple(
            DetailQuestion(
                detail,
                field,
                tuple(
                    _choice(field, word, self.kind.digit(n), criterion.language)
                    for n, word in enumerate(detail.options, start=1)
                ),
                criterion.language,
            )
            for detail in self.kind.details_of(key)
            if (field := self[DETAIL.format(n=detail.number, key=key)])
        )
        first = TICK.format(n=1, key=key) if self.kind.multiple else CHOICE.format(key=key)
        return Question(
            title=criterion.wording,
            criterion=criterion,
            id=self[first].auto_id,
            multiple=self.kind.multiple,
            options=tuple(self._options(criterion, options)),
            details=details,
            words=self[WORDS.format(key=key)] if WORDS.format(key=key) in self.fields else None,
            errors=tuple(str(error) for name in own for error in self.errors.get(name, ())) if self.is_bound else (),
        )

    def _options(self, criterion: Criterion, options: tuple[str, ...]) -> Iterator[Option]:
        key = criterion.key
        none = [gettext("None of these")] if key in self.kind.none_of_these else []
        for n, words in enumerate([*options, *none], start=1):
            is_none = n > len(options)
            spoken = "" if is_none else criterion.language
            if not self.kind.multiple:
                field = self[CHOICE.format(key=key)]
                value = NONE if is_none else words
                yield Option(field.html_name, value, words, field.value() == value, self.kind.digit(n), is_none, spoken)
                continue
            field = self[NOTHING.format(key=key) if is_none else TICK.format(n=n, key=key)]
            yield Option(
                field.html_name, TICKED, words, field.value() in (TICKED, True), self.kind.digit(n), is_none, spoken
            )

    def chosen(self, criterion: Criterion, options: tuple[str, ...], cleaned: Mapping[str, object]) -> list[str]:
        """Return the labels an answer holds for a criterion, in the order of the screen."""
        key = criterion.key
        if not self.kind.multiple:
            answer = cleaned.get(CHOICE.format(key=key))
            return [str(answer)] if answer else []
        ticked = [option for n, option in enumerate(options, start=1) if cleaned.get(TICK.format(n=n, key=key))]
        return [*ticked, NONE] if cleaned.get(NOTHING.format(key=key)) else ticked

    def fields_of(self, criterion: Criterion, options: tuple[str, ...]) -> tuple[str, ...]:
        """Return the names of the fields in which options of a criterion are chosen."""
        asked_after = [WORDS.format(key=criterion.key)]
        asked_after += [
            DETAIL.format(n=detail.number, key=criterion.key) for detail in self.kind.details_of(criterion.key)
        ]
        return tuple(name for name in _names(self.kind, criterion, options) if name not in asked_after)

    def clean(self) -> dict[str, object]:
        """Require an answer to every question that is asked, and drop answers to the others."""
        cleaned = super().clean() or self.cleaned_data
        for criterion, options in self.criteria_with_options:
            key = criterion.key
            chosen = self.chosen(criterion, options, cleaned)
            first = TICK.format(n=1, key=key) if self.kind.multiple else CHOICE.format(key=key)
            if not chosen and not any(name in self.errors for name in _names(self.kind, criterion, options)):
                self.add_error(first, missing(criterion.wording))
            elif NONE in chosen and len(chosen) > 1:
                self.add_error(first, gettext("Choose only “None of these”, or untick it."))
            words, asks = WORDS.format(key=key), gettext("What is it, in your own words?")
            self._only_after(cleaned, words, NONE in chosen, asks, optional=False)
            for detail in self.kind.details_of(key):
                name = DETAIL.format(n=detail.number, key=key)
                self._only_after(cleaned, name, detail.label in chosen, detail.question, optional=detail.optional)
        return cleaned

    def _only_after(
        self, cleaned: dict[str, object], name: str, is_asked: bool, question: str, *, optional: bool
    ) -> None:
        if name not in self.fields:
            return
        if not is_asked:
            cleaned[name] = ""
            self.errors.pop(name, None)
        elif not cleaned.get(name) and name not in self.errors and not optional:
            self.add_error(name, missing(question))


def _choice(field: forms.BoundField, words: str, digit: str, language: str) -> Option:
    return Option(field.html_name, words, words, field.value() == words, digit, language=language)


def _names(kind: Labels, criterion: Criterion, options: tuple[str, ...]) -> Iterator[str]:
    """Yield the names of the fields of one criterion."""
    yield from (name for name, _field in _fields(kind, criterion, options))


def _fields(kind: Labels, criterion: Criterion, options: tuple[str, ...]) -> Iterator[tuple[str, forms.Field]]:
    key = criterion.key
    about = criterion.wording
    none = [(NONE, gettext("None of these"))] if key in kind.none_of_these else []
    if not kind.multiple:
        choices = [*((option, "") for option in options), *none]
        yield (
            CHOICE.format(key=key),
            forms.ChoiceField(choices=choices, required=False, label=about, error_messages=NOT_AN_OPTION),
        )
    else:
        for n, option in enumerate(options, start=1):
            yield TICK.format(n=n, key=key), TickField(required=False, label=f"{about} {option}")
        for _value, words in none:
            yield NOTHING.format(key=key), TickField(required=False, label=f"{about} {words}")
    if key in kind.none_text:
        yield (
            WORDS.format(key=key),
            short_answer_field(gettext("In your own words"), LONGEST_WORDS),
        )
    for detail in kind.details_of(key):
        yield (
            DETAIL.format(n=detail.number, key=key),
            forms.ChoiceField(
                choices=[(option, "") for option in detail.options],
                required=False,
                label=detail.question,
                error_messages=NOT_AN_OPTION,
            ),
        )


# Shares of the scale: an option is ticked from the first one on, and no option fits below the second one.
TICKED_FROM = 0.55
NONE_BELOW = 0.12


def simulated_answer(kind: Labels, screen: Screen, quality: Quality, rng: Random) -> dict[str, str]:
    """Answer a screen by the latent quality of its text for each option, with the noise of the rater's quality."""
    text = screen.shown_parts[0].part.content
    answer: dict[str, str] = {}
    for criterion in kind.asked(screen.shown_criteria):
        key, shown = criterion.key, kind.shown_options(screen, criterion)
        chosen = _chosen(kind, screen, criterion, quality, rng)
        if not kind.multiple:
            answer[CHOICE.format(key=key)] = chosen[0]
        elif chosen == [NONE]:
            answer[NOTHING.format(key=key)] = TICKED
        else:
            answer |= {TICK.format(n=shown.index(label) + 1, key=key): TICKED for label in chosen}
        if chosen == [NONE] and key in kind.none_text:
            answer[WORDS.format(key=key)] = "Something else"
        for detail in kind.details_of(key):
            if detail.label in chosen:
                share = share_of(text, f"{key}/{detail.label}/detail", quality, rng)
                answer[DETAIL.format(n=detail.number, key=key)] = _option_at(detail.options, share)
    return answer


def _chosen(kind: Labels, screen: Screen, criterion: Criterion, quality: Quality, rng: Random) -> list[str]:
    text, key = screen.shown_parts[0].part.content, criterion.key
    options = kind.options_of(screen, criterion)
    if key in kind.none_of_these and share_of(text, f"{key}/{NONE}", quality, rng) < NONE_BELOW:
        return [NONE]
    if not kind.multiple:
        return [_option_at(options, share_of(text, key, quality, rng))]
    shares = {option: share_of(text, f"{key}/{option}", quality, rng) for option in options}
    best = max(options, key=lambda option: shares[option])
    return [option for option in options if shares[option] >= TICKED_FROM or option == best]


def _option_at(options: Sequence[str], share: float) -> str:
    return options[min(len(options) - 1, int(share * len(options)))]


# Keys of criteria have at most 100 characters; this leaves room for “-other” and “-detail-2” behind them.
LONGEST_KEY = 85

LABEL = Outcome(
    "label",
    Scale.NOMINAL,
    per="criterion",
    column="label",
    doc=_("The option that was chosen, or none_of_these; numbered from 1 where several may be chosen."),
)
OTHER = Outcome(
    "other",
    Scale.TEXT,
    per="criterion",
    column="text",
    optional=True,
    doc=_("The rater's own words where none of the options applies; the criterion has “-other” behind its key."),
)
DETAILED = Outcome(
    "detail",
    Scale.NOMINAL,
    per="criterion",
    column="label",
    optional=True,
    doc=_("The answer to the question after a label; the criterion has “-detail” behind its key, then “-detail-2” …"),
)


def other_key(criterion: str) -> str:
    """Name the criterion of a rater's own words."""
    return f"{criterion}-other"


@register
class Labels(PagedTexts, DrawnOptions, TimedTexts):
    """One option for each criterion, or all that apply.

    What is first in a list is chosen more often, so each rater can have an order of their own. It stays the same from
    text to text, and options with an order of their own are only ever reversed.
    """

    label = _("Labels")
    purpose = _("Sort texts into kinds")
    summary = _("A rater chooses one category for each criterion, or all that apply.")
    source = (
        "Logacheva et al. (2022). A study on manual and automatic evaluation for text style transfer: the case of "
        "detoxification. HumEval. Lưu (2022). Towards human evaluation of mutual understanding in human-computer "
        "spontaneous conversation. HumEval."
    )
    use_when = _(
        "A question has a few clear answers: toxic or not, the same meaning or not, which of these topics. Use a "
        "Likert scale where answers are steps of more or less."
    )
    analysed = _(
        "Shares of each label by system with tests, agreement for nominal labels, and the most likely label of each "
        "text when raters err differently often."
    )
    limits = _(
        "Categories say nothing about how much. For matters of opinion plan about ten raters a text, and let raters "
        "pass an exam first."
    )
    outcomes = (LABEL, OTHER, DETAILED)
    default_instructions = _(
        "Read the text. Then choose the answer that fits best for each question; where you may tick several, tick all "
        "that fit. If you are between two answers, choose the one you would defend."
    )
    judges_files = True
    has_styles = True
    begins_with = Sample(
        params={"ordered": ["meaning"]},
        criteria=(
            Criterion(
                "meaning",
                "Same meaning",
                definition="Small differences in tone do not count.",
                question="Does the text say what the source says?",
                labels=("Yes", "In part", "No"),
            ),
        ),
    )
    sample = Sample(
        params={"none_of_these": ["topic"], "none_text": ["topic"],
                "details": [{"criterion": "topic", "label": "Transport", "question": "Which kind of transport?",
                             "options": ["Rail", "Road", "Another"]}]},
        criteria=(Criterion("topic", "Topic", question="What is the text about?",
                            labels=("Transport", "Weather", "Sport", "Politics")),
                  Criterion("meaning", "Meaning", definition="Small differences in tone do not count.",
                            question="Does the text say what the source says?", labels=("Yes", "In part", "No"))),
    )  # fmt: skip

    Form = LabelsForm

    multiple = YesNoField(label=_("Several options may be chosen"))
    ordered = added_later(
        naming(
            WordsField(
                once=True,
                label=_("Options with an order"),
                help_text=_(
                    "The questions whose options are more or less of something, such as Yes, In part, No. Where each "
                    "rater has one order, half of the raters see these options reversed. They are never shuffled."
                ),
            ),
            "criteria",
        )
    )
    none_of_these = naming(
        WordsField(label=_("“None of these”"), help_text=_("The questions that offer it, below their options.")),
        "criteria",
    )
    none_text = naming(
        WordsField(label=_("Own words"), help_text=_("The questions where “None of these” asks what it is instead.")),
        "criteria",
    )
    item_options = naming(
        WordsField(
            label=_("Options from the items"),
            help_text=_(
                "The questions whose options stand in the column options of the items, under the question's key or "
                "“labels”."
            ),
        ),
        "criteria",
    )
    details = EntriesField(DetailEntry, label=_("Asked after a label"))

    class Settings(PagedTexts.Settings):
        def clean(self) -> dict[str, object]:
            """Refuse own words without “none of these”, and two questions after one label."""
            cleaned: dict[str, Any] = super().clean() or self.cleaned_data
            if not set(cleaned.get("none_text") or ()) <= set(cleaned.get("none_of_these") or ()):
                self.add_error("none_text", _("Own words are asked after “None of these”: name it in none_of_these."))
            details = cleaned.get("details") or []
            if len({(detail.get("criterion"), detail.get("label")) for detail in details}) < len(details):
                self.add_error("details", _("Ask one question after a label."))
            return cleaned

    def details_of(self, criterion: str | None = None) -> tuple[Detail, ...]:
        """Return the questions that follow labels of a criterion, or of all criteria."""
        return details_of(self.details, criterion)

    def options_of(self, screen: Screen, criterion: Criterion) -> tuple[str, ...]:
        """Return the options of a criterion in their canonical order, without “none of these”."""
        return options_of(screen, criterion, of_items=criterion.key in self.item_options)

    def shown_options(self, screen: Screen, criterion: Criterion) -> tuple[str, ...]:
        """Return the options of a criterion in the order of the screen, as it was drawn."""
        options, key = self.options_of(screen, criterion), criterion.key
        if key in self.ordered:
            return turned(options, screen.arrangement) if self.order == "rater" else options
        return in_drawn_order(options, screen.arrangement, key)

    def brings(self) -> tuple[Criterion, ...]:
        """Return the criteria of raters' own words and of the questions after labels."""
        others = (
            Criterion(other_key(key), gettext("Own words (%(key)s)") % {"key": key}, kind="question")
            for key in self.none_text
        )
        detailed = (
            Criterion(
                detail.key,
                gettext("Follow-up question after “%(label)s”") % {"label": detail.label[:150]},
                question=detail.question,
                kind="question",
            )
            for detail in self.details_of()
        )
        return (*others, *detailed)

    def outcome_of(self, criterion: Criterion | None) -> Outcome | None:
        """Return the outcome of own words or of a question after a label, else that of labels."""
        key = criterion.key if criterion is not None else ""
        if key in map(other_key, self.none_text):
            return OTHER
        if key in {detail.key for detail in self.details_of()}:
            return DETAILED
        return replace(LABEL, several=True) if self.multiple else LABEL

    def problems(self, criteria: Sequence[Criterion]) -> Iterator[str]:
        """Yield a sentence for every criterion without options, and for every name that is none of the criteria."""
        yield from super().problems(criteria)
        known = {criterion.key: criterion for criterion in criteria}
        for criterion in criteria:
            if criterion.key not in self.item_options and (sentence := problem_in_options(criterion.labels)):
                yield f"Criterion {criterion.key!r}, labels: {sentence}"
        named = {
            "none_of_these": self.none_of_these,
            "item_options": self.item_options,
            "ordered": self.ordered,
            "details": [detail.criterion for detail in self.details],
        }
        for name, keys in named.items():
            for key in keys:
                if key not in known:
                    sentence = f"{name} names {key!r}, which is none of the criteria: {', '.join(known)}."
                    yield ParameterProblem(name, sentence)
                elif len(key) > LONGEST_KEY:
                    yield f"Criterion {key!r}: its key is too long for a further question; {LONGEST_KEY} are the most."
        for detail in self.details:
            parent = known.get(detail.criterion)
            if parent is not None and parent.key not in self.item_options and detail.label not in parent.labels:
                yield f"details: {detail.label!r} is no label of {parent.key!r}: {', '.join(parent.labels)}."

    def item_problems(self, item: ItemTexts) -> Iterator[str]:
        """Yield a sentence for every list of options that is missing or is no choice."""
        yield from problems_in_item(item, self.item_options)

    def heds(self, criterion: Criterion | None) -> dict[str, str]:
        """Describe options as multiple choice or check-boxes; own words have no instrument."""
        outcome = self.outcome_of(criterion)
        if outcome == OTHER:
            return {"4.3.3": "N/A", "4.3.4": "N/A", "4.3.5": "N/A",
                    "4.3.6": gettext("Evaluators write in their own words what applies instead of the options."),
                    "4.3.8": "qualitative feedback"}  # fmt: skip
        labels = outcome is not None and outcome.name == LABEL.name
        options = list(criterion.labels) if criterion is not None and labels else []
        if outcome == DETAILED and criterion is not None:
            options = next(list(detail.options) for detail in self.details_of() if detail.key == criterion.key)
        of_items = criterion is not None and criterion.key in self.item_options
        offered = labels and criterion is not None and criterion.key in self.none_of_these
        none = [gettext("None of these")] if offered else []
        return {
            "4.3.3": "N/A" if of_items else str(len(options) + len(none)),
            "4.3.4": gettext("options of each item") if of_items else ", ".join([*options, *none]),
            "4.3.5": "check-boxes" if self.multiple and labels else "multiple choice",
            "4.3.8": "classification or labelling",
        }

    def instructed(self, criteria: Sequence[Criterion], check: int) -> Instruction:
        """Ask for one option of each criterion, one that no further question follows where there is such an option.

        Options of the item are numbers.
        """
        instructions, answers = [], []
        for criterion in criteria:
            options = NUMBERS if criterion.key in self.item_options else criterion.labels
            followed = {detail.label for detail in self.details_of(criterion.key)}
            free = [option for option in options if option not in followed] or list(options)
            option = free[check % len(free)]
            instructions.append((criterion, option))
            answers.append((criterion.key, "exact", option))
        offered = {key: list(NUMBERS) for key in self.item_options}
        return Instruction((("", in_lines(instructions)),), tuple(answers), options=offered)

    def answers_on(self, screen: Screen) -> int:
        """Return the number of criteria that are asked, times that of the texts."""
        return max(1, len(screen.parts) * len(self.asked(screen.criteria)))

    def ratings(self, screen: Screen, cleaned: Mapping[str, object]) -> Iterator[Value]:
        """Yield every label in canonical order, with the answer to the question after it and the rater's own words."""
        form = LabelsForm(self, screen)
        part = screen.shown_parts[0].part.number
        for criterion, shown in form.criteria_with_options:
            key = criterion.key
            chosen = form.chosen(criterion, shown, cleaned)
            numbers = {
                label: n for n, label in enumerate(_canonical(self.options_of(screen, criterion), chosen), start=1)
            }
            for label, number in numbers.items():
                yield Value(LABEL.name, part=part, criterion=key, number=number, label=label)
            for detail in self.details_of(key):
                if detail.label in numbers and (answer := cleaned.get(DETAIL.format(n=detail.number, key=key))):
                    yield Value(DETAILED.name, part=part, criterion=detail.key, label=str(answer))
            if NONE in numbers and (words := cleaned.get(WORDS.format(key=key))):
                yield Value(OTHER.name, part=part, criterion=other_key(key), text=str(words))

    def labels_alone(self, criterion: Criterion | None) -> frozenset[str]:
        """Return “none of these” where a criterion offers it."""
        is_offered = criterion is not None and criterion.key in self.none_of_these
        return frozenset({NONE}) if is_offered else frozenset()

    def labels_on(self, screen: Screen, criterion: Criterion) -> tuple[str, ...] | None:
        """Return the options of a criterion on the screen; None for a question after a label."""
        if criterion not in self.asked(screen.criteria):
            return None
        none = (NONE,) if criterion.key in self.none_of_these else ()
        return (*self.options_of(screen, criterion), *none)

    def label_names(self) -> Mapping[str, Mapping[str, str]]:
        """Return the words of “none of these” for the questions that offer it."""
        return {key: {NONE: gettext("None of these")} for key in self.none_of_these}

    def grade(self, screen: Screen, cleaned: Mapping[str, object], gold: Sequence[GoldAnswer]) -> tuple[Graded, ...]:
        """Compare an answer with known answers; where several may be chosen, a set is all that are to be chosen."""
        graded = super().grade(screen, cleaned, gold)
        if not self.multiple:
            return graded
        return tuple(map(all_of_a_set, graded))

    def answered_questions(self, screen: Screen, cleaned: Mapping[str, object]) -> Iterator[AnsweredQuestion]:
        """Yield the options of every criterion."""
        form = LabelsForm(self, screen)
        for criterion, options in form.criteria_with_options:
            chosen = form.chosen(criterion, options, cleaned)
            none = {NONE: gettext("None of these")} if criterion.key in self.none_of_these else {}
            language = "" if criterion.key in self.item_options else criterion.language
            yield AnsweredQuestion(
                criterion.key,
                criterion.wording,
                form.fields_of(criterion, options),
                criterion.language,
                options=(
                    *(AnsweredOption(option, option, option in chosen, language) for option in options),
                    *(AnsweredOption(words, key, key in chosen) for key, words in none.items()),
                ),
            )

    def simulate(self, screen: Screen, quality: Quality, rng: Random) -> dict[str, str]:
        """Choose by the latent quality of the text, with the noise of the rater's quality."""
        return simulated_answer(self, screen, quality, rng)


def _canonical(options: tuple[str, ...], chosen: Sequence[str]) -> list[str]:
    return [label for label in (*options, NONE) if label in chosen]
