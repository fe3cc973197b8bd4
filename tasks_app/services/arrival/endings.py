"""The codes and addresses with which raters return to their platform: at each ending, and when not admitted."""

from tasks_app import channels
from tasks_app.channels.base import Arrival, Ending
from tasks_app.models import Identity, Rater, Study
from tasks_app.selectors.pay import offer_of
from tasks_app.services.arrival import enrolment
from tasks_app.settings.study import StudySettings


def of_rater(rater: Rater) -> Ending:
    """Return the last step of a rater who has ended: completion code and where to enter it; empty before the end."""
    if rater.state != Rater.State.ENDED or rater.outcome in Rater.Outcome.ENDED_THERE:
        return Ending()
    return with_code(rater, str(rater.outcome), rater.completion_code)


def with_code(rater: Rater, outcome: str, code: str) -> Ending:
    """Return the last step on the platform that sent a rater: the code, and the address or form that takes it.

    Nobody on trial has one: the codes of a study, and of the draft that a rehearsal copies, are worth pay.
    """
    if rater.kind == Rater.Kind.SANDBOX:
        return Ending()
    only_code = Ending(code, is_to_keep=is_to_keep(rater.study.options, rater.channel, outcome))
    if rater.channel not in channels.registry or only_code.is_to_keep:
        return only_code
    channel = channels.channel_of(rater.study.options, rater.channel)
    details = {"pseudonym": rater.pseudonym}
    if (identity := Identity.objects.filter(rater=rater).first()) is not None:
        details.update(identity.details, session_id=identity.visits[-1])
    ending = channel.ending(outcome, code, details)
    return ending if ending.code or ending.address else only_code


def is_to_keep(options: StudySettings, channel: str, outcome: str) -> bool:
    """Return whether nobody waits for a rater's code: no platform, no code of the study's, and no pay to ask for."""
    is_sent = channel in channels.registry and channels.registry[channel].needs_ids
    return not (is_sent or options.codes.of(outcome) or offer_of(options).pays)


def of_refused(study: Study, arrival: Arrival, error: enrolment.Refusal) -> Ending | None:
    """Return the last step of somebody who is not admitted; None where the study has no code for it, or rehearses."""
    if study.is_rehearsal:
        return None
    outcome = outcome_of(error, study)
    code = study.options.codes.of(outcome)
    if not code:
        return None
    details = {**arrival.details, "session_id": arrival.session_id}
    return channels.channel_of(study.options, arrival.channel).ending(outcome, code, details)


def outcome_of(error: enrolment.Refusal, study: Study) -> str:
    """Return the outcome with the completion code for a refused person; empty if there is none."""
    if isinstance(error, enrolment.StudyFull):
        return str(Rater.Outcome.FULL)
    return "closed" if isinstance(error, enrolment.NotOpen) and study.state != Study.State.PAUSED else ""
