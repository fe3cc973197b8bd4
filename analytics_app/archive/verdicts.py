"""The verdicts of `manage.py verify`: the one place that says how each is worded, coloured and told to programs."""

from dataclasses import dataclass
from enum import Enum
from html import escape

# Sizes of the badge in pixels; letters of the font are this wide on average.
HEIGHT, PADDING, LETTER = 20, 8, 6.6
LABEL = "evalweb"
LABEL_COLOUR = "#2f343b"


class Colour(Enum):
    """The colour of a badge: only green says that everything is as the site published it."""

    GREEN = "#1a6b3a"
    GREY = "#5b616b"
    RED = "#a12622"


@dataclass(frozen=True, slots=True)
class Look:
    """The name of a verdict, its colour, the exit code of the command, and its meaning."""

    words: str
    colour: Colour
    exit_code: int
    meaning: str


class Verdict(Enum):
    """The verdict on an archive. Exit code 1 is that of errors, 2 that of a wrong command line."""

    PUBLISHED = Look(
        "verified, as published",
        Colour.GREEN,
        0,
        "Every number was computed again and is identical, and a known key signed every file.",
    )
    UNSIGNED = Look(
        "recomputed, unsigned",
        Colour.GREY,
        3,
        "Every number was computed again and is identical, but nothing says who published the archive.",
    )
    UNKNOWN_KEY = Look(
        "recomputed, signed by an unknown key",
        Colour.GREY,
        4,
        "Every number was computed again and is identical; anybody may have signed the archive.",
    )
    DISTRUSTED_KEY = Look(
        "recomputed, signed by a key that is not trusted",
        Colour.GREY,
        5,
        "Every number was computed again and is identical, but the key was declared compromised, or had been retired "
        "before it signed.",
    )
    CORRECTED = Look(
        "recomputed, except for a known correction",
        Colour.GREY,
        6,
        "All numbers are identical, except those that a later version of evalweb corrected.",
    )
    ALTERED = Look(
        "altered after it was signed",
        Colour.RED,
        7,
        "A file was changed after it was signed, or the signature is not valid.",
    )
    DIFFERS = Look(
        "not verified", Colour.RED, 8,
        "A number, a rating or a file does not agree with the rest of the archive.",
    )  # fmt: skip

    @property
    def words(self) -> str:
        """Return the name of the verdict, for badges and the first line of the command."""
        return self.value.words

    @property
    def colour(self) -> Colour:
        """Its colour."""
        return self.value.colour

    @property
    def exit_code(self) -> int:
        """The exit code of the command."""
        return self.value.exit_code

    @property
    def meaning(self) -> str:
        """Return the meaning of the verdict in a sentence."""
        return self.value.meaning


def badge(verdict: Verdict, summary: str) -> str:
    """Return a badge for a page or a repository, as SVG, with a summary that begins with the words of the verdict."""
    title = escape(f"{LABEL}: {summary}")
    left, right = (round(len(text) * LETTER + 2 * PADDING) for text in (LABEL, summary))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + right}" height="{HEIGHT}" role="img" '
        f'aria-label="{title}"><title>{title}</title><rect width="{left}" height="{HEIGHT}" fill="{LABEL_COLOUR}"/>'
        f'<rect x="{left}" width="{right}" height="{HEIGHT}" fill="{verdict.colour.value}"/>'
        f'<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">'
        f'<text x="{PADDING}" y="14">{LABEL}</text>'
        f'<text x="{left + PADDING}" y="14">{escape(summary)}</text></g></svg>\n'
    )
