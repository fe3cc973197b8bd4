"""Sign an archive, and check its signature.

`manifest.json` lists the path, size and SHA-256 of every other member, with site, study, run, time and version.
`signature.json` has the Ed25519 signature of exactly the bytes of `manifest.json`. Both are members of the zip, and the
only ones that the manifest does not list.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, TypeGuard

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from analytics_app.archive.describing import MANIFEST, SIGNATURE, Archived, ArchivedFile
from analytics_app.archive.keys import (
    ALGORITHM,
    FINGERPRINT,
    KEY_BYTES,
    KeyRing,
    Trusted,
    decoded,
    encoded,
    fingerprint_of,
)

OWN = frozenset({MANIFEST, SIGNATURE})
# Says what was signed, so that nothing else that the key may sign one day can be taken for a manifest.
KIND = "evalweb archive manifest, version 1"
SIGNATURE_BYTES = 64
WORDS = ("site", "study", "created", "evalweb_version", "key")


class State(StrEnum):
    """The state of the signature of an archive."""

    NONE = "none"
    TRUSTED = "trusted"
    UNKNOWN_KEY = "unknown key"
    COMPROMISED_KEY = "compromised key"
    RETIRED_KEY = "key retired before signing"
    WRONG = "wrong"


@dataclass(frozen=True, slots=True)
class Signature:
    """The signature of an archive: its state, its claims where it is right, and a sentence for each fault.

    `claims` are the words of the manifest, which only the holder of the key can have written. `retired` says since when
    a trusted key signs nothing new.
    """

    state: State
    claims: Mapping[str, str]
    faults: Sequence[str] = ()
    retired: datetime | None = None

    @property
    def fingerprint(self) -> str:
        """The fingerprint of the key; "" where there is no right signature."""
        return self.claims.get("key", "")


class _Wrong(ValueError):
    """A signature that is not right, for the reason in the message."""


def manifest(about: Archived, files: Sequence[ArchivedFile], *, created: datetime, ring: KeyRing, site: str) -> bytes:
    """Return the manifest of an archive: every file, in the one form that is signed."""
    return _canonical(
        {
            "kind": KIND,
            "site": site,
            "study": about.study.slug,
            "run": about.run.number,
            "created": created.isoformat(),
            "evalweb_version": about.run.code_version,
            "key": ring.current.fingerprint,
            "members": sorted(
                ({"path": file.path, "bytes": file.bytes, "sha256": file.sha256} for file in files),
                key=lambda member: str(member["path"]),
            ),
        }
    )


def sign(content: bytes, ring: KeyRing) -> bytes:
    """Return the signature of a manifest, with the name of the key and a copy of it."""
    signature = Ed25519PrivateKey.from_private_bytes(ring.private).sign(content)
    document = {
        "algorithm": ALGORITHM,
        "key": ring.current.fingerprint,
        "public_key": encoded(ring.current.public),
        "signature": encoded(signature),
    }
    return (json.dumps(document, indent=2) + "\n").encode()


def check(files: Mapping[str, bytes], digests: Mapping[str, tuple[int, str]], trusted: Trusted) -> Signature:
    """Check the signature of an archive.

    Parameters
    ----------
    files
        The content of the manifest and of the signature, as far as they are there.
    digests
        Size and SHA-256 of every other member by its path.
    trusted
        The keys that the reader trusts. The copy of the public key in the archive proves nothing about whose it is; it
        is used only where the reader trusts its fingerprint, or to tell an unknown key from a wrong signature.
    """
    if not files:
        return Signature(State.NONE, {})
    try:
        if missing := OWN - set(files):
            raise _Wrong(f"{min(missing)} is missing.")
        fingerprint = _signed_by(files[MANIFEST], files[SIGNATURE], trusted)
        document = _read_manifest(files[MANIFEST], fingerprint)
    except _Wrong as wrong:
        return Signature(State.WRONG, {}, (str(wrong),))
    claims = {name: document[name] for name in WORDS}
    if faults := tuple(_members_that_differ(document["members"], digests)):
        return Signature(State.WRONG, claims, faults)
    return _trust(claims, trusted)


def _trust(claims: Mapping[str, str], trusted: Trusted) -> Signature:
    """Return a right signature with its state for this reader."""
    if claims["key"] not in trusted:
        return Signature(State.UNKNOWN_KEY, claims)
    key = trusted.keys.get(claims["key"])
    if key is None:  # the reader named the fingerprint
        return Signature(State.TRUSTED, claims)
    if key.compromised is not None:
        return Signature(State.COMPROMISED_KEY, claims)
    if key.retired is not None and datetime.fromisoformat(claims["created"]) > key.retired:
        return Signature(State.RETIRED_KEY, claims)
    return Signature(State.TRUSTED, claims, retired=key.retired)


def _signed_by(content: bytes, signature: bytes, trusted: Trusted) -> str:
    """Return the fingerprint of the key that made this signature of `content`. Raises _Wrong."""
    document = _parsed(signature)
    try:
        if document["algorithm"] != ALGORITHM:
            raise _Wrong(f"{SIGNATURE} names an algorithm other than {ALGORITHM}.")
        value = decoded(document["signature"], SIGNATURE_BYTES)
        copied = decoded(document["public_key"], KEY_BYTES)
        fingerprint = document["key"]
    except (KeyError, TypeError, ValueError) as error:
        raise error if isinstance(error, _Wrong) else _Wrong(f"{SIGNATURE} is not as evalweb writes it.") from None
    key = trusted.keys.get(fingerprint) if isinstance(fingerprint, str) else None
    public = copied if key is None else key.public
    if fingerprint_of(public) != fingerprint:
        raise _Wrong(f"The public key in {SIGNATURE} does not have the fingerprint that it names.")
    try:
        Ed25519PublicKey.from_public_bytes(public).verify(value, content)
    except (InvalidSignature, ValueError):
        raise _Wrong(f"The signature in {SIGNATURE} does not fit {MANIFEST}.") from None
    return str(fingerprint)


def _read_manifest(content: bytes, fingerprint: str) -> dict[str, Any]:
    """Return a manifest with a right signature. Raises _Wrong if it is not one that evalweb signs."""
    document = _parsed(content)
    if not _is_manifest(document) or _canonical(document) != content:
        raise _Wrong(f"{MANIFEST} is not as evalweb writes it.")
    if document["key"] != fingerprint:
        raise _Wrong(f"{MANIFEST} names another key than {SIGNATURE}.")
    return document


def _is_manifest(document: object) -> TypeGuard[dict[str, Any]]:
    if not isinstance(document, dict) or document.get("kind") != KIND:
        return False
    if not all(isinstance(document.get(name), str) for name in WORDS) or not isinstance(document.get("members"), list):
        return False
    try:
        has_zone = datetime.fromisoformat(document["created"]).tzinfo is not None
    except ValueError:
        return False
    paths = [member.get("path") if isinstance(member, dict) else None for member in document["members"]]
    return (
        has_zone
        and FINGERPRINT.fullmatch(document["key"]) is not None
        and all(isinstance(path, str) for path in paths)
        and len(set(paths)) == len(paths)
    )


def _members_that_differ(members: Sequence[Mapping[str, Any]], digests: Mapping[str, tuple[int, str]]) -> Iterator[str]:
    """Yield a sentence for each member that is not as it was signed."""
    signed = {member["path"]: (member.get("bytes"), member.get("sha256")) for member in members}
    for path in sorted(signed.keys() - digests.keys()):
        yield f"{path} was signed but is missing."
    for path in sorted(digests.keys() - signed.keys()):
        yield f"{path} was added after the archive was signed."
    for path in sorted(signed.keys() & digests.keys()):
        if signed[path] != digests[path]:
            yield f"{path} was changed after the archive was signed."


def _parsed(content: bytes) -> Any:
    """Return a JSON document in which no name stands twice; None where there is none."""
    try:
        return json.loads(content, object_pairs_hook=_each_once)
    except (ValueError, RecursionError):
        return None


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object. Raises ValueError where a name stands twice: readers would differ in which value they take."""
    document = dict(pairs)
    if len(document) != len(pairs):
        raise ValueError("a name stands twice")
    return document


def _canonical(document: Mapping[str, Any]) -> bytes:
    """Return the one form in which a document is signed: sorted names, no spaces, ASCII."""
    return json.dumps(document, sort_keys=True, separators=(",", ":")).encode() + b"\n"
