"""Screens between two units: feedback after practice, the result of a test, a notice about checks."""

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django import forms
from django.http import HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tasks_app import access
from tasks_app.models import Assignment, Gold, Judgment, Task
from tasks_app.selectors.progress import progress_of
from tasks_app.selectors.screens import RaterScreen
from tasks_app.services.arrival import enrolment
from tasks_app.services.judging import between_units, grading
from tasks_app.services.judging.between_units import Step
from tasks_app.task_types.base import GoldAnswer, TaskType, Words
from tasks_app.views.rater import pages, stages
from tasks_app.views.rater.journey import instructions_html
from tasks_app.views.rater.visit import Visit, forged, rater_page


@dataclass(frozen=True, slots=True)
class FeedbackLine:
    """One line of the feedback in training: the result and explanation of one known answer."""

    passed: bool | None
    sentence: Words
    expected: str = ""
    explanation: str = ""


@rater_page("GET", "HEAD", "POST")
def feedback(visit: Visit, order: int) -> HttpResponse:
    """Show, after a unit of the training, the text again, the answer, the right answer, and the reason."""
    rater = visit.rater
    assignment = access.assignment_for_rater(rater, order=order)
    stored = assignment.judgments.order_by("-id").first()
    if stored is None or assignment.purpose != Assignment.Purpose.TRAINING:
        return visit.go_to("next")
    screen = RaterScreen(visit.rater, assignment)
    form = screen.form()
    known = _as_shown(form, _known(assignment, Gold.Purpose.TRAINING))
    feedback_lines = _feedback_lines(screen, form, stored, known)
    laid_over = screen.kind.laid_over(screen.shown, {} if stored.skip_reason else stored.answer, known)
    compared = {name for question in laid_over.questions for name in question.fields}
    context = {
        "screen": screen.shown,
        "rows": [{"shown": shown} for shown in screen.shown.shown_parts],
        "marked": laid_over.texts,
        "compared": laid_over.questions,
        "media_base": f"{visit.url('next')}media/",
        "answers": [] if stored.skip_reason else pages.in_words(form, stored.answer, leaving_out=compared),
        "feedback": feedback_lines,
        "all_right": all(line.passed for line in feedback_lines) if feedback_lines and not stored.skip_reason else None,
        "content_warning": visit.options.content_warning,
    }
    return _page(visit, Step(between_units.FEEDBACK, order), "rater/feedback.html", context, assignment)


def _known(assignment: Assignment, purpose: str) -> list[GoldAnswer]:
    """Return the known answers of a unit of the training or an exam."""
    known = grading.known_answers(assignment.unit_id)
    return [answer for row, answer in known if row.purpose == purpose and row.kind != Gold.Kind.WORSE]


def _as_shown(form: forms.Form, known: Sequence[GoldAnswer]) -> list[GoldAnswer]:
    """Sort known answers as the questions were on the screen; answers about all of them come first."""
    places = {name: place for place, name in enumerate(form.fields)}
    return sorted(known, key=lambda gold: places.get(_field_of(form, gold) if gold.criterion else "", -1))


def _feedback_lines(
    screen: RaterScreen, form: forms.Form, stored: Judgment, known: Sequence[GoldAnswer]
) -> list[FeedbackLine]:
    if stored.skip_reason:
        return [FeedbackLine(None, _("You skipped this text."))] + [
            FeedbackLine(None, _expected(form, gold), explanation=gold.explanation) for gold in known
        ]
    shown_feedback = screen.kind.feedback(screen.shown, stored.answer, known)
    # A type that words its feedback itself says what would have been right.
    words_it = type(screen.kind).feedback is not TaskType.feedback
    return [
        FeedbackLine(
            line.passed, line.sentence, "" if line.passed or words_it else _expected(form, gold), line.explanation
        )
        for line, gold in zip(shown_feedback, known, strict=True)
    ]


