"""Sentences with the publications they cite, in paragraphs."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from analytics_app.methods_text.references import Reference


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence without its full stop, and the keys of the references it cites."""

    text: str
    cites: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Sentences under a heading."""

    heading: str
    sentences: Sequence[Sentence]


@dataclass(frozen=True, slots=True)
class MethodsText:
    """The paragraphs of a run, and the references they cite, in order of their keys."""

    paragraphs: Sequence[Paragraph]
    references: Sequence[Reference]

    def cited(self, sentence: Sentence) -> str:
        """Return the citations of a sentence by authors and years: "Likert, 1932; Amidei et al., 2019"."""
        short = {reference.key: reference.short for reference in self.references}
        return "; ".join(short[key] for key in sentence.cites)


def listed(words: Iterable[str]) -> str:
    """Join words as English does: "a", "a and b", "a, b and c"."""
    words = list(words)
    return " and ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))


def number(value: float) -> str:
    """Write a count or a median: 1,204 or 2.5."""
    return f"{value:,.0f}" if value == int(value) else f"{value:,.1f}"


def day(moment: datetime) -> str:
    """Write a day as papers do: 3 March 2026."""
    return f"{moment.day} {moment:%B %Y}"


def lowered(words: str) -> str:
    """Begin words with a small letter, unless they begin with an abbreviation: "mean", "MQM score"."""
    return words if words[1:2].isupper() else words[:1].lower() + words[1:]
