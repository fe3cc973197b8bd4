"""The screen on which a rater judges: show it, store the answer or draft, skip, go back."""

import json
import uuid
from collections.abc import Mapping
from typing import Any

from django import forms
from django.core import signing
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext as _

from tasks_app import access, credentials, plaintext
from tasks_app.forms import AnswerFields, SkipForm
from tasks_app.models import Assignment, Draft, Judgment, Rater
from tasks_app.selectors import screens
from tasks_app.selectors.progress import next_purpose, progress_of
from tasks_app.services.judging import assignments, judgments, steps
from tasks_app.services.judging.steps import Step
from tasks_app.task_types.base import Screen
from tasks_app.views.rater import pages, refusing, stages
from tasks_app.views.rater.journey import forged, instructions_html, message, rater_page

LARGEST_DRAFT = 500_000  # bytes; the longest text a rater may edit, several times over
LARGEST_COUNTER = 2**53  # what a browser can count to exactly


@rater_page("GET", "HEAD", "POST")
def judge(request: HttpRequest, rater: Rater, token: str) -> HttpResponse:
    """The next unit: show it, or take its answer."""
    if request.method == "POST":
        return _answer(request, rater, token)
    if rater.study.state == rater.study.State.PAUSED and rater.state != Rater.State.ENDED:
        return _paused(request)
    if (waiting := _first_of_all(rater, token)) is not None:
        return waiting
    assignment = assignments.next_for(rater=rater)
    if assignment is None:
        return redirect("rater:end" if rater.state == Rater.State.ENDED else "rater:next", token)
    return _pending(request, rater, token, assignment)


def _first_of_all(rater: Rater, token: str) -> HttpResponse | None:
    """Send a rater to what comes before the next unit: the feedback they have not gone on from, the instructions."""
    step = steps.due(rater)
    if step is not None:
        return redirect(_address_of(step, token))
    if rater.state != Rater.State.ENROLLED:
        return None
    purpose = next_purpose(rater)
    if purpose is None and assignments.come_back(rater=rater):
        purpose = next_purpose(rater)
    return None if purpose in {None, Assignment.Purpose.SCREENING} else redirect("rater:instructions", token)


def _address_of(step: Step | None, token: str) -> str:
    """Return where a step is shown; without one, where the next unit is."""
    if step is None:
        return reverse("rater:judge", args=[token])
    return reverse(f"rater:{step.kind}", args=[token, step.number] if step.number else [token])


def _pending(request: HttpRequest, rater: Rater, token: str, assignment: Assignment) -> HttpResponse:
    """Show a unit that is to be answered, with what was drafted of the answer."""
    draft: Draft | None = getattr(assignment, "draft", None)
    kept = dict(draft.answer) if draft else {}
    comment = str(kept.pop("comment", ""))
    form = _task_form(rater, assignment, initial=kept)
    return _page(request, rater, token, assignment, form, comment=comment, counter=draft.counter if draft else 0)


@rater_page("GET", "HEAD", "POST")
def unit(request: HttpRequest, rater: Rater, token: str, order: int) -> HttpResponse:
    """A unit of the rater's own choice: one that was answered, to change it, or one that is still to do.

    The first only while the study lets raters go back, the second where the task type lists the set.
    """
    assignment = access.assignment_for_rater(rater, order=order)
    if request.method == "POST":
        return _answer(request, rater, token)
    if rater.study.state == rater.study.State.PAUSED and rater.state != Rater.State.ENDED:
        return _paused(request)
    if (waiting := _first_of_all(rater, token)) is not None:
        return waiting
    stored = assignment.judgments.order_by("-id").first()
    lists = screens.frame_of(assignment.unit.task_id, rater.study).kind.set_overview
    judged = assignment.purpose in Assignment.Purpose.JUDGED
    chosen = stored is None and lists and judged and next_purpose(rater) not in Assignment.Purpose.PRELIMINARY
    if chosen and assignments.open_chosen(rater=rater, assignment=assignment):
        return _pending(request, rater, token, assignment)
    if stored is None or rater.state == Rater.State.ENDED or not judgments.may_change(assignment, rater):
        return redirect("rater:next", token)
    return _change(request, rater, token, assignment, stored)


def _change(request: HttpRequest, rater: Rater, token: str, assignment: Assignment, stored: Judgment) -> HttpResponse:
    """Show a unit with its stored answer, to change it."""
    form = _task_form(rater, assignment, initial=stored.answer)
    if assignment.judgments.count() > judgments.MOST_CHANGES:
        return refusing.unchanged(request, rater, token, form, stored)
    return _page(request, rater, token, assignment, form, stored=stored, comment=stored.comment)


def _paused(request: HttpRequest) -> HttpResponse:
    return message(
        request,
        _("This study is paused"),
        [
            _("Your answers are saved and your place is kept."),
            _("Please come back later with the same link."),
        ],
    )


def _screen(rater: Rater, assignment: Assignment) -> Screen:
    return screens.screen_of(assignment, rater.study)


