"""Store the statuses that a platform reports, and free the places of raters who left there."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tasks_app import channels
from tasks_app.models import Identity, Rater, Study
from tasks_app.services import events
from tasks_app.services.database import atomically, lock_claims
from tasks_app.services.judging import assignments


@dataclass(frozen=True, slots=True)
class Report:
    """The status of one submission, on a `line` of the file; entered by hand, it may have only one of the ids."""

    line: int
    participant: str
    submission: str
    status: str


@dataclass(frozen=True, slots=True)
class Entered:
    """The result of a report: lines by status, raters who were ended, and ids that no rater of the study has."""

    statuses: Mapping[str, int]
    ended: int
    unchanged: int
    unknown: tuple[Report, ...] = ()


@dataclass(slots=True)
class _People:
    """The raters whom a platform sent, found by the ids that it gives them."""

    study: Study
    channel: str
    by_submission: dict[str, Identity] = field(default_factory=dict)
    by_participant: dict[str, Identity] = field(default_factory=dict)

    def __post_init__(self) -> None:
        rows = Identity.objects.filter(study=self.study, channel=self.channel).select_related("rater__study")
        for row in rows:
            self.by_submission.update({visit.lower(): row for visit in row.visits if visit})
            self.by_participant[row.external_id.lower()] = row

    def find(self, report: Report) -> Identity | None:
        """Return the rater with these ids; where both are given, both must belong to one rater."""
        rater = self.by_submission.get(report.submission.lower()) if report.submission else None
        if not report.participant:
            return rater
        person = self.by_participant.get(report.participant.lower())
        return person if not report.submission or person == rater else None


@atomically
def enter(*, study: Study, channel: str, reports: Sequence[Report], by: events.Actor) -> Entered:
    """Store the statuses that a platform reports; end raters who returned or timed out there, and free their places.

    An answer that was given stays, and so does the end of whoever has ended already. A status that was entered before,
    or is that of an earlier submission, ends nobody: the platform may have let them in again. The log names nobody.
    """
    lock_claims(study.pk)
    people, outcomes = _People(study, channel), channels.registry[channel].statuses
    statuses: Counter[str] = Counter()
    ended = unchanged = 0
    unknown, changed = [], []
    for report in reports:
        identity = people.find(report)
        if identity is None:
            unknown.append(report)
            continue
        statuses[report.status] += 1
        outcome = outcomes[report.status]
        if report.submission and report.submission.lower() != identity.visits[-1].lower():
            # Of an earlier submission: the rater has come in another one since.
            unchanged += 1
            continue
        is_new = identity.status != report.status
        leaves = outcome is not None and is_new and identity.rater.state != Rater.State.ENDED
        if outcome is not None and leaves:
            assignments.stop(rater=identity.rater, outcome=outcome)
            ended += 1
        if not is_new:
            unchanged += 1
            continue
        identity.status = report.status
        changed.append(identity)
    Identity.objects.bulk_update(changed, ["status"], batch_size=1000)
    after = {**statuses, "ended": ended, "unknown": len(unknown)}
    events.log(study, by, "entered statuses", about=channel, after=after)
    return Entered(dict(statuses), ended, unchanged, tuple(unknown))
