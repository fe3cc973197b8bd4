"""A rater's pages. Each address contains the rater's token; none needs a cookie or JavaScript."""

from collections import Counter
from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, cast

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.html import format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from tasks_app import access, languages, richtext
from tasks_app.check_settings import checks_of
from tasks_app.credentials import handle_of_rater
from tasks_app.forms import StepForm
from tasks_app.models import Assignment, Rater, Study, Task
from tasks_app.selectors.progress import next_purpose, progress_of, units_by_purpose
from tasks_app.selectors.waves import later_in_words
from tasks_app.services import pay
from tasks_app.services.arrival import enrolment
from tasks_app.services.judging import assignments
from tasks_app.services.plan import loads
from tasks_app.views import pay_words
from tasks_app.views.rater import embedding, pages, stages

P = ParamSpec("P")
RaterView = Callable[Concatenate[HttpRequest, Rater, str, P], HttpResponse]


def rater_page(
    *methods: str,
) -> Callable[[RaterView[P]], Callable[Concatenate[HttpRequest, str, P], HttpResponse]]:
    """Make a view of `(request, rater, token, …)` out of `(request, token, …)`, in the rater's language.

    No cookie is asked for, so Django's CSRF check has nothing to compare: forms carry a signed token instead.
    """

    def decorate(view: RaterView[P]) -> Callable[Concatenate[HttpRequest, str, P], HttpResponse]:
        @wraps(view)
        def page(request: HttpRequest, token: str, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
            rater = access.rater_for_token(token)
            with languages.speaking(rater.language or rater.study.language):
                return embedding.framed(view(request, rater, token, *args, **kwargs), rater.channel)

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
        [_("Nothing was stored."), _("Go back, reload the page and try again.")],
        status=403,
    )


@rater_page("GET", "HEAD")
def next_step(request: HttpRequest, rater: Rater, token: str) -> HttpResponse:
    """Send a rater to whatever is due: the end, the wait for the next wave, else the page that knows what comes."""
    if rater.state == Rater.State.ENDED:
        return redirect("rater:end", token)
    return redirect("rater:waiting" if assignments.is_waiting(rater) else "rater:judge", token)


@rater_page("GET", "HEAD", "POST")
def instructions(request: HttpRequest, rater: Rater, token: str) -> HttpResponse:
    """What the rater is to do, how much it is, and the link that brings them back."""
    if rater.state == Rater.State.ENDED:
        return redirect("rater:end", token)
    if rater.state == Rater.State.ENROLLED and next_purpose(rater) == Assignment.Purpose.SCREENING:
        # What comes first decides whether there is anything to be instructed for.
        return redirect("rater:judge", token)
    form = StepForm(request.POST or None, bound_to={"rater": handle_of_rater(rater.pk), "step": "start"})
    if request.method == "POST":
        if not form.is_valid():
            return forged(request)
        assignments.start(rater=rater)
        return redirect("rater:judge", token)
    return render(request, "rater/instructions.html", _instructions_context(request, rater, token, form))


def _instructions_context(request: HttpRequest, rater: Rater, token: str, form: StepForm) -> dict[str, Any]:
    options = rater.study.options
    tasks = [task for task in enrolment.tasks_of(rater) if task.stage == Task.Stage.MAIN]
    full = sum(task.set_size for task in tasks)
    progress = progress_of(rater, options.minutes, full)
    units = units_by_purpose(rater)
    offered = pay.offered(rater)
    share = min(1.0, offered.units / offered.full) if offered.full else 1.0
    return {
        "frame": pages.frame_for(rater, token, progress),
        "instructions_html": instructions_html(tasks),
        "personal_link": pages.personal_link(request, token),
        "amount": loads.load_in_words(progress.total, *loads.load_of(rater)),
        "minutes": pages.minutes_in_words(pages.expected_minutes(rater.study) * share),
        "shorter": _shorter(rater.study, offered),
        "before": [*_before(tasks, units), *later_in_words(rater)],
        "form": form,
        "content_warning": options.content_warning,
    }


def _before(tasks: list[Task], units: Counter[tuple[int, str]]) -> list[str]:
    """Announce practice and test of every task."""
    said = []
    for task in tasks:
        checks, purpose = checks_of(task.checks), Assignment.Purpose
        training, exam = units[task.pk, purpose.TRAINING], units[task.pk, purpose.EXAM]
        said += stages.before_the_texts(training, exam, checks.exam_pass, checks.exam_attempts)
    return said


