"""Sign in with a password, as a rater or a researcher, with a limit on wrong passwords.

Tries are counted in the memory of each web process, under digests, for a quarter of an hour: no name and no address is
stored, and raters' pages wait for no other server. Each process counts for itself (docs/decisions/0037).
"""

from contextlib import suppress
from typing import Any

from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.models import User
from django.core.cache import cache
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from unfold.forms import AuthenticationForm as UnfoldForm

from tasks_app.views import counting
from tasks_app.views.rater import pages

# The key in the session of somebody who has signed in for the first time.
FIRST_VISIT = "first_visit"

SECONDS = 15 * 60
# Failed attempts on one account from one address: counted by account alone, anybody could lock a researcher out.
TRIES_OF_ACCOUNT = 10
# Failed attempts on all accounts from one address, which the raters of a laboratory may share.
TRIES_OF_ADDRESS = 100


class SignIn(AuthenticationForm):
    """Name and password; after too many wrong ones, nothing is compared for a while."""

    too_many = False

    def clean(self) -> dict[str, Any]:
        """Count the try before the password is compared, so that many at once are counted too; a right one is free."""
        account, address = self._keys()
        if _too_often(account, TRIES_OF_ACCOUNT) or _too_often(address, TRIES_OF_ADDRESS):
            self.too_many = True
            raise ValidationError(_("Too many failed attempts. Wait 15 minutes, then try again."), "too_many")
        cleaned: dict[str, Any] = super().clean()
        cache.delete(account)
        with suppress(ValueError):  # expired meanwhile
            cache.decr(address)
        return cleaned

    def _keys(self) -> tuple[str, str]:
        assert self.request is not None
        address = pages.client_address(self.request)
        account = f"{address} {self.cleaned_data.get('username', '')}"
        return counting.key_of("password of account", account), counting.key_of("password", address)


class ResearcherSignIn(SignIn, UnfoldForm):  # type: ignore[misc]  # unfold ships no types
    """The same in the researchers' frame; who may not enter there is told no more than who mistyped.

    At the first sign-in the session has `FIRST_VISIT`, so that the page after it shows where to begin.
    """

    def confirm_login_allowed(self, user: User) -> None:
        """Note a first sign-in, before Django notes the time of this one."""
        super().confirm_login_allowed(user)
        if user.last_login is None and self.request is not None:
            self.request.session[FIRST_VISIT] = True


def _too_often(key: str, most: int) -> bool:
    return counting.count(key, SECONDS) > most
