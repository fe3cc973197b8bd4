"""A rater's way through a study: instructions, help, stop, another set, a new link, another language."""

from collections import Counter
from typing import Any

from django.http import HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tasks_app import channels, task_types
from tasks_app.forms import LanguageForm, StepForm
from tasks_app.links.credentials import handle_of_rater
from tasks_app.models import Assignment, Rater, Study, Task
from tasks_app.selectors.elsewhere import hosts_elsewhere
from tasks_app.selectors.progress import next_purpose, progress_of, units_by_purpose
from tasks_app.selectors.waves import later_in_words
from tasks_app.services import contact, pay, rater_language
from tasks_app.services.arrival import enrolment
from tasks_app.services.judging import assignments
from tasks_app.services.plan import loads
from tasks_app.settings.checks import checks_of
from tasks_app.texts import languages, richtext
from tasks_app.views import pay_words
from tasks_app.views.rater import continuing, pages, set_time_words, stages
from tasks_app.views.rater.visit import Visit, forged, rater_page


@rater_page("GET", "HEAD")
def next_step(visit: Visit) -> HttpResponse:
    """Send a rater to their next page: messages, the end, the wait for a wave, else the page to judge on."""
    if contact.unread(visit.rater):
        return visit.go_to("messages")
    if visit.has_ended:
        return visit.go_to("end")
    return visit.go_to("waiting" if assignments.is_waiting(visit.rater) else "judge")


@rater_page("GET", "HEAD", "POST")
def instructions(visit: Visit) -> HttpResponse:
    """Show the rater's task, its length, and the link that brings them back."""
    rater = visit.rater
    if visit.has_ended:
        return visit.go_to("end")
    if rater.state == Rater.State.ENROLLED and next_purpose(rater) == Assignment.Purpose.SCREENING:
        # Screening comes first: it decides whether the rater needs instructions at all.
        return visit.go_to("judge")
    if rater.state != Rater.State.ENROLLED and not visit.is_post:
        # Who has begun is shown where they are, and finds the instructions beside the texts and in the help.
        return visit.go_to("next")
    form = visit.step_form("start")
    if visit.is_post:
        if not form.is_valid():
            return forged(visit.request)
        assignments.start(rater=rater)
        return visit.go_to("judge")
    assignments.keep(rater=rater)
    return visit.render("rater/instructions.html", _instructions_context(visit, form))


def _instructions_context(visit: Visit, form: StepForm) -> dict[str, Any]:
    rater, options = visit.rater, visit.options
    tasks = [task for task in enrolment.tasks_of(rater) if task.stage == Task.Stage.MAIN]
    full_size = sum(task.set_size for task in tasks)
    progress = progress_of(rater, full_size)
    units = units_by_purpose(rater)
    offered = pay.offered(rater)
    share = min(1.0, offered.units / offered.full) if offered.full else 1.0
    return {
        "frame": pages.frame_for(visit, progress),
        "instructions_html": instructions_html(tasks),
        "personal_link": pages.personal_link(visit.request, visit.token),
        "amount": loads.load_in_words(progress.total, *loads.load_of(rater)),
        "minutes": pages.minutes_in_words(pages.expected_minutes(rater.study) * share),
        "shorter": _shorter(rater.study, offered),
        "before": [*_before(tasks, units), *_set_times(tasks), *later_in_words(rater)],
        "form": form,
        "content_warning": options.content_warning,
        "types_ahead": [task_types.registry[name] for name in dict.fromkeys(task.type for task in tasks)],
    }


def _before(tasks: list[Task], units: Counter[tuple[int, str]]) -> list[str]:
    """Announce practice and test of every task."""
    sentences = []
    for task in tasks:
        checks, purpose = checks_of(task.checks), Assignment.Purpose
        training, exam = units[task.pk, purpose.TRAINING], units[task.pk, purpose.EXAM]
        sentences += stages.before_the_texts(training, exam, checks.exam_pass, checks.exam_attempts)
    return sentences


def _set_times(tasks: list[Task]) -> list[str]:
    """Announce the set times of tasks, each pair of sentences once."""
    times = dict.fromkeys(time for task in tasks if (time := task.kind.set_time) is not None)
    return list(dict.fromkeys(sentence for time in times for sentence in set_time_words.in_instructions(time)))


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
    """Render the instructions of these tasks, each in its language: the type's own words where the study has none.

    Tasks with different instructions have headings. Their titles are words of researchers, and might name a system.
    """
    texts = [
        (task.study.language, task.current_instructions)
        if task.instructions
        else (languages.spoken(), str(task.kind.instructions()))
        for task in tasks
    ]
    different = list(dict.fromkeys(texts))
    rendered = (
        (_heading(number, len(different)), language, richtext.to_html(text))
        for number, (language, text) in enumerate(different, start=1)
    )
    return format_html_join("", '{}<div class="prose" dir="auto" lang="{}">{}</div>', rendered)


