"""A rater's pages. Each address holds the token; none needs a cookie or JavaScript."""

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, Concatenate, ParamSpec, cast

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext as _
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from tasks_app import access, richtext
from tasks_app.forms import ConsentForm, StepForm
from tasks_app.models import Rater, Study, Task
from tasks_app.selectors.progress import progress_of
from tasks_app.services import assignments, enrolment
from tasks_app.views import pages

P = ParamSpec("P")
RaterView = Callable[Concatenate[HttpRequest, Rater, str, P], HttpResponse]


def rater_page(
    *methods: str,
) -> Callable[[RaterView[P]], Callable[Concatenate[HttpRequest, str, P], HttpResponse]]:
    """Make a view of `(request, rater, token, …)` out of `(request, token, …)`, in the study's language.

    No cookie is asked for, so Django's CSRF check has nothing to compare: forms carry a signed token instead.
    """

    def decorate(view: RaterView[P]) -> Callable[Concatenate[HttpRequest, str, P], HttpResponse]:
        @wraps(view)
        def page(request: HttpRequest, token: str, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
            rater = access.rater_for_token(token)
            with translation.override(rater.language or rater.study.language):
                return view(request, rater, token, *args, **kwargs)

        return cast(
            "Callable[Concatenate[HttpRequest, str, P], HttpResponse]",
            csrf_exempt(require_http_methods(list(methods))(page)),
        )

    return decorate


def message(request: HttpRequest, title: str, sentences: list[str], status: int = 200) -> HttpResponse:
    """Answer with a title and a few sentences that say what is and what to do."""
    return render(request, "rater/message.html", {"title": title, "sentences": sentences}, status=status)


def forged(request: HttpRequest) -> HttpResponse:
    """Answer a form that was not made for this rater and screen."""
    return message(
        request,
        _("This page is out of date"),
        [_("Nothing was stored by this press."), _("Go back, reload the page and try again.")],
        status=403,
    )


@csrf_exempt
@require_http_methods(["GET", "POST"])
def join(request: HttpRequest, code: str) -> HttpResponse:
    """The open link: who runs the study, what is paid, the consent, and the button that begins."""
    study = access.study_for_code(code)
    with translation.override(study.language):
        if request.method == "POST":
            return _enrol(request, study)
        if study.state != Study.State.OPEN:
            return message(request, *enrolment.refusal(enrolment.NotOpen(), study))
        if not enrolment.has_room(study):
            return message(request, *enrolment.refusal(enrolment.StudyFull(), study))
        form = ConsentForm(bound_to={"study": study.pk, "nonce": ConsentForm.new_nonce()})
        return _consent_page(request, study, form)


def _enrol(request: HttpRequest, study: Study) -> HttpResponse:
    form = ConsentForm(request.POST, bound_to={"study": study.pk})
    if not form.is_valid():
        if form.is_forged:
            return forged(request)
        form = ConsentForm(request.POST, bound_to={"study": study.pk, "nonce": form.signed["nonce"]})
        form.is_valid()
        return _consent_page(request, study, form, status=422)
    text = pages.consent_text(study)
    try:
        enrolled = enrolment.enrol(
            study_id=study.pk,
            nonce=str(form.signed["nonce"]),
            consent_text_id=text.pk if text else None,
            address=pages.client_address(request),
            kind=str(form.signed.get("kind", Rater.Kind.REAL)),
        )
    except (enrolment.NotOpen, enrolment.StudyFull, enrolment.TooMany) as error:
        status = 429 if isinstance(error, enrolment.TooMany) else 200
        return message(request, *enrolment.refusal(error, study), status=status)
    return redirect("rater:next", enrolled.token)


def _consent_page(request: HttpRequest, study: Study, form: ConsentForm, status: int = 200) -> HttpResponse:
    context = {
        "study": pages.public_study(study),
        "consent_html": pages.consent_html(study),
        "form": form,
        "lang": study.language,
        "dir": pages.direction(study.language),
    }
    return render(request, "rater/join.html", context, status=status)


@rater_page("GET", "HEAD")
def next_step(request: HttpRequest, rater: Rater, token: str) -> HttpResponse:
    """Send a rater to whatever is due: instructions, judging or the end."""
    if rater.state == Rater.State.ENDED:
        return redirect("rater:end", token)
    if rater.state == Rater.State.ENROLLED:
        return redirect("rater:instructions", token)
    return redirect("rater:judge", token)


@rater_page("GET", "HEAD", "POST")
def instructions(request: HttpRequest, rater: Rater, token: str) -> HttpResponse:
    """What the rater is to do, how much it is, and the link that brings them back."""
    if rater.state == Rater.State.ENDED:
        return redirect("rater:end", token)
    form = StepForm(request.POST or None, bound_to={"rater": rater.pk, "step": "start"})
    if request.method == "POST":
        if not form.is_valid():
            return forged(request)
        assignments.start(rater=rater)
        return redirect("rater:judge", token)
    return render(request, "rater/instructions.html", _instructions_context(request, rater, token, form))


def _instructions_context(request: HttpRequest, rater: Rater, token: str, form: StepForm) -> dict[str, Any]:
    options = rater.study.options
    tasks = enrolment.tasks_of(rater)
    full = sum(task.set_size for task in tasks)
    progress = progress_of(rater, options.minutes, full)
    share = min(1.0, progress.total / full) if full else 1.0
    return {
        "frame": pages.frame_for(rater, token, progress),
        "instructions_html": instructions_html(tasks),
        "personal_link": pages.personal_link(request, token),
        "n_units": progress.total,
        "minutes": pages.minutes_in_words(options.minutes * share),
        "shorter": _shorter(rater.study, progress.total, full),
        "form": form,
        "content_warning": options.content_warning,
    }


def _shorter(study: Study, total: int, full: int) -> str:
    """Announce a set that is shorter than usual, with its pay pro rata."""
    if total >= full:
        return ""
    options = study.options
    pay = pages.money(options.amount * total / full, options.currency)
    words = {"total": total, "full": full, "pay": pay}
    if not pay:
        return _("This set is shorter than usual: %(total)s instead of %(full)s.") % words
    return _("This set is shorter than usual: %(total)s instead of %(full)s. The pay for it is %(pay)s.") % words


def instructions_html(tasks: list[Task]) -> str:
    """Render the instructions of these tasks, the type's own words where the study has none."""
    texts = [task.instructions or str(task.kind.instructions(task.kind.params(task.params))) for task in tasks]
    return richtext.to_html("\n\n".join(dict.fromkeys(texts)))


@rater_page("GET", "HEAD")
def help_page(request: HttpRequest, rater: Rater, token: str) -> HttpResponse:
    """The instructions again, who runs the study, what is stored, and the personal link."""
    options = rater.study.options
    context = {
        "frame": pages.frame_for(rater, token, progress_of(rater, options.minutes, _set_size(rater))),
        "instructions_html": instructions_html(enrolment.tasks_of(rater)),
        "about": pages.about_pairs(options),
        "personal_link": pages.personal_link(request, token),
        "consent_html": pages.consent_html(rater.study),
        "back_url": reverse("rater:next", args=[token]),
        "link_form": StepForm(bound_to={"rater": rater.pk, "step": "link"}),
        "link_url": reverse("rater:link", args=[token]),
    }
    return render(request, "rater/help.html", context)


def _set_size(rater: Rater) -> int:
    return sum(task.set_size for task in enrolment.tasks_of(rater))


@rater_page("GET", "HEAD", "POST")
def stop(request: HttpRequest, rater: Rater, token: str) -> HttpResponse:
    """Stop here, with pay for what was done."""
    if rater.state == Rater.State.ENDED:
        return redirect("rater:end", token)
    form = StepForm(request.POST or None, bound_to={"rater": rater.pk, "step": "stop"})
    if request.method == "POST":
        if not form.is_valid():
            return forged(request)
        assignments.stop(rater=rater)
        return redirect("rater:end", token)
    options = rater.study.options
    progress = progress_of(rater, options.minutes, _set_size(rater))
    sentences = [
        _("Your %(n)s answers so far are kept and counted.") % {"n": progress.done},
        _("The rest goes to somebody else, so you cannot come back to it."),
    ]
    if pay := _pay_for(rater, progress.done):
        sentences.append(_("You are paid %(pay)s for what you have done.") % {"pay": pay})
    context = {
        "frame": pages.frame_for(rater, token, progress),
        "form": form,
        "sentences": sentences,
        "back_url": reverse("rater:next", args=[token]),
    }
    return render(request, "rater/stop.html", context)


def _pay_for(rater: Rater, done: int) -> str:
    options, full = rater.study.options, max(1, _set_size(rater))
    return pages.money(options.amount * done / full, options.currency)


@rater_page("GET", "HEAD")
def end(request: HttpRequest, rater: Rater, token: str) -> HttpResponse:
    """The end, as the server has it: how the rater ended, and the code that proves it."""
    if rater.state != Rater.State.ENDED:
        return redirect("rater:next", token)
    options = rater.study.options
    progress = progress_of(rater, options.minutes, _set_size(rater))
    title, sentences = _ending(rater, progress.done)
    more = assignments.may_take_another(rater) and enrolment.has_room(rater.study)
    context = {
        "frame": pages.frame_for(rater, token, progress),
        "outcome": rater.outcome,
        "title": title,
        "sentences": sentences,
        "code": rater.completion_code,
        "personal_link": pages.personal_link(request, token),
        "more_form": StepForm(bound_to={"rater": rater.pk, "step": "more"}) if more else None,
        "more_url": reverse("rater:more", args=[token]),
    }
    return render(request, "rater/end.html", context)


def _ending(rater: Rater, done: int) -> tuple[str, list[str]]:
    kept = _("All %(n)s answers are saved on our server.") % {"n": done}
    endings: Mapping[str, tuple[str, list[str]]] = {
        Rater.Outcome.COMPLETED: (_("Thank you, you have finished"), [kept]),
        Rater.Outcome.WITHDRAWN: (_("You have stopped"), [kept, _("Thank you for the time you gave.")]),
        Rater.Outcome.FULL: (
            _("All places were taken meanwhile"),
            [_("Other raters have answered everything while you were away. Thank you for coming back.")],
        ),
        Rater.Outcome.SCREENED_OUT: (
            _("Thank you for your answers"),
            [_("This study looks for other raters.")],
        ),
        Rater.Outcome.FAILED: (_("Thank you for trying"), [_("The task was not passed this time.")]),
    }
    title, sentences = endings[str(rater.outcome)]
    if pay := _pay_for(rater, done):
        sentences = [*sentences, _("You are paid %(pay)s for it.") % {"pay": pay}]
    return title, sentences


@rater_page("POST")
def more(request: HttpRequest, rater: Rater, token: str) -> HttpResponse:
    """Take another set."""
    form = StepForm(request.POST, bound_to={"rater": rater.pk, "step": "more"})
    if not form.is_valid():
        return forged(request)
    if not assignments.take_another(rater=rater):
        return message(request, *enrolment.refusal(enrolment.StudyFull(), rater.study))
    return redirect("rater:judge", token)


@rater_page("POST")
def link(request: HttpRequest, rater: Rater, token: str) -> HttpResponse:
    """Make a new personal link; the old one ends."""
    form = StepForm(request.POST, bound_to={"rater": rater.pk, "step": "link"})
    if not form.is_valid():
        return forged(request)
    new = enrolment.new_link(rater_id=rater.pk)
    return HttpResponseRedirect(reverse("rater:help", args=[new]))
