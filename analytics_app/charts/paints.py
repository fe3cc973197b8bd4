"""The colours of charts: shades of one colour for ordered labels, and different colours for others."""

from collections.abc import Sequence
from typing import TypeAlias

# A ground and the words on it.
Paint: TypeAlias = tuple[str, str]

# One hue from light to dark, each with the colour of words on it: the same on light and on dark pages, and so none of
# the colours that a page repaints (analytics_app.charts.svg).
DARK_WORDS, LIGHT_WORDS = "#10213b", "#ffffff"
SHADES: Sequence[Paint] = (
    ("#d6e4f7", DARK_WORDS),
    ("#a9c7ef", DARK_WORDS),
    ("#75a3e2", DARK_WORDS),
    ("#3d74c4", LIGHT_WORDS),
    ("#1c5dbd", LIGHT_WORDS),
    ("#154a9b", LIGHT_WORDS),
    ("#0f3470", LIGHT_WORDS),
)
# Categories, which have no order: hues that people with any kind of colour vision can tell from their neighbours.
CATEGORIES: Sequence[Paint] = (
    ("#8cbaf2", DARK_WORDS),
    ("#f4b36b", DARK_WORDS),
    ("#79cfa8", DARK_WORDS),
    ("#e79ac0", DARK_WORDS),
    ("#f1e07c", DARK_WORDS),
    ("#b8a2ee", DARK_WORDS),
    ("#c9ced6", DARK_WORDS),
    ("#72cdd8", DARK_WORDS),
    ("#d9a791", DARK_WORDS),
)
# The edge of what is painted, so that a light piece stands out on a light ground.
EDGE = "#8592a6"

# Of middle lightness, so that each line stands out on light and on dark ground (3 to 1 at least).
LINES = ("#2f7fd6", "#c2660c", "#2b8a57", "#8b62c9", "#c8507c", "#74808f")


def paints_for(labels: Sequence[str], *, ordered: bool) -> list[Paint]:
    """Return a paint for each label: shades as far apart as possible for ordered labels, else different colours."""
    n = len(labels)
    if not ordered and n <= len(CATEGORIES):
        return list(CATEGORIES[:n])
    last = len(SHADES) - 1
    return [SHADES[round(place * last / (n - 1)) if n > 1 else last // 2] for place in range(n)]