def _heading(number: int, of: int) -> SafeString:
    """Return the heading of the instructions of one of several tasks; of the only one none."""
    words = stages.task_number(number, of)
    return format_html('<h2 lang="{}">{}</h2>', languages.spoken(), words) if of > 1 else SafeString("")


@rater_page("GET", "HEAD")
def help_page(visit: Visit) -> HttpResponse:
    """Show the instructions again, the people who run the study, the stored data, and the personal link."""
    rater, options = visit.rater, visit.options
    consent_text = pages.agreed_text(rater)
    context = {
        "frame": pages.frame_for(visit, progress_of(rater, set_size(rater))),
        "instructions_html": instructions_html(enrolment.tasks_of(rater)),
        "about": pages.about_pairs(options, rater.channel, hosts_elsewhere(rater.study)),
        "personal_link": pages.personal_link(visit.request, visit.token),
        "consent_html": pages.consent_html(rater.study, consent_text),
        "consent_language": consent_text.language if consent_text is not None else "",
        "ended": visit.has_ended,
        "back_url": visit.url("next"),
        "stored_url": visit.url("stored"),
        "link_form": visit.step_form("link"),
        "link_url": visit.url("link"),
    }
    return visit.render("rater/help.html", context)


def set_size(rater: Rater) -> int:
    """Count the units of a full set, all of a rater's tasks together."""
    return sum(task.set_size for task in enrolment.tasks_of(rater))


@rater_page("GET", "HEAD", "POST")
def stop(visit: Visit) -> HttpResponse:
    """Ask a rater whether to stop here, with pay for the work done; posted to, stop."""
    rater = visit.rater
    if visit.has_ended:
        return visit.go_to("end")
    form = visit.step_form("stop")
    if visit.is_post:
        if not form.is_valid():
            return forged(visit.request)
        assignments.stop(rater=rater)
        return visit.go_to("end")
    progress = progress_of(rater, set_size(rater))
    sentence = ngettext(
        "Your %(n)s answer so far is kept and counted.",
        "Your %(n)s answers so far are kept and counted.",
        progress.done,
    )
    paid = pay_words.stopping(rater)
    sentences = [
        *([paid] if paid else []),
        *([sentence % {"n": progress.done}] if progress.done else []),
        _("The rest goes to other raters, so you cannot come back to it."),
    ]
    context = {
        "frame": pages.frame_for(visit, progress),
        "form": form,
        "sentences": sentences,
        "back_url": visit.url("next"),
    }
    return visit.render("rater/stop.html", context)


@rater_page("POST")
def more(visit: Visit) -> HttpResponse:
    """Take another set, or go on after an end that the platform reported."""
    form = visit.step_form("more")
    if not form.is_valid():
        return forged(visit.request)
    if assignments.may_resume(visit.rater):
        if not assignments.resume(rater=visit.rater):
            return visit.message(_("All places are taken"), _nothing_left(visit))
    elif not assignments.take_another(rater=visit.rater):
        return visit.message(*enrolment.refusal(enrolment.StudyFull(), visit.rater.study))
    return visit.go_to("judge")


def _nothing_left(visit: Visit) -> list[str]:
    """Tell a rater let in again by the platform that others have taken the rest, and how to go on there."""
    sentences = [_("Other raters have taken the rest of your texts, so you cannot go on here.")]
    if visit.options.amount:
        sentences.append(_("You keep the pay for what you have done."))
    return [*sentences, str(channels.registry[visit.rater.channel].way_out)]


@rater_page("POST")
def link(visit: Visit) -> HttpResponse:
    """Make a new personal link; the old one ends."""
    form = visit.step_form("link")
    if not form.is_valid():
        return forged(visit.request)
    new_token = enrolment.new_link(rater_id=visit.rater.pk)
    response = HttpResponseRedirect(reverse("rater:help", args=[new_token]))
    return continuing.forget(response, visit.rater.study, visit.rater.channel)


@rater_page("POST")
def choose_language(visit: Visit) -> HttpResponse:
    """Keep the language that the rater has chosen for our own words, and go back to the page they were on."""
    form = LanguageForm(visit.request.POST, bound_to={"rater": handle_of_rater(visit.rater.pk)})
    if not form.is_valid():
        return forged(visit.request)
    rater_language.choose(rater_id=visit.rater.pk, language=form.cleaned_data["language"])
    start = visit.url("next")
    back = form.cleaned_data["back"]
    # Only pages of this rater's: an address in a form could lead anywhere.
    return HttpResponseRedirect(back if back.startswith(start) else start)
