"""API tokens: create, look up by their secret, revoke."""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType

from django.contrib.auth.models import AbstractBaseUser
from django.db.models import Case, Q, QuerySet, Value, When
from django.db.models.functions import Now
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tasks_app.links.credentials import hash_token
from tasks_app.models import ApiToken, Study
from tasks_app.services import events
from tasks_app.services.database import atomically

# Prefix of secrets, by which people and scanners for leaked secrets recognise them.
PREFIX = "ewt_"
SECRET_BYTES = 32

REVOKED, EXPIRED = "revoked", "expired"

READ_STUDIES, READ_JUDGMENTS = "read:studies", "read:judgments"
READ_RESULTS, WRITE_RUNS = "read:results", "write:runs"

SCOPES: Mapping[str, str | Promise] = MappingProxyType(
    {
        READ_STUDIES: gettext_lazy("See studies and their progress."),
        READ_JUDGMENTS: gettext_lazy("Export judgments and ratings."),
        READ_RESULTS: gettext_lazy("See runs and their results."),
        WRITE_RUNS: gettext_lazy("Start and cancel runs."),
    }
)


class TokenRefused(ValueError):
    """A token cannot be made with these values; the message names the value to change."""


@dataclass(frozen=True, slots=True)
class MadeToken:
    """A new token and its secret, which is not kept anywhere."""

    token: ApiToken
    secret: str


@atomically
def make(
    *,
    user: AbstractBaseUser,
    name: str,
    scopes: Sequence[str],
    study: Study,
    everywhere: bool = False,
    expires: datetime | None = None,
) -> MadeToken:
    """Make a token for the API with, at most, the rights of `user`, within its scopes.

    It is bound to `study`, on whose page it is made, or with `everywhere` works in all studies of its user. Only a
    hash of the secret is stored.

    Raises
    ------
    TokenRefused
        Without a name or a scope, with an unknown scope, or where it would have expired already.
    """
    if not name.strip():
        raise TokenRefused(_("Give the token a name that says what will use it."))
    if unknown := [scope for scope in scopes if scope not in SCOPES]:
        raise TokenRefused(_("There is no scope “%(name)s”.") % {"name": unknown[0]})
    if not scopes:
        raise TokenRefused(_("Choose at least one thing that the token may do."))
    if expires is not None and expires <= timezone.now():
        raise TokenRefused(_("Choose a day in the future."))
    secret = PREFIX + secrets.token_urlsafe(SECRET_BYTES)
    token = ApiToken.objects.create(
        user_id=user.pk,
        name=name.strip(),
        hash=hash_token(secret),
        scopes=[scope for scope in SCOPES if scope in scopes],
        study=None if everywhere else study,
        expires=expires,
    )
    study_slug = None if everywhere else study.slug
    events.log(study, user, "made a token", about=token.name, after={"scopes": token.scopes, "study": study_slug})
    return MadeToken(token, secret)


@atomically
def revoke(*, token: ApiToken, study: Study, by: AbstractBaseUser) -> None:
    """End a token, on the page of `study`; one that was ended stays as it is."""
    if ApiToken.objects.filter(pk=token.pk, revoked=None).update(revoked=Now()):
        events.log(study, by, "revoked a token", about=token.name)


def find(secret: str) -> ApiToken | None:
    """Return the token of a secret with its user and study, unless it was revoked, has expired, or its user left."""
    return (
        ApiToken.objects.select_related("user", "study")
        .filter(
            Q(expires=None) | Q(expires__gt=Now()),
            hash=hash_token(secret),
            revoked=None,
            user__is_active=True,
            user__is_staff=True,
        )
        .first()
    )


def of(*, user: AbstractBaseUser, study: Study) -> QuerySet[ApiToken]:
    """Return somebody's tokens that work in a study, the newest first, ended ones included."""
    tokens = ApiToken.objects.filter(Q(study=study) | Q(study=None), user_id=user.pk)
    ended = Case(
        When(revoked__isnull=False, then=Value(REVOKED)),
        When(expires__lte=Now(), then=Value(EXPIRED)),
        default=Value(""),
    )
    return tokens.annotate(ended=ended).order_by("-id")
