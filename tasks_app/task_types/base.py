"""What a task type is: a pure module that turns a frozen `Screen` into a form and a form into ratings.

A type never sees the database, a system's name or another rater. It declares its parameters and outcomes once;
admin form, study file schema, export columns, catalogue and contract tests follow from the declaration.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from random import Random
from typing import ClassVar, TypeAlias

from django import forms
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from tasks_app.task_types._grading import GoldAnswer as GoldAnswer  # noqa: PLC0414  part of the contract
from tasks_app.task_types._grading import Graded as Graded  # noqa: PLC0414  part of the contract
from tasks_app.task_types._grading import grade_one, sentence_for

Arrangement: TypeAlias = Mapping[str, object]
Words: TypeAlias = str | Promise


class Scale(StrEnum):
    """The level of measurement of an outcome: it decides which statistics are offered."""

    NOMINAL = "nominal"
    ORDINAL = "ordinal"
    INTERVAL = "interval"
    RATIO = "ratio"
    TEXT = "text"


class Quality(StrEnum):
    """How well a simulated rater does their work."""

    CAREFUL = "careful"
    SLOPPY = "sloppy"
    RANDOM = "random"
    STRAIGHT_LINER = "straight_liner"


@dataclass(frozen=True, slots=True)
class Outcome:
    """One thing that a judgment of this type records.

    `per` names what there is one of: "criterion", "part" (and criterion), "unit" or "span". `column` is the
    column of the ratings table that holds it.
    """

    name: str
    scale: Scale
    per: str
    doc: Words
    column: str = "value"


@dataclass(frozen=True, slots=True)
class OutputText:
    """One output as the study has it, before units are made."""

    system: str
    variant: str
    text: str
    language: str = ""


@dataclass(frozen=True, slots=True)
class ItemTexts:
    """One item with its outputs; `groups` holds the outputs by text, identical ones together."""

    key: str
    outputs: tuple[OutputText, ...]
    groups: tuple[tuple[int, ...], ...]
    document: str | None = None
    position: int = 0
    options: Mapping[str, object] = field(default_factory=dict)

    @classmethod
    def collapsed(cls, key: str, outputs: Sequence[OutputText], *, keep: bool = False, **rest: object) -> ItemTexts:
        """Find identical outputs and put them together, unless the researcher says to `keep` them apart."""
        seen: dict[object, list[int]] = {}
        for number, output in enumerate(outputs):
            seen.setdefault(number if keep else output.text, []).append(number)
        groups = tuple(tuple(group) for group in seen.values())
        return cls(key=key, outputs=tuple(outputs), groups=groups, **rest)  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class UnitDraft:
    """A unit to be: its key, and for each part in canonical order the outputs (by number) it shows."""

    key: str
    item: str | None
    parts: tuple[tuple[int, ...], ...]
    document: str | None = None


@dataclass(frozen=True, slots=True)
class Part:
    """A text on a screen. `number` is its canonical place in the unit, from 0."""

    number: int
    text: str
    language: str = ""


@dataclass(frozen=True, slots=True)
class Criterion:
    """What a rater is asked about a text. `low` and `high` are the words at the ends of the scale.

    `labels` names every step where the study words them all (then one a step), `anchors` single points.
    """

    key: str
    name: str
    definition: str = ""
    question: str = ""
    low: str = ""
    high: str = ""
    labels: tuple[str, ...] = ()
    anchors: Mapping[str, str] = field(default_factory=dict)
    kind: str = "criterion"
    language: str = ""


@dataclass(frozen=True, slots=True)
class ShownPart:
    """A part at its place on the screen; `position` counts from 1 and is all that a page may name."""

    position: int
    part: Part

    @property
    def letter(self) -> str:
        """A, B, C … by position only."""
        return chr(ord("A") + self.position - 1) if self.position <= 26 else str(self.position)


@dataclass(frozen=True, slots=True)
class Screen:
    """Everything one screen shows, frozen: parts, texts, criteria, parameters, options and arrangement.

    `arrangement` is what was drawn and stored: "parts" the order of parts by screen position, "criteria" the
    order of criterion keys; a type may add its own entries. There is no system in it, by construction.
    """

    type: str
    parts: tuple[Part, ...]
    criteria: tuple[Criterion, ...]
    params: Mapping[str, object] = field(default_factory=dict)
    source: str = ""
    source_language: str = ""
    reference: str = ""
    language: str = "en"
    format: str = "text"
    options: Mapping[str, object] = field(default_factory=dict)
    arrangement: Arrangement = field(default_factory=dict)
    context: tuple[str, ...] = ()

    @property
    def shown_parts(self) -> tuple[ShownPart, ...]:
        """The parts in the order of the screen."""
        order = self.arrangement.get("parts")
        if not isinstance(order, Sequence) or sorted(order) != list(range(len(self.parts))):
            order = range(len(self.parts))
        return tuple(ShownPart(position, self.parts[number]) for position, number in enumerate(order, start=1))

    @property
    def shown_criteria(self) -> tuple[Criterion, ...]:
        """The criteria in the order of the screen."""
        order = self.arrangement.get("criteria")
        by_key = {criterion.key: criterion for criterion in self.criteria}
        if not isinstance(order, Sequence) or sorted(map(str, order)) != sorted(by_key):
            return self.criteria
        return tuple(by_key[str(key)] for key in order)


@dataclass(frozen=True, slots=True)
class Value:
    """One rating to be stored: which part and criterion it is about, and what was said.

    `outcome` names the declared outcome it belongs to; exactly one of `value`, `label` and `text` must be set,
    except for spans. Part numbers are canonical.
    """

    outcome: str
    part: int | None = None
    criterion: str | None = None
    number: int = 1
    value: float | None = None
    label: str | None = None
    text: str | None = None
    shown_value: float | None = None
    part_b: int | None = None
    span_side: str | None = None
    span_start: int | None = None
    span_end: int | None = None
    category: str | None = None
    severity: str | None = None


@dataclass(frozen=True, slots=True)
class Feedback:
    """What training tells a rater about one gold answer: right or wrong, and why."""

    passed: bool
    sentence: Words
    explanation: str = ""


class NoParams(forms.Form):
    """Parameters of a type that has none."""


class TextParams(forms.Form):
    """Parameters of every type that shows texts with an item."""

    show_source = forms.BooleanField(
        initial=True, required=False, label=_("Show the source"), help_text=_("Above the text to be judged.")
    )
    show_reference = forms.BooleanField(
        initial=False,
        required=False,
        label=_("Show the reference"),
        help_text=_("Marked as an example answer."),
    )


class TaskType(ABC):
    """One way of judging. See the module docstring; `tests/house/` holds every member to this contract."""

    name: ClassVar[str] = ""
    label: ClassVar[Words]
    summary: ClassVar[Words]
    source: ClassVar[str]
    outcomes: ClassVar[tuple[Outcome, ...]]
    default_instructions: ClassVar[Words] = ""
    criteria_needed: ClassVar[tuple[int, int | None]] = (1, None)

    Params: ClassVar[type[forms.Form]] = NoParams

    @property
    def template_name(self) -> str:
        """The template of the unit."""
        return f"task_types/{self.name}.html"

    @property
    def script(self) -> str:
        """The ES module that enhances the unit, under static/."""
        return f"js/task_types/{self.name}.js"

    def params(self, given: Mapping[str, object]) -> dict[str, object]:
        """Fill in defaults and check parameters.

        Raises
        ------
        ValueError
            With every problem, one a line, where a value is refused or a name unknown.
        """
        unknown = [name for name in given if name not in self.Params.base_fields]
        defaults = {name: bound.initial for name, bound in self.Params.base_fields.items()}
        form = self.Params({**defaults, **given})
        problems = [f"{name}: unknown parameter" for name in unknown]
        if not form.is_valid():
            problems += [f"{name}: {' '.join(map(str, errors))}" for name, errors in form.errors.items()]
        if problems:
            raise ValueError("\n".join(problems))
        return dict(form.cleaned_data)

    def problems(self, criteria: Sequence[Criterion], params: Mapping[str, object]) -> Iterator[str]:
        """Yield a sentence for everything in the criteria that does not fit the parameters."""
        least, most = self.criteria_needed
        if len(criteria) < least or (most is not None and len(criteria) > most):
            wanted = f"{least}" if most == least else f"at least {least}" if most is None else f"{least} to {most}"
            yield f"{self.name} needs {wanted} criteria; {len(criteria)} given."

    def scale_of(self, params: Mapping[str, object]) -> tuple[float, float, float] | None:
        """Return least value, greatest value and step of a numeric scale; None where there is none."""
        return None

    @abstractmethod
    def units(self, items: Sequence[ItemTexts], params: Mapping[str, object], rng: Random) -> Iterator[UnitDraft]:
        """Make the units of a task out of its items."""

    def arrange(self, n_parts: int, params: Mapping[str, object], rng: Random) -> Iterator[dict[str, object]]:
        """Yield arrangements for the places of units alike, endlessly; every prefix is balanced.

        The plan takes one a place, in the order of booklets. The default is for units whose parts have no order.
        """
        while True:
            yield {"parts": list(range(n_parts))}

    def arrange_for_rater(
        self, criteria: Sequence[Criterion], params: Mapping[str, object], rng: Random
    ) -> dict[str, object]:
        """Draw what stays the same for one rater: the order of criteria, and what a type adds."""
        keys = [criterion.key for criterion in criteria]
        rng.shuffle(keys)
        return {"criteria": keys}

    @abstractmethod
    def form(
        self,
        screen: Screen,
        data: Mapping[str, str] | None = None,
        initial: Mapping[str, object] | None = None,
    ) -> forms.Form:
        """Return the form of a screen: unbound, or bound to what was posted."""

    @abstractmethod
    def ratings(self, screen: Screen, cleaned: Mapping[str, object]) -> Iterator[Value]:
        """Turn the cleaned data of the form into values, on canonical parts and criteria."""

    def problem_in_value(self, value: float, criterion: Criterion | None, params: Mapping[str, object]) -> str | None:
        """Say why a number that was given elsewhere cannot be a rating of this type, or return None.

        The sentence goes on after the name of the column. A type whose numbers lie on a scale says which.
        """
        return None

    @abstractmethod
    def simulate(self, screen: Screen, quality: Quality, rng: Random) -> dict[str, str]:
        """Answer a screen as a simulated rater would: the data of a post."""

    def grade(self, screen: Screen, cleaned: Mapping[str, object], gold: Sequence[GoldAnswer]) -> tuple[Graded, ...]:
        """Compare an answer with known answers, on the server."""
        values = tuple(self.ratings(screen, cleaned))
        return tuple(grade_one(values, answer) for answer in gold)

    def feedback(
        self, screen: Screen, cleaned: Mapping[str, object], gold: Sequence[GoldAnswer]
    ) -> tuple[Feedback, ...]:
        """Say after a training unit what was right, what was not, and why."""
        names = {criterion.key: criterion.name for criterion in screen.criteria}
        return tuple(
            Feedback(
                passed=graded.passed,
                sentence=sentence_for(graded, names.get(graded.gold.criterion or "", "")),
                explanation=graded.gold.explanation,
            )
            for graded in self.grade(screen, cleaned, gold)
        )
