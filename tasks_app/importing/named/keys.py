"""Keys and pseudonyms for the names of other tools: a name stays as it is, unless no key may be so."""

from __future__ import annotations

import hashlib
import re
import unicodedata

# Same as the lengths of the columns in the database.
LONGEST_RATER, LONGEST_NAME = 40, 100

# Keys of criteria have letters of Latin alone.
_NO_KEY = re.compile(r"[^A-Za-z0-9._-]+")
_ROOM = 10


class Keys:
    """Gives each name a key, the same whenever it is asked, and no two names the same."""

    def __init__(self, otherwise: str, *, plain: bool = False) -> None:
        """`otherwise` is the key of a name without any character of a key; `plain` keys have Latin letters alone."""
        self._otherwise, self._is_plain = otherwise, plain
        self._by_name: dict[str, str] = {}
        self._taken: set[str] = set()

    def key(self, name: str) -> str:
        """Return the key of a name."""
        if name not in self._by_name:
            base = (_slug(name) if self._is_plain else visible(name)[:LONGEST_NAME].strip()) or self._otherwise
            key, number = base, 2
            while key in self._taken:
                key, number = f"{base[: LONGEST_NAME - _ROOM]}-{number}", number + 1
            self._by_name[name] = key
            self._taken.add(key)
        return self._by_name[name]

    @property
    def changed(self) -> dict[str, str]:
        """Return the names that are no keys, by their keys."""
        return {key: name for name, key in self._by_name.items() if key != name}


def visible(name: str) -> str:
    """Return a name in one spelling (NFC) without characters that cannot be seen."""
    return "".join(letter for letter in unicodedata.normalize("NFC", name) if letter.isprintable()).strip()


def document_key(name: str) -> str:
    """Return the key of a document."""
    return visible(name)[:LONGEST_NAME].strip()


def pseudonym(name: str) -> str:
    """Return a rater's name as it can be shown; a long one ends in a digest, so that it stays apart from others."""
    shown = visible(name)
    if len(shown) <= LONGEST_RATER:
        return shown
    return f"{shown[: LONGEST_RATER - 9]}~{hashlib.sha256(shown.encode()).hexdigest()[:8]}"


def _slug(name: str) -> str:
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    return _NO_KEY.sub("-", plain).strip("-._")[: LONGEST_NAME - _ROOM]
