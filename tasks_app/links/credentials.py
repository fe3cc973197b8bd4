"""Tokens of raters and of forms. Only hashes are stored; a form's token binds it to rater, assignment and screen."""

import hashlib
import secrets
from collections.abc import Mapping
from typing import Any

from django.core import signing
from django.utils.crypto import get_random_string, salted_hmac

TOKEN_BYTES = 16  # 128 bits
CODE_ALPHABET = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"


def new_token() -> str:
    """Draw a token of 128 bits for an address."""
    return secrets.token_urlsafe(TOKEN_BYTES)


def token_from(nonce: str, study_id: int) -> str:
    """Derive the token of the rater who sent the consent form with `nonce`; a form sent twice gives the same token."""
    return _derived("evalweb.rater", f"{study_id}:{nonce}")


def token_of_visit(study_id: int, channel: str, external_id: str, session_id: str) -> str:
    """Derive the token of a rater whom a platform sends: the same visit gets the same one, no other visit does."""
    return _derived("evalweb.visit", f"{study_id}\0{channel}\0{external_id}\0{session_id}")


def token_of_link(rater_id: int, number: int) -> str:
    """Derive the token of a rater's `number`-th personal link, so that it can be sent without being kept."""
    return _derived("evalweb.link", f"{rater_id}\0{number}")


def token_elsewhere(assignment_id: int) -> str:
    """Derive the token of a task on another site; a task that is opened again has the same token."""
    return _derived("evalweb.elsewhere", str(assignment_id))


def handle_of_rater(rater_id: int) -> str:
    """Derive the name of a rater in forms, so that no number in their tokens tells how many raters there are."""
    return _derived("evalweb.form.rater", str(rater_id))


def mark_of_erased(study_id: int, channel: str, external_id: str) -> str:
    """Derive the mark that replaces an erased rater's token, so that the same id is recognised if it comes again.

    Without the server's secret, which is not in the database, it says nothing of the id.
    """
    about = f"{study_id}\0{channel}\0{external_id}"
    return salted_hmac("evalweb.erased", about, algorithm="sha256").hexdigest()


def mark_of_ended_link(token_hash: str) -> str:
    """Derive the mark of a personal link that has ended, so that no rater is made under its address again.

    Without the server's secret, which is not in the database, nobody finds a rater by a link that has ended.
    """
    return salted_hmac("evalweb.ended", token_hash, algorithm="sha256").hexdigest()


def mark_of_person(kind: str, external_id: str) -> str:
    """Derive the mark of an author's id in a text, so that the author is recognised when verifying texts elsewhere.

    `kind` is the platform, "account" or "email". Without the server's secret the mark says nothing of the id.
    """
    return salted_hmac("evalweb.person", f"{kind}\0{external_id}", algorithm="sha256").hexdigest()


def _derived(purpose: str, about: str) -> str:
    drawn = salted_hmac(purpose, about, algorithm="sha256").digest()[:TOKEN_BYTES]
    return signing.b64_encode(drawn).decode()


def hash_token(token: str) -> str:
    """Return the hash of a token, which is stored. Tokens are random, so that a plain hash cannot be guessed back."""
    return hashlib.sha256(token.encode()).hexdigest()


def new_code() -> str:
    """Draw a completion code that can be typed without mistaking letters."""
    return get_random_string(8, CODE_ALPHABET)


def sign(action: str, **bound: Any) -> str:
    """Return the token that a form carries instead of a cookie's: the action that it allows, and its objects."""
    return signing.dumps(bound, salt=f"evalweb.form.{action}", compress=False)


def read_signed(action: str, token: str, *, max_age: int | None = None) -> Mapping[str, Any]:
    """Return the values to which a form's token was bound.

    Raises
    ------
    django.core.signing.BadSignature
        Where it was not signed here, for another action, or more than `max_age` seconds ago.
    """
    if not token.isascii():
        # A draft's JSON can hold half a character, which no bytes stand for.
        raise signing.BadSignature("No token of ours.")
    bound: Mapping[str, Any] = signing.loads(token, salt=f"evalweb.form.{action}", max_age=max_age)
    return bound
