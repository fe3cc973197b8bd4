"""Arrival: offer, consent, and a page for everybody who cannot take part. Nothing is stored before consent."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any
from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from tasks_app import access, channels, task_types
from tasks_app.channels.base import Arrival, NotArrived
from tasks_app.forms import ConsentForm
from tasks_app.models import Rater, Study, Task
from tasks_app.services.arrival import endings, enrolment, invitations, returning
from tasks_app.texts import languages
from tasks_app.views import counting, pay_words
from tasks_app.views.public import examples
from tasks_app.views.rater import continuing, pages
from tasks_app.views.rater.journey import instructions_html
from tasks_app.views.rater.trial import announce_trial
from tasks_app.views.rater.visit import forged, framed, message, sending_away, study_deleted

# Seconds after which somebody who meets a paused study may look again.
COME_BACK_AFTER = 3600

# The field of the button that asks for the page in another language. It is sent with the signed arrival, since the ids
# of a platform stand in no address of the page.
LANGUAGE = "page_language"

# How often one consent is taken in ten minutes: presses, reloads and lost connections included.
MOST_CONSENTS = 20
CONSENT_SECONDS = 600


@csrf_exempt
@require_http_methods(["GET", "HEAD", "POST"])
def join(request: HttpRequest, code: str, channel: str = "link") -> HttpResponse:
    """Show the arrival page of a channel's raters: the people behind the study, pay, consent, and the start button."""
    try:
        study = access.study_for_code(code)
    except Http404:
        if (deleted := access.deleted_study_for_token(code)) is None:
            raise
        return study_deleted(request, deleted)
    if channels.opened(study.options, channel) is None:
        raise Http404
    if study.is_rehearsal:
        announce_trial(request, study)
    with languages.speaking(study.language):
        try:
            response = _agreed(request, study, channel) if request.method == "POST" else _offer(request, study, channel)
        except NotArrived as error:
            response = not_arrived(request, error)
        except invitations.NotInvited:
            response = _not_invited(request)
    return sending_away(framed(response, channel), channel)


def _offer(request: HttpRequest, study: Study, channel: str) -> HttpResponse:
    """Show the offer; send a rater who has begun in this visit on to their last page."""
    kind = channels.channel_of(study.options, channel)
    if kind.needs_account and not request.user.is_authenticated:
        return redirect(f"{reverse('rater:sign_in')}?{urlencode({'next': request.path})}")
    arrival = kind.arrival(request.GET.dict())
    if kind.invited_only:
        arrival = invitations.arrival_of(study=study, arrival=arrival, user=request.user)
    with languages.speaking(arrival.language or study.language):
        return _offer_to(request, study, arrival)


def _offer_to(request: HttpRequest, study: Study, arrival: Arrival) -> HttpResponse:
    """Show the offer after a valid arrival; ask a rater who may have begun here about that first."""
    try:
        if returning.KEY in request.GET and not arrival.preview:
            return _back(request, study, arrival)
        earlier = continuing.remembered(request, study, arrival)
        enrolled = _recognised(study, arrival, earlier)
        if enrolled is not None:
            return redirect("rater:next", enrolled.token)
        if earlier is not None:
            return _offer_to_continue(request, study, arrival, earlier)
        _refuse_early(study, arrival)
    except enrolment.REFUSALS as error:
        return refused(request, study, arrival, error)
    if arrival.preview:
        return preview_page(request, study, arrival.channel)
    form = consent_form(study, arrival)
    return consent_page(request, study, form, channel=arrival.channel, language=arrival.language)


def _offer_to_continue(
    request: HttpRequest, study: Study, arrival: Arrival, earlier: enrolment.Enrolled
) -> HttpResponse:
    """Ask whether the rater whom this browser remembers has come back, with a form for that very rater."""
    form = consent_form(study, arrival, **{continuing.OFFERED: continuing.mark_of(earlier)})
    return continuing.offer(request, study, earlier, form)


