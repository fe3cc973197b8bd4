"""Error labels: the first label that applies out of an ordered hierarchy, for a text and its source."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from tasks_app.settings.fields import YesNoField, choice_field
from tasks_app.task_types.base import (
    AnsweredOption,
    AnsweredQuestion,
    Criterion,
    GoldAnswer,
    Graded,
    Instruction,
    ItemTexts,
    Outcome,
    Parameters,
    Quality,
    Sample,
    Scale,
    Screen,
    Value,
    Words,
)
from tasks_app.task_types.error_labels.typology import (
    ERROR,
    KEEP,
    SIDE,
    FlagEntry,
    FollowUp,
    Label,
    LabelEntry,
    Typology,
    criteria_of,
    problem_in_labels,
    typology_of,
)
from tasks_app.task_types.instructed import in_lines
from tasks_app.task_types.list_fields import TICKED, EntriesField, TickField, digit
from tasks_app.task_types.option_questions import OneTextForm, missing
from tasks_app.task_types.registry import register
from tasks_app.task_types.simulation import share_of
from tasks_app.task_types.texts import TextType
from tasks_app.task_types.written import written

YES, NO = "yes", "no"

# One text a screen, so it is always the first.
LABEL_FIELD = f"p1-{ERROR}"


def step_field(label: str) -> str:
    """Name the field that asks for one label with yes or no."""
    return f"{LABEL_FIELD}-{label}"


def follow_up_field(key: str) -> str:
    """Name the field of a follow-up question."""
    return f"p1-{key}"


def flag_field(key: str) -> str:
    """Name the field of a flag."""
    return f"p1-flag-{key}"


def chosen_label(typology: Typology, cleaned: Mapping[str, object], *, in_order: bool) -> str:
    """Return the label an answer comes to; empty where it comes to none yet.

    Down the hierarchy, the first yes is the label. Where all are answered with no, it is the last one.
    """
    if not in_order:
        return str(cleaned.get(LABEL_FIELD) or "")
    for label in typology.errors:
        answer = cleaned.get(step_field(label.key))
        if answer != NO:
            return label.key if answer == YES else ""
    return typology.labels[-1].key


@dataclass(frozen=True, slots=True)
class Choice:
    """One option to choose or to tick: the posted value, its words, the digit that chooses it."""

    value: str
    words: str
    checked: bool
    digit: str = ""
    label: Label | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """One question down the hierarchy, as it stands on the screen."""

    label: Label
    number: int
    field: forms.BoundField
    choices: tuple[Choice, ...]


@dataclass(frozen=True, slots=True)
class FollowUpQuestion:
    """A follow-up question on the screen; `after` are the labels after which it is asked."""

    follow_up: FollowUp
    after: tuple[Label, ...]
    question: str
    language: str
    field: forms.BoundField
    choices: tuple[Choice, ...]

    @property
    def keys(self) -> str:
        """The keys of the labels after which it is asked, for the page's script."""
        return " ".join(label.key for label in self.after)


@dataclass(frozen=True, slots=True)
class Tick:
    """Something to tick beside the label."""

    name: str
    definition: str
    language: str
    field: forms.BoundField
    digit: str

    @property
    def checked(self) -> bool:
        """Whether it is ticked."""
        return self.field.value() in (TICKED, True)