def _task_form(
    rater: Rater,
    assignment: Assignment,
    data: Mapping[str, str] | None = None,
    initial: Mapping[str, Any] | None = None,
) -> forms.Form:
    frame = screens.frame_of(assignment.unit.task_id, rater.study)
    return frame.kind.form(_screen(rater, assignment), data, initial)


def _bound(rater: Rater, assignment: Assignment) -> dict[str, Any]:
    """What a form's token says: whose it is, which unit, and which arrangement of it was on the screen.

    A token can be read by whoever has it, so it holds no number of a row: those of repeats are higher than their
    neighbours'. And there are few arrangements: only the server's key gives their digests.
    """
    drawn = json.dumps(assignment.arrangement, sort_keys=True)
    screen = salted_hmac("tasks_app.screen", f"{assignment.pk}:{drawn}", algorithm="sha256").hexdigest()
    return {"rater": credentials.handle_of_rater(rater.pk), "unit": assignment.order, "screen": screen[:16]}


def _page(
    request: HttpRequest,
    rater: Rater,
    token: str,
    assignment: Assignment,
    form: forms.Form,
    *,
    fields: AnswerFields | None = None,
    stored: Judgment | None = None,
    comment: str = "",
    counter: int = 0,
    status: int = 200,
) -> HttpResponse:
    frame = screens.frame_of(assignment.unit.task_id, rater.study)
    options = rater.study.options
    bound = _bound(rater, assignment)
    submission = uuid.uuid4()
    initial = {"submission": submission, "replaces": stored.pk if stored else None}
    progress = progress_of(rater, options.minutes, frame.task.set_size, assignment)
    back = progress.before(assignment.order) if judgments.may_change(assignment, rater) else None
    context = {
        "frame": pages.frame_for(rater, token, progress, lists_set=frame.kind.set_overview),
        "screen": _screen(rater, assignment),
        "form": form,
        "unit_template": frame.kind.template_name,
        "unit_script": frame.kind.script,
        "unit_styles": frame.kind.styles,
        "media_base": f"{reverse('rater:next', args=[token])}media/",
        "answer_fields": fields or AnswerFields(bound_to=bound, initial=initial),
        "instructions_html": instructions_html([frame.task]),
        "skip_form": SkipForm(bound_to=bound, initial={"submission": uuid.uuid4()}) if options.allow_skip else None,
        "skip_url": reverse("rater:skip", args=[token]),
        "comment": fields.data.get("comment", "") if fields else comment,
        "draft": {"counter": counter},
        "draft_key": f"{rater.pseudonym}-{assignment.order}",
        "draft_url": reverse("rater:draft", args=[token]) if stored is None else "",
        "can_go_back": back is not None,
        "back_url": reverse("rater:unit", args=[token, back]) if back is not None else "",
        "next_url": reverse("rater:judge", args=[token]),
        "break_after_minutes": options.break_after_minutes,
        "content_warning": options.content_warning,
        "stage_hint": stages.hint(assignment, progress),
        "skip_note": stages.about_skipping(assignment),
        "revising": stored is not None,
    }
    return render(request, "rater/judge.html", context, status=status)


def _signed_assignment(rater: Rater, action: str, posted: QueryDict) -> Assignment | None:
    """Return the assignment that a posted form was signed for; None where the token is not ours, or another's."""
    try:
        signed = credentials.read_signed(action, posted.get("form_token", ""))
    except signing.BadSignature:
        return None
    if signed.get("rater") != credentials.handle_of_rater(rater.pk):
        return None
    assignment = access.signed_assignment_for_rater(rater, signed.get("unit"))
    return assignment if signed == _bound(rater, assignment) else None


def _answer(request: HttpRequest, rater: Rater, token: str) -> HttpResponse:
    """Check a posted answer and store it."""
    assignment = _signed_assignment(rater, AnswerFields.action, request.POST)
    if assignment is None:
        return forged(request)
    fields = AnswerFields(request.POST, bound_to=_bound(rater, assignment))
    form = _task_form(rater, assignment, data=request.POST)
    fields_ok, form_ok = fields.is_valid(), form.is_valid()
    if fields.is_forged:
        return forged(request)
    if not (fields_ok and form_ok):
        return _page(request, rater, token, assignment, form, fields=fields, status=422)
    try:
        step = steps.submit(assignment=assignment, rater=rater, given=_submission(rater, assignment, fields, form))
    except judgments.REFUSALS as refusal:
        return refusing.refused(request, rater, token, assignment, form, refusal, _bound(rater, assignment))
    return _go_on(request, _address_of(step, token))


def _go_on(request: HttpRequest, address: str) -> HttpResponse:
    """Send the rater on: a redirect, or the address for the page's script, which saves a request."""
    if request.accepts("text/html") and "application/json" in request.headers.get("Accept", ""):
        return JsonResponse({"next": address})
    return HttpResponseRedirect(address)


