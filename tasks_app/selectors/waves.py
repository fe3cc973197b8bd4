"""Queries about waves: the next wave of a rater, and the raters that a researcher has to remind."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from django.db.models import Count, Exists, Max, Min, OuterRef, Q
from django.db.models.functions import Now
from django.utils import formats, timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tasks_app import channels
from tasks_app.models import Assignment, Identity, Invitation, Outbox, Rater, RaterSet, Study

State = Assignment.State

# States of a rater in a wave.
LATER, DUE, DONE, MISSED = "later", "due", "done", "missed"


@dataclass(frozen=True, slots=True)
class Waiting:
    """The wave that a rater waits for after doing everything open; `done` answers are stored."""

    wave: int
    opens_at: datetime
    closes_at: datetime | None
    done: int


def waiting_for(rater: Rater) -> Waiting | None:
    """Return the next wave that a rater waits for; None where something is open, or nothing is left.

    What is open the database says, as it does to whoever gives out units: two clocks would send a rater to and fro.
    """
    sets = RaterSet.objects.filter(
        Exists(Assignment.objects.filter(set=OuterRef("pk"), state__in=State.WAITING)),
        rater=rater,
        state=RaterSet.State.OPEN,
    )
    if rater.state == Rater.State.ENDED or sets.filter(Q(opens_at=None) | Q(opens_at__lte=Now())).exists():
        return None
    following = sets.order_by("opens_at", "number").values_list("wave", "opens_at", "closes_at").first()
    wave, opens_at, closes_at = following or (0, None, None)
    if opens_at is None:
        return None
    done = Assignment.objects.filter(rater=rater, state__in=State.DONE).count()
    return Waiting(wave, opens_at, closes_at, done)


def moment_in_words(moment: datetime, zone: str) -> str:
    """Format a moment with day and hour in a time zone, in the language of the page."""
    local = timezone.localtime(moment, ZoneInfo(zone))
    words = {"weekday": formats.date_format(local, "l"), "day": formats.date_format(local, "DATE_FORMAT")}
    return _("%(weekday)s, %(day)s, %(time)s") % {**words, "time": f"{local:%H:%M}"}


def closing_in_words(closes_at: datetime, zone: str) -> str:
    """Format the last minute before closing, since midnight belongs to the day after."""
    return moment_in_words(closes_at - timedelta(minutes=1), zone)


def later_in_words(rater: Rater) -> list[str]:
    """Announce the parts that open for a rater later; nothing where all is open."""
    later = RaterSet.objects.filter(rater=rater, state=RaterSet.State.OPEN, opens_at__gt=Now())
    moments = sorted({moment for moment in later.values_list("opens_at", flat=True) if moment is not None})
    if not moments:
        return []
    days = "; ".join(moment_in_words(moment, rater.study.timezone) for moment in moments)
    return [
        ngettext("Another part opens later: %(days)s.", "%(n)s more parts open later: %(days)s.", len(moments))
        % {"n": len(moments), "days": days},
        _("Time and pay are for all parts together."),
    ]


@dataclass(frozen=True, slots=True)
class Standing:
    """The state of one rater in one wave, and the messages to them about it."""

    rater: Rater
    wave: int
    state: str
    opens_at: datetime | None
    closes_at: datetime | None
    outbox: tuple[Outbox, ...] = ()


@dataclass(frozen=True, slots=True)
class WaveCount:
    """One wave in numbers of raters."""

    wave: int
    later: int
    due: int
    done: int
    missed: int


def standings(study: Study) -> list[Standing]:
    """Return the state of every rater in every wave they have, without raters who only try the study out."""
    answerable = Q(assignments__state__in=State.WAITING, state=RaterSet.State.OPEN)
    # A closed set is not due, even while its places are not freed yet.
    has_closed = Q(closes_at__isnull=False, closes_at__lte=Now())
    rows = (
        RaterSet.objects.filter(rater__study=study, rater__erased_at=None)
        .exclude(rater__kind=Rater.Kind.SANDBOX)
        .values("rater_id", "wave")
        .annotate(
            opens=Min("opens_at"),
            closes=Max("closes_at"),
            left=Count("assignments", filter=answerable & ~has_closed),
            later=Count("assignments", filter=answerable & Q(opens_at__gt=Now())),
            lost=Count("assignments", filter=Q(assignments__state__in=State.MISSED) | answerable & has_closed),
        )
        .order_by("wave", "rater_id")
    )
    raters = Rater.objects.filter(study=study).select_related("group").in_bulk()
    outbox: dict[tuple[int, int], list[Outbox]] = {}
    for mail in Outbox.objects.filter(rater__study=study).order_by("id"):
        outbox.setdefault((mail.rater_id, mail.wave), []).append(mail)
    return [
        Standing(
            raters[row["rater_id"]],
            row["wave"],
            _state(raters[row["rater_id"]], row["left"], row["later"], row["lost"]),
            row["opens"],
            row["closes"],
            tuple(outbox.get((row["rater_id"], row["wave"]), ())),
        )
        for row in rows
    ]


def _state(rater: Rater, n_open: int, later: int, lost: int) -> str:
    if n_open and rater.state != Rater.State.ENDED:
        return LATER if later == n_open else DUE
    return MISSED if lost or n_open else DONE


def counts(standings_of_study: Sequence[Standing]) -> list[WaveCount]:
    """Count raters by wave and standing."""
    n = Counter((standing.wave, standing.state) for standing in standings_of_study)
    waves = sorted({standing.wave for standing in standings_of_study})
    return [WaveCount(wave, *(n[wave, state] for state in (LATER, DUE, DONE, MISSED))) for wave in waves]


@dataclass(frozen=True, slots=True)
class DueId:
    """A due rater, as their channel knows them: a platform's id, or the name they were invited under."""

    channel: str
    id: str
    opens_at: datetime | None
    closes_at: datetime | None


def due_ids(study: Study, wave: int) -> list[DueId]:
    """Return the raters who are due in a wave, as far as their channels know them, by channel and id."""
    due = {
        standing.rater.pk: standing for standing in standings(study) if standing.wave == wave and standing.state == DUE
    }
    # Invited raters are listed by name, since their id means nothing outside evalweb.
    invited = [name for name, channel in channels.registry.items() if channel.invited_only]
    platforms = Identity.objects.filter(rater__in=due).exclude(channel__in=invited)
    ids = dict(platforms.values_list("rater", "external_id"))
    ids.update(Invitation.objects.filter(rater__in=due).values_list("rater", "name"))
    due_ids_of_wave = [
        DueId(due[pk].rater.channel, name, due[pk].opens_at, due[pk].closes_at) for pk, name in ids.items()
    ]
    return sorted(due_ids_of_wave, key=lambda due_id: (due_id.channel, due_id.id))