class ErrorLabelForm(OneTextForm):
    """The form of one text with its source."""

    kind: ErrorLabels
    typology: Typology
    words: Mapping[str, Criterion]

    def make_fields(self) -> Iterator[tuple[str, forms.Field]]:
        """Yield the fields of the label or of the steps to it, of the follow-up questions, and of the flags."""
        self.typology = self.kind.hierarchy()
        own = {criterion.key: criterion for criterion in self.screen.criteria}
        self.words = {criterion.key: own.get(criterion.key, criterion) for criterion in criteria_of(self.typology)}
        not_shown = {"invalid_choice": _("Choose one of the answers shown.")}
        if self.in_order:
            for label in self.typology.errors:
                yield (
                    step_field(label.key),
                    forms.ChoiceField(
                        choices=((YES, _("Yes")), (NO, _("No"))),
                        required=False,
                        label=label.name,
                        error_messages=not_shown,
                    ),
                )
        else:
            yield (
                LABEL_FIELD,
                forms.ChoiceField(
                    choices=[(label.key, label.name) for label in self.typology.labels],
                    label=self.question,
                    error_messages={**not_shown, "required": _("Choose the first label that applies.")},
                ),
            )
        for follow_up in self.typology.follow_ups:
            yield (
                follow_up_field(follow_up.key),
                forms.ChoiceField(
                    choices=follow_up.options,
                    required=False,
                    label=self.words[follow_up.key].name,
                    error_messages=not_shown,
                ),
            )
        for flag in self.typology.flags:
            yield flag_field(flag.key), TickField(required=False, label=self.words[flag.key].name)

    @property
    def in_order(self) -> bool:
        """Whether the hierarchy is asked down with yes or no."""
        return self.kind.in_order

    @property
    def question(self) -> str:
        """The question for the label, in the study's words."""
        return self.words[ERROR].question or self.words[ERROR].name

    @property
    def language(self) -> str:
        """The language of the labels: of those that come along their own."""
        return self.typology.language or self.screen.language

    @property
    def valid(self) -> Label:
        """The label that says that nothing is wrong."""
        return self.typology.labels[-1]

    @property
    def result_id(self) -> str:
        """The id of the element that shows the label once the steps have led to one."""
        return f"{self[step_field(self.typology.labels[0].key)].auto_id}-result"

    def label_field(self) -> forms.BoundField:
        """Return the field of the label, where it is chosen."""
        return self[LABEL_FIELD]

    def labels(self) -> list[Choice]:
        """Return the labels in the order of the hierarchy."""
        chosen = self[LABEL_FIELD].value()
        return [
            Choice(label.key, label.name, label.key == chosen, digit(number), label)
            for number, label in enumerate(self.typology.labels, start=1)
        ]

    def steps(self) -> list[Step]:
        """Return the questions down the hierarchy."""
        steps = []
        for number, label in enumerate(self.typology.errors, start=1):
            field = self[step_field(label.key)]
            steps.append(Step(label, number, field, _choices(field, ((YES, gettext("Yes")), (NO, gettext("No"))))))
        return steps

    def follow_up_questions(self) -> list[FollowUpQuestion]:
        """Return the follow-up questions."""
        questions = []
        for follow_up in self.typology.follow_ups:
            field = self[follow_up_field(follow_up.key)]
            criterion = self.words[follow_up.key]
            words = criterion.wording
            after, language = self.typology.asking(follow_up), criterion.language or self.screen.language
            questions.append(
                FollowUpQuestion(follow_up, after, words, language, field, _choices(field, follow_up.options))
            )
        return questions

    def ticks(self) -> list[Tick]:
        """Return the flags; their digits continue those of the labels, and 0 takes a step back."""
        first = len(self.typology.labels) + 1
        last = 9 if self.in_order else 10
        ticks = []
        for number, flag in enumerate(self.typology.flags, start=first):
            words, field = self.words[flag.key], self[flag_field(flag.key)]
            language = words.language or self.screen.language
            ticks.append(Tick(words.name, words.definition, language, field, digit(number) if number <= last else ""))
        return ticks

    def clean(self) -> dict[str, object]:
        """Require the answers that the chosen label asks for, and drop those to other follow-up questions."""
        cleaned = super().clean() or self.cleaned_data
        label = chosen_label(self.typology, cleaned, in_order=self.in_order)
        if self.in_order:
            self._clean_steps(cleaned)
        after = self.typology.after(label)
        for follow_up in self.typology.follow_ups:
            name = follow_up_field(follow_up.key)
            if after is None or follow_up.key != after.key:
                cleaned[name] = ""
                self.errors.pop(name, None)
            elif not cleaned.get(name) and name not in self.errors and self.kind.follow_ups == "required":
                self.add_error(name, missing(self.words[follow_up.key].question or follow_up.question))
        return cleaned

    def _clean_steps(self, cleaned: dict[str, object]) -> None:
        """Require an answer to the first open question, and drop the answers below the first yes."""
        reached = True
        for label in self.typology.errors:
            name = step_field(label.key)
            answer = cleaned.get(name)
            if not reached:
                cleaned[name] = ""
                self.errors.pop(name, None)
            elif answer != NO:
                reached = False
                if answer != YES and name not in self.errors:
                    self.add_error(name, missing(label.question or label.name))


def _choices(field: forms.BoundField, options: tuple[tuple[str, str], ...]) -> tuple[Choice, ...]:
    chosen = field.value()
    return tuple(
        Choice(value, words, value == chosen, digit(number)) for number, (value, words) in enumerate(options, start=1)
    )


# From this share of the scale on, a simulated rater finds nothing wrong with a text.
GOOD_ENOUGH = 0.5

# Below this share of the scale, a simulated rater ticks a flag: for about one text in fifty.
TICKED_BELOW = 0.1