def _recognised(study: Study, arrival: Arrival, earlier: enrolment.Enrolled | None) -> enrolment.Enrolled | None:
    """Return the rater that this visit made; None for somebody new, and for another visit of the `earlier` rater.

    Raises
    ------
    tasks_app.services.arrival.enrolment.AlreadyHere
        For another visit of somebody whom this browser does not remember.
    """
    try:
        return enrolment.recognise(study, arrival)
    except enrolment.AlreadyHere:
        if earlier is None:
            raise
        return None


def _back(request: HttpRequest, study: Study, arrival: Arrival) -> HttpResponse:
    """Let a rater go on when the platform sends them for a later wave."""
    try:
        back = returning.come_back(study=study, arrival=arrival, signed=request.GET[returning.KEY])
    except returning.NotDue:
        sentences = [
            _("This link is for people whose next part of the study is open. Your next part is not open now."),
            _("If you are waiting for your next part, your personal link shows when it opens."),
        ]
        if way_out := channels.registry[arrival.channel].way_out:
            sentences.append(str(way_out))
        return message(request, _("Nothing is open for you here"), sentences, HTTPStatus.CONFLICT)
    return redirect("rater:next", back.token)


def _refuse_early(study: Study, arrival: Arrival) -> None:
    """Raise a refusal before the consent already; the final decision is made when the form is sent."""
    if study.state != Study.State.OPEN:
        raise enrolment.NotOpen
    if not enrolment.has_room(study, arrival.invitation):
        raise enrolment.StudyFull


def consent_form(study: Study, arrival: Arrival, **signed: str) -> ConsentForm:
    """Make the form with a token that carries the arrival, so that nobody can put somebody else's ids into it."""
    carried = {
        "id": arrival.external_id,
        "session": arrival.session_id,
        "details": dict(arrival.details),
        "language": arrival.language,
    }
    bound = {"study": study.pk, "nonce": ConsentForm.new_nonce(), "channel": arrival.channel, "arrival": carried}
    return ConsentForm(bound_to={**bound, **signed})


def _arrival_in(signed: Mapping[str, Any], channel: str) -> Arrival:
    """Return the arrival that a consent form was signed for."""
    carried: Mapping[str, Any] = signed.get("arrival") or {}
    return Arrival(
        channel,
        external_id=str(carried.get("id", "")),
        session_id=str(carried.get("session", "")),
        details=dict(carried.get("details", {})),
        language=str(carried.get("language", "")),
    )


def _agreed(request: HttpRequest, study: Study, channel: str) -> HttpResponse:
    """Enrol somebody who has agreed, and send them on to their own address."""
    form = ConsentForm(request.POST, bound_to={"study": study.pk})
    valid = form.is_valid()
    if form.is_forged or str(form.signed.get("channel", "link")) != channel:
        return forged(request)
    if chosen := languages.match(request.POST.get(LANGUAGE, "")):
        return _in_language(request, study, form.signed, chosen)
    arrival = _arrival_in(form.signed, channel)
    if continuing.FIELD in request.POST or continuing.OFFERED in form.signed:
        return _back_or_anew(request, study, arrival, str(form.signed.get(continuing.OFFERED, "")))
    with languages.speaking(arrival.language or study.language):
        return _agreed_by(request, study, arrival, form, valid=valid)


def _back_or_anew(request: HttpRequest, study: Study, arrival: Arrival, offered: str) -> HttpResponse:
    """Send the earlier rater of this browser on, or forget them and show the offer to somebody else.

    Either holds for the rater for whom the form was `offered`, and for nobody who began here since. Everybody else is
    shown what a visit shows: whoever ended meanwhile, has a new link, or sends a form that has no such button. A form
    on another site comes without the cookie, and deletes none.
    """
    earlier = continuing.remembered(request, study, arrival)
    if earlier is None or offered != continuing.mark_of(earlier):
        return _offer_to(request, study, arrival)
    button = request.POST.get(continuing.FIELD, "")
    if button == continuing.EARLIER:
        if arrival.external_id:
            returning.come_again(study=study, arrival=arrival, rater=earlier.rater)
        return redirect("rater:next", earlier.token)
    if button == continuing.OTHER and continuing.may_be_another(arrival.channel):
        return continuing.forget(redirect(request.path), study, arrival.channel)
    return _offer_to(request, study, arrival)