def _expected(form: forms.Form, gold: GoldAnswer) -> str:
    """Describe a known answer that is one value, several or a range; empty for other kinds."""
    if gold.kind == "exact":
        return _("The right answer is: %(answer)s.") % {"answer": _in_words(form, gold, gold.answer)}
    if gold.kind == "set" and isinstance(gold.answer, list):
        allowed = ", ".join(_in_words(form, gold, value) for value in gold.answer)
        return _("The right answers are: %(answers)s.") % {"answers": allowed}
    if gold.kind == "range" and isinstance(gold.answer, list):
        ends = (_in_words(form, gold, value) for value in gold.answer)
        low, high = reversed([*ends]) if _runs_backwards(form, gold) else ends
        return _("The right answers are from %(low)s to %(high)s.") % {"low": low, "high": high}
    return ""


def _runs_backwards(form: forms.Form, gold: GoldAnswer) -> bool:
    """Return whether the screen has the scale of a known answer the other way round."""
    return bool(getattr(form.fields.get(_field_of(form, gold)), "runs_backwards", False))


def _in_words(form: forms.Form, gold: GoldAnswer, value: object) -> str:
    """Describe a value with the words of the field of its criterion."""
    name = _field_of(form, gold)
    return _apart(pages.answer_in_words(form, name, value) if name else str(value))


def _field_of(form: forms.Form, gold: GoldAnswer) -> str:
    """Return the name of a field that asks for the criterion of a known answer, of any where it names none."""
    fields = [name for name in form.fields if gold.criterion is None or name.endswith(f"-{gold.criterion}")]
    # Of two criteria one key may end like the other: the shorter name is the one that has nothing before it.
    return min(fields, key=len, default="")


def _apart(words: str) -> str:
    """Keep words that run from the right from turning round the sentence they are put into."""
    from_the_right = any(unicodedata.bidirectional(character) in {"R", "AL"} for character in words)
    return f"\N{FIRST STRONG ISOLATE}{words}\N{POP DIRECTIONAL ISOLATE}" if from_the_right else words


@rater_page("GET", "HEAD", "POST")
def exam(visit: Visit, number: int) -> HttpResponse:
    """Show, after the last unit of an attempt, the number of right answers and the next step.

    Which ones, and why, only where the study says so; a rater who did not pass can then read it after the end, too.
    """
    rater = visit.rater
    task = between_units.exam_of(rater, number)
    result = between_units.exam_result(rater, task) if task is not None else None
    if task is None or result is None:
        return visit.go_to("next")
    explained = result.explained and not result.passed
    review = _review(visit, task, result) if explained else []
    if visit.has_ended and explained and not visit.is_post:
        return _exam_after_the_end(visit, result, review)
    title, sentences, label = _passed(result) if result.passed else _not_passed(result)
    context = {
        "title": title,
        "sentences": sentences,
        "label": label,
        "read_again": not result.passed,
        "review": review,
        "media_base": f"{visit.url('next')}media/",
        "content_warning": visit.options.content_warning,
    }
    return _page(visit, Step(between_units.EXAM, number), "rater/between.html", context, result=result)


def _exam_after_the_end(
    visit: Visit, result: between_units.ExamResult, review: Sequence[Mapping[str, Any]]
) -> HttpResponse:
    """Show a rater, after an exam that ended their study, its right and wrong texts with reasons."""
    context = {
        "frame": pages.frame_for(visit, progress_of(visit.rater, 1)),
        "outcome": visit.rater.outcome,
        "title": _("Your answers in the test"),
        "sentences": [how_it_went(result)],
        "review": review,
        "media_base": f"{visit.url('next')}media/",
        "content_warning": visit.options.content_warning,
        "end_url": visit.url("end"),
    }
    return visit.render("rater/between.html", context)


def _review(visit: Visit, task: Task, result: between_units.ExamResult) -> list[dict[str, Any]]:
    """Return the texts of an attempt at an exam, each with its answer, the right answer, and the reason."""
    answers = between_units.exam_answers(visit.rater, task, result.attempt)
    return [_reviewed(visit, number, *answer) for number, answer in enumerate(answers, start=1)]