def _submission(rater: Rater, assignment: Assignment, fields: AnswerFields, form: forms.Form) -> judgments.Submission:
    frame = screens.frame_of(assignment.unit.task_id, rater.study)
    material = screens.material_of(assignment, rater.study)
    sent = fields.cleaned_data
    return judgments.Submission(
        uuid=sent["submission"],
        answer=form.cleaned_data,
        values=tuple(frame.kind.ratings(_screen(rater, assignment), form.cleaned_data)),
        part_ids=material.part_ids,
        criterion_ids=frame.criterion_ids,
        comment=sent["comment"],
        seconds_active=_bounded(sent["seconds_active"], assignment),
        seconds_elapsed=_bounded(sent["seconds_elapsed"], assignment),
        log=sent["log"],
        replaces=sent["replaces"],
    )


def _bounded(seconds: float | None, assignment: Assignment) -> float | None:
    """Return a time that a browser measured, at most what has passed since the server first showed the unit.

    Where the server's clock was set back meanwhile, what has passed is not known and bounds nothing.
    """
    shown = getattr(assignment, "seconds_shown", None)
    return seconds if seconds is None or shown is None or shown < 0 else min(seconds, float(shown))


@rater_page("POST")
def skip(request: HttpRequest, rater: Rater, token: str) -> HttpResponse:
    """Skip a unit, with a reason; it goes to somebody else."""
    assignment = _signed_assignment(rater, SkipForm.action, request.POST)
    if assignment is None:
        return forged(request)
    if not rater.study.options.allow_skip:
        return message(request, _("Units of this study cannot be skipped"), [_("Go back and answer it.")], status=403)
    form = SkipForm(request.POST, bound_to=_bound(rater, assignment))
    if form.is_valid():
        return _store_skip(request, rater, token, assignment, form)
    if form.is_forged:
        return forged(request)
    sentences = [" ".join(map(str, errors)) for errors in form.errors.values()]
    return message(request, _("This was not skipped yet"), [*sentences, _("Go back and press Skip again.")], status=422)


def _store_skip(request: HttpRequest, rater: Rater, token: str, assignment: Assignment, form: SkipForm) -> HttpResponse:
    given = judgments.Submission(
        uuid=form.cleaned_data["submission"],
        answer={},
        skip_reason=form.cleaned_data["reason"],
        comment=form.cleaned_data["comment"],
    )
    try:
        step = steps.submit(assignment=assignment, rater=rater, given=given)
    except judgments.Conflict:
        return HttpResponseRedirect(reverse("rater:unit", args=[token, assignment.order]))
    except judgments.Over:
        return refusing.over(request)
    return HttpResponseRedirect(_address_of(step, token))


@rater_page("POST")
def draft(request: HttpRequest, rater: Rater, token: str) -> JsonResponse:
    """Keep an answer on its way: JSON in, JSON out."""
    sent = _read_draft(request)
    if isinstance(sent, str):
        return JsonResponse({"saved": False, "error": sent}, status=400)
    posted = QueryDict(mutable=True)
    posted["form_token"] = sent["form_token"]
    assignment = _signed_assignment(rater, AnswerFields.action, posted)
    if assignment is None:
        return JsonResponse({"saved": False, "error": _("Reload the page.")}, status=403)
    known = {*_task_form(rater, assignment).fields, "comment"}
    answer = {name: value for name, value in sent["answer"].items() if name in known}
    try:
        saved = judgments.save_draft(assignment=assignment, rater=rater, counter=sent["counter"], answer=answer)
    except judgments.Over:
        return JsonResponse({"saved": False, "over": True}, status=410)
    if not saved.saved:
        return JsonResponse({"saved": False, "counter": saved.counter, "newer": True}, status=409)
    return JsonResponse({"saved": True, "counter": saved.counter})


def _read_draft(request: HttpRequest) -> dict[str, Any] | str:
    """Read a draft's JSON: a token, a counter and a flat answer; a sentence where it is anything else."""
    if len(request.body) > LARGEST_DRAFT:
        return _("This draft is too large.")
    try:
        sent = json.loads(request.body)
    except (ValueError, RecursionError):
        return _("This is not JSON.")
    if not isinstance(sent, dict) or not isinstance(sent.get("form_token"), str):
        return _("A draft is an object with form_token, counter and answer.")
    return _problem_in_draft(sent) or {name: sent[name] for name in ("form_token", "counter", "answer")}


def _problem_in_draft(sent: Mapping[str, Any]) -> str | None:
    counter, answer = sent.get("counter"), sent.get("answer")
    if isinstance(counter, bool) or not isinstance(counter, int) or not 0 < counter < LARGEST_COUNTER:
        return _("counter must be a whole number above 0.")
    if not isinstance(answer, dict) or not all(isinstance(value, str) for value in answer.values()):
        return _("answer must hold a text for each field.")
    return next((f"answer{name}: {sentence}" for name, sentence in plaintext.problems_in_json(answer)), None)