def _in_language(request: HttpRequest, study: Study, signed: Mapping[str, Any], language: str) -> HttpResponse:
    """Show the offer in the language that somebody chose; nothing is stored."""
    arrival = {**(signed.get("arrival") or {}), "language": language}
    signed = {name: value for name, value in signed.items() if name != continuing.OFFERED}
    with languages.speaking(language):
        form = ConsentForm(bound_to={**signed, "arrival": arrival})
        return consent_page(request, study, form, channel=str(signed.get("channel", "link")), language=language)


def _agreed_by(request: HttpRequest, study: Study, arrival: Arrival, form: ConsentForm, *, valid: bool) -> HttpResponse:
    """Enrol a person with a form of our own, or show the gaps in it."""
    if not valid:
        form = ConsentForm(request.POST, bound_to=form.signed)
        form.is_valid()
        status = HTTPStatus.UNPROCESSABLE_ENTITY
        return consent_page(request, study, form, channel=arrival.channel, status=status, language=arrival.language)
    if _sent_too_often(study, arrival, str(form.signed["nonce"])):
        return _wait_to_send(request)
    try:
        if (earlier := _other_than(request, study, arrival, form.signed)) is not None:
            return _offer_to_continue(request, study, arrival, earlier)
        enrolled = _enrol(request, study, arrival, form.signed)
    except enrolment.REFUSALS as error:
        return refused(request, study, arrival, error)
    response = redirect("rater:next", enrolled.token)
    return continuing.remember(request, response, enrolled, str(form.signed["nonce"]))


def _other_than(
    request: HttpRequest, study: Study, arrival: Arrival, signed: Mapping[str, Any]
) -> enrolment.Enrolled | None:
    """Return the rater whom this browser remembers, unless the form or its visit is their own; None if there is none.

    A consent page that was left open in another tab would otherwise make a second rater of the same person.
    """
    if str(signed.get("kind", Rater.Kind.REAL)) == Rater.Kind.SANDBOX:
        return None
    earlier = continuing.remembered(request, study, arrival)
    if earlier is None or _recognised(study, arrival, earlier) is not None:
        return None
    own = enrolment.token_of_form(study.pk, str(signed["nonce"]), arrival)
    return None if own == earlier.token else earlier


def _sent_too_often(study: Study, arrival: Arrival, nonce: str) -> bool:
    """Count a consent: of a platform's person in a visit, else of a form."""
    about = f"{arrival.external_id} {arrival.session_id}" if arrival.external_id else nonce
    key = counting.key_of("consent", f"{study.pk} {arrival.channel} {about}")
    return counting.count(key, CONSENT_SECONDS) > MOST_CONSENTS


def _wait_to_send(request: HttpRequest) -> HttpResponse:
    sentences = [
        _("You have agreed already. Nothing is lost."),
        _("Please wait ten minutes, then send it again, or open your personal link."),
    ]
    title = _("This form was sent too often")
    response = message(request, title, sentences, HTTPStatus.TOO_MANY_REQUESTS)
    response.headers["Retry-After"] = str(CONSENT_SECONDS)
    return response


def _enrol(request: HttpRequest, study: Study, arrival: Arrival, signed: Mapping[str, Any]) -> enrolment.Enrolled:
    text = pages.consent_text(study, arrival.language)
    kind = str(signed.get("kind", Rater.Kind.REAL))
    sandbox = kind == Rater.Kind.SANDBOX or study.is_rehearsal
    consent: dict[str, Any] = {
        "study_id": study.pk,
        "nonce": str(signed["nonce"]),
        "consent_text_id": text.pk if text else None,
        "kind": kind,
    }
    if channels.registry[arrival.channel].invited_only and not sandbox:
        # Whoever invited them knows them: a laboratory's shared address is no reason to turn anybody away.
        return invitations.enrol(study=study, arrival=arrival, user=request.user, **consent)
    return enrolment.enrol(arrival=arrival, address="" if sandbox else pages.client_address(request), **consent)


