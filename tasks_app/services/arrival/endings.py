"""The codes and addresses with which raters return to their platform: at each ending, and when not admitted."""

from tasks_app import channels
from tasks_app.channels.base import Arrival, Ending
from tasks_app.models import Identity, Rater, Study
from tasks_app.services.arrival import enrolment

# Endings after which raters have nothing left to do on the platform, because it has told them that it is over.
ENDED_THERE = (Rater.Outcome.RETURNED, Rater.Outcome.TIMED_OUT)


# The key of Identity.details for the visits in which a rater came back for later waves, by wave.
WAVE_SESSIONS = "wave_sessions"


def of_rater(rater: Rater) -> Ending:
    """Return the last step of a rater who has ended: completion code and where to enter it; empty before the end."""
    if rater.state != Rater.State.ENDED or rater.outcome in ENDED_THERE:
        return Ending()
    return with_code(rater, str(rater.outcome), rater.completion_code)


def with_code(rater: Rater, outcome: str, code: str) -> Ending:
    """Return the last step on the platform that sent a rater: the code, and the address or form that takes it."""
    only_code = Ending(code)
    if rater.channel not in channels.registry:
        return only_code
    channel = channels.channel_of(rater.study.options, rater.channel)
    details = {"pseudonym": rater.pseudonym}
    if (identity := Identity.objects.filter(rater=rater).first()) is not None:
        details.update(identity.details, session_id=session_of(identity))
    ending = channel.ending(outcome, code, details)
    return ending if ending.code or ending.address else only_code


def session_of(identity: Identity) -> str:
    """Return the visit that a rater came in last: the first one, or that of a later wave."""
    visits: dict[str, str] = identity.details.get(WAVE_SESSIONS, {})
    return visits[max(visits, key=int)] if visits else identity.session_id


def of_refused(study: Study, arrival: Arrival, error: enrolment.Refusal) -> Ending | None:
    """Return the last step of somebody who is not admitted; None where the study has no code for it."""
    outcome = outcome_of(error, study)
    code = study.options.codes.of(outcome)
    if not code:
        return None
    details = {**arrival.details, "session_id": arrival.session_id}
    return channels.channel_of(study.options, arrival.channel).ending(outcome, code, details)


def outcome_of(error: enrolment.Refusal, study: Study) -> str:
    """Return the outcome whose completion code somebody refused gets; empty where there is none."""
    if isinstance(error, enrolment.StudyFull):
        return str(Rater.Outcome.FULL)
    return "closed" if isinstance(error, enrolment.NotOpen) and study.state != Study.State.PAUSED else ""
