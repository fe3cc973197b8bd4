"""The changes of an editor in words, for pages without a script."""

import re
from difflib import SequenceMatcher

WORDS = re.compile(r"\w+|\s+|[^\w\s]")

# Longer lists of changes help nobody who compares two answers.
MOST_CHANGES = 20

# Comparing takes time in proportion to the product of the numbers of words; above this product, the words that differ
# are one change.
MOST_COMPARED = 1_000_000


def unified(text: str) -> str:
    """Write line ends as one line feed: browsers send two characters, texts may hold either."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def changes(before: str, after: str) -> list[tuple[str, str]]:
    """Return the replacements in order: the words before and the words after, one of them perhaps empty."""
    old, new = WORDS.findall(before), WORDS.findall(after)
    shorter = min(len(old), len(new))
    head = next((place for place in range(shorter) if old[place] != new[place]), shorter)
    old, new = old[head:], new[head:]
    shorter -= head
    tail = next((place for place in range(shorter) if old[-1 - place] != new[-1 - place]), shorter)
    old, new = old[: len(old) - tail], new[: len(new) - tail]
    if len(old) * len(new) > MOST_COMPARED:
        return [("".join(old), "".join(new))]
    steps = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    return [("".join(old[a:b]), "".join(new[c:d])) for kind, a, b, c, d in steps if kind != "equal"]


def changes_in_words(before: str, after: str) -> str:
    """Describe the changes: “old” → “new”, + “new”, − “old”; empty where there are none."""
    trimmed = [(old.strip() or old, new.strip() or new) for old, new in changes(before, after)]
    parts = [
        f"“{old}” → “{new}”" if old and new else f"+ “{new}”" if new else f"− “{old}”"
        for old, new in trimmed[:MOST_CHANGES]
    ]
    return "; ".join([*parts, "…"] if len(trimmed) > MOST_CHANGES else parts)
