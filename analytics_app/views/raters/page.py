"""One rater: a timeline of their units, and actions on the rater."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.utils.functional import SimpleLazyObject
from django.utils.translation import gettext as _

from analytics_app.selectors.exclusions import exclusions_by_hand
from analytics_app.views.monitor import moments
from analytics_app.views.raters.seconds import seconds_chart
from tasks_app import access
from tasks_app.models import Assignment, Identity, Rater, Study
from tasks_app.selectors.fieldwork.timeline import SeenUnit, seen_by, seen_units
from tasks_app.selectors.judgments import may_export
from tasks_app.selectors.pay import minutes_of
from tasks_app.selectors.payees import channel_of
from tasks_app.services import contact, mentions
from tasks_app.services.judging import limits
from tasks_app.services.judging.allowing import ALLOW
from tasks_app.services.judging.assignments import STOP
from tasks_app.views.researcher.frame import researcher_page, study_page

UNITS_ON_A_PAGE = 100

# What the log has of a rater: messages, pauses, and limits.
VERBS = (*contact.VERBS, STOP, ALLOW)

Purpose = Assignment.Purpose


@researcher_page("GET")
def timeline(request: HttpRequest, slug: str, pseudonym: str) -> HttpResponse:
    """Show the timeline of a rater, without systems and answers; viewers do not see which units are checks."""
    study, own = access.study_and_role(request.user, slug)
    return rater_page(request, (study, own), pseudonym, may_look=may_export(study, own))


def rater_page(
    request: HttpRequest, fetched: tuple[Study, str | None], pseudonym: str, *, status: int = 200, **made: object
) -> HttpResponse:
    """Answer with the page of a rater; `fetched` is the study with the reader's role, and `made` is shown once."""
    study, own = fetched
    reads_gold = access.reaches(own, access.GOLD_READER)

    def context(study: Study) -> dict[str, Any]:
        return {**_context(request, study, pseudonym, reads_gold=reads_gold), **made}

    title = _("Rater %(rater)s") % {"rater": pseudonym}
    return study_page(
        request, study.slug, "monitor", context, template="rater", title=title, status=status, fetched=fetched
    )


def rater_of(study: Study, pseudonym: str) -> Rater:
    """Return a rater of a study, possibly imported, by pseudonym."""
    if "\0" in pseudonym:  # the database cannot even be asked for it
        raise Http404
    return get_object_or_404(Rater.objects.select_related("group", "study"), study=study, pseudonym=pseudonym)


def _context(request: HttpRequest, study: Study, pseudonym: str, *, reads_gold: bool) -> dict[str, Any]:
    rater = rater_of(study, pseudonym)
    page = Paginator(seen_by(rater), UNITS_ON_A_PAGE).get_page(request.GET.get("page"))
    units = seen_units(rater, list(page))
    minutes = minutes_of(study, [rater.pk]).get(rater.pk)
    return {
        "rater": rater,
        "came_by": channel_of(rater.channel).label,
        "minutes": minutes,
        "page": page,
        "units": [(unit, _purpose(unit, reads_gold=reads_gold), _gap(unit)) for unit in units],
        "answered": any(unit.answered_at for unit in units),
        "shows_checks": reads_gold and any(unit.passed is not None for unit in units),
        "chart": seconds_chart(units, reads_gold=reads_gold),
        "away": _away(units, rater),
        "exclusion": exclusions_by_hand(study, [rater]).get(rater.pk),
        "limit": _limit(rater),
        "is_paused": contact.is_paused(rater),
        "unread": len(contact.unread(rater)),
        "contacts": study.events.filter(object=rater.pseudonym, verb__in=VERBS).select_related("actor"),
        "has_identity": Identity.objects.filter(rater=rater).exists(),
        # Read by the template for those who may erase the rater.
        "mentions": SimpleLazyObject(lambda: mentions.mentions_of(rater)),
        "erased_word": mentions.ERASED_RATER,
    }


def _limit(rater: Rater) -> str:
    """Word the limit that stopped a rater; empty for others."""
    stored = rater.prefs.get(limits.STOPPED) if rater.outcome == Rater.Outcome.STOPPED else None
    if not stored:
        return ""
    sentence = {
        limits.Limit.FAST: _("%(n)s of %(of)s answers were too fast"),
        limits.Limit.SKIPS: _("%(n)s of %(of)s screens were skipped"),
        limits.Limit.CHECKS: _("%(n)s of %(of)s checks were wrong"),
    }[limits.Limit(stored["limit"])]
    return str(sentence % stored)


def _purpose(unit: SeenUnit, *, reads_gold: bool) -> str:
    """Return the purpose of a unit in words; purposes hidden from raters are hidden from viewers of the study too."""
    if not reads_gold and unit.purpose in Purpose.JUDGED:
        return _("text")
    return str(Purpose(unit.purpose).label)


def _gap(unit: SeenUnit) -> str:
    return moments.duration(unit.gap) if unit.gap else ""


def _away(units: Sequence[SeenUnit], rater: Rater) -> timedelta:
    """Return the time for which a rater was away between the units of a page."""
    gaps = [unit.gap for unit in units if unit.gap]
    return sum(gaps, timedelta())
