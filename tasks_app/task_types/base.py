"""The contract of a task type: a pure module that turns a frozen `Screen` into a form and a form into ratings.

A type never sees the database, a system's name or another rater. It declares its parameters and outcomes once;
admin form, study file schema, export columns, catalogue and contract tests follow from the declaration.

The registry holds the classes. `Likert({"points": 7})` is a Likert scale of seven steps: the parameters are checked
when it is made, and are its fields (`self.points`) wherever it makes units, a form or ratings.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any, ClassVar, Protocol, Self

from django import forms
from django.utils.functional import classproperty
from django.utils.translation import gettext_lazy as _

from tasks_app.settings.study import Block, Declared
from tasks_app.task_types.clock import SetTime
from tasks_app.task_types.data import (
    DOCUMENT_SCORE,
    ORDERED_SCALES,
    Act,
    AnsweredOption,
    AnsweredQuestion,
    Arrangement,
    Compared,
    Criterion,
    Feedback,
    GoldAnswer,
    Graded,
    ItemTexts,
    LaidOver,
    MarkedText,
    Media,
    Outcome,
    OutputText,
    Part,
    Piece,
    Quality,
    Sample,
    Scale,
    ShownPart,
    UnitDraft,
    Value,
    Wording,
    Words,
    compare,
    described,
    grade_one,
    sentence_for,
    without_document_score,
)
from tasks_app.task_types.errand import Errand
from tasks_app.task_types.highlights import Chains, Highlight
from tasks_app.task_types.instructed import Instruction
from tasks_app.task_types.output_names import TEXT

# Everything a type is written with comes from here.
__all__ = [
    "DOCUMENT_SCORE",
    "GIVEN_BY",
    "ORDERED_SCALES",
    "WORDINGS",
    "Act",
    "AnsweredOption",
    "AnsweredQuestion",
    "Arrangement",
    "Compared",
    "Criterion",
    "Feedback",
    "GoldAnswer",
    "Graded",
    "Instruction",
    "ItemTexts",
    "LaidOver",
    "MarkedText",
    "Media",
    "Outcome",
    "OutputText",
    "Parameters",
    "Part",
    "Piece",
    "Quality",
    "Sample",
    "Scale",
    "Screen",
    "ScreenForm",
    "ShownPart",
    "TaskType",
    "UnitDraft",
    "Value",
    "Wording",
    "Words",
    "described",
    "in_wordings",
    "without_document_score",
]


# The entry of an arrangement that says whose suggestions each part carries, by canonical place.
GIVEN_BY = "given_by"

# The entry of an arrangement that says in which wording each question stands, by the key of its criterion; only
# questions with several wordings are named.
WORDINGS = "wordings"


@dataclass(frozen=True, slots=True)
class Screen:
    """Everything one screen shows, frozen: parts, texts, criteria, options and arrangement.

    `kind` is the task type with its parameters, which are `params` in templates. `arrangement` is what was drawn and
    stored: "parts" the parts by screen position (a part may stand at several positions, or at none), "criteria" the
    order of criterion keys, "given_by" who made what each part carries at first; a type may add its own entries.
    `context` holds the sources before this one in its document, and `context_texts`, which is empty or as long, what
    the author of the judged text made of them. `paged` says that questions are to be shown one at a time. `highlights`
    are those of source and reference, by these words; a part has its own. `personal_text` was written for this rater
    alone. `covered` says that the time for reading is over: the screen has no texts then, only questions. `elsewhere`
    says how far the rater has come with a task on another site, to which the page links instead of showing a text.
    There is no system in a screen, by construction.
    """

    kind: TaskType
    parts: tuple[Part, ...]
    criteria: tuple[Criterion, ...]
    source: str = ""
    source_language: str = ""
    reference: str = ""
    language: str = "en"
    format: str = "text"
    options: Mapping[str, object] = field(default_factory=dict)
    arrangement: Arrangement = field(default_factory=dict)
    context: tuple[str, ...] = ()
    context_texts: tuple[str, ...] = ()
    media: tuple[Media, ...] = ()
    paged: bool = False
    highlights: Mapping[str, tuple[Highlight, ...]] = field(default_factory=dict)
    personal_text: str = ""
    covered: bool = False
    elsewhere: Errand | None = None

    def sent_elsewhere(self, errand: Errand) -> Self:
        """Return the screen with a task on another site: without the address, with how far the rater has come."""
        parts = tuple(Part(part.number, "", part.language) for part in self.parts)
        return replace(self, parts=parts, elsewhere=errand)

    def without_texts(self) -> Self:
        """Return the screen as it is when the time for reading is over: its questions, and nothing to read."""
        parts = tuple(Part(part.number, "", part.language) for part in self.parts)
        nothing: dict[str, Any] = {"context": (), "context_texts": (), "media": (), "highlights": {}}
        return replace(self, parts=parts, source="", reference="", personal_text="", covered=True, **nothing)

    @property
    def chains(self) -> Chains:
        """The chains of all texts, numbered alike for everybody: source and reference first, then the parts."""
        beside = [self.highlights.get(name, ()) for name in ("source", "reference")]
        return Chains.of([*beside, *(part.highlights for part in sorted(self.parts, key=lambda part: part.number))])

    @property
    def output_kind(self) -> str:
        """The kind of judged output: text, image, audio or video; outputs side by side are of one kind."""
        return self.parts[0].kind if self.parts else TEXT

    @property
    def shows_files(self) -> bool:
        """Whether pictures, sounds or films are judged, so that words of the screen must not speak of texts."""
        return self.output_kind != TEXT

    @property
    def type(self) -> str:
        """The name of the task type."""
        return self.kind.name

    @property
    def params(self) -> Mapping[str, object]:
        """The parameters of the task type."""
        return self.kind.params

    @property
    def shown_parts(self) -> tuple[ShownPart, ...]:
        """The parts in the order of the screen."""
        order = self.arrangement.get("parts")
        if not isinstance(order, Sequence) or not order or not set(order) <= set(range(len(self.parts))):
            order = range(len(self.parts))
        return tuple(ShownPart(position, self.parts[number]) for position, number in enumerate(order, start=1))

    @property
    def preceding(self) -> tuple[tuple[str, str], ...]:
        """The sources before this one, each with the text that the author of the judged text made of it, or without."""
        return tuple(zip(self.context, self.context_texts or ("",) * len(self.context), strict=True))

    @property
    def shown_criteria(self) -> tuple[Criterion, ...]:
        """The criteria in the order of the screen."""
        order = self.arrangement.get("criteria")
        by_key = {criterion.key: criterion for criterion in self.criteria}
        if not isinstance(order, Sequence):
            return self.criteria
        drawn = [by_key[str(key)] for key in order if str(key) in by_key]
        return (*drawn, *(criterion for criterion in self.criteria if criterion not in drawn))


class DocumentCell(Protocol):
    """A question about a whole document, as its template needs it."""

    @property
    def criterion(self) -> Criterion:
        """The criterion that it asks."""

    @property
    def field(self) -> forms.BoundField:
        """The field of the form."""


def in_wordings(criteria: Iterable[Criterion], arrangement: Arrangement) -> tuple[Criterion, ...]:
    """Return the criteria of a screen in the wordings that its arrangement names, in their own words without one."""
    drawn = arrangement.get(WORDINGS)
    named = drawn if isinstance(drawn, Mapping) else {}
    return tuple(criterion.in_wording(named.get(criterion.key)) for criterion in criteria)


class ScreenForm(forms.Form):
    """The form of a screen, unbound or bound to posted data.

    `kind` is the task type with its parameters. Nothing is preselected unless `initial` carries a draft. `prefix` tells
    the fields from those of other screens on the page.
    """

    kind: TaskType

    def __init__(
        self,
        kind: TaskType,
        screen: Screen,
        data: Mapping[str, str] | None = None,
        initial: Mapping[str, object] | None = None,
        prefix: str = "",
    ) -> None:
        super().__init__(data, initial=dict(initial or {}), prefix=prefix or None)
        self.kind, self.screen = kind, screen
        self.fields.update(self.make_fields())

    @property
    def asked_of_text(self) -> Sequence[Criterion]:
        """The questions about a text in the order of the screen; the page of a document shows them once for all."""
        return self.screen.shown_criteria

    def unasked(self, cleaned: Mapping[str, object]) -> Collection[str]:
        """Return the fields that an answer left no reason to ask for, such as a follow-up of another option."""
        return ()

    @property
    def document_cells(self) -> Sequence[DocumentCell]:
        """The question about the whole document that the text ends, where the screen asks it; else none."""
        return ()

    @property
    def read_on(self) -> dict[str, str]:
        """The fields that a button within the form sets, where it only asks for the next part of the screen.

        Pages with scripts have all parts; without them such a button sends the form, and what was filled in is kept.
        Empty where the form was sent to be stored.
        """
        return {}

    def make_fields(self) -> Iterable[tuple[str, forms.Field]]:
        """Return the fields by their names, in the order of the screen."""
        raise NotImplementedError


# What is offered where no text can ask for an answer, unless the type says more.
NO_INSTRUCTION = _("Show some texts twice instead: “Units of a set that are shown twice”, below.")


class Parameters(Block):
    """The form of the settings of a task type: messages call a setting a parameter."""

    called = "parameter"


class ParameterProblem(str):
    """A sentence about a parameter, while other problems of a task type are about its criteria."""

    parameter: str

    def __new__(cls, parameter: str, sentence: str) -> Self:
        """Make the sentence; `parameter` is the name of the parameter that it is about."""
        problem = super().__new__(cls, sentence)
        problem.parameter = parameter
        return problem


class TaskType(Declared, ABC):
    """One way of judging. See the module docstring; `tests/house/` holds every member to this contract.

    What a page or a datasheet says of a type: `label`, `summary`, `source` (the publications, one sentence each),
    `use_when`, `analysed`, `limits`. `purpose` is what a researcher wants to do, the title of the card on which a study
    begins; such a study has the parameters and criteria of `begins_with`.
    `acts` are those of raters, so that Review finds instructions for others; None where they follow from the questions
    of the study, and Review looks for none.
    `criteria_needed` counts the criteria of the study, without those that the type brings along. `needs_items` is
    False for what is asked once a rater, without a text. `allows_back` is False where
    an answer must not be changed. `side_by_side` says that outputs are held against each other (HEDS 4.2.2),
    `rewrites` that raters change a text.
    `grades_values` is False where known answers are compared in a way of the type's own, not value by value.
    `asks_apart` is False where criteria cannot be asked in blocks or one a rater, since every screen asks more.
    `has_wordings` says that raters can be asked a question in different wordings.
    `set_overview` gives raters a page that lists their whole set, to search it and to open any text of it.
    `seconds_an_answer` is how long an answer takes once the text is read, as far as nobody has measured it.
    Its parameters are fields of the class, and an instance has their values: `points = whole_field(…)` is the field of
    `Likert`, and `Likert({"points": 7}).points` is 7. `Settings` is the form made of them. `Form` is the form of a
    screen. `plain_text` keeps Markdown from being rendered, since the characters themselves
    are judged. `judges_files` says that outputs may be pictures, sounds and films as well as texts: nothing of the type
    works on words. `has_styles` says that there is a style sheet of the type's own, static/css/task_types/<name>.css.
    """

    name: ClassVar[str] = ""
    label: ClassVar[Words]
    purpose: ClassVar[Words]
    summary: ClassVar[Words]
    source: ClassVar[str]
    use_when: ClassVar[Words]
    analysed: ClassVar[Words]
    limits: ClassVar[Words]
    outcomes: ClassVar[tuple[Outcome, ...]]
    default_instructions: ClassVar[Words] = ""
    acts: ClassVar[frozenset[Act] | None] = None
    criteria_needed: ClassVar[tuple[int, int | None]] = (1, None)
    needs_items: ClassVar[bool] = True
    allows_back: ClassVar[bool] = True
    side_by_side: ClassVar[bool] = False
    rewrites: ClassVar[bool] = False
    plain_text: ClassVar[bool] = False
    judges_files: ClassVar[bool] = False
    has_styles: ClassVar[bool] = False
    set_overview: ClassVar[bool] = False
    asks_apart: ClassVar[bool] = True
    has_wordings: ClassVar[bool] = False
    seconds_an_answer: ClassVar[float] = 5.0
    grades_values: ClassVar[bool] = True
    sample: ClassVar[Sample] = Sample()
    begins_with: ClassVar[Sample] = Sample()

    Settings: ClassVar[type[Block]] = Parameters
    Form: ClassVar[type[ScreenForm]]

    @classproperty
    def template_name(cls) -> str:
        """The template of the unit."""
        return f"task_types/{cls.name}.html"

    @classproperty
    def first_use(cls) -> str:
        """The first sentence of `use_when`, for places with little room."""
        return re.split(r"(?<=[.!?])\s", str(cls.use_when), maxsplit=1)[0]

    @classproperty
    def cited(cls) -> str:
        """The publications in short: authors and year of each."""
        cited = re.findall(r"[^\W\d_][^.()]*?(?: et al\.)? \(\d{4}\)", cls.source)
        return "; ".join(cited) or cls.source

    @classproperty
    def cell_template_name(cls) -> str:
        """The template of a unit in the table of a document; it is given `in_document`."""
        return cls.template_name

    @classproperty
    def beside_template_name(cls) -> str:
        """The template of the source and other material beside the texts of a part, in the table of a document."""
        return "components/_beside.html"

    @classproperty
    def document_template_name(cls) -> str:
        """The template around the table of a document."""
        return "rater/_document_table.html"

    @classproperty
    def script(cls) -> str:
        """The ES module that enhances the unit, under static/."""
        return f"js/task_types/{cls.name}.js"

    @classproperty
    def styles(cls) -> str:
        """The style sheet of the type's own, under static/; empty where it has none."""
        return f"css/task_types/{cls.name}.css" if cls.has_styles else ""

    @property
    def params(self) -> dict[str, object]:
        """The parameters by their names, for a caller that goes through all of them."""
        return self.by_name()

    @property
    def has_digits(self) -> bool:
        """Whether digit keys choose answers: not where the same digit would mean another answer on each screen."""
        return True

    @property
    def texts_on_page(self) -> int:
        """The most screens on one page of a rater; only types with simple screens show several."""
        return 1

    @property
    def set_time(self) -> SetTime | None:
        """The set time for each text; None for no limit. Types with questions about the text at hand have none."""
        return None

    @property
    def hosts_elsewhere(self) -> tuple[str, ...]:
        """The other sites on which raters do a task, so that texts are addresses; none where they read texts."""
        return ()

    @property
    def needs_report(self) -> bool:
        """Whether only the other site can say that a task there is finished."""
        return False

    @property
    def judges_identical_apart(self) -> bool:
        """Whether identical texts of several systems are separate units, also where the task has them share one."""
        return False

    @property
    def shows_documents(self) -> bool:
        """Whether a page shows a whole document, with a column for each system; only some types can."""
        return False

    @property
    def scores_documents(self) -> bool:
        """Whether a page that shows a whole document asks for a score of it, for each system."""
        return False

    def document_data(self, cells: Sequence[tuple[int, int, str, ScreenForm]]) -> dict[str, object] | None:
        """Return the data for the script of a page that shows a document; None where it needs none.

        Each cell has its number on the page, the number of its row, its name and its form.
        """
        return None

    def brings(self) -> tuple[Criterion, ...]:
        """Return the criteria that the type itself adds to those of the study.

        They are stored with the study, so that every rating says what it answers. A study that has a criterion of the
        same key words it in its own way.
        """
        return ()

    def asked(self, criteria: Sequence[Criterion]) -> tuple[Criterion, ...]:
        """Return the criteria of the study, without those that the type brings along."""
        brought = {criterion.key for criterion in self.brings()}
        return tuple(criterion for criterion in criteria if criterion.key not in brought)

    def outcome_of(self, criterion: Criterion | None) -> Outcome | None:
        """Return the outcome that answers a criterion; None where there is none."""
        key = criterion.key if criterion is not None else ""
        named = [outcome for outcome in self.outcomes if outcome.criterion and outcome.criterion == key]
        brought = {extra.key for extra in self.brings()}
        general = [outcome for outcome in self.outcomes if not outcome.criterion and key not in brought]
        return next(iter([*named, *general]), None)

    def problems(self, criteria: Sequence[Criterion]) -> Iterator[str]:
        """Yield a sentence for everything in the criteria that does not fit the parameters.

        `criteria` are those of the study, without those that the type brings along. A sentence about a parameter is a
        `ParameterProblem`.
        """
        least, most = self.criteria_needed
        if not criteria and least:
            yield str(_("Add at least one question."))
        elif len(criteria) < least or (most is not None and len(criteria) > most):
            needed = f"{least}" if most == least else f"at least {least}" if most is None else f"{least} to {most}"
            yield f"{self.name} needs {needed} questions; there are {len(criteria)}."

    def wording_problems(self, criteria: Sequence[Criterion]) -> Iterator[tuple[str, int | None, str]]:
        """Yield the problems of the wordings of questions: key of the criterion, number of the wording, a sentence.

        A wording has the number of its entry, from 0; the number is None where no wording is to blame alone.
        """
        for criterion in criteria:
            if criterion.wordings:
                yield criterion.key, None, "Tasks of this type ask every rater a question in the same words."

    def units_a_rater(self) -> int | None:
        """Return the most units that one rater may judge; None if there is no limit."""
        return None

    def judges_needed(self) -> int | None:
        """Return the judgments that units of the same systems should get in all; None if the type advises none."""
        return None

    def item_problems(self, item: ItemTexts) -> Iterator[str]:
        """Yield a sentence for everything in an item that keeps it from being judged."""
        return iter(())

    def problems_together(self, items: Sequence[ItemTexts]) -> Iterator[str]:
        """Yield a sentence for everything that keeps items, each of them sound, from being judged together."""
        return iter(())

    def missing_for_raters(self, item: ItemTexts) -> Iterator[str]:
        """Yield a sentence for each gap of an item that raters would meet; ratings from elsewhere need no check."""
        return iter(())

    @classmethod
    def shows_suggestions(cls) -> bool:
        """Return whether texts of the type can carry something when they are first shown."""
        return cls.prefill_problem is not TaskType.prefill_problem

    def prefill_problem(self, payload: object, text: str, source: str = "") -> str | None:
        """Return the reason why a payload cannot be the prefill of a text with this source, or None."""
        return str(_("Texts of this task type carry nothing when they are first shown."))

    def prefill_problem_together(self, payloads: Sequence[object], text: str, source: str = "") -> str | None:
        """Return the reason why payloads that are sound one by one cannot be the prefill of one text, or None."""
        return None

    def shows_personal_text(self) -> bool:
        """Return whether each rater is shown a text that was written for them alone."""
        return False

    def waits_for_personal_text(self) -> bool:
        """Return whether raters without such a text have to wait for it."""
        return False

    def instructions(self) -> Words:
        """Return the instructions for raters where the study has none of its own."""
        return self.default_instructions

    def instruction_problems(self, instructions: str) -> Iterator[str]:
        """Yield a sentence for every answer that instructions of the study name and raters cannot give here."""
        return iter(())

    def heds(self, criterion: Criterion | None) -> dict[str, str]:
        """Answer questions of the HEDS 2.0 datasheet about a criterion, by their numbers: 4.3.3 to 4.3.6 and 4.3.8."""
        return {}

    def scale_of(self, criterion: Criterion | None = None) -> tuple[float, float, float] | None:
        """Return least value, greatest value and step of the numeric scale of a criterion; None where there is none."""
        return None

    @abstractmethod
    def units(self, items: Sequence[ItemTexts], rng: Random) -> Iterator[UnitDraft]:
        """Make the units of a task out of its items."""

    def shown_only(self) -> frozenset[str]:
        """Return the keys of systems with texts that stand beside the judged ones, and are never judged."""
        return frozenset()

    def arrange(self, n_parts: int, rng: Random) -> Iterator[dict[str, object]]:
        """Yield arrangements for the places of units alike, endlessly; every prefix is balanced.

        The plan takes one a place, in the order of booklets. The default is for units whose parts have no order.
        """
        while True:
            yield {"parts": list(range(n_parts))}

    def arrange_for_rater(self, criteria: Sequence[Criterion], rng: Random) -> dict[str, object]:
        """Draw the part of a screen that stays the same for one rater: the order of the criteria, and more by type."""
        keys = [criterion.key for criterion in self.asked(criteria)]
        rng.shuffle(keys)
        return {"criteria": keys}

    def form(
        self,
        screen: Screen,
        data: Mapping[str, str] | None = None,
        initial: Mapping[str, object] | None = None,
        prefix: str = "",
    ) -> ScreenForm:
        """Return the form of a screen: unbound, or bound to a post.

        `prefix` tells its fields from those of other screens on the page.
        """
        return self.Form(self, screen, data, initial, prefix)

    def answers_on(self, screen: Screen) -> int:
        """Count the answers that a screen asks for: the fields that must be filled in, at least one."""
        return max(1, sum(field.required for field in self.form(screen).fields.values()))

    @abstractmethod
    def ratings(self, screen: Screen, cleaned: Mapping[str, object]) -> Iterator[Value]:
        """Turn the cleaned data of the form into values, on canonical parts and criteria."""

    def problem_in_value(self, value: float, criterion: Criterion | None) -> str | None:
        """Return the reason why a number given elsewhere cannot be a rating of this type, or None.

        The sentence goes on after the name of the column. A type whose numbers lie on a scale says which.
        """
        return None

    def labels_of(self, criterion: Criterion | None) -> tuple[str, ...] | None:
        """Return every label that a rating on a criterion can have; None where items or raters bring their own."""
        return None

    def labels_alone(self, criterion: Criterion | None) -> frozenset[str]:
        """Return the labels of a criterion that cannot be chosen together with another one."""
        return frozenset()

    def label_names(self) -> Mapping[str, Mapping[str, str]]:
        """Return the names of labels that are stored under short keys, by the key of their criterion and their own."""
        return {}

    def known_beside(self, column: str, word: str) -> tuple[str, ...] | None:
        """Return the categories or severities of marked spans where `word` is none of them, else None."""
        return None

    def labels_on(self, screen: Screen, criterion: Criterion) -> tuple[str, ...] | None:
        """Return every label that a rater can give on a screen; None where the answer is no label."""
        return self.labels_of(criterion)

    @abstractmethod
    def simulate(self, screen: Screen, quality: Quality, rng: Random) -> dict[str, str]:
        """Answer a screen as a simulated rater would: the data of a post."""

    def grade(self, screen: Screen, cleaned: Mapping[str, object], gold: Sequence[GoldAnswer]) -> tuple[Graded, ...]:
        """Compare an answer with known answers, on the server."""
        values = tuple(self.ratings(screen, cleaned))
        return tuple(grade_one(values, answer) for answer in gold)

    def instructed(self, criteria: Sequence[Criterion], check: int) -> Instruction | Words:
        """Return an attention check that says which answer to give, in the language of the page.

        `check` is its number, from 0: later checks ask for other answers. `criteria` are those of the study, without
        those that the type brings along. Where an instructed answer makes no sense, return a sentence that says which
        other check the type has.
        """
        return NO_INSTRUCTION

    def answered_questions(self, screen: Screen, cleaned: Mapping[str, object]) -> Iterator[AnsweredQuestion]:
        """Yield the questions of a screen with the rater's answers, empty where the screen was skipped.

        Types without such questions yield none; those whose answers are no options and no numbers override `laid_over`.
        """
        return iter(())

    def name_of(self, shown: ShownPart, *, alone: bool) -> str:
        """Return the name of an output on a screen: “Text” where it is alone, else “Text A”."""
        return shown.heading if alone else shown.name

    def laid_over(self, screen: Screen, cleaned: Mapping[str, object], gold: Sequence[GoldAnswer]) -> LaidOver:
        """Return the rater's answers with the expected ones, to be shown after practice."""
        return LaidOver(questions=compare(self.answered_questions(screen, cleaned), gold))

    def feedback(
        self, screen: Screen, cleaned: Mapping[str, object], gold: Sequence[GoldAnswer]
    ) -> tuple[Feedback, ...]:
        """Return the feedback after a training unit: for each known answer, whether it was met, and the reason."""
        names = {criterion.key: criterion.name for criterion in screen.criteria}
        return tuple(
            Feedback(
                passed=graded.passed,
                sentence=sentence_for(graded, names.get(graded.gold.criterion or "", "")),
                explanation=graded.gold.explanation,
            )
            for graded in self.grade(screen, cleaned, gold)
        )