def _shorter(study: Study, offered: pay.Offered) -> str:
    """Announce a set that is shorter than usual, with its pay pro rata."""
    if offered.units >= offered.full:
        return ""
    amount = pages.money(offered.amount, study.options.currency)
    words = {"total": offered.units, "full": offered.full, "pay": amount}
    if not amount:
        return _("This set is shorter than usual: %(total)s instead of %(full)s.") % words
    return _("This set is shorter than usual: %(total)s instead of %(full)s. The pay for it is %(pay)s.") % words


def instructions_html(tasks: list[Task]) -> SafeString:
    """Render the instructions of these tasks, each in its language: the type's own words where the study has none."""
    texts = [
        (task.study.language, task.instructions)
        if task.instructions
        else (languages.spoken(), str(task.kind.instructions(task.kind.params(task.params))))
        for task in tasks
    ]
    rendered = ((language, richtext.to_html(text)) for language, text in dict.fromkeys(texts))
    return format_html_join("", '<div class="prose" dir="auto" lang="{}">{}</div>', rendered)


@rater_page("GET", "HEAD")
def help_page(request: HttpRequest, rater: Rater, token: str) -> HttpResponse:
    """The instructions again, who runs the study, what is stored, and the personal link."""
    options = rater.study.options
    context = {
        "frame": pages.frame_for(rater, token, progress_of(rater, options.minutes, set_size(rater))),
        "instructions_html": instructions_html(enrolment.tasks_of(rater)),
        "about": pages.about_pairs(options),
        "personal_link": pages.personal_link(request, token),
        "consent_html": pages.consent_html(rater.study),
        "back_url": reverse("rater:next", args=[token]),
        "stored_url": reverse("rater:stored", args=[token]),
        "link_form": StepForm(bound_to={"rater": handle_of_rater(rater.pk), "step": "link"}),
        "link_url": reverse("rater:link", args=[token]),
    }
    return render(request, "rater/help.html", context)


def set_size(rater: Rater) -> int:
    """Return how many units a full set has, all of a rater's tasks together."""
    return sum(task.set_size for task in enrolment.tasks_of(rater))


@rater_page("GET", "HEAD", "POST")
def stop(request: HttpRequest, rater: Rater, token: str) -> HttpResponse:
    """Stop here, with pay for what was done."""
    if rater.state == Rater.State.ENDED:
        return redirect("rater:end", token)
    form = StepForm(request.POST or None, bound_to={"rater": handle_of_rater(rater.pk), "step": "stop"})
    if request.method == "POST":
        if not form.is_valid():
            return forged(request)
        assignments.stop(rater=rater)
        return redirect("rater:end", token)
    options = rater.study.options
    progress = progress_of(rater, options.minutes, set_size(rater))
    kept = ngettext(
        "Your %(n)s answer so far is kept and counted.",
        "Your %(n)s answers so far are kept and counted.",
        progress.done,
    )
    sentences = [
        *([kept % {"n": progress.done}] if progress.done else []),
        _("The rest goes to other raters, so you cannot come back to it."),
    ]
    if paid := pay_words.stopping(rater):
        sentences.append(paid)
    context = {
        "frame": pages.frame_for(rater, token, progress),
        "form": form,
        "sentences": sentences,
        "back_url": reverse("rater:next", args=[token]),
    }
    return render(request, "rater/stop.html", context)


@rater_page("POST")
def more(request: HttpRequest, rater: Rater, token: str) -> HttpResponse:
    """Take another set."""
    form = StepForm(request.POST, bound_to={"rater": handle_of_rater(rater.pk), "step": "more"})
    if not form.is_valid():
        return forged(request)
    if not assignments.take_another(rater=rater):
        return message(request, *enrolment.refusal(enrolment.StudyFull(), rater.study))
    return redirect("rater:judge", token)


@rater_page("POST")
def link(request: HttpRequest, rater: Rater, token: str) -> HttpResponse:
    """Make a new personal link; the old one ends."""
    form = StepForm(request.POST, bound_to={"rater": handle_of_rater(rater.pk), "step": "link"})
    if not form.is_valid():
        return forged(request)
    new = enrolment.new_link(rater_id=rater.pk)
    return HttpResponseRedirect(reverse("rater:help", args=[new]))
