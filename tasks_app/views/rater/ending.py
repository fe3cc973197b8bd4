"""The end page: the outcome, the saved answers, the pay, and the next steps."""

from collections.abc import Mapping

from django.http import HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tasks_app import channels
from tasks_app.models import Rater
from tasks_app.selectors.progress import RaterProgress, progress_of
from tasks_app.selectors.you_and_others import compared
from tasks_app.services import contact
from tasks_app.services.arrival import endings, enrolment
from tasks_app.services.judging import assignments, between_units, limits, reservations
from tasks_app.views import pay_words
from tasks_app.views.rater import continuing, pages, steps
from tasks_app.views.rater.journey import set_size
from tasks_app.views.rater.visit import Visit, rater_page, sending_away


@rater_page("GET", "HEAD")
def end(visit: Visit) -> HttpResponse:
    """Show the end of a rater, as the server has it: the outcome, and the code that proves it."""
    rater = visit.rater
    if not visit.has_ended:
        return visit.go_to("next")
    if contact.unread(rater):
        return visit.go_to("messages")
    progress = progress_of(rater, set_size(rater))
    # Somebody who tries the study out is not paid, as every page of theirs says.
    paid = [] if rater.kind == Rater.Kind.SANDBOX else pay_words.sentences(rater)
    failed = between_units.failed_exam(rater)
    limit, is_rehearsal = limits.limit_of(rater.prefs), rater.study.is_rehearsal
    title, sentences = words(str(rater.outcome), progress.done, paid, limit=limit, is_rehearsal=is_rehearsal)
    may_resume = assignments.may_resume(rater)
    has_more = (may_resume or assignments.may_take_another(rater)) and enrolment.has_room(
        rater.study, reservations.invitation_of(rater)
    )
    context = {
        # Units that a rater left to others are no part of a total: the bar shows the title instead.
        "frame": pages.frame_for(
            visit, progress if rater.outcome == Rater.Outcome.COMPLETED else RaterProgress(0, 0, 0)
        ),
        "outcome": rater.outcome,
        "title": title,
        "sentences": sentences,
        "ending": endings.of_rater(rater),
        "platform_follows": any(channels.registry[name].needs_ids for name in rater.study.options.channels),
        "personal_link": pages.personal_link(visit.request, visit.token),
        "more_form": visit.step_form("more") if has_more else None,
        "more_url": visit.url("more"),
        "resumes": may_resume,
        "exam_result": steps.how_it_went(failed[1]) if failed else "",
        "exam_url": visit.url("exam", failed[0]) if failed and failed[1].explained else "",
        "compared": compared(rater) if rater.outcome == Rater.Outcome.COMPLETED else [],
        "way_out": _way_out(rater) if may_resume and not has_more else "",
    }
    response = sending_away(visit.render("rater/end.html", context), rater.channel)
    return response if may_resume else continuing.forget(response, rater.study, rater.channel)


def _way_out(rater: Rater) -> str:
    """Return the advice to a rater let in again by a platform, when no work is left for them here."""
    return str(channels.registry[rater.channel].way_out)


def words(
    outcome: str, done: int, paid: list[str], *, limit: str = limits.Limit.FAST, is_rehearsal: bool = False
) -> tuple[str, list[str]]:
    """Word an outcome: a title, the saved answers, the pay. None of them blames anybody.

    `limit` is the one that stopped a rater who was stopped by a limit. Answers of a rehearsal are deleted with it.
    """
    sentence = ngettext("Your answer is saved on our server.", "All %(n)s answers are saved on our server.", done)
    sentence = _("Your answers are deleted within a day.") if is_rehearsal else sentence % {"n": done}
    saved = [sentence] if done else []
    endings: Mapping[str, tuple[str, list[str]]] = {
        Rater.Outcome.COMPLETED: (_("Thank you, you have finished"), saved),
        Rater.Outcome.WITHDRAWN: (_("You have stopped"), [*saved, _("Thank you for the time you gave.")]),
        Rater.Outcome.FULL: (
            _("All places were taken meanwhile"),
            [
                _("Other raters have answered everything while you were away. Thank you for coming back."),
                *saved,
            ],
        ),
        Rater.Outcome.SCREENED_OUT: (
            _("Thank you for your answers"),
            [_("Your answers show that this study does not fit you. That is not a mistake on your part."), *saved],
        ),
        Rater.Outcome.FAILED: (
            _("Thank you for trying"),
            [_("You did not pass the test, so the study ends here."), *saved],
        ),
        Rater.Outcome.RETURNED: (
            _("You have returned this study"),
            [*saved, _("The rest has gone to somebody else. Thank you for the time you gave.")],
        ),
        Rater.Outcome.TIMED_OUT: (
            _("The time for this study is over"),
            [*saved, _("The rest has gone to somebody else. Thank you for the time you gave.")],
        ),
    }
    if outcome == Rater.Outcome.STOPPED:
        return _("The study ends here for you"), [*_stopped(limit), *saved, *paid, _appeal()]
    title, sentences = endings[outcome]
    return title, [*sentences, *paid]


def _stopped(limit: str) -> list[str]:
    """Return the reason why a rater was stopped, without blame and without naming a check."""
    return {
        limits.Limit.FAST: [
            _("Many of your answers came faster than the texts can usually be read, so you get no further texts.")
        ],
        limits.Limit.SKIPS: [
            _("You skipped many of the texts. You were free to do so, but you get no further texts in this study.")
        ],
        limits.Limit.CHECKS: [
            _("Several of your answers differ from what is known of the texts, so you get no further texts.")
        ],
    }.get(limits.Limit(limit), [])


def _appeal() -> str:
    return _("If you think that this is a mistake, please write to the researchers. They can let you continue.")
