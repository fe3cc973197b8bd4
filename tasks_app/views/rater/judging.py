"""The screen on which a rater judges: show it, store the answer or draft, skip, go back."""

import json
from collections.abc import Mapping
from typing import Any

from django.core import signing
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse, QueryDict
from django.utils.translation import gettext as _

from tasks_app import access, credentials, plaintext
from tasks_app.forms import AnswerFields, SkipForm
from tasks_app.models import Assignment, Draft, Rater
from tasks_app.selectors.progress import next_purpose
from tasks_app.selectors.screens import RaterScreen
from tasks_app.services import contact
from tasks_app.services.judging import assignments, checks, judgments, personal_texts
from tasks_app.views.rater import messages, unit_page
from tasks_app.views.rater.unit_page import UnitPage
from tasks_app.views.rater.visit import Visit, forged, rater_page

LARGEST_DRAFT = 500_000  # bytes; the longest text a rater may edit, several times over
LARGEST_COUNTER = 2**53  # what a browser can count to exactly


@rater_page("GET", "HEAD", "POST")
def judge(visit: Visit) -> HttpResponse:
    """Show the next unit, or store the answer to the one on the screen."""
    if visit.is_post:
        return _answer(visit)
    if (response := _before_next_unit(visit)) is not None:
        return response
    assignment = assignments.next_for(rater=visit.rater)
    if assignment is None:
        return visit.go_to("end" if visit.has_ended else "next")
    screen = RaterScreen(visit.rater, assignment)
    return _pending(visit, screen) if personal_texts.show(screen=screen) else _text_not_ready(visit)


def _answer(visit: Visit) -> HttpResponse:
    """Check a posted answer, store it, and send the rater on."""
    posted = visit.request.POST
    page = _signed_page(visit, AnswerFields.action, posted.get("form_token", ""), posted)
    if page is None:
        return forged(visit.request)
    fields_ok, form_ok = page.fields.is_valid(), page.form.is_valid()
    if page.fields.is_forged:
        return forged(visit.request)
    if not (fields_ok and form_ok):
        return page.render(status=422)
    try:
        receipt = judgments.submit(screen=page.screen, submission=_submission(page))
    except judgments.REFUSALS as refusal:
        return unit_page.refused(page, refusal)
    return _go_on(visit, receipt.step)


def _signed_page(visit: Visit, action: str, token: str, answer: QueryDict | None = None) -> UnitPage | None:
    """Return the page that a posted form was signed for; None where the token is not ours, or another rater's."""
    try:
        signed = credentials.read_signed(action, token)
    except signing.BadSignature:
        return None
    if signed.get("rater") != credentials.handle_of_rater(visit.rater.pk):
        return None
    assignment = access.signed_assignment_for_rater(visit.rater, signed.get("unit"))
    page = UnitPage(visit, RaterScreen(visit.rater, assignment), posted=answer)
    return page if signed == page.bound else None


def _submission(page: UnitPage) -> judgments.Submission:
    fields = page.fields.cleaned_data
    return judgments.Submission(
        uuid=fields["submission"],
        answer=page.form.cleaned_data,
        comment=fields["comment"],
        seconds_active=_bounded(fields["seconds_active"], page.screen.assignment),
        seconds_elapsed=_bounded(fields["seconds_elapsed"], page.screen.assignment),
        log=fields["log"],
        replaces=fields["replaces"],
    )


def _bounded(seconds: float | None, assignment: Assignment) -> float | None:
    """Return a time that a browser measured, at most what has passed since the server first showed the unit.

    Where the server's clock was set back meanwhile, what has passed is not known and bounds nothing.
    """
    since_shown = getattr(assignment, "seconds_shown", None)
    return seconds if seconds is None or since_shown is None or since_shown < 0 else min(seconds, float(since_shown))


def _go_on(visit: Visit, step: checks.Step | None) -> HttpResponse:
    """Send the rater on: a redirect, or the address for the page's script, which saves a request."""
    address = _address_of(visit, step)
    if visit.request.accepts("text/html") and "application/json" in visit.request.headers.get("Accept", ""):
        return JsonResponse({"next": address})
    return HttpResponseRedirect(address)


def _address_of(visit: Visit, step: checks.Step | None) -> str:
    """Return the address of a page between two units, or, without one, of the next unit."""
    if step is None:
        return visit.url("judge")
    return visit.url(step.kind, step.number) if step.number else visit.url(step.kind)


def _before_next_unit(visit: Visit) -> HttpResponse | None:
    """Return what comes before the next unit: messages, that the study or the rater is paused, a step, instructions."""
    rater = visit.rater
    if contact.unread(rater):
        return visit.go_to("messages")
    if contact.is_paused(rater):
        return messages.paused(visit)
    if rater.study.state == rater.study.State.PAUSED and not visit.has_ended:
        return _paused(visit)
    step = checks.step_due(rater)
    if step is not None:
        return HttpResponseRedirect(_address_of(visit, step))
    if rater.state != Rater.State.ENROLLED:
        return None
    purpose = next_purpose(rater)
    if purpose is None and assignments.come_back(rater=rater):
        purpose = next_purpose(rater)
    return None if purpose in {None, Assignment.Purpose.SCREENING} else visit.go_to("instructions")


