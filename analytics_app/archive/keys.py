"""The keys that sign archives: those of this site, as its file of secrets holds them, and those that a reader trusts.

A key is named by its fingerprint, the SHA-256 of the public key. `python -m evalweb.signing` makes and retires keys.
"""

import base64
import binascii
import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from django.conf import settings

# The name of the line in the file of secrets.
LINE = "EVALWEB_SIGNING_KEYS"
DAMAGED = f"{LINE} in the file of secrets is damaged. Restore that file from a backup."
ALGORITHM = "Ed25519"
KEY_BYTES = 32
FINGERPRINT = re.compile(r"[0-9a-f]{64}")
# Fingerprints are shown in full where they are compared, and by their beginning where there is little room.
SHORT = 16


class BadKeys(ValueError):
    """Keys that cannot be read; the message has the reason."""


@dataclass(frozen=True, slots=True)
class PublicKey:
    """A public key: when it was made, when it stopped signing, and when somebody declared it compromised."""

    public: bytes
    made: datetime
    retired: datetime | None = None
    compromised: datetime | None = None

    @property
    def fingerprint(self) -> str:
        """The name of the key: 64 hexadecimal digits."""
        return fingerprint_of(self.public)

    @property
    def standing(self) -> str:
        """Return a phrase in English that says whether the key still signs and can be trusted, with its dates."""
        made = f"made on {day(self.made)}"
        if self.compromised is not None:
            return f"{made}, declared compromised on {day(self.compromised)}: do not trust it"
        if self.retired is not None:
            return f"{made}, retired on {day(self.retired)}: it signs nothing new"
        return f"{made}, signs new archives"

    def as_json(self) -> dict[str, str | None]:
        """Return the key as the public page publishes it."""
        return {
            "fingerprint": self.fingerprint,
            "algorithm": ALGORITHM,
            "public_key": encoded(self.public),
            "made": _time(self.made),
            "retired": _time(self.retired),
            "compromised": _time(self.compromised),
        }

    @classmethod
    def from_json(cls, entry: Any) -> Self:
        """Return the key of an entry that `as_json` wrote. The fingerprint is computed, never read.

        Raises
        ------
        BadKeys
            Where a part is missing or wrong.
        """
        try:
            times = [datetime.fromisoformat(entry[name]) if entry[name] else None for name in TIMES]
            public = decoded(entry["public_key"], KEY_BYTES)
        except (KeyError, TypeError, ValueError):
            raise BadKeys("A key has no public key of 32 bytes, or no dates.") from None
        made, retired, compromised = times
        if made is None or any(time is not None and time.tzinfo is None for time in times):
            raise BadKeys("A key has a date that is missing or names no time zone.")
        return cls(public, made, retired, compromised)

    def joined(self, other: Self) -> Self:
        """Return the key with the dates of two records of it; a retired or compromised key stays so."""
        return replace(
            self,
            made=min(self.made, other.made),
            retired=_earliest(self.retired, other.retired),
            compromised=_earliest(self.compromised, other.compromised),
        )


TIMES = ("made", "retired", "compromised")


@dataclass(frozen=True, slots=True)
class KeyRing:
    """The keys of a site: the private key that signs, and all public keys that have ever signed, oldest first."""

    private: bytes = field(repr=False)
    keys: tuple[PublicKey, ...]

    @classmethod
    def new(cls, now: datetime, earlier: Iterable[PublicKey] = ()) -> Self:
        """Return a ring with a new key; earlier keys that still signed are retired."""
        key = Ed25519PrivateKey.generate()
        retired = (earlier_key if earlier_key.retired else replace(earlier_key, retired=now) for earlier_key in earlier)
        return cls(key.private_bytes_raw(), (*retired, PublicKey(key.public_key().public_bytes_raw(), now)))

    @classmethod
    def read(cls, text: str) -> Self:
        """Return the ring of a line in the file of secrets.

        Raises
        ------
        BadKeys
            Where the line is damaged.
        """
        try:
            document = json.loads(text)
            private = decoded(document["private_key"], KEY_BYTES)
            keys = tuple(map(PublicKey.from_json, document["keys"]))
        except (KeyError, TypeError, ValueError, RecursionError):
            raise BadKeys(DAMAGED) from None
        ring = cls(private, keys)
        if public_of(private) not in {key.public for key in keys}:
            raise BadKeys(f"{LINE} in the file of secrets lacks the public key of its private key.")
        return ring

    def write(self) -> str:
        """Return the line for the file of secrets."""
        document = {"private_key": encoded(self.private), "keys": [key.as_json() for key in self.keys]}
        return json.dumps(document, separators=(",", ":"))

    @property
    def current(self) -> PublicKey:
        """The key that signs."""
        public = public_of(self.private)
        return next(key for key in self.keys if key.public == public)

    def rotated(self, now: datetime) -> Self:
        """Return the ring with a new key; the present one is retired."""
        return type(self).new(now, self.keys)

    def without_trust(self, fingerprint: str, now: datetime) -> Self:
        """Return the ring in which a key is compromised; if it is the one that signs, with a new one.

        Raises
        ------
        BadKeys
            If no key has this fingerprint.
        """
        if fingerprint not in {key.fingerprint for key in self.keys}:
            raise BadKeys(f"This site has no key with the fingerprint {fingerprint}.")
        is_current = fingerprint == self.current.fingerprint
        marked = tuple(
            replace(key, compromised=key.compromised or now) if key.fingerprint == fingerprint else key
            for key in self.keys
        )
        ring = replace(self, keys=marked)
        return ring.rotated(now) if is_current else ring

    def joined(self, restored: Self, now: datetime) -> Self:
        """Return this ring with one that comes back from a backup: no key is forgotten, and none is trusted again.

        The key of the backup signs, unless it has been retired here since.
        """
        by_public = {key.public: key for key in restored.keys}
        for key in self.keys:
            by_public[key.public] = key.joined(by_public[key.public]) if key.public in by_public else key
        signing = by_public[restored.current.public]
        private = self.private if signing.retired or signing.compromised else restored.private
        public = public_of(private)
        keys = (
            key if key.public == public or key.retired else replace(key, retired=now)
            for key in sorted(by_public.values(), key=lambda key: key.made)
        )
        return type(self)(private, tuple(keys))