def consent_page(
    request: HttpRequest,
    study: Study,
    form: ConsentForm,
    *,
    channel: str = "link",
    status: int = HTTPStatus.OK,
    language: str = "",
    **more: Any,
) -> HttpResponse:
    """Render the offer with the consent, in a language if there is a text in it; pressed again, nothing changes."""
    text = pages.consent_text(study, language)
    context = {
        "languages": languages.to_choose_from(),
        "spoken": languages.spoken(),
        "study": pages.public_study(study, channel),
        "finds_nobody": not channels.registry[channel].needs_ids and not channels.registry[channel].invited_only,
        **pages.consent_shown(study, text),
        "consent_language": text.language if text is not None else study.language,
        "form": form,
        **more,
    }
    return render(request, "rater/join.html", context, status=status)


def preview_page(request: HttpRequest, study: Study, channel: str) -> HttpResponse:
    """Render the offer without a button, and made-up examples of the tasks: nobody is here yet."""
    stages = (Task.Stage.SCREENING, Task.Stage.MAIN, Task.Stage.EXIT)
    tasks = sorted(Task.objects.filter(study=study, until=None), key=lambda task: stages.index(Task.Stage(task.stage)))
    main = [task for task in tasks if task.stage == Task.Stage.MAIN]
    kinds = [task_types.registry[name] for name in dict.fromkeys(task.type for task in main)]
    more: dict[str, Any] = {
        "preview": True,
        "ways_in": [str(channels.registry[channel].way_in)],
        "instructions_html": instructions_html(main),
        "examples": [{"member": kind, "example": examples.blank(kind)} for kind in kinds],
    }
    return consent_page(request, study, ConsentForm(bound_to={}), channel=channel, **more)


def refused(request: HttpRequest, study: Study, arrival: Arrival, error: enrolment.Refusal) -> HttpResponse:
    """Explain politely why a person is not admitted, with the way back to the platform that sent them."""
    channel = channels.registry[arrival.channel]
    title, sentences = enrolment.refusal(error, study, sent=channel.needs_ids)
    paid = pay_words.turned_away(study.options, took_part=isinstance(error, enrolment.AlreadyHere))
    sentences = [*sentences, paid] if paid else sentences
    ending = endings.of_refused(study, arrival, error)
    if ending is None and channel.way_out:
        sentences = [*sentences, str(channel.way_out)]
    study_words = {"public_title": study.public_title, "language": study.language}
    context = {**study_words, "title": title, "sentences": sentences, "ending": ending}
    status = _status(error, study)
    response = render(request, "rater/refused.html", context, status=status)
    if status == HTTPStatus.SERVICE_UNAVAILABLE:
        response.headers["Retry-After"] = str(COME_BACK_AFTER)
    return response


def _status(error: enrolment.Refusal, study: Study) -> HTTPStatus:
    if isinstance(error, enrolment.TooMany):
        return HTTPStatus.TOO_MANY_REQUESTS
    if isinstance(error, enrolment.NotOpen):
        return HTTPStatus.SERVICE_UNAVAILABLE if study.state == Study.State.PAUSED else HTTPStatus.GONE
    return HTTPStatus.CONFLICT


def not_arrived(request: HttpRequest, error: NotArrived) -> HttpResponse:
    """Answer an address that the channel's platform did not make."""
    sentences = [str(error), _("Nothing about this visit was stored.")]
    return message(request, _("You cannot begin from here"), sentences, HTTPStatus.BAD_REQUEST)


def _not_invited(request: HttpRequest) -> HttpResponse:
    """Answer a link or a person that nobody invited, or not any more; which of them it is, nobody is told."""
    return message(
        request,
        _("This invitation does not work"),
        [_("It may have been replaced or revoked. Please ask the person who invited you for a new one.")],
        HTTPStatus.NOT_FOUND,
    )
