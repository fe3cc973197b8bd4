"""Error spans: raters mark the errors in a text, with their severity and kind, and may give a score."""

import json
from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import Any

from django.core.exceptions import ValidationError
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from tasks_app.task_types.base import (
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
    Value,
    Words,
)
from tasks_app.task_types.error_spans import known_errors as grading
from tasks_app.task_types.error_spans import overlay
from tasks_app.task_types.error_spans.form import ERRORS, ESA_SCORE, SpansForm
from tasks_app.task_types.error_spans.marks import Limits, Mark, prefilled, problem_in, problem_in_all
from tasks_app.task_types.error_spans.params import MOST, MOST_ELSEWHERE, SpanParameters
from tasks_app.task_types.error_spans.scheme import Scheme, scheme_of
from tasks_app.task_types.error_spans.scoring import as_key, weight_of
from tasks_app.task_types.error_spans.simulate import keeps, simulated
from tasks_app.task_types.grading import grade_one, sentence_for
from tasks_app.task_types.grid import field_name
from tasks_app.task_types.instructed import number_of, said
from tasks_app.task_types.registry import register
from tasks_app.task_types.simulation import share_of
from tasks_app.task_types.written import written
from tasks_app.texts.languages import spoken


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
        "You want to know what is wrong and where, or systems are so close that a single score per text does not tell "
        "them apart. MQM needs trained raters; ESA works with fluent speakers."
    )
    analysed = _(
        "Errors per text by severity, kind, system and rater; MQM score from the weights; share of texts without "
        "errors; overlap between raters; the score as on a slider; contradictions between score and errors."
    )
    limits = _(
        "Marking needs JavaScript. Each text takes as many errors as set, 5 for MQM as published. With several texts "
        "on a screen nothing can be marked in the source: use the word [missing]. Given marks are in the output only."
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
        "[missing], or where there is none the words in the source. If there is no error, choose “No errors”. If you "
        "are asked for a score, give it for the text as a whole after you have marked the errors."
    )
    criteria_needed = (0, None)
    seconds_an_answer = 15.0
    plain_text = True
    has_styles = True
    asks_apart = False
    grades_values = False
    sample = Sample(params={"scheme": "esa"})

    Form = SpansForm

    @property
    def marks_source(self) -> bool:
        """Whether errors can be marked in the source."""
        alone = self.layout != "together" and self.show_source
        return alone and _chosen(self.mark_source, published=self.scheme == "mqm")

    @property
    def has_missing(self) -> bool:
        """Whether the word [missing] stands after a text: as published, wherever the source takes no marks."""
        return _chosen(self.missing, published=not self.marks_source)

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

    def brings(self) -> tuple[Criterion, ...]:
        """Return the criteria of the errors, and of the score with the anchors of ESA."""
        question = gettext("Mark every error in the text.")
        errors = Criterion(ERRORS, gettext("Errors"), question=question, language=spoken())
        return (errors, ESA_SCORE) if self.asks_score else (errors,)

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

    def prefill_problem(self, payload: object, text: str) -> str | None:
        """Return the reason why a payload cannot be the marks that a text comes with, or None."""
        limits = self.limits_of({"output": text}, self.told_apart(source=False))
        try:
            marks = prefilled([payload])
        except ValidationError as error:
            return " ".join(error.messages)
        if any(mark.side != "output" for mark in marks):
            return gettext("Marks that a text comes with are in the output, not in the source.")
        problem = next(filter(None, (problem_in(mark, limits) for mark in marks)), None)
        return problem or problem_in_all(marks, limits)

    def prefill_problem_together(self, payloads: Sequence[object], text: str) -> str | None:
        """Refuse marks that a rater could not confirm together: too many, or one over another."""
        limits = self.limits_of({"output": text}, self.told_apart(source=False))
        return problem_in_all(prefilled(payloads), limits)

    def instructed(self, criteria: Sequence[Criterion], turn: int) -> Instruction:
        """Ask for a mark on a number in the text; severity, kind and score are left to the rater."""
        number = number_of(turn)
        text = said(gettext("Please mark this number and nothing else: %(number)s") % {"number": number})
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
            for criterion in form.scored:
                # Steps are checked to within a billionth; what is stored is the whole number.
                value = float(round(float(str(cleaned[field_name(shown.position, criterion.key)]))))
                yield Value("score", part=part, criterion=criterion.key, value=value)
            for number, mark in enumerate(form.marks(shown, cleaned), start=1):
                yield Value(
                    "span",
                    part=part,
                    criterion=ERRORS,
                    number=number,
                    value=_weight(mark, limits),
                    text=limits.words(mark),
                    span_side=mark.side,
                    span_start=mark.start,
                    span_end=mark.end,
                    category=mark.category or None,
                    severity=mark.severity or None,
                )

    def simulate(self, screen: Screen, quality: Quality, rng: Random) -> dict[str, str]:
        """Answer as a rater who finds more or fewer of the latent errors."""
        form = SpansForm(self, screen)
        answers: dict[str, str] = {}
        for shown in screen.shown_parts:
            limits, kept_marks = form.limits(shown), []
            for number, mark in enumerate(prefilled(shown.part.prefill), start=1):
                stays = keeps(mark, limits, quality, rng)
                answers[field_name(shown.position, f"given-{number}")] = "keep" if stays else "remove"
                kept_marks += [mark] if stays else []
            marks = simulated(limits, kept_marks, quality, rng)
            if marks:
                sent: list[dict[str, Any]] = [mark.as_dict() for mark in marks]
                answers[field_name(shown.position, "spans")] = json.dumps(sent, ensure_ascii=False)
            elif not kept_marks:
                answers[field_name(shown.position, "none")] = "1"
            for criterion in form.scored:
                share = share_of(shown.part.text, criterion.key, quality, rng)
                answers[field_name(shown.position, criterion.key)] = f"{round(share * 100)}"
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
                title = criterion.question or criterion.name
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


def _weight(mark: Mark, limits: Limits) -> float | None:
    """Return the weight of a mark; None where the scheme has no weights."""
    rules = limits.scheme.rules
    return weight_of(mark.category, mark.severity, rules) if rules else None
