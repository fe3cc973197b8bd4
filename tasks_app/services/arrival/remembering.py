"""Remember, in a browser, which rater began there: the value of one cookie, and the rater it stands for.

The value is signed and opens nothing but a study's own address (docs/decisions/0105). It holds no token of a rater's
link, no id of a platform and no number of a rater.
"""

from collections.abc import Mapping

from django.core import signing

from tasks_app.links import credentials
from tasks_app.models import Identity, Rater, Study
from tasks_app.services.arrival import enrolment

ACTION = "begun"

# For so long a browser remembers a rater who does not come to an end.
DAYS = 7
SECONDS = DAYS * 24 * 3600


def value_for(enrolled: enrolment.Enrolled, nonce: str) -> str:
    """Return the cookie's value for a rater who has just agreed by the form with this nonce.

    Platforms' raters are named by the hash of their token, since the server can derive the token from their visit.
    """
    study_id = enrolled.rater.study_id
    if enrolled.token == credentials.token_from(nonce, study_id):
        return credentials.sign(ACTION, study=study_id, nonce=nonce)
    return credentials.sign(ACTION, study=study_id, mark=credentials.hash_token(enrolled.token))


def rater_of(study: Study, value: str) -> enrolment.Enrolled | None:
    """Return the rater that a browser's value stands for; None if it is no value of ours, or no longer good.

    It ends with the link that the rater had: whoever has a new link, or was erased, is not found by it.
    """
    try:
        signed = credentials.read_signed(ACTION, value, max_age=SECONDS)
    except signing.BadSignature:
        return None
    if signed.get("study") != study.pk:
        return None
    return _by_nonce(study, signed) if "nonce" in signed else _by_mark(study, str(signed.get("mark", "")))


def _by_nonce(study: Study, signed: Mapping[str, object]) -> enrolment.Enrolled | None:
    token = credentials.token_from(str(signed["nonce"]), study.pk)
    rater = _with_hash(study, credentials.hash_token(token))
    return None if rater is None else enrolment.Enrolled(rater, token, is_new=False)


def _by_mark(study: Study, mark: str) -> enrolment.Enrolled | None:
    rater = _with_hash(study, mark)
    identity = Identity.objects.filter(rater=rater).first() if rater is not None else None
    if rater is None or identity is None:
        return None
    token = enrolment.token_of(rater, identity)
    return enrolment.Enrolled(rater, token, is_new=False) if credentials.hash_token(token) == mark else None


def _with_hash(study: Study, digest: str) -> Rater | None:
    raters = Rater.objects.select_related("study").filter(study=study, erased_at=None)
    return raters.filter(token_hash=digest).first()
