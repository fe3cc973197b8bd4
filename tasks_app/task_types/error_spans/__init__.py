"""Error spans: raters mark the errors in a text, with their severity and kind, and may give a score."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from random import Random
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.core.validators import StepValueValidator
from django.utils.functional import classproperty
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from tasks_app.task_types.base import (
    DOCUMENT_SCORE,
    Act,
    AnsweredQuestion,
    Criterion,
    Feedback,
    GoldAnswer,
    Graded,
    Instruction,
    LaidOver,
    Outcome,
    Quality,
    Sample,
    Scale,
    Screen,
    ScreenForm,
    ShownPart,
    Value,
    Words,
    without_document_score,
)
from tasks_app.task_types.data import grade_one, sentence_for
from tasks_app.task_types.error_spans import known_errors as grading
from tasks_app.task_types.error_spans import overlay
from tasks_app.task_types.error_spans.marks import (
    LONGEST_JSON,
    MISSING,
    Limits,
    Mark,
    origin_of,
    prefilled,
    problem_in,
    problem_in_all,
    read_marks,
    shortened,
    with_origins,
)
from tasks_app.task_types.error_spans.named_errors import named_wrongly
from tasks_app.task_types.error_spans.params import MOST, MOST_ELSEWHERE, SpanParameters
from tasks_app.task_types.error_spans.scheme import PUBLISHED_IN, Scheme, scheme_of
from tasks_app.task_types.error_spans.scoring import as_key, weight_of
from tasks_app.task_types.error_spans.simulate import keeps, simulated
from tasks_app.task_types.graphemes import inside
from tasks_app.task_types.grid import Cell, field_name
from tasks_app.task_types.highlights import Highlight
from tasks_app.task_types.instructed import check_text, number_of
from tasks_app.task_types.registry import register
from tasks_app.task_types.simulation import share_of
from tasks_app.task_types.written import written
from tasks_app.texts.languages import isolated, spoken
from tasks_app.texts.plaintext import validate_storable

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
        for mark in marks:
            validate_storable(mark.reason)
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
            f"“{shortened(self.limits.words(mark))}” {scheme.in_words(mark.severity, mark.category)}".strip()
            + (f" ({mark.reason})" if mark.reason else "")
            for mark in marks
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
    def cells_of_text(self) -> tuple[Cell, ...]:
        """The questions about the text alone, without that about its whole document."""
        return tuple(cell for cell in self.cells if not cell.of_document)

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
        given = prefilled(shown.part.prefill)
        edited = [replace(mark, of=number).as_dict() for number, mark in enumerate(given, start=1)]
        initial = edited if edited and self.kind.edits_given else None
        yield (
            field_name(place, "spans"),
            MarksField(limits, label=self.about(shown, gettext("Errors")), initial=initial),
        )
        none = gettext("No errors")
        yield (
            field_name(place, "none"),
            forms.ChoiceField(required=False, choices=[("1", none)], label=self.about(shown, none)),
        )
        for number, mark in enumerate(self.to_confirm(shown), start=1):
            words = {"words": isolated(shortened(limits.words(mark)))}
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
            label=criterion.wording,
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
            elif problem := problem_in_all(marks, self.limits(shown)) or self._without_reason(shown, marks):
                self.add_error(name, self.about(shown, problem))
            elif (problem := self._contradiction(shown, marks)) and not open_given:
                self.add_error(field_name(shown.position, SCORE), self.about(shown, problem))
        return self.cleaned_data

    def _contradiction(self, shown: ShownPart, marks: Sequence[Mark]) -> str | None:
        """Return why a score cannot stand beside the errors, where the study refuses such scores."""
        score = self.cleaned_data.get(field_name(shown.position, SCORE))
        if self.kind.score_check != "refuse" or score is None:
            return None
        gravest = self.scheme.severities[-1] if len(self.scheme.severities) > 1 else None
        words = {"score": f"{score:g}", "severity": gravest.name if gravest is not None else ""}
        if not marks and score < (self.kind.low_score or 0):
            sentence = gettext("You gave {score} of 100, but marked no error.")
        elif gravest and score >= (self.kind.high_score or 101) and gravest.key in {mark.severity for mark in marks}:
            sentence = gettext("You gave {score} of 100, but marked an error as “{severity}”.")
        else:
            return None
        return f"{sentence.format(**words)} {gettext('Change one of them.')}"

    def _without_reason(self, shown: ShownPart, marks: Sequence[Mark]) -> str | None:
        """Return the message for a mark without a reason, where one is needed: for each that was not given so."""
        given = prefilled(shown.part.prefill)
        lacking = [mark for mark in marks if not mark.reason and origin_of(mark, given) != "kept"]
        if self.kind.mark_reason != "required" or not lacking:
            return None
        words = {"words": isolated(shortened(self.limits(shown).words(lacking[0])))}
        return gettext("“%(words)s”: say why it is an error.") % words

    def nothing_said(self, shown: ShownPart) -> str:
        """Return the message for a text with neither marks nor “no errors”."""
        return self.about(shown, gettext("Mark the errors, or choose “No errors”."))

    def to_confirm(self, shown: ShownPart) -> list[Mark]:
        """Return the marks that a text came with and of which raters say whether they are right."""
        return [] if self.kind.edits_given else prefilled(shown.part.prefill)

    def _given_names(self, shown: ShownPart) -> list[str]:
        return [field_name(shown.position, f"given-{number + 1}") for number in range(len(self.to_confirm(shown)))]

    def marks(self, shown: ShownPart, cleaned: Mapping[str, Any]) -> list[Mark]:
        """Return the errors of a text: the rater's own marks and those that it came with and that stay.

        `of` is the number of the given mark that an error was. A mark that was removed for another one in its place
        was changed.
        """
        posted = [Mark(**entry) for entry in cleaned.get(field_name(shown.position, "spans")) or ()]
        if self.kind.mark_reason == "no":
            posted = [replace(mark, reason="") for mark in posted]
        given = prefilled(shown.part.prefill)
        verdicts = {number: cleaned.get(name) for number, name in enumerate(self._given_names(shown), start=1)}
        unsettled = {number for number, verdict in verdicts.items() if verdict != "remove"}
        kept_marks = [replace(given[number - 1], of=number) for number in unsettled if verdicts[number] == "keep"]
        return sorted([*with_origins(posted, given, settled=unsettled), *kept_marks])

    def accepted(self, score: int, marks: Sequence[Mark]) -> int:
        """Return the nearest score that the study accepts beside these errors."""
        if self.kind.score_check != "refuse":
            return score
        if not marks:
            return max(score, self.kind.low_score or 0)
        gravest = self.scheme.severities[-1].key if len(self.scheme.severities) > 1 else None
        is_grave = gravest in {mark.severity for mark in marks}
        return min(score, (self.kind.high_score or 101) - 1) if is_grave else score

    def rows(self) -> list[Row]:
        """Return the texts with their questions, for the template."""
        return [self._row(shown) for shown in self.screen.shown_parts]

    @property
    def asked_of_text(self) -> Sequence[Criterion]:
        """The questions about a text: for its errors, and for its scores."""
        return (self.errors_criterion, *without_document_score(self.scored))

    @property
    def document_cells(self) -> Sequence[Cell]:
        """The question about the whole document that the text ends, where the screen asks it; else none."""
        if all(criterion.key != DOCUMENT_SCORE for criterion in self.scored):
            return ()
        return [cell for row in self.rows() for cell in row.cells if cell.of_document]

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
            for mark, name in zip(self.to_confirm(shown), names, strict=True)
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
    def texts_left_out_of(self) -> list[tuple[int, str]]:
        """The texts of the screen by their place, with their names: something of the source may be missing in each."""
        return [(shown.position, shown.name) for shown in self.screen.shown_parts]

    @property
    def score_first(self) -> bool:
        """Whether the scores stand before the marks."""
        return self.kind.order == "score"

    @property
    def has_given(self) -> bool:
        """Whether a text came with marks to be confirmed."""
        return any(self.to_confirm(shown) for shown in self.screen.shown_parts)

    def page_data(self) -> dict[str, Any]:
        """Return the data for the script, in the order of the screen, without systems and known answers."""
        shown = self.screen.shown_parts
        sources = [self.source_data()] if self.shows_source else []
        return {
            "texts": [*sources, *(self.text_data(one, one.position) for one in shown)],
            "given": {str(one.position): self.given_data(one) for one in shown},
            "edited": {str(one.position): marks for one in shown if (marks := self.edited_data(one))},
            **self.rules_data(),
        }

    def source_data(self) -> dict[str, Any]:
        """Return the source for the script."""
        screen, markable = self.screen, self.kind.marks_source
        language = screen.source_language or screen.language
        source = _text("source", 1 if markable else 0, screen.source, language, marked=markable)
        return source | _highlights(screen.highlights.get("source", ()))

    def text_data(self, shown: ShownPart, position: int) -> dict[str, Any]:
        """Return a text for the script, with its place on the page."""
        language = shown.part.language or self.screen.language
        text = _text("output", position, shown.part.text, language, marked=True)
        return text | _highlights(shown.part.highlights)

    def given_data(self, shown: ShownPart) -> list[dict[str, Any]]:
        """Return the marks of which raters say whether they are right, for the script."""
        return [mark.as_dict() for mark in self.to_confirm(shown)]

    def edited_data(self, shown: ShownPart) -> list[dict[str, Any]]:
        """Return the marks that a text came with and that raters edit, for the script."""
        return [mark.as_dict() for mark in prefilled(shown.part.prefill)] if self.kind.edits_given else []

    def rules_data(self) -> dict[str, Any]:
        """Return the scheme and the rules of marks for the script."""
        kind = self.kind
        return {
            "severities": [asdict(severity) for severity in self.scheme.severities],
            "categories": [
                asdict(category) | {"name": category.full_name} for category in self.scheme.categories.values()
            ],
            "missing": MISSING if kind.has_missing else "",
            "snap": kind.snap,
            "overlaps": kind.overlaps,
            "most": kind.most,
            "guide": kind.guide,
            "reason": kind.mark_reason,
            "doubtful": self._doubtful(),
        }

    def _doubtful(self) -> dict[str, Any] | None:
        """Return the scores that contradict the errors, and whether they are refused; None where nothing is said."""
        kind = self.kind
        if kind.score_check == "nothing" or SCORE not in {criterion.key for criterion in self.scored}:
            return None
        limits = {"above": (kind.high_score or 101) - 1, "below": kind.low_score or 0}
        return {**limits, "field": SCORE, "refused": kind.score_check == "refuse"}


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


@register
class ErrorSpans(SpanParameters):
    """Marks in one text, or in several side by side, with severity and category, and a score after them.

    A mark is a rating on the criterion `errors`, which the type brings along: one row a mark, numbered from 1 in the
    order of the text. Offsets are Unicode code points from 0, the end exclusive, never within a grapheme cluster. What
    is missing is marked on the word [missing] after the output: span_start is the length of the text and span_end one
    more. A text without errors gives no row; that the rater said so stands in the answer.
    """

    label = _("Error spans")
    purpose = _("Mark what is wrong, and where")
    summary = _("A rater marks the errors in a text, with severity and kind, and may score it: MQM, ESA or plain.")
    source = (
        "Freitag, Foster, Grangier, Ratnakar, Tan and Macherey (2021). Experts, errors, and context: a large-scale "
        "study of human evaluation for machine translation. TACL. "
        "Kocmi, Zouhar, Avramidis, Grundkiewicz, Karpinska, Popović, Sachan and Shmatova (2024). Error span "
        "annotation: a balanced approach for human evaluation of machine translation. WMT."
    )
    use_when = _(
        "You want to know what is wrong and where, as in MQM and ESA, or systems are so close that a single score per "
        "text does not tell them apart. MQM needs trained raters; ESA works with fluent speakers. With a whole "
        "document on a page, raters see the texts of all systems side by side (contrastive ESA)."
    )
    analysed = _(
        "Errors per text by severity, kind, system and rater; MQM score from the weights; share of texts without "
        "errors; overlap between raters; the score as on a slider; contradictions between score and errors."
    )
    limits = _(
        "Marking needs JavaScript. Each text takes as many errors as set, 5 for MQM as published. With several texts "
        "on a page nothing can be marked in the source: use the word [missing]. Given marks are in the output only."
    )
    outcomes = (
        Outcome(
            "score",
            Scale.INTERVAL,
            per="criterion",
            doc=_("Score of the text, from 0 to 100; only where one is asked."),
            optional=True,
        ),
        Outcome(
            "span",
            Scale.NOMINAL,
            per="span",
            doc=_(
                "One marked error: its place, text, severity and category; its value is its weight, where there are "
                "weights. Places count Unicode code points from 0, the end excluded, and never cut what people see as "
                "one character. The word [missing] is one code point after the end of the text."
            ),
            column="text",
            criterion=ERRORS,
            optional=True,
        ),
    )
    default_instructions = _(
        "Read the text, and mark every error in it. Mark as little as possible: only the words that are wrong. "
        "Choose how serious each one is, and its kind where you are asked. If something is missing, mark the word "
        "[missing] after the text. If there is no error, choose “No errors”. If you are asked for a score, give it for "
        "the text as a whole after you have marked the errors."
    )
    instructions_with_source = _(
        "Read the text, and mark every error in it. Mark as little as possible: only the words that are wrong. "
        "Choose how serious each one is, and its kind where you are asked. If something is missing, mark its words in "
        "the source. If there is no error, choose “No errors”. If you are asked for a score, give it for the text as a "
        "whole after you have marked the errors."
    )
    instructions_with_missing_at_source = _(
        "Read the text, and mark every error in it. Mark as little as possible: only the words that are wrong. "
        "Choose how serious each one is, and its kind where you are asked. If something is missing, mark the word "
        "[missing] after the source. If there is no error, choose “No errors”. If you are asked for a score, give it "
        "for the text as a whole after you have marked the errors."
    )
    instructions_without_missing = _(
        "Read the text, and mark every error in it. Mark as little as possible: only the words that are wrong. "
        "Choose how serious each one is, and its kind where you are asked. If there is no error, choose “No errors”. "
        "If you are asked for a score, give it for the text as a whole after you have marked the errors."
    )
    instructions_for_given_marks = _(
        "The texts come with marks. Check each mark: leave it if it is right, change it if it is partly right, and "
        "remove it if it is wrong. Then mark the errors that have no mark yet."
    )
    acts = frozenset({Act.MARK, Act.SLIDE})
    criteria_needed = (0, None)
    seconds_an_answer = 15.0
    plain_text = True
    has_styles = True
    asks_apart = False
    grades_values = False
    sample = Sample(params={"scheme": "esa"})

    Form = SpansForm

    def instructions(self) -> Words:
        """Return the instructions, with the place where raters of this task mark missing words."""
        if self.asks_missing_at_source:
            return self.instructions_with_missing_at_source
        if self.has_missing:
            return self.default_instructions
        return self.instructions_with_source if self.marks_source else self.instructions_without_missing

    @property
    def marks_source(self) -> bool:
        """Whether errors can be marked in the source: only beside a single text."""
        alone = self.layout != "together" and not self.shows_documents and self.show_source
        return alone and _chosen(self.mark_source, published=self.scheme == "mqm")

    @property
    def has_missing(self) -> bool:
        """Whether the word [missing] stands after a text: as published, wherever the source takes no marks."""
        return self.missing == "source" or _chosen(self.missing, published=not self.marks_source)

    @property
    def asks_missing_at_source(self) -> bool:
        """Whether the word [missing] stands once after the source, for all texts that were made of it."""
        return self.missing == "source"

    @property
    def edits_given(self) -> bool:
        """Whether marks that a text comes with are edited like a rater's own."""
        return self.given_marks == "edit"

    @property
    def asks_score(self) -> bool:
        """Whether the score from 0 to 100 is asked."""
        return _chosen(self.score, published=self.scheme == "esa")

    @property
    def most(self) -> int:
        """The most errors that a text can have."""
        return self.max_spans or MOST.get(self.scheme, MOST_ELSEWHERE)

    def told_apart(self, *, source: bool) -> Scheme:
        """Return the severities and categories of the task, without those of the source where it takes no marks."""
        return scheme_of(self.scheme, self.severities, self.categories, self.weights, source=source)

    def limits_of(self, texts: Mapping[str, str], scheme: Scheme) -> Limits:
        """Return the limits of marks in an output and its source."""
        return Limits(texts, scheme, self.has_missing, self.overlaps, self.most)

    @classproperty
    def cell_template_name(cls) -> str:
        """The template of a text in the table of a document."""
        return "task_types/error_spans/cell.html"

    @classproperty
    def beside_template_name(cls) -> str:
        """The template of the source and other material beside the texts of a part, in the table of a document."""
        return "task_types/error_spans/beside.html"

    @classproperty
    def document_template_name(cls) -> str:
        """The template around the table of a document, with one panel for all its texts."""
        return "task_types/error_spans/document.html"

    def document_data(self, cells: Sequence[tuple[int, int, str, ScreenForm]]) -> dict[str, object]:
        """Return the data for the script: positions are the numbers of texts on the page."""
        texts: list[dict[str, Any]] = []
        given, edited, scores, rows = {}, {}, {}, set()
        rules: dict[str, Any] = {}
        for number, row, _name, form in cells:
            if not isinstance(form, SpansForm):
                raise TypeError("A document of error spans has forms of error spans.")
            (shown,) = form.screen.shown_parts
            rules = rules or form.rules_data()
            if row not in rows and form.shows_source:
                texts.append(form.source_data() | {"row": row})
            rows.add(row)
            texts.append(form.text_data(shown, number) | {"row": row})
            given[str(number)] = form.given_data(shown)
            if marks := form.edited_data(shown):
                edited[str(number)] = marks
            scores[str(number)] = form.add_prefix(field_name(shown.position, SCORE))
        return {"texts": texts, "given": given, "edited": edited, "scores": scores, **rules}

    def brings(self) -> tuple[Criterion, ...]:
        """Return the criteria of the errors, and of the score with the anchors of ESA."""
        question = gettext("Mark every error in the text.")
        errors = Criterion(ERRORS, gettext("Errors"), question=question, language=spoken())
        return (errors, *((ESA_SCORE,) if self.asks_score else ()), *super().brings())

    def of_document(self) -> Criterion:
        """Return the question about the whole document, with the anchors of ESA."""
        question = "How good is the document as a whole?"
        return replace(ESA_SCORE, key=DOCUMENT_SCORE, name="Score of the document", question=question)

    def outcome_of(self, criterion: Criterion | None) -> Outcome | None:
        """Return the outcome of marks for `errors`, and that of scores for all other criteria."""
        score, span = self.outcomes
        return span if criterion is not None and criterion.key == ERRORS else score

    def problems(self, criteria: Sequence[Criterion]) -> Iterator[str]:
        """Yield a sentence for criteria that cannot be told from fields of the form."""
        yield from super().problems(criteria)
        for criterion in criteria:
            if criterion.key in {"spans", "none"} or criterion.key.startswith("given-"):
                yield f"Criterion {criterion.key!r} has a name that this task type needs. Give it another key."

    def prefill_problem(self, payload: object, text: str, source: str = "") -> str | None:
        """Return the reason why a payload cannot be the marks that a text comes with, or None."""
        limits = self._limits_of_given(text, source)
        try:
            marks = prefilled([payload])
        except ValidationError as error:
            return " ".join(error.messages)
        if any(mark.side not in limits.texts for mark in marks):
            return gettext(
                "Marks that a text comes with are in the output, not in the source, unless raters edit them "
                "(given_marks: edit) and can mark errors in the source."
            )
        problem = next(filter(None, (problem_in(mark, limits) for mark in marks)), None)
        return problem or problem_in_all(marks, limits)

    def prefill_problem_together(self, payloads: Sequence[object], text: str, source: str = "") -> str | None:
        """Refuse marks that a rater could not leave as they are: too many, or one over another."""
        return problem_in_all(prefilled(payloads), self._limits_of_given(text, source))

    def _limits_of_given(self, text: str, source: str) -> Limits:
        """Return the limits of marks that a text comes with: those of raters' own where raters edit them."""
        has_source = self.edits_given and self.marks_source and bool(source)
        texts = {"output": text, "source": source} if has_source else {"output": text}
        return self.limits_of(texts, self.told_apart(source=has_source))

    def instructed(self, criteria: Sequence[Criterion], check: int) -> Instruction:
        """Ask for a mark on a number in the text; severity, kind and score are left to the rater."""
        number = number_of(check)
        text = check_text(gettext("Please mark this number and nothing else: %(number)s") % {"number": number})
        start = text.rindex(number)
        return Instruction((("", text),), (("", "span", [{"start": start, "end": start + len(number)}]),), source=text)

    def scale_of(self, criterion: Criterion | None = None) -> tuple[float, float, float] | None:
        """Return 0 to 100 in whole numbers for scores, and None for errors."""
        return None if criterion is not None and criterion.key == ERRORS else (0.0, 100.0, 1.0)

    def problem_in_value(self, value: float, criterion: Criterion | None) -> str | None:
        """Refuse a score off the scale and a weight below 0."""
        if criterion is not None and criterion.key == ERRORS:
            return (
                None
                if value >= 0
                else gettext("must be a weight from 0 on; it is %(value)s.") % {"value": written(value)}
            )
        if 0 <= value <= 100:
            return None
        return gettext("must be from 0 to 100, the scale of this task; it is %(value)s.") % {"value": written(value)}

    def known_beside(self, column: str, word: str) -> tuple[str, ...] | None:
        """Return all severities or kinds where `word` is none, as published data may spell it: Fluency/Punctuation."""
        scheme = self.told_apart(source=True)
        is_severity = column == "severity"
        keys = scheme.severity_keys if is_severity else tuple(scheme.categories)
        groups = () if is_severity else [group.key for group in scheme.groups]
        known = as_key(word) in {as_key(key) for key in (*keys, *groups)}
        return None if known or not keys else keys

    def instruction_problems(self, instructions: str) -> Iterator[str]:
        """Yield a sentence for severities and categories that are none of the task."""
        return named_wrongly(instructions, self.told_apart(source=self.marks_source))

    def heds(self, criterion: Criterion | None) -> dict[str, str]:
        """Describe marks as annotation, and the score as a slider of 101 points."""
        if criterion is None or criterion.key != ERRORS:
            return {
                "4.3.3": "101",
                "4.3.4": "0 to 100",
                "4.3.5": "slider",
                "4.3.8": "direct quality estimation",
            }
        scheme = self.told_apart(source=True)
        columns = {
            "severity": ", ".join(severity.name for severity in scheme.severities),
            "category": ", ".join(category.full_name for category in scheme.categories.values()),
        }
        values = "; ".join(f"{name}: {names}" for name, names in columns.items() if names)
        return {
            "4.3.3": "N/A",
            "4.3.4": values or "spans of the text",
            "4.3.5": "N/A",
            "4.3.6": f"Evaluators mark spans of the text, at most {self.most} in each, or say that there is no "
            "error. Recorded are place (code points), marked text, and severity and category where they are asked.",
            "4.3.8": "post-editing or annotation",
        }

    def answers_on(self, screen: Screen) -> int:
        """Return the number of texts to be marked, plus that of the scores to be given."""
        return len(screen.parts) + sum(field.required for field in self.form(screen).fields.values())

    def ratings(self, screen: Screen, cleaned: Mapping[str, object]) -> Iterator[Value]:
        """Yield the scores of every text, then one rating for each mark, on the canonical number of the text."""
        form = SpansForm(self, screen)
        for shown in screen.shown_parts:
            part, limits = shown.part.number, form.limits(shown)
            rules = limits.scheme.rules
            for criterion in form.scored:
                # Steps are checked to within a billionth; what is stored is the whole number.
                value = float(round(float(str(cleaned[field_name(shown.position, criterion.key)]))))
                yield Value("score", part=part, criterion=criterion.key, value=value)
            came_with = prefilled(shown.part.prefill)
            for number, mark in enumerate(form.marks(shown, cleaned), start=1):
                yield Value(
                    "span",
                    part=part,
                    criterion=ERRORS,
                    number=number,
                    value=weight_of(mark.category, mark.severity, rules) if rules else None,
                    text=limits.words(mark),
                    span_side=mark.side,
                    span_start=mark.start,
                    span_end=mark.end,
                    category=mark.category or None,
                    severity=mark.severity or None,
                    # A text can also come with the marks of somebody who found no error.
                    mark_origin=origin_of(mark, came_with) if shown.part.prefill else None,
                    mark_of=mark.of or None,
                    mark_reason=mark.reason or None,
                )

    def simulate(self, screen: Screen, quality: Quality, rng: Random) -> dict[str, str]:
        """Answer as a rater who finds more or fewer of the latent errors."""
        form = SpansForm(self, screen)
        answers: dict[str, str] = {}
        for shown in screen.shown_parts:
            limits, kept_marks = form.limits(shown), []
            for number, mark in enumerate(prefilled(shown.part.prefill), start=1):
                stays = keeps(mark, limits, quality, rng)
                if not self.edits_given:
                    answers[field_name(shown.position, f"given-{number}")] = "keep" if stays else "remove"
                kept_marks += [replace(mark, of=number)] if stays else []
            marks = simulated(limits, kept_marks, quality, rng)
            if self.mark_reason != "no":
                marks = [replace(mark, reason="simulated") for mark in marks]
            posted = [*(kept_marks if self.edits_given else ()), *marks]
            if posted:
                sent: list[dict[str, Any]] = [mark.as_dict() for mark in posted]
                answers[field_name(shown.position, "spans")] = json.dumps(sent, ensure_ascii=False)
            elif not kept_marks:
                answers[field_name(shown.position, "none")] = "1"
            for criterion in form.scored:
                score = round(share_of(shown.part.text, criterion.key, quality, rng) * 100)
                if criterion.key == SCORE:
                    score = form.accepted(score, [*kept_marks, *marks])
                answers[field_name(shown.position, criterion.key)] = f"{score}"
        return answers

    def grade(self, screen: Screen, cleaned: Mapping[str, object], gold: Sequence[GoldAnswer]) -> tuple[Graded, ...]:
        """Compare with known answers; one of kind span passes where every known error was found.

        Found is what shares a character with a mark, of the same severity and category where the answer names them.
        An empty list is a text without errors: it passes where nothing is marked.
        """
        return tuple(self._graded(screen, cleaned, answer)[0] for answer in gold)

    def _graded(self, screen: Screen, cleaned: Mapping[str, object], gold: GoldAnswer) -> tuple[Graded, Words]:
        """Grade an answer by one known answer, and return the result with the sentence for the rater."""
        if gold.kind != "span":
            # The weight of an error is no score: it counts only where the known answer is about errors.
            values = [
                value for value in self.ratings(screen, cleaned) if value.span_side is None or gold.criterion == ERRORS
            ]
            graded = grade_one(values, gold)
            names = {criterion.key: criterion.name for criterion in screen.criteria}
            return graded, sentence_for(graded, names.get(gold.criterion or "", ""))
        form = SpansForm(self, screen)
        limits = {shown.part.number: form.limits(shown) for shown in screen.shown_parts}
        marks = {shown.part.number: form.marks(shown, cleaned) for shown in screen.shown_parts}
        known = grading.known_errors(gold, limits)
        missed = [error for error in known if not error.found_in(marks[error.part])]
        about = marks if gold.part is None else {gold.part: marks[gold.part]}
        extra = [] if known else [mark for part_marks in about.values() for mark in part_marks]
        given = tuple(limits[part].words(mark) for part, part_marks in marks.items() for mark in part_marks)
        return Graded(gold, not missed and not extra, given), grading.sentence(missed, extra, limits)

    def answered_questions(self, screen: Screen, cleaned: Mapping[str, object]) -> Iterator[AnsweredQuestion]:
        """Yield the questions for scores; marks are laid over the text itself."""
        for shown in screen.shown_parts:
            for criterion in SpansForm(self, screen).scored:
                name = field_name(shown.position, criterion.key)
                given = float(str(cleaned[name])) if cleaned.get(name) not in (None, "") else None
                title = criterion.wording
                yield AnsweredQuestion(
                    criterion.key,
                    title,
                    (name,),
                    criterion.language,
                    shown,
                    criterion=criterion,
                    scale=(0, 100),
                    given=given,
                )

    def laid_over(self, screen: Screen, cleaned: Mapping[str, object], gold: Sequence[GoldAnswer]) -> LaidOver:
        """Lay the known errors over the rater's marks, where any are known, and expected scores over the scores."""
        questions = super().laid_over(screen, cleaned, gold).questions
        of_errors = [answer for answer in gold if answer.kind == "span"]
        if not of_errors:
            return LaidOver(questions=questions)
        form = SpansForm(self, screen)
        limits = {shown.part.number: form.limits(shown) for shown in screen.shown_parts}
        given = {shown.part.number: form.marks(shown, cleaned) for shown in screen.shown_parts}
        known = [error for answer in of_errors for error in grading.known_errors(answer, limits)]
        texts = {number: part_limits.texts for number, part_limits in limits.items()}
        return LaidOver(overlay.marked_texts(screen.shown_parts, texts, given, known), questions)

    def feedback(
        self, screen: Screen, cleaned: Mapping[str, object], gold: Sequence[GoldAnswer]
    ) -> tuple[Feedback, ...]:
        """Return the feedback on known answers, which names the known errors that were missed."""
        results = [self._graded(screen, cleaned, answer) for answer in gold]
        return tuple(Feedback(graded.passed, words, graded.gold.explanation) for graded, words in results)


def _chosen(choice: str, *, published: bool) -> bool:
    return published if choice == "scheme" else choice == "yes"
