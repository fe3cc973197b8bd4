"""The screen on which a rater judges: show it, store the answer or draft, skip, go back."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from django.core import signing
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse, QueryDict
from django.utils.translation import gettext as _

from tasks_app import access
from tasks_app.forms import AnswerFields, SkipForm, TimeForm, text_prefix
from tasks_app.links import credentials
from tasks_app.models import Assignment, Draft, Rater
from tasks_app.selectors.progress import next_purpose
from tasks_app.selectors.screens import RaterScreen
from tasks_app.services import contact
from tasks_app.services.judging import assignments, between_units, drafts, judgments, personal_texts, set_time
from tasks_app.task_types.texts import MOST_OF_A_DOCUMENT
from tasks_app.texts import plaintext
from tasks_app.views.rater import messages, text_block, unit_page
from tasks_app.views.rater.text_block import TextBlock
from tasks_app.views.rater.unit_page import UnitPage
from tasks_app.views.rater.visit import Visit, forged, rater_page

LARGEST_DRAFT = 500_000  # bytes; the longest text a rater may edit, several times over
LARGEST_COUNTER = 2**53  # what a browser can count to exactly
# The preference (RFC 7240) of a script that sends an answer: the answer to that is to be the next page itself.
WITH_NEXT_PAGE = "return=representation"


@rater_page("GET", "HEAD", "POST")
def judge(visit: Visit) -> HttpResponse:
    """Show the next unit, or store the answer to the one on the screen."""
    if visit.is_post:
        return _answer(visit)
    page = _next_page(visit)
    return page.render() if isinstance(page, UnitPage) else page


def _next_page(visit: Visit) -> UnitPage | HttpResponse:
    """Return the page of the units that come next, shown from now on; else the response that a rater gets instead."""
    if (response := _before_next_unit(visit)) is not None:
        return response
    units = assignments.next_page(rater=visit.rater)
    if not units:
        return visit.go_to("end" if visit.has_ended else "next")
    screens = [RaterScreen(visit.rater, unit) for unit in units]
    # Types that show such a text show one screen at a time.
    return _pending(visit, screens) if personal_texts.show(screen=screens[0]) else _text_not_ready(visit)


def _answer(visit: Visit) -> HttpResponse:
    """Check the answers posted for every text of a page, store them, and send the rater on."""
    posted = visit.request.POST
    page = _signed_page(visit, AnswerFields.action, _tokens_of(posted), posted)
    if page is None:
        return forged(visit.request)
    if any(text.screen.clock is not None and not text.screen.clock.has_started for text in page.texts):
        return visit.go_to("judge")
    if any(text.form.read_on for text in page.texts):
        return _read_on(page)
    if not page.is_valid():
        return page.render(status=422)
    results = judgments.submit_page(page=[text.answered(page.time) for text in page.texts])
    if not all(isinstance(result, judgments.Receipt) for result in results):
        return unit_page.refused(page, results)
    return _go_on(visit, judgments.step_of(results))


def _read_on(page: UnitPage) -> HttpResponse:
    """Keep the posted fields as drafts, and show the next part of the page: for browsers that run no scripts."""
    try:
        for text in page.texts:
            counter = drafts.counter_of(text.screen.assignment) + 1
            drafts.save_draft(screen=text.screen, counter=counter, answer={**text.filled_in, **text.form.read_on})
    except drafts.Over:
        return unit_page.over(page.visit)
    return HttpResponseRedirect(page.visit.request.path)


def _tokens_of(posted: QueryDict) -> list[str]:
    """Return the tokens of all texts of a posted page, in their order; "" for one that is missing among them."""
    names = ["form_token", *(f"{text_prefix(number)}-form_token" for number in range(2, MOST_OF_A_DOCUMENT + 1))]
    tokens = [posted.get(name) for name in names]
    last = max((number for number, token in enumerate(tokens) if token is not None), default=0)
    return [str(token or "") for token in tokens[: last + 1]]


def _signed_page(visit: Visit, action: str, tokens: Sequence[str], answer: QueryDict | None = None) -> UnitPage | None:
    """Return the page that posted forms were signed for.

    Their tokens are read before their fields, since a token names the unit that its form is for. None where a token is
    not ours, or another rater's, or where no page has these units.
    """
    try:
        signed = [credentials.read_signed(action, token) for token in tokens]
    except signing.BadSignature:
        return None
    if any(of_text.get("rater") != credentials.handle_of_rater(visit.rater.pk) for of_text in signed):
        return None
    units = access.signed_assignments_for_rater(visit.rater, [of_text.get("unit") for of_text in signed])
    page = UnitPage.sent(visit, units, answer)
    is_ours = all(of_text == text.bound for of_text, text in zip(signed, page.texts, strict=True))
    return page if is_ours and page.belongs_together else None


def _go_on(visit: Visit, step: between_units.Step | None) -> HttpResponse:
    """Send the rater on: a redirect, or the next units themselves, if the page's script asks for them.

    The script shows them in place of the page that was sent, so it gets them only for an answer that was sent from the
    address at which they are found. The script follows any other way on by loading the address.
    """
    address = _address_of(visit, step)
    if visit.request.headers.get("Prefer") == WITH_NEXT_PAGE and visit.request.path == visit.url("judge") == address:
        page = _next_page(visit)
        if isinstance(page, UnitPage):
            return _at_address(page.render(in_place=True), address)
    return HttpResponseRedirect(address)


def _at_address(response: HttpResponse, address: str) -> HttpResponse:
    """Name the address of the page in a response to another request, as RFC 9110 and RFC 7240 have it."""
    response.headers["Content-Location"] = address
    response.headers["Preference-Applied"] = WITH_NEXT_PAGE
    return response


def _address_of(visit: Visit, step: between_units.Step | None) -> str:
    """Return the address of a page between two units, or, without one, of the next unit."""
    if step is None:
        return visit.url("judge")
    return visit.url(step.kind, step.number) if step.number else visit.url(step.kind)


def _before_next_unit(visit: Visit) -> HttpResponse | None:
    """Return the page before the next unit: messages, a pause of the study or the rater, a step, instructions."""
    rater = visit.rater
    if contact.unread(rater):
        return visit.go_to("messages")
    if contact.is_paused(rater):
        return messages.paused(visit)
    if rater.study.state == rater.study.State.PAUSED and not visit.has_ended:
        return _paused(visit)
    step = between_units.step_due(rater)
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


def _pending(visit: Visit, screens: Sequence[RaterScreen]) -> UnitPage:
    """Return the page of units that are to be answered, with the drafts of the answers."""
    texts = [_with_draft(visit, screen, number, len(screens)) for number, screen in enumerate(screens, start=1)]
    return UnitPage(visit, texts)


def _with_draft(visit: Visit, screen: RaterScreen, number: int, of: int) -> TextBlock:
    draft: Draft | None = getattr(screen.assignment, "draft", None)
    answer = dict(draft.answer) if draft else {}
    comment, skip_reason = (str(answer.pop(name, "")) for name in text_block.BESIDE_ANSWER)
    counter = draft.counter if draft else 0
    return TextBlock(visit, screen, number, of, None, answer, comment, skip_reason, counter)


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
        return _pending(visit, [screen]).render()
    if stored is None or visit.has_ended or not screen.may_change:
        return visit.go_to("next")
    text = TextBlock(visit, screen, initial=stored.answer, comment=stored.comment, stored=stored)
    if assignment.judgments.count() > judgments.MOST_CHANGES:
        return unit_page.unchanged(text, stored)
    return UnitPage(visit, [text]).render()


@rater_page("POST")
def show_text(visit: Visit) -> HttpResponse:
    """Start the clock of a text with a set time, and show the text."""
    page = _signed_page(visit, TimeForm.action, [visit.request.POST.get("form_token", "")])
    if page is None:
        return forged(visit.request)
    form = TimeForm(visit.request.POST, bound_to=page.first.bound)
    if not form.is_valid():
        return forged(visit.request)
    if (response := _before_next_unit(visit)) is not None:
        return response
    set_time.start(screen=page.first.screen, choice=form.cleaned_data["time"])
    return visit.go_to("judge")


@rater_page("POST")
def skip(visit: Visit) -> HttpResponse:
    """Skip a unit, with a reason; it goes to somebody else."""
    page = _signed_page(visit, SkipForm.action, [visit.request.POST.get("form_token", "")])
    if page is None:
        return forged(visit.request)
    if not visit.options.allow_skip:
        return visit.message(_("Units of this study cannot be skipped"), [_("Go back and answer it.")], status=403)
    form = SkipForm(visit.request.POST, bound_to=page.first.bound)
    if form.is_valid():
        return _store_skip(visit, page.first, form)
    sentences = [" ".join(map(str, errors)) for errors in form.errors.values()]
    return visit.message(_("This was not skipped yet"), [*sentences, _("Go back and press Skip again.")], status=422)


def _store_skip(visit: Visit, text: TextBlock, form: SkipForm) -> HttpResponse:
    submission = judgments.Submission(
        uuid=form.cleaned_data["submission"],
        answer={},
        skip_reason=form.cleaned_data["reason"],
        comment=form.cleaned_data["comment"],
        timing=text.timing(),
    )
    try:
        receipt = judgments.submit(screen=text.screen, submission=submission)
    except judgments.Conflict:
        return visit.go_to("unit", text.screen.assignment.order)
    except drafts.Over:
        return unit_page.over(visit)
    return HttpResponseRedirect(_address_of(visit, receipt.step))


@rater_page("POST")
def draft(visit: Visit) -> JsonResponse:
    """Store the draft of an answer: JSON in, JSON out."""
    posted = _read_draft(visit.request)
    if isinstance(posted, str):
        return JsonResponse({"saved": False, "error": posted}, status=400)
    page = _signed_page(visit, AnswerFields.action, [posted["form_token"]])
    if page is None:
        return JsonResponse({"saved": False, "error": _("Reload the page.")}, status=403)
    text = page.first
    names = text.names
    answer = {name: value for name, value in posted["answer"].items() if name in names}
    try:
        saved = drafts.save_draft(screen=text.screen, counter=posted["counter"], answer=answer)
    except drafts.Over as over:
        return JsonResponse({"saved": False, "over": over.why}, status=410)
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
