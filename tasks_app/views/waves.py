"""Waves: the page between two waves for raters, and the list of raters who are due for researchers."""

from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tasks_app import access, channels
from tasks_app.models import Identity, Membership, Study
from tasks_app.selectors import waves as reads
from tasks_app.selectors.progress import RaterProgress
from tasks_app.services import events
from tasks_app.services.arrival import enrolment, returning
from tasks_app.services.waves import reminders
from tasks_app.services.waves import schedule as waves
from tasks_app.views.downloads import csv_file
from tasks_app.views.rater import pages
from tasks_app.views.rater.visit import Visit, forged, rater_page
from tasks_app.views.researcher.frame import researcher_page, study_page

RATERS_ON_A_PAGE = 100

# Length of the calendar entry; the wave itself may be open for days.
ENTRY = timedelta(minutes=30)

# Octets of a line of a calendar file (RFC 5545, 3.1).
LINE = 75


@rater_page("GET", "HEAD")
def waiting(visit: Visit) -> HttpResponse:
    """Show, between two waves, the saved answers, the date of the next wave, and the link to come back with."""
    rater = visit.rater
    wait = reads.waiting_for(rater)
    if wait is None:
        return visit.go_to("next")
    zone = rater.study.timezone
    context = {
        # The bar shows the title: nothing is left to do now.
        "frame": pages.frame_for(visit, RaterProgress(0, 0, 0)),
        "done": ngettext("Your answer is saved on our server.", "All %(n)s answers are saved on our server.", wait.done)
        % {"n": wait.done},
        "has_begun": wait.done > 0,
        "opens": reads.moment_in_words(wait.opens_at, zone),
        "days": in_days(wait.opens_at, zone),
        "closes": reads.closing_in_words(wait.closes_at, zone) if wait.closes_at else "",
        "zone": zone,
        "ending": returning.ending_before(rater, wait.wave) if wait.done else None,
        "personal_link": pages.personal_link(visit.request, visit.token),
        "calendar_url": visit.url("calendar"),
    }
    return visit.render("rater/waiting.html", context)


def in_days(moment: datetime, zone: str) -> str:
    """Describe how far off a moment is, in calendar days of a time zone."""
    time_zone = ZoneInfo(zone)
    days = (moment.astimezone(time_zone).date() - timezone.now().astimezone(time_zone).date()).days
    if days <= 0:
        return _("today")
    return ngettext("in %(n)s day", "in %(n)s days", days) % {"n": days} if days > 1 else _("tomorrow")


@rater_page("GET", "HEAD")
def calendar(visit: Visit) -> HttpResponse:
    """Send the next opening as a file for calendars."""
    rater = visit.rater
    wait = reads.waiting_for(rater)
    if wait is None:
        return visit.go_to("next")
    link = pages.personal_link(visit.request, visit.token)
    text = calendar_file(
        uid=f"{rater.pseudonym}-{wait.wave}@{visit.request.get_host().partition(':')[0]}",
        begins=wait.opens_at,
        title=rater.study.public_title,
        link=link,
        words=_("Your personal link, which you should not share:") + f" {link}",
    )
    response = HttpResponse(text, content_type="text/calendar; charset=utf-8")
    response.headers["Content-Disposition"] = 'attachment; filename="study.ics"'
    return response


def calendar_file(*, uid: str, begins: datetime, title: str, link: str, words: str) -> str:
    """Write a calendar with one entry (RFC 5545)."""
    lines = [
        "BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//evalweb//waves//EN", "BEGIN:VEVENT", f"UID:{uid}",
        f"DTSTAMP:{_utc(timezone.now())}", f"DTSTART:{_utc(begins)}", f"DTEND:{_utc(begins + ENTRY)}",
        f"SUMMARY:{_escaped(title)}", f"DESCRIPTION:{_escaped(words)}", f"URL:{link}", "END:VEVENT", "END:VCALENDAR",
    ]  # fmt: skip
    return "".join(f"{_folded(line)}\r\n" for line in lines)


