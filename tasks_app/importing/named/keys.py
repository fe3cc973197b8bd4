"""Keys and pseudonyms for the names of other tools: a name that may be a key stays as it is."""

from __future__ import annotations

import hashlib
import re
import unicodedata

# As the models have them, which a reader's process does not load; a test holds both against each other.
KEY_PATTERN = r"^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$"
DOCUMENT_PATTERN = r"^[A-Za-z0-9][A-Za-z0-9._:/#@+-]{0,99}$"

# Same as the length of the pseudonym in the database.
LONGEST_RATER = 40
_LONGEST_KEY = 90

_OTHER = re.compile(r"[^A-Za-z0-9._-]+")
_OTHER_IN_DOCUMENTS = re.compile(r"[^A-Za-z0-9._:/#@+-]+")


class Keys:
    """Gives each name a key, the same whenever it is asked, and no two names the same."""

    def __init__(self, otherwise: str) -> None:
        """`otherwise` is the key of a name without any letter of a key."""
        self._otherwise = otherwise
        self._by_name: dict[str, str] = {}
        self._taken: set[str] = set()

    def key(self, name: str) -> str:
        """Return the key of a name."""
        if name not in self._by_name:
            base = name if re.fullmatch(KEY_PATTERN, name) else _slug(name, _OTHER) or self._otherwise
            self._by_name[name] = key = self._free(base)
            self._taken.add(key.casefold())
        return self._by_name[name]

    def _free(self, base: str) -> str:
        key, number = base, 2
        while key.casefold() in self._taken:
            key, number = f"{base[:_LONGEST_KEY]}-{number}", number + 1
        return key

    @property
    def changed(self) -> dict[str, str]:
        """Return the names that are no keys, by their keys."""
        return {key: name for name, key in self._by_name.items() if key != name}


def document_key(name: str) -> str:
    """Return the key of a document, which may have more characters than others."""
    return name if re.fullmatch(DOCUMENT_PATTERN, name) else _slug(name, _OTHER_IN_DOCUMENTS)


def pseudonym(name: str) -> str:
    """Return a rater's name without what cannot be seen; a long one ends in a digest, so that it stays apart."""
    shown = "".join(character for character in unicodedata.normalize("NFC", name) if character.isprintable()).strip()
    if len(shown) <= LONGEST_RATER:
        return shown
    return f"{shown[: LONGEST_RATER - 9]}~{hashlib.sha256(shown.encode()).hexdigest()[:8]}"


def _slug(name: str, other: re.Pattern[str]) -> str:
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    return other.sub("-", plain).strip("-._:/#@+")[:_LONGEST_KEY]
