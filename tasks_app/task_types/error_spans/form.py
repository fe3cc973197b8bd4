"""The form of a screen with errors to mark: its fields, their checks, and the data from which the page is drawn."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from django import forms
from django.core.exceptions import ValidationError
from django.core.validators import StepValueValidator
from django.utils.translation import gettext

from tasks_app.task_types.base import Criterion, Screen, ScreenForm, ShownPart
from tasks_app.task_types.error_spans.marks import (
    LONGEST_JSON,
    MISSING,
    Limits,
    Mark,
    prefilled,
    problem_in,
    problem_in_all,
    read_marks,
    shortened,
)
from tasks_app.task_types.error_spans.scheme import PUBLISHED_IN, Scheme
from tasks_app.task_types.graphemes import inside
from tasks_app.task_types.grid import Cell, field_name
from tasks_app.task_types.highlights import Highlight
from tasks_app.texts.languages import spoken

if TYPE_CHECKING:
    from tasks_app.task_types.error_spans import ErrorSpans

# The criteria that the type brings along.
ERRORS, SCORE = "errors", "score"

# The anchors as published, so not translated; the question is in their language.
ESA_SCORE = Criterion(
    SCORE,
    "Score",
    question="How good is the text as a whole?",
    anchors={
        "0": "No meaning preserved",
        "33": "Some meaning preserved",
        "66": "Most meaning preserved and few grammar mistakes",
        "100": "Perfect meaning and grammar",
    },
    language=PUBLISHED_IN,
)

# When the page asks whether errors and score are both meant: a serious error, yet a score above; no error, yet below.
DOUBTFUL = {"above": 90, "below": 80}


class MarksField(forms.CharField):
    """The marks of one text, as one JSON text."""

    widget = forms.Textarea

    def __init__(self, limits: Limits, **options: Any) -> None:
        super().__init__(required=False, max_length=LONGEST_JSON, **options)
        self.limits = limits

    def prepare_value(self, value: Any) -> Any:
        """Write a stored answer as the page posts it; a draft has that form already."""
        return json.dumps(value, ensure_ascii=False) if isinstance(value, list) else value

    def clean(self, value: Any) -> list[dict[str, str | int]]:
        """Return the marks in order; every one of them can be stored."""
        marks = read_marks(super().clean(value))
        problem = next(filter(None, (problem_in(mark, self.limits) for mark in marks)), None)
        if problem is not None:
            raise ValidationError(problem, code="mark")
        return [mark.as_dict() for mark in sorted(marks)]

    def in_words(self, value: Any) -> str:
        """Describe the marks for people: each marked text with its severity and category."""
        if not isinstance(value, list) or not value:
            return gettext("nothing marked")
        marks = [Mark(**entry) for entry in value]
        scheme = self.limits.scheme
        worded = (
            f"“{shortened(self.limits.words(mark))}” {scheme.in_words(mark.severity, mark.category)}" for mark in marks
        )
        return "; ".join(words.strip() for words in worded)


@dataclass(frozen=True, slots=True)
class Given:
    """A mark that the text came with, and the field that says whether it stays."""

    mark: Mark
    words: str
    kind: str
    level: int
    field: forms.BoundField


@dataclass(frozen=True, slots=True)
class Row:
    """One text on the screen with everything that is asked about it."""

    shown: ShownPart
    marks: forms.BoundField
    none: forms.BoundField
    given: tuple[Given, ...]
    cells: tuple[Cell, ...]
    nothing_said: str

    @property
    def head(self) -> str:
        """The id of the words above the text."""
        return f"{self.marks.auto_id}-head"

    @property
    def errors(self) -> list[str]:
        """The error messages of the marks, and of the answers about marks that the text came with."""
        return [str(error) for field in (self.marks, *(given.field for given in self.given)) for error in field.errors]

    @property
    def has_errors(self) -> bool:
        """Whether the marks have any error."""
        return bool(self.errors)


class SpansForm(ScreenForm):
    """The form of a screen: for every text its marks, or that it has none, and its scores."""

    kind: ErrorSpans

    def make_fields(self) -> Iterator[tuple[str, forms.Field]]:
        """Yield the fields of every text."""
        for shown in self.screen.shown_parts:
            yield from self._fields_of(shown)

    @cached_property
    def scheme(self) -> Scheme:
        """The severities and categories to choose from on this screen."""
        return self.kind.told_apart(source=self.kind.marks_source and bool(self.screen.source))

    @cached_property
    def scored(self) -> tuple[Criterion, ...]:
        """The criteria that are answered with a number."""
        return tuple(criterion for criterion in self.screen.shown_criteria if criterion.key != ERRORS)

    def limits(self, shown: ShownPart) -> Limits:
        """Return the limits of marks in one text and its source."""
        texts = {"output": shown.part.text}
        if self.kind.marks_source and self.screen.source:
            texts["source"] = self.screen.source
        return self.kind.limits_of(texts, self.scheme)

    def about(self, shown: ShownPart, sentence: str) -> str:
        """Put the letter of a text in front of a sentence, where there are several."""
        if len(self.screen.parts) < 2:
            return sentence
        return gettext("Text %(letter)s: %(sentence)s") % {"letter": shown.letter, "sentence": sentence}

    def _fields_of(self, shown: ShownPart) -> Iterator[tuple[str, forms.Field]]:
        place, limits = shown.position, self.limits(shown)
        yield field_name(place, "spans"), MarksField(limits, label=self.about(shown, gettext("Errors")))
        none = gettext("No errors")
        yield (
            field_name(place, "none"),
            forms.ChoiceField(required=False, choices=[("1", none)], label=self.about(shown, none)),
        )
        for number, mark in enumerate(prefilled(shown.part.prefill), start=1):
            words = {"words": shortened(limits.words(mark))}
            missing = self.about(shown, gettext("“%(words)s”: say whether this mark is right.") % words)
            yield (
                field_name(place, f"given-{number}"),
                forms.ChoiceField(
                    choices=[("keep", gettext("Right")), ("remove", gettext("Wrong"))],
                    widget=forms.RadioSelect,
                    label=self.about(shown, gettext("Marked already: “%(words)s”") % words),
                    error_messages={"required": missing, "invalid_choice": missing},
                ),
            )
        for criterion in self.scored:
            yield field_name(place, criterion.key), self._score(shown, criterion)

    def _score(self, shown: ShownPart, criterion: Criterion) -> forms.Field:
        names = {"criterion": criterion.quoted}
        wrong = gettext("Give a whole number from 0 to 100.")
        return forms.FloatField(
            min_value=0,
            max_value=100,
            validators=[StepValueValidator(1, wrong)],
            widget=forms.NumberInput(attrs={"min": "0", "max": "100", "step": "1", "inputmode": "numeric"}),
            label=criterion.question or criterion.name,
            error_messages={
                "required": self.about(shown, gettext("answer “%(criterion)s”.") % names)
                if len(self.screen.parts) > 1
                else gettext("Answer “%(criterion)s”.") % names,
                **dict.fromkeys(("invalid", "min_value", "max_value"), wrong),
            },
        )

    def clean(self) -> dict[str, Any]:
        """Check the marks of every text together, and with “no errors”."""
        for shown in self.screen.shown_parts:
            name = field_name(shown.position, "spans")
            if name in self.errors:
                continue
            marks = self.marks(shown, self.cleaned_data)
            none = bool(self.cleaned_data.get(field_name(shown.position, "none")))
            open_given = any(field in self.errors for field in self._given_names(shown))
            if marks and none:
                self.add_error(name, self.about(shown, gettext("There are marks. Remove them, or untick “No errors”.")))
            elif not marks and not none and not open_given:
                self.add_error(name, self.nothing_said(shown))
            elif problem := problem_in_all(marks, self.limits(shown)):
                self.add_error(name, self.about(shown, problem))
        return self.cleaned_data

    def nothing_said(self, shown: ShownPart) -> str:
        """Return the message for a text with neither marks nor “no errors”."""
        return self.about(shown, gettext("Mark the errors, or choose “No errors”."))

    def _given_names(self, shown: ShownPart) -> list[str]:
        return [
            field_name(shown.position, f"given-{number + 1}") for number in range(len(prefilled(shown.part.prefill)))
        ]

    def marks(self, shown: ShownPart, cleaned: Mapping[str, Any]) -> list[Mark]:
        """Return the errors of a text: the rater's own marks and those that it came with and that stay."""
        own = [Mark(**entry) for entry in cleaned.get(field_name(shown.position, "spans")) or ()]
        given = prefilled(shown.part.prefill)
        names = self._given_names(shown)
        kept_marks = [mark for mark, name in zip(given, names, strict=True) if cleaned.get(name) == "keep"]
        return sorted([*own, *kept_marks])

    def rows(self) -> list[Row]:
        """Return the texts with their questions, for the template."""
        return [self._row(shown) for shown in self.screen.shown_parts]

    def _row(self, shown: ShownPart) -> Row:
        place, limits = shown.position, self.limits(shown)
        names = self._given_names(shown)
        given = tuple(
            Given(
                mark=mark,
                words=shortened(limits.words(mark)),
                kind=self.scheme.in_words(mark.severity, mark.category),
                level=next((severity.level for severity in self.scheme.severities if severity.key == mark.severity), 3),
                field=self[name],
            )
            for mark, name in zip(prefilled(shown.part.prefill), names, strict=True)
        )
        return Row(
            shown=shown,
            marks=self[field_name(place, "spans")],
            none=self[field_name(place, "none")],
            given=given,
            cells=tuple(Cell(criterion, self[field_name(place, criterion.key)]) for criterion in self.scored),
            nothing_said=self.nothing_said(shown),
        )

    @cached_property
    def errors_criterion(self) -> Criterion:
        """The criterion that asks for the errors, in the study's words or in ours."""
        own = next((criterion for criterion in self.screen.criteria if criterion.key == ERRORS), None)
        if own is not None and own.question:
            return own
        question = gettext("Mark every error in the text.")
        return Criterion(ERRORS, gettext("Errors"), question=question, language=spoken())

    @property
    def first_id(self) -> str:
        """The id with which others of the screen begin."""
        return str(self[field_name(1, "spans")].auto_id)

    @property
    def source_head(self) -> str:
        """The id of the words above the source."""
        return f"{self.first_id}-source"

    @property
    def shows_source(self) -> bool:
        """Whether the source stands beside the texts."""
        return bool(self.screen.source and self.kind.show_source)

    @property
    def beside(self) -> Screen:
        """The screen of everything beside the texts, without the source, which has a place of its own.

        Chains of texts to be marked are not followed there, so only those of the reference count.
        """
        of_reference = {"reference": self.screen.highlights.get("reference", ())}
        return replace(self.screen, source="", parts=(), highlights=of_reference)

    @property
    def score_first(self) -> bool:
        """Whether the scores stand before the marks."""
        return self.kind.order == "score"

    @property
    def has_given(self) -> bool:
        """Whether a text came with marks."""
        return any(part.prefill for part in self.screen.parts)

    def page_data(self) -> dict[str, Any]:
        """Return the data for the script, in the order of the screen, without systems and known answers."""
        screen, kind = self.screen, self.kind
        markable = kind.marks_source
        texts: list[dict[str, Any]] = [
            _text("output", shown.position, shown.part.text, shown.part.language or screen.language, marked=True)
            | _highlights(shown.part.highlights)
            for shown in screen.shown_parts
        ]
        if self.shows_source:
            language = screen.source_language or screen.language
            source = _text("source", 1 if markable else 0, screen.source, language, marked=markable)
            texts.insert(0, source | _highlights(screen.highlights.get("source", ())))
        return {
            "texts": texts,
            "given": {
                str(shown.position): [mark.as_dict() for mark in prefilled(shown.part.prefill)]
                for shown in screen.shown_parts
            },
            "severities": [asdict(severity) for severity in self.scheme.severities],
            "categories": [
                asdict(category) | {"name": category.full_name} for category in self.scheme.categories.values()
            ],
            "missing": MISSING if kind.has_missing else "",
            "snap": kind.snap,
            "overlaps": kind.overlaps,
            "most": kind.most,
            "guide": kind.guide,
            "doubtful": {**DOUBTFUL, "field": SCORE} if SCORE in {criterion.key for criterion in self.scored} else None,
        }


def _text(side: str, position: int, text: str, language: str, *, marked: bool) -> dict[str, Any]:
    within: Sequence[int] = inside(text)
    return {"side": side, "position": position, "text": text, "inside": within, "language": language, "marked": marked}


def _highlights(highlights: Sequence[Highlight]) -> dict[str, Any]:
    """Return the data with which the script shows highlights; empty for a text without any."""
    if not highlights:
        return {}
    return {
        "highlights": [[highlight.start, highlight.end] for highlight in highlights],
        "highlighted": gettext("highlighted"),
    }