def _reviewed(visit: Visit, number: int, assignment: Assignment, stored: Judgment) -> dict[str, Any]:
    screen = RaterScreen(visit.rater, assignment)
    form = screen.form()
    lines = _feedback_lines(screen, form, stored, _as_shown(form, _known(assignment, Gold.Purpose.EXAM)))
    if stored.skip_reason:
        heading = _("Text %(n)s: skipped")
    elif all(line.passed for line in lines):
        heading = _("Text %(n)s: right")
    else:
        heading = _("Text %(n)s: not right")
    return {
        "heading": heading % {"n": number},
        "is_right": not stored.skip_reason and all(line.passed for line in lines),
        "screen": screen.shown,
        "rows": [{"shown": shown} for shown in screen.shown.shown_parts],
        "answers": [] if stored.skip_reason else pages.in_words(form, stored.answer),
        "feedback": lines,
    }


def how_it_went(result: between_units.ExamResult) -> str:
    """Tell the number of right texts in an exam, and the number needed to pass."""
    if not result.is_enough:
        return _("You skipped too many of its texts for it to count.")
    needed = stages.needed(result.needed, result.graded)
    to_pass = ngettext("To pass, %(n)s has to be right.", "To pass, %(n)s have to be right.", needed) % {"n": needed}
    return f"{_how_many(result)} {to_pass}"


def _passed(result: between_units.ExamResult) -> tuple[str, list[str], str]:
    sentences = [_how_many(result), _("Next come the texts to judge.")]
    return _("You have passed the test"), sentences, _("Go on")


def _not_passed(result: between_units.ExamResult) -> tuple[str, list[str], str]:
    attempts_left = result.attempts - result.attempt
    sentences = [
        how_it_went(result),
        ngettext("You can try %(n)s more time.", "You can try %(n)s more times.", attempts_left) % {"n": attempts_left},
        _("Read the instructions once more before you do."),
    ]
    return _("Not passed this time"), sentences, _("Try again")


def _how_many(result: between_units.ExamResult) -> str:
    """Return how many answers of an exam were right: the plural is that of the right ones, of several."""
    if result.graded == 1:
        right, wrong = _("Your answer to the text was right."), _("Your answer to the text was not right.")
        return right if result.right else wrong
    words = {"right": result.right, "n": result.graded}
    return ngettext("%(right)s of %(n)s texts was right.", "%(right)s of %(n)s texts were right.", result.right) % words


@rater_page("GET", "HEAD", "POST")
def notice(visit: Visit) -> HttpResponse:
    """Show a break that tells a rater that checks were wrong, without naming them."""
    if not between_units.notice_due(visit.rater):
        return visit.go_to("next")
    context = {
        "title": _("Time for a short break"),
        "sentences": [
            _("Some of your answers differ from the agreed answers for these texts. That can happen to anybody."),
            _("Please read the instructions once more, and take the time that you need for each text."),
            _("All your answers are saved, and your pay stays the same."),
        ],
        "label": _("Go on"),
        "read_again": True,
    }
    return _page(visit, Step(between_units.NOTICE), "rater/between.html", context)


def _page(
    visit: Visit,
    step: Step,
    template: str,
    context: dict[str, Any],
    assignment: Assignment | None = None,
    result: between_units.ExamResult | None = None,
) -> HttpResponse:
    """Show a step, or go on from it: the button is a form, so that going on is written down."""
    rater = visit.rater
    if visit.has_ended:
        return visit.go_to("end")
    form = visit.step_form(f"{step.kind}-{step.number}")
    if visit.is_post:
        if not form.is_valid():
            return forged(visit.request)
        between_units.go_on(rater=rater, step=step)
        return visit.go_to("judge")
    tasks = [task for task in enrolment.tasks_of(rater) if task.stage == Task.Stage.MAIN]
    progress = progress_of(rater, sum(task.set_size for task in tasks), assignment)
    frame = pages.frame_for(visit, progress)
    if assignment is not None:
        frame = replace(frame, stage=stages.practice(progress))
    elif result is not None:
        frame = replace(frame, stage=_("Test"), done=result.graded, total=max(1, result.graded))
    tasks_here = [assignment.unit.task] if assignment is not None else tasks
    page_context = {**context, "form": form, "frame": frame, "instructions_html": instructions_html(tasks_here)}
    return visit.render(template, page_context)
