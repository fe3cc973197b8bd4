"""The texts of a plot of marks, word by word, with the number of raters who marked them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from analytics_app.charts.strips import level_of

# The kind of plot that has texts.
KIND = "marks-in-text"


@dataclass(frozen=True, slots=True)
class Words:
    """Words, the number of raters who marked them, their shade (0 for none, else 1 to 3), and raters by severity."""

    text: str
    raters: int
    level: int
    severities: str


@dataclass(slots=True)
class MarkedText:
    """A text of a system with its words; `most` raters of the `raters` who saw it marked the same words."""

    system: str
    item: str
    raters: int
    most: int = 0
    words: list[Words] = field(default_factory=list)


def texts_of(spec: Mapping[str, Any]) -> Iterator[MarkedText]:
    """Yield the texts of a plot in its order."""
    texts: dict[int, MarkedText] = {}
    for piece in spec["data"]["values"]:
        text = texts.setdefault(piece["text"], MarkedText(piece["name"], piece["item"], piece["n"]))
        words = Words(piece["words"], piece["value"], level_of(piece["share"]), piece["severities"])
        # Where one rater's mark ends as another's begins, as many raters go on.
        if text.words and replace(text.words[-1], text="") == replace(words, text=""):
            words = replace(words, text=text.words.pop().text + words.text)
        text.words.append(words)
        text.most = max(text.most, piece["value"])
    yield from texts.values()