FLAG = Outcome(
    "flag", Scale.NOMINAL, per="part", doc=_("1 where it was ticked, else 0; one for each flag."), optional=True
)


@register
class ErrorLabels(TextType):
    """One label for a text with its source: the first of an ordered hierarchy that applies.

    The order is part of the method: a misaligned pair may be full of other errors, but they would say nothing about
    the translation. What is asked in steps and what is chosen at once gives the same ratings.
    """

    label = _("Error labels")
    purpose = _("Name the errors of a segment")
    summary = _("A rater gives a text the first label of an ordered hierarchy that applies, such as ELRC's.")
    source = (
        "Ramírez-Sánchez, Bañón, Zaragoza-Bernabeu and Ortiz Rojas (2022). Human evaluation of web-crawled parallel "
        "corpora for machine translation. HumEval."
    )
    use_when = _(
        "You want to know what kinds of errors a corpus or a system has, and one label a text is enough. Use error "
        "spans where a text has several errors that you want to tell apart."
    )
    analysed = _("Shares of labels by system and by rater, agreement for nominal labels, and flags counted apart.")
    limits = _(
        "A label hides every error below it in the hierarchy. Raters have to be trained, and each draws the line "
        "between free and wrong at another place: have a share of the texts labelled twice."
    )
    outcomes = (
        Outcome(
            ERROR, Scale.NOMINAL, per="part", column="label", criterion=ERROR, doc=_("The first label that applies.")
        ),
        Outcome(
            SIDE,
            Scale.NOMINAL,
            per="part",
            column="label",
            criterion=SIDE,
            optional=True,
            doc=_("Which text has the problem: source, target or both; where the label asks it."),
        ),
        Outcome(
            KEEP,
            Scale.NOMINAL,
            per="part",
            column="label",
            criterion=KEEP,
            optional=True,
            doc=_("Whether the pair is to be kept: keep or discard; where the label asks it."),
        ),
        FLAG,
    )
    default_instructions = _(
        "You see a source and its translation. Say what is wrong, if anything is.\n\n"
        "**Go down the list and take the first label that applies.** Whatever else is wrong does not count any more: "
        "for two texts that do not belong together it does not matter how well they are translated.\n\n"
        "1. **Wrong language**: a text is in another language than it should be. A few foreign names do not count.\n"
        "2. **Misaligned**: the texts say different things, or one has a long part that the other lacks.\n"
        "3. **Wrong tokenisation**: words run together, words torn apart, sentences cut off.\n"
        "4. **Machine-translated**: it reads as if a machine had done it and nobody had looked at it. If you cannot "
        "tell, and there are mistakes, it is a translation error.\n"
        "5. **Translation error**: a person's translation with mistakes in words, grammar or spelling.\n"
        "6. **Free translation**: correct, but in quite other words.\n"
        "7. **Valid translation**: nothing of this.\n\n"
        "Judge the pair as it stands: both texts may be wrong, and either may be the translation. A mistake that is "
        "the same in both texts is no error of the translation. Each label tells you more when you open it. Tick what "
        "stands below the labels whenever it is true, whatever the label is."
    )
    criteria_needed = (0, 0)
    seconds_an_answer = 8.0
    side_by_side = False
    has_styles = True
    set_overview = True
    sample = Sample(
        params={
            "labels": [
                {"key": "made-up", "name": "Made up", "definition": "It says what the source does not.",
                 "examples": ["“Open daily.” – “Open daily until ten.”"], "question": "Is anything made up?",
                 "follow_up": "keep"},
                {"key": "left-out", "name": "Left out", "question": "Is anything left out?", "follow_up": "side"},
                {"key": "fine", "name": "Nothing wrong", "valid": True},
            ],
        }
    )  # fmt: skip

    Form = ErrorLabelForm

    # Raters judge both texts, so that the source cannot be hidden: this is no parameter here.
    show_source = True
    typology = choice_field(
        _("Hierarchy"),
        (("elrc", _("ELRC's: L, A, T, MT, E, F, V")), ("own", _("an own one, as in labels"))),
        initial="elrc",
    )
    labels = EntriesField(
        LabelEntry,
        label=_("Own labels"),
        help_text=_("In their order. Without a last one that says that nothing is wrong, “None of these” is added."),
    )
    ask = choice_field(
        _("How it is asked"),
        (("choose", _("choose the label")), ("in_order", _("yes or no down the hierarchy"))),
        _("Down the hierarchy is slower, and nobody overlooks a label that comes first."),
        initial="choose",
    )
    follow_ups = choice_field(
        _("Questions after some labels"),
        (("required", _("must be answered")), ("optional", _("may be answered")), ("off", _("not asked"))),
        _("Which text has the problem; whether to keep the pair."),
        initial="required",
    )
    flags = YesNoField(initial=True, label=_("Ask for personal data and inappropriate content"))
    own_flags = EntriesField(FlagEntry, label=_("More to tick"), help_text=_("Whatever the label is."))

    class Settings(Parameters):
        def clean(self) -> dict[str, object]:
            """Refuse labels that make no hierarchy, and two flags of one key."""
            cleaned = super().clean() or self.cleaned_data
            labels = cleaned.get("labels")
            if cleaned.get("typology") == "own" and isinstance(labels, list):
                sentence = problem_in_labels(labels) if labels else gettext("Give the labels of your own hierarchy.")
                if sentence:
                    self.add_error("labels", sentence)
            own = cleaned.get("own_flags")
            if (
                cleaned.get("flags")
                and isinstance(own, list)
                and {"personal_data", "inappropriate"} & {o["key"] for o in own}
            ):
                self.add_error("own_flags", _("Turn off the flags that come along, or use other keys."))
            return cleaned

    @property
    def in_order(self) -> bool:
        """Whether the hierarchy is asked down with yes or no."""
        return self.ask == "in_order"

    def hierarchy(self) -> Typology:
        """Return the labels with their follow-up questions and the flags, in the language of the page."""
        return typology_of(
            self.labels if self.typology == "own" else None,
            follow_ups=self.follow_ups != "off",
            flags=self.flags,
            own_flags=self.own_flags,
        )

    def brings(self) -> tuple[Criterion, ...]:
        """Return the criteria of the label, of the follow-up questions and of the flags."""
        return criteria_of(self.hierarchy())

    def outcome_of(self, criterion: Criterion | None) -> Outcome | None:
        """Return the outcome of the label or of a follow-up question, else that of flags."""
        key = criterion.key if criterion is not None else ""
        named = next((outcome for outcome in self.outcomes if outcome.criterion and outcome.criterion == key), None)
        return named or (FLAG if key in {flag.key for flag in self.hierarchy().flags} else None)

    def instructions(self) -> Words:
        """Return ELRC's clarifications with ELRC's labels, else general instructions."""
        if self.typology == "elrc":
            return self.default_instructions
        return _(
            "Read both texts. Then go through the labels from the top and stop at the first one that applies: it "
            "counts, whatever comes below it. Each label can be opened to see what it means."
        )

    def item_problems(self, item: ItemTexts) -> Iterator[str]:
        """Refuse an item without a source where ELRC's labels are used."""
        if not item.source and self.typology == "elrc":
            yield gettext("There is no source. ELRC's labels are about a text and its source: fill the column source.")

    def instructed(self, criteria: Sequence[Criterion], check: int) -> Instruction:
        """Ask for one label, one that no further question follows where there is such a label."""
        labels = self.hierarchy().labels
        label = ([label for label in labels if not label.follow_up] or list(labels))[check % len(labels)]
        error = next(criterion for criterion in self.brings() if criterion.key == ERROR)
        text = in_lines([(error, label.name)])
        return Instruction((("", text),), ((ERROR, "exact", label.key),), source=text)

    def heds(self, criterion: Criterion | None) -> dict[str, str]:
        """Describe labels as multiple choice or as questions in order, and flags as check-boxes."""
        typology = self.hierarchy()
        key = criterion.key if criterion is not None else ERROR
        options = {follow_up.key: follow_up.options for follow_up in typology.follow_ups}
        options[ERROR] = tuple((label.key, label.name) for label in typology.labels)
        options |= {flag.key: (("0", gettext("not ticked")), ("1", gettext("ticked"))) for flag in typology.flags}
        if key not in options:
            return {}
        how = "check-boxes" if key in {flag.key for flag in typology.flags} else "multiple choice"
        if key == ERROR and self.in_order:
            how = "other: yes or no to each label in order, the first yes is the label"
        return {
            "4.3.3": str(len(options[key])),
            "4.3.4": ", ".join(f"{value} ({words})" for value, words in options[key]),
            "4.3.5": how,
            "4.3.8": "classification or labelling",
        }

    def labels_of(self, criterion: Criterion | None) -> tuple[str, ...] | None:
        """Return the keys of the labels, or of the options of a follow-up question."""
        typology = self.hierarchy()
        known = {follow_up.key: tuple(key for key, _name in follow_up.options) for follow_up in typology.follow_ups}
        known[ERROR] = tuple(label.key for label in typology.labels)
        return known.get(criterion.key if criterion is not None else "")

    def label_names(self) -> Mapping[str, Mapping[str, str]]:
        """Return the names of the labels of the typology."""
        return {ERROR: {label.key: str(label.name) for label in self.hierarchy().labels}}

    def ratings(self, screen: Screen, cleaned: Mapping[str, object]) -> Iterator[Value]:
        """Yield the label, the answer to its follow-up question, and each flag as 1 or 0."""
        typology = self.hierarchy()
        part = screen.shown_parts[0].part.number
        label = chosen_label(typology, cleaned, in_order=self.in_order)
        yield Value(ERROR, part=part, criterion=ERROR, label=label)
        after = typology.after(label)
        if after is not None and (answer := cleaned.get(follow_up_field(after.key))):
            yield Value(after.key, part=part, criterion=after.key, label=str(answer))
        for flag in typology.flags:
            ticked = bool(cleaned.get(flag_field(flag.key)))
            yield Value(FLAG.name, part=part, criterion=flag.key, value=float(ticked))

    def problem_in_value(self, value: float, criterion: Criterion | None) -> str | None:
        """Refuse a flag that is neither ticked nor not."""
        if value in (0, 1):
            return None
        return gettext("must be 1 where it was ticked and 0 where it was not; it is %(value)s.") % {
            "value": written(value)
        }

    def grade(self, screen: Screen, cleaned: Mapping[str, object], gold: Sequence[GoldAnswer]) -> tuple[Graded, ...]:
        """Compare an answer with known answers; one that names no criterion is about the label."""
        return super().grade(screen, cleaned, [replace(answer, criterion=answer.criterion or ERROR) for answer in gold])

    def answered_questions(self, screen: Screen, cleaned: Mapping[str, object]) -> Iterator[AnsweredQuestion]:
        """Yield the hierarchy with the label that the answer comes to, the follow-up questions, and the flags."""
        form = ErrorLabelForm(self, screen)
        typology, language = form.typology, form.language
        label = chosen_label(typology, cleaned, in_order=self.in_order)
        steps = tuple(step_field(error.key) for error in typology.errors) if self.in_order else (LABEL_FIELD,)
        labels = (AnsweredOption(option.name, option.key, option.key == label, language) for option in typology.labels)
        yield AnsweredQuestion(ERROR, form.question, steps, form.words[ERROR].language, options=tuple(labels))
        for follow_up in typology.follow_ups:
            answer, words = cleaned.get(follow_up_field(follow_up.key)), form.words[follow_up.key]
            options = tuple(AnsweredOption(text, value, value == answer) for value, text in follow_up.options)
            title = words.wording
            yield AnsweredQuestion(
                follow_up.key, title, (follow_up_field(follow_up.key),), words.language, options=options, unnamed=False
            )
        for flag in typology.flags:
            ticked, words = bool(cleaned.get(flag_field(flag.key))), form.words[flag.key]
            options = (
                AnsweredOption(gettext("ticked"), 1.0, ticked),
                AnsweredOption(gettext("not ticked"), 0.0, bool(cleaned) and not ticked),
            )
            yield AnsweredQuestion(
                flag.key, words.name, (flag_field(flag.key),), words.language, options=options, unnamed=False
            )

    def simulate(self, screen: Screen, quality: Quality, rng: Random) -> dict[str, str]:
        """Label a text by its latent quality: the worse it is, the earlier in the hierarchy."""
        typology = self.hierarchy()
        text = screen.shown_parts[0].part.text
        label = self._simulated(typology, share_of(text, ERROR, quality, rng))
        answer: dict[str, str] = {}
        if not self.in_order:
            answer[LABEL_FIELD] = label
        else:
            for error in typology.errors:
                answer[step_field(error.key)] = YES if error.key == label else NO
                if error.key == label:
                    break
        if (after := typology.after(label)) is not None:
            share = share_of(text, after.key, quality, rng)
            options = [value for value, _words in after.options]
            answer[follow_up_field(after.key)] = options[min(len(options) - 1, int(share * len(options)))]
        for flag in typology.flags:
            if share_of(text, flag.key, quality, rng) < TICKED_BELOW:
                answer[flag_field(flag.key)] = TICKED
        return answer

    @staticmethod
    def _simulated(typology: Typology, share: float) -> str:
        if share >= GOOD_ENOUGH:
            return typology.labels[-1].key
        return typology.errors[int(share / GOOD_ENOUGH * len(typology.errors))].key
