"""Texts of which a program may lose something: quotation marks, separators, controls, marks of order, other scripts."""

from collections.abc import Iterator
from random import Random

from hypothesis import strategies as st

# Characters that some format, spreadsheet or reader treats as its own.
AWKWARD = (
    *"\"'`,;|\t\n\r\\/=+-@ #%&<>{}[]()~^$*?:!_", "\r\n", "\n\n", "\u00a0", "\u0085", "\u2028", "\u2029", "\ufeff",
    "\u200b", "\u200e", "\u202e", "\u00ad", "\u0301", "\ufffd", "\ufffe", "\x01", "\x07", "\x0b", "\x0c", "\x1b",
    "\x1c", "\x1f", "\x7f", "\x9f", "é", "e\u0301", "ß", "İ", "ı", "中", "한", "ي", "ि", "🙂", "👩\u200d🔬", "🇩🇪",
    "\U000e0001", "\U0010ffff", "\ue000",
)  # fmt: skip
# Whole cells that some program takes for something else.
WORDS = (
    " ", "  x", "x  ", "=1+1", "'=1+1", "''+49", "+49", "-5", "@a", "\t=x", "\r=x", "\\N", "\\.", "\\t", '""', "''",
    "nan", "NA", "None", "null", "N/A", "-", "true", "TRUE", "0", "007", "1.0", "1e5", "12345678901234567890",
    "2026-03-31", "3/4", "[1, 2]", '{"a": 1}', "&amp;", "<b>x</b>", "_x000D_", "sep=;", "#REF!", "$1", "%s", "{0}",
    "\ufeffx", "x\ufeffy",
)  # fmt: skip


def texts(largest: int = 20) -> st.SearchStrategy[str]:
    """Return texts that can be stored; `largest` is how many characters, or awkward pieces, they have at most."""
    storable = st.characters(exclude_characters="\x00", exclude_categories=["Cs"])
    pieces = st.one_of(st.sampled_from(AWKWARD), storable)
    return st.one_of(st.sampled_from(WORDS), st.lists(pieces, max_size=largest).map("".join))


def many(n: int, seed: int) -> Iterator[str]:
    """Yield as many such texts: the same for the same seed."""
    rng = Random(seed)
    planes = ((0x20, 0x7F), (0xA0, 0x2FF), (0x370, 0xFFF), (0x3000, 0xD7FF), (0xE000, 0xFFFD), (0x10000, 0x10FFFF))
    for _number in range(n):
        if rng.random() < 0.2:
            yield rng.choice(WORDS)
            continue
        low, high = rng.choice(planes)
        yield "".join(
            rng.choice(AWKWARD) if rng.random() < 0.5 else chr(rng.randint(low, high))
            for _piece in range(rng.randint(0, 8))
        )