def _utc(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y%m%dT%H%M%SZ")


def _escaped(text: str) -> str:
    for mark in ("\\", ";", ","):
        text = text.replace(mark, f"\\{mark}")
    return "\\n".join(text.splitlines())


def _folded(line: str) -> str:
    """Break a line after so many octets, never within a character."""
    parts, size = [""], 0
    for character in line:
        octets = len(character.encode())
        if size + octets > LINE:
            parts.append("")
            size = 1
        parts[-1] += character
        size += octets
    return "\r\n ".join(parts)


@rater_page("GET", "HEAD", "POST")
def mail(visit: Visit) -> HttpResponse:
    """Get no more messages."""
    form = visit.step_form("mail")
    if visit.is_post:
        if not form.is_valid():
            return forged(visit.request)
        reminders.stop_mail(rater=visit.rater)
        sentences = [
            _("We will not send you any more messages about this study. You can still take part with your link.")
        ]
        return visit.message(_("No more messages"), sentences)
    context = {
        "frame": pages.frame_for(visit, RaterProgress(0, 0, 0)),
        "form": form,
        "back_url": visit.url("next"),
    }
    return visit.render("rater/mail.html", context)


@researcher_page("GET")
def due(request: HttpRequest, slug: str) -> HttpResponse:
    """Show every wave in numbers, and the state of each rater in the chosen one."""

    def context(study: Study) -> dict[str, Any]:
        standings = reads.standings(study)
        counts = reads.counts(standings)
        wave = _chosen(request, counts)
        rows = [standing for standing in standings if standing.wave == wave]
        rows.sort(key=lambda standing: (_ORDER.index(standing.state), standing.rater.pk))
        page = Paginator(rows, RATERS_ON_A_PAGE).get_page(request.GET.get("page"))
        return {
            "counts": counts,
            "wave": wave,
            "page": page,
            "query": f"wave={wave}",
            "rows": [_row(study, standing) for standing in page],
            "platforms": _platforms(request, study, wave),
            "can_mail": reminders.can_mail(),
        }

    return study_page(request, slug, "recruit", context, template="due", title=_("Who is due"), role="editor")


_ORDER = (reads.DUE, reads.LATER, reads.MISSED, reads.DONE)


def _chosen(request: HttpRequest, counts: list[reads.WaveCount]) -> int:
    """Return the requested wave, else the last one with due raters, else the first."""
    waves = [count.wave for count in counts]
    wave_text = request.GET.get("wave", "")
    if wave_text.isdecimal() and int(wave_text) in waves:
        return int(wave_text)
    return max((count.wave for count in counts if count.due), default=waves[0] if waves else 1)


def _row(study: Study, standing: reads.Standing) -> dict[str, Any]:
    words = {
        reads.LATER: _("opens later"), reads.DUE: _("due"), reads.DONE: _("done"), reads.MISSED: _("not done"),
    }  # fmt: skip
    zone = study.timezone
    kinds = {reminders.OPENS: _("opening"), reminders.REMINDER: _("reminder")}
    return {
        "rater": standing.rater,
        "state": words[standing.state],
        "is_due": standing.state == reads.DUE,
        "opens": reads.moment_in_words(standing.opens_at, zone) if standing.opens_at else "",
        "closes": reads.closing_in_words(standing.closes_at, zone) if standing.closes_at else "",
        "mail": [
            (kinds.get(row.kind, row.kind), reads.moment_in_words(row.sent_at, zone) if row.sent_at else "")
            for row in standing.outbox
        ],
    }


def _platforms(request: HttpRequest, study: Study, wave: int) -> list[tuple[str, str]]:
    """Return the addresses to which raters of platforms come back for a wave, by the names of their channels."""
    if wave == 1:
        return []
    open_to_all = [name for name in study.options.channels if not channels.registry[name].invited_only]
    return [
        (str(channels.registry[name].label), paste.text)
        for name in open_to_all
        if name != "link"
        for paste in channels.channel_of(study.options, name).pastes(
            request.build_absolute_uri(returning.address(study, name, wave))
        )
    ]


def _study_with(request: HttpRequest, slug: str, wave: int) -> Study:
    """Return a study of an editor's that has this wave."""
    study = access.study_for_researcher(request.user, slug, Membership.Role.EDITOR)
    if not 0 < wave <= waves.count(study):
        raise Http404
    return study


@researcher_page("GET")
def due_ids(request: HttpRequest, slug: str, wave: int) -> HttpResponse:
    """Show the ids of due raters, for a platform's own messages; as a page to copy from, or with `.csv` as a file."""
    study = _study_with(request, slug, wave)
    due_raters = reads.due_ids(study, wave)
    events.log(study, request.user, "read ids of due raters", about=f"wave {wave}", after={"ids": len(due_raters)})
    by_channel: dict[str, list[str]] = {}
    for due_rater in due_raters:
        by_channel.setdefault(due_rater.channel, []).append(due_rater.id)
    lists = [(str(channels.registry[name].label), "\n".join(ids), len(ids)) for name, ids in by_channel.items()]
    context = {"wave": wave, "lists": lists}
    return study_page(
        request, slug, "recruit", lambda _study: context, template="due_ids", title=_("Ids of raters who are due"),
        role="editor",
    )  # fmt: skip


@researcher_page("GET")
def due_csv(request: HttpRequest, slug: str, wave: int) -> HttpResponse:
    """Send the ids of due raters as a file, one per row."""
    study = _study_with(request, slug, wave)
    due_raters = reads.due_ids(study, wave)
    events.log(
        study, request.user, "downloaded ids of due raters", about=f"wave {wave}", after={"ids": len(due_raters)}
    )
    rows = [
        [due_rater.channel, due_rater.id, *map(_moment, (due_rater.opens_at, due_rater.closes_at))]
        for due_rater in due_raters
    ]
    return csv_file(f"{study.slug}-wave-{wave}-due.csv", [["channel", "id", "opens", "closes"], *rows])


def _moment(at: datetime | None) -> str:
    return at.isoformat() if at else ""


@researcher_page("POST")
def due_link(request: HttpRequest, slug: str) -> HttpResponse:
    """Send the personal link of one rater: derived if possible, else a new one, which ends the old."""
    study = access.study_for_researcher(request.user, slug, Membership.Role.EDITOR)
    rater = access.rater_of_study(study, request.POST.get("rater", ""))
    token = reminders.return_token(rater, Identity.objects.filter(rater=rater).first())
    replaced = not token
    if replaced and request.POST.get("sure") == "yes":
        token = enrolment.new_link(rater_id=rater.pk)
    if token:
        # The rater is not named, since the log outlives the erasure of a rater's data.
        events.log(study, request.user, "read a personal link", after={"new": replaced})
    context = {
        "rater": rater,
        "replaced": replaced,
        "link": pages.personal_link(request, token) if token else "",
        "back": reverse("researcher:due", args=[slug]),
    }
    return study_page(
        request, slug, "recruit", lambda _study: context, template="due_link", title=_("Personal link"), role="editor"
    )