@dataclass(frozen=True, slots=True)
class Trusted:
    """The keys that a reader trusts: whole ones, and fingerprints without a key."""

    keys: Mapping[str, PublicKey] = field(default_factory=dict)
    fingerprints: frozenset[str] = frozenset()

    @classmethod
    def of(cls, keys: Iterable[PublicKey], fingerprints: Iterable[str] = ()) -> Self:
        """Return these keys; two records of the same key are merged."""
        by_fingerprint: dict[str, PublicKey] = {}
        for key in keys:
            known = by_fingerprint.get(key.fingerprint)
            by_fingerprint[key.fingerprint] = key if known is None else known.joined(key)
        return cls(by_fingerprint, frozenset(fingerprints))

    def __contains__(self, fingerprint: object) -> bool:
        return fingerprint in self.keys or fingerprint in self.fingerprints


def published(public_keys: Iterable[PublicKey], site: str) -> dict[str, Any]:
    """Return the content of the public page for programs: the public keys with their dates."""
    return {"evalweb_keys": 1, "site": site, "keys": [key.as_json() for key in public_keys]}


def read_published(text: str) -> list[PublicKey]:
    """Return the keys of a file from the public page of a site.

    Raises
    ------
    BadKeys
        Where the file is something else.
    """
    try:
        document = json.loads(text)
        entries, number = document["keys"], document["evalweb_keys"]
    except (KeyError, TypeError, ValueError, RecursionError):
        raise BadKeys(
            "It is not a file of keys: download keys.json from the page “Keys of archives” of the site."
        ) from None
    if number != 1 or not isinstance(entries, list):
        raise BadKeys(f"It has format {number}; this version of evalweb reads format 1.")
    return [PublicKey.from_json(entry) for entry in entries]


def site_ring() -> KeyRing | None:
    """Return the keys of this site; None before it has any.

    Raises
    ------
    BadKeys
        Where they are damaged.
    """
    path: Path = settings.EVALWEB_SECRETS
    try:
        lines = path.read_text().splitlines()
    except FileNotFoundError:
        return None
    except UnicodeDecodeError:
        raise BadKeys(DAMAGED) from None
    line = next((line for line in lines if line.startswith(f"{LINE}=")), None)
    return None if line is None else KeyRing.read(line.removeprefix(f"{LINE}="))


def site_address() -> str:
    """Return the address of this site, or its first host name where no address is set."""
    names = (name for name in settings.ALLOWED_HOSTS if not name.startswith(("*", ".")))
    return settings.EVALWEB_URL.rstrip("/") or next(names, "")


def day(time: datetime) -> str:
    """Return the day of a time in UTC, such as 3 Nov 2026."""
    return f"{time.astimezone(UTC):%-d %b %Y}"


def now() -> datetime:
    """Return the present time to the second, as keys and signatures write it."""
    return datetime.now(UTC).replace(microsecond=0)


def fingerprint_of(public: bytes) -> str:
    """Return the fingerprint of a public key."""
    return hashlib.sha256(public).hexdigest()


def public_of(private: bytes) -> bytes:
    """Return the public key of a private key."""
    return Ed25519PrivateKey.from_private_bytes(private).public_key().public_bytes_raw()


def encoded(value: bytes) -> str:
    """Return bytes as Base64."""
    return base64.b64encode(value).decode()


def decoded(text: object, length: int) -> bytes:
    """Return the bytes of a text in Base64. Raises ValueError unless it holds exactly `length` of them."""
    if not isinstance(text, str):
        raise ValueError("no text")
    try:
        value = base64.b64decode(text, validate=True)
    except binascii.Error:
        raise ValueError("no Base64") from None
    if len(value) != length or encoded(value) != text:
        raise ValueError(f"not {length} bytes")
    return value


def _time(time: datetime | None) -> str | None:
    return None if time is None else time.astimezone(UTC).isoformat(timespec="seconds")


def _earliest(first: datetime | None, other: datetime | None) -> datetime | None:
    return min((time for time in (first, other) if time is not None), default=None)
