"""Return through a platform for a later wave: by an address made for that wave, never by an id alone."""

from urllib.parse import urlencode

from django.core import signing
from django.db.models import Max, Q
from django.db.models.functions import Now
from django.urls import reverse

from tasks_app import channels
from tasks_app.channels.base import Arrival, Ending
from tasks_app.models import Assignment, Identity, Rater, RaterSet, Study
from tasks_app.models.raters import WAVE_SESSIONS
from tasks_app.services.arrival import endings, enrolment
from tasks_app.services.database import atomically
from tasks_app.services.waves import reminders

SALT = "evalweb.wave"

# The name that the signed wave has in an address.
KEY = "wave"


class NotDue(Exception):
    """Nothing is open for this person under that address."""


def address(study: Study, channel: str, wave: int) -> str:
    """Return the address of a channel's raters for a wave, without the parameters that the platform appends."""
    path = reverse("rater:arrive", args=[study.link_code, channel])
    return f"{path}?{urlencode({KEY: sign(study, channel, wave)})}"


def sign(study: Study, channel: str, wave: int) -> str:
    """Return the signed value in the address of a wave, so that nobody can make one for another wave or study."""
    return signing.Signer(salt=SALT).sign_object([study.pk, channel, wave])


@atomically
def come_back(*, study: Study, arrival: Arrival, signed: str) -> enrolment.Enrolled:
    """Admit a rater to a due wave, in a new visit to the platform; only the first visit for a wave is accepted.

    Raises
    ------
    NotDue
        Where the address was not made for this study and channel, or nothing of theirs is open in its wave.
    tasks_app.services.arrival.enrolment.AlreadyHere
        Where the wave was begun in another visit.
    """
    try:
        made_for = signing.Signer(salt=SALT).unsign_object(signed)
    except signing.BadSignature as error:
        raise NotDue from error
    if made_for[:2] != [study.pk, arrival.channel] or not (arrival.external_id and arrival.session_id):
        raise NotDue
    wave = int(made_for[2])
    identity_row = enrolment.identity_of(study, arrival)
    if identity_row is None:
        raise NotDue
    # The rater's row first, as everywhere: who else changes an identity holds it.
    raters = Rater.objects.select_for_update(of=("self",), no_key=True).select_related("study")
    rater = raters.get(pk=identity_row.rater_id)
    identity = Identity.objects.filter(pk=identity_row.pk).first()
    if identity is None:
        raise NotDue
    sessions = dict(identity.details.get(WAVE_SESSIONS, {}))
    session = sessions.get(str(wave))
    if session is None:
        if not reminders.open_sets(rater, wave).exists():
            raise NotDue
        sessions[str(wave)] = arrival.session_id
        details = {**identity.details, **arrival.details, WAVE_SESSIONS: sessions}
        Identity.objects.filter(pk=identity.pk).update(details=details)
    elif session != arrival.session_id:
        raise enrolment.AlreadyHere(rater)
    token = reminders.return_token(rater, identity)
    return enrolment.Enrolled(rater, token or enrolment.new_link(rater_id=rater.pk), is_new=False)


@atomically
def come_again(*, study: Study, arrival: Arrival, rater: Rater) -> None:
    """Store that a rater, remembered by their own browser, has come in another visit to the platform.

    The last step on the platform is that of this visit from now on. An id alone brings nobody here: the caller knows
    the rater by what the browser was given.
    """
    Rater.objects.select_for_update(of=("self",), no_key=True).get(pk=rater.pk)
    identity = enrolment.identity_of(study, arrival)
    if identity is None or identity.rater_id != rater.pk or arrival.session_id in identity.visits:
        return
    opened = RaterSet.objects.filter(Q(opens_at=None) | Q(opens_at__lte=Now()), rater=rater)
    wave = opened.aggregate(last=Max("wave"))["last"] or 1
    sessions = {**identity.details.get(WAVE_SESSIONS, {}), str(wave): arrival.session_id}
    details = {**identity.details, **arrival.details, WAVE_SESSIONS: sessions}
    Identity.objects.filter(pk=identity.pk).update(details=details)


def ending_before(rater: Rater, wave: int) -> Ending | None:
    """Return the last step on the platform for a rater who waits for a wave: the code of the wave before, if complete.

    Who left a part of that wave unanswered has no claim to its code.
    """
    last_wave = RaterSet.objects.filter(rater=rater, wave__lt=wave).aggregate(last=Max("wave"))["last"]
    of_last_wave = Assignment.objects.filter(rater=rater, set__wave=last_wave)
    if last_wave is None or of_last_wave.filter(state__in=Assignment.State.UNANSWERED).exists():
        return None
    return ending_of_wave(rater, last_wave)


def ending_of_wave(rater: Rater, wave: int) -> Ending | None:
    """Return the last step on the platform after a wave that is not the last; None where no code is set.

    Who was invited found the study nowhere, and has nowhere to enter a code.
    """
    channel = channels.registry.get(rater.channel)
    if channel is not None and channel.invited_only:
        return None
    codes = [code.strip() for code in rater.study.options.wave_codes.split(",")]
    code = codes[wave - 1] if 0 < wave <= len(codes) else ""
    return endings.with_code(rater, Rater.Outcome.COMPLETED, code) if code else None
