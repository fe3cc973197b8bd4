"""Rights of raters over their data: see it, download it, have it erased."""

from collections.abc import Sequence
from zoneinfo import ZoneInfo

from django.http import HttpResponse, JsonResponse
from django.utils import formats, timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tasks_app.models import Identity, Rater
from tasks_app.selectors.elsewhere import hosts_elsewhere
from tasks_app.selectors.progress import progress_of
from tasks_app.selectors.stored_about_rater import StoredAboutRater, own_data, stored_about
from tasks_app.services import erasure
from tasks_app.services.judging import assignments
from tasks_app.texts import richtext
from tasks_app.views import pay_words
from tasks_app.views.rater import continuing, pages
from tasks_app.views.rater.journey import set_size
from tasks_app.views.rater.visit import Visit, forged, rater_page


@rater_page("GET", "HEAD")
def stored(visit: Visit) -> HttpResponse:
    """Show the data that is stored about the rater, and the data that is not."""
    rater = visit.rater
    about = stored_about(rater)
    progress = progress_of(rater, set_size(rater))
    context = {
        "frame": pages.frame_for(visit, progress),
        "kept": kinds_of_data(about),
        "about": pages.about_pairs(visit.options, rater.channel, hosts_elsewhere(rater.study)),
        "agreed": [(consent_text, richtext.to_html(consent_text.body)) for consent_text in about.agreed],
        "mine_url": visit.url("mine"),
        "withdraw_url": visit.url("withdraw"),
        "may_withdraw": may_withdraw(rater),
        "back_url": visit.url("help"),
    }
    return visit.render("rater/stored.html", context)


def kinds_of_data(about: StoredAboutRater) -> list[tuple[str, str]]:
    """Return a name for each kind of data, and how much of it is stored; an empty text if nothing is."""
    times = _("How long each answer took, and which buttons and fields you used.")
    answers = ngettext("%(n)s answer.", "%(n)s answers.", about.answers)
    skips = ngettext("%(n)s text skipped, with the reason.", "%(n)s texts skipped, with reasons.", about.skips)
    comments = ngettext("%(n)s comment.", "%(n)s comments.", about.comments)
    revised = ngettext("%(n)s answer that you changed later.", "%(n)s answers that you changed later.", about.revisions)
    drafts = ngettext("%(n)s answer that is not sent yet.", "%(n)s answers that are not sent yet.", about.drafts)
    written = ngettext("%(n)s message from the researchers.", "%(n)s messages from the researchers.", about.messages)
    return [
        (_("Your answers"), f"{answers % {'n': about.answers}} {times}"),
        (_("Earlier versions of answers"), revised % {"n": about.revisions} if about.revisions else ""),
        (_("Skipped"), skips % {"n": about.skips} if about.skips else ""),
        (_("Comments"), comments % {"n": about.comments} if about.comments else ""),
        (_("Drafts"), drafts % {"n": about.drafts} if about.drafts else ""),
        (_("Messages to you"), written % {"n": about.messages} if about.messages else ""),
        (_("Pay"), _("What you are paid, without your name.") if about.payments else ""),
        (
            _("Your id on the platform you came from"),
            _("Kept apart from your answers, to pay you.") if about.has_platform_id else _("Not stored."),
        ),
        (_("Your name in the invitation"), _("Kept apart from your answers.") if about.has_name else ""),
        (_("Your e-mail address"), _("Kept apart from your answers, to write to you.") if about.has_email else ""),
        (_("Address and kind of your device"), _("Not stored.")),
    ]


@rater_page("GET", "HEAD")
def mine(visit: Visit) -> HttpResponse:
    """Send the rater's own data as a JSON file."""
    answer = JsonResponse(own_data(visit.rater), json_dumps_params={"ensure_ascii": False, "indent": 2})
    answer["Content-Disposition"] = 'attachment; filename="my-answers.json"'
    return answer


def may_withdraw(rater: Rater) -> bool:
    """Return whether the last day to withdraw has not passed, in the study's time zone."""
    last = rater.study.options.withdraw_until
    return last is None or timezone.localdate(timezone=ZoneInfo(rater.study.timezone)) <= last


@rater_page("GET", "HEAD", "POST")
def withdraw(visit: Visit) -> HttpResponse:
    """Explain erasure and ask to confirm it; on POST erase everything about the rater."""
    rater = visit.rater
    if not may_withdraw(rater):
        return _too_late(visit)
    form = visit.step_form("withdraw")
    if visit.is_post:
        if not form.is_valid():
            return forged(visit.request)
        if not visit.has_ended:
            assignments.stop(rater=rater)
        paid = pay_words.pay_of_withdrawn(rater)
        erased = erasure.erase(rater=rater)
        due = pay_words.still_due(visit.options.contact) if paid.is_due else []
        sentences = _erased(erased.judgments, [*paid.sentences, *due])
        response = visit.message(_("Your answers are erased"), sentences)
        return continuing.forget(response, rater.study, rater.channel)
    progress = progress_of(rater, set_size(rater))
    context = {
        "frame": pages.frame_for(visit, progress),
        "form": form,
        "ended": visit.has_ended,
        "paid": pay_words.pay_of_withdrawn(rater),
        "has_id": Identity.objects.filter(rater=rater).exclude(external_id="").exists(),
        "stop_url": visit.url("stop"),
        "back_url": visit.url("next"),
    }
    return visit.render("rater/withdraw.html", context)


def _erased(judgments: int, paid: Sequence[str]) -> list[str]:
    sentence = ngettext("%(n)s answer was erased.", "%(n)s answers were erased.", judgments) % {"n": judgments}
    return [
        sentence,
        _("Nothing that identifies you is stored any more. Your link has ended."),
        *([" ".join(paid)] if paid else []),
        _("Thank you for the time you gave. You can close this page."),
    ]


def _too_late(visit: Visit) -> HttpResponse:
    options = visit.options
    last = formats.date_format(options.withdraw_until, "DATE_FORMAT") if options.withdraw_until else ""
    sentences = [_("The last day to withdraw was %(day)s, as you were told with the consent.") % {"day": last}]
    if options.contact:
        sentences.append(
            _("If you have a reason to ask all the same, write to %(contact)s.") % {"contact": options.contact}
        )
    return visit.message(_("Answers can no longer be withdrawn"), sentences, status=403)