def _paused(visit: Visit) -> HttpResponse:
    sentences = [
        _("Your answers are saved and your place is kept."),
        _("Please come back later with the same link."),
    ]
    return visit.message(_("This study is paused"), sentences)


def _text_not_ready(visit: Visit) -> HttpResponse:
    sentences = [
        _("The text that was to be shown to you here is still being written."),
        _("Please come back later with the same link. Everything that you have answered is saved."),
    ]
    return visit.message(_("Your text is not ready yet"), sentences)


def _pending(visit: Visit, screen: RaterScreen) -> HttpResponse:
    """Show a unit that is to be answered, with the draft of the answer."""
    draft: Draft | None = getattr(screen.assignment, "draft", None)
    answer = dict(draft.answer) if draft else {}
    comment, counter = str(answer.pop("comment", "")), draft.counter if draft else 0
    return UnitPage(visit, screen, initial=answer, comment=comment, counter=counter).render()


@rater_page("GET", "HEAD", "POST")
def unit(visit: Visit, order: int) -> HttpResponse:
    """Show a unit of the rater's own choice: one that was answered, to change it, or one that is still to do.

    The first only while the study lets raters go back, the second where the task type lists the set.
    """
    assignment = access.assignment_for_rater(visit.rater, order=order)
    if visit.is_post:
        return _answer(visit)
    if (response := _before_next_unit(visit)) is not None:
        return response
    stored = assignment.judgments.order_by("-id").first()
    screen = RaterScreen(visit.rater, assignment)
    lists = screen.kind.set_overview
    judged = assignment.purpose in Assignment.Purpose.JUDGED
    may_choose = stored is None and lists and judged and next_purpose(visit.rater) not in Assignment.Purpose.PRELIMINARY
    if may_choose and assignments.open_chosen(rater=visit.rater, assignment=assignment):
        return _pending(visit, screen)
    if stored is None or visit.has_ended or not screen.may_change:
        return visit.go_to("next")
    page = UnitPage(visit, screen, initial=stored.answer, comment=stored.comment, stored=stored)
    if assignment.judgments.count() > judgments.MOST_CHANGES:
        return unit_page.unchanged(page, stored)
    return page.render()


@rater_page("POST")
def skip(visit: Visit) -> HttpResponse:
    """Skip a unit, with a reason; it goes to somebody else."""
    page = _signed_page(visit, SkipForm.action, visit.request.POST.get("form_token", ""))
    if page is None:
        return forged(visit.request)
    if not visit.options.allow_skip:
        return visit.message(_("Units of this study cannot be skipped"), [_("Go back and answer it.")], status=403)
    form = SkipForm(visit.request.POST, bound_to=page.bound)
    if form.is_valid():
        return _store_skip(page, form)
    if form.is_forged:
        return forged(visit.request)
    sentences = [" ".join(map(str, errors)) for errors in form.errors.values()]
    return visit.message(_("This was not skipped yet"), [*sentences, _("Go back and press Skip again.")], status=422)


def _store_skip(page: UnitPage, form: SkipForm) -> HttpResponse:
    submission = judgments.Submission(
        uuid=form.cleaned_data["submission"],
        answer={},
        skip_reason=form.cleaned_data["reason"],
        comment=form.cleaned_data["comment"],
    )
    try:
        receipt = judgments.submit(screen=page.screen, submission=submission)
    except judgments.Conflict:
        return page.visit.go_to("unit", page.screen.assignment.order)
    except judgments.Over:
        return unit_page.over(page.visit)
    return HttpResponseRedirect(_address_of(page.visit, receipt.step))


@rater_page("POST")
def draft(visit: Visit) -> JsonResponse:
    """Store the draft of an answer: JSON in, JSON out."""
    posted = _read_draft(visit.request)
    if isinstance(posted, str):
        return JsonResponse({"saved": False, "error": posted}, status=400)
    page = _signed_page(visit, AnswerFields.action, posted["form_token"])
    if page is None:
        return JsonResponse({"saved": False, "error": _("Reload the page.")}, status=403)
    names = {*page.form.fields, "comment"}
    answer = {name: value for name, value in posted["answer"].items() if name in names}
    try:
        saved = judgments.save_draft(screen=page.screen, counter=posted["counter"], answer=answer)
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
        posted = json.loads(request.body)
    except (ValueError, RecursionError):
        return _("This is not JSON.")
    if not isinstance(posted, dict) or not isinstance(posted.get("form_token"), str):
        return _("A draft is an object with form_token, counter and answer.")
    return _problem_in_draft(posted) or {name: posted[name] for name in ("form_token", "counter", "answer")}


def _problem_in_draft(posted: Mapping[str, Any]) -> str | None:
    counter, answer = posted.get("counter"), posted.get("answer")
    if isinstance(counter, bool) or not isinstance(counter, int) or not 0 < counter < LARGEST_COUNTER:
        return _("counter must be a whole number above 0.")
    if not isinstance(answer, dict) or not all(isinstance(value, str) for value in answer.values()):
        return _("answer must hold a text for each field.")
    return next((f"answer{name}: {sentence}" for name, sentence in plaintext.problems_in_json(answer)), None)
