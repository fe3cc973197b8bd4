"""A look at a rater's answers on the rater's own screen: read-only, systems hidden, for those who may read ratings."""

from typing import Any

from django.db.models.functions import Now
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _

from analytics_app.views.superuser_looks import AGAIN_AFTER
from tasks_app import access
from tasks_app.models import Assignment, Judgment, Rater, Study
from tasks_app.selectors.judgments import may_export
from tasks_app.selectors.screens import RaterScreen
from tasks_app.services import events
from tasks_app.texts import languages
from tasks_app.views.rater import media
from tasks_app.views.rater.pages import PageFrame
from tasks_app.views.researcher.frame import researcher_page

LOOKED = "looked at answers"


@researcher_page("GET")
def answers(request: HttpRequest, slug: str, pseudonym: str, order: int | None = None) -> HttpResponse:
    """An answer of a rater, the first one without `order`; a look is logged once per hour and rater.

    Imported answers were not given on our screens, so there is nothing to look at.
    """
    study, role = access.study_and_role(request.user, slug)
    if not may_export(study, role):
        raise Http404
    rater = access.rater_of_study(study, pseudonym)
    orders = _answered(rater)
    if not orders or (order is not None and order not in orders):
        raise Http404
    place = 0 if order is None else orders.index(order)
    note_answers(request, study, rater)
    with languages.speaking(rater.language or study.language):
        return render(request, "researcher/rater_answer.html", _context(study, rater, orders, place))


@researcher_page("GET")
def answers_media(request: HttpRequest, slug: str, pseudonym: str, name: str) -> HttpResponseBase:
    """A picture, sound or film of an answer that somebody may look at."""
    study, role = access.study_and_role(request.user, slug)
    if not may_export(study, role):
        raise Http404
    return media.send(request, access.media_for_rater(access.rater_of_study(study, pseudonym), name))


def _answered(rater: Rater) -> list[int]:
    """Return the numbers of the units that a rater has answered or skipped, as they came."""
    answered = Assignment.objects.filter(rater=rater, judgments__isnull=False).distinct().order_by("order")
    return list(answered.values_list("order", flat=True))


def note_answers(request: HttpRequest, study: Study, rater: Rater) -> None:
    """Log the look, of several within an hour the first."""
    looks = study.events.filter(actor_id=request.user.pk, verb=LOOKED, object=rater.pseudonym)
    if not looks.filter(at__gt=Now() - AGAIN_AFTER).exists():
        events.log(study, request.user, LOOKED, about=rater.pseudonym)


def _context(study: Study, rater: Rater, orders: list[int], place: int) -> dict[str, Any]:
    assignments = Assignment.objects.select_related("unit__task", "set")
    assignment = assignments.get(rater=rater, order=orders[place])
    given = list(Judgment.objects.filter(assignment=assignment).order_by("id"))
    judgment = given[-1]
    screen = RaterScreen(rater, assignment)

    def url(number: int) -> str:
        return reverse("analytics:answers", args=[study.slug, rater.pseudonym, orders[number]])

    return {
        "frame": PageFrame(
            public_title=study.public_title, done=0, total=0, minutes_left="", help_url="", stop_url="",
            lang=languages.spoken(), study_lang=study.language,
        ),
        "study": study,
        "title": _("%(rater)s, answer %(n)s of %(all)s") % {"rater": rater, "n": place + 1, "all": len(orders)},
        "screen": screen.shown,
        "form": screen.form(initial=None if judgment.skip_reason else judgment.answer),
        "unit_template": screen.kind.template_name,
        "unit_script": screen.kind.script,
        "unit_styles": screen.kind.styles,
        "media_base": reverse("analytics:answers_media", args=[study.slug, rater.pseudonym, "x"])[:-1],
        "shown_at": assignment.first_shown,
        "seconds": judgment.seconds_active,
        "changes": len(given) - 1,
        "skipped": judgment.get_skip_reason_display() if judgment.skip_reason else "",
        "comment": judgment.comment,
        "previous_url": url(place - 1) if place > 0 else "",
        "next_url": url(place + 1) if place + 1 < len(orders) else "",
        "back_url": reverse("analytics:rater", args=[study.slug, rater.pseudonym]),
    }  # fmt: skip
