"""Labels: one or several categories for each criterion, out of a list."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from random import Random
from typing import Any

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
from tasks_app.task_types.grading import all_of_a_set
from tasks_app.task_types.instructed import NUMBERS, in_lines
from tasks_app.task_types.labels.form import DETAIL, WORDS, LabelsForm
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
from tasks_app.task_types.labels.simulate import simulated_answer
from tasks_app.task_types.list_fields import EntriesField, WordsField
from tasks_app.task_types.option_order import DrawnOptions
from tasks_app.task_types.registry import register
from tasks_app.task_types.texts import PagedTexts

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
class Labels(PagedTexts, DrawnOptions):
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

    def instructed(self, criteria: Sequence[Criterion], turn: int) -> Instruction:
        """Ask for one option of each criterion, one that no further question follows where there is such an option.

        Options of the item are numbers.
        """
        asked, answers = [], []
        for criterion in criteria:
            options = NUMBERS if criterion.key in self.item_options else criterion.labels
            followed = {detail.label for detail in self.details_of(criterion.key)}
            free = [option for option in options if option not in followed] or list(options)
            option = free[turn % len(free)]
            asked.append((criterion, option))
            answers.append((criterion.key, "exact", option))
        offered = {key: list(NUMBERS) for key in self.item_options}
        return Instruction((("", in_lines(asked)),), tuple(answers), options=offered)

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
                criterion.question or criterion.name,
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
