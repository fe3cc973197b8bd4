"""Template tags that show the texts and media of a screen."""

import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from django import template
from django.utils.html import escape, format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext

from tasks_app.task_types.base import Media, Screen, ShownPart
from tasks_app.task_types.highlights import Chains, Highlight, Node, nested, places_in_chain
from tasks_app.texts import languages, richtext

register = template.Library()


class ShowsScreen(Protocol):
    """A block of a page that shows a screen."""

    @property
    def screen(self) -> Screen:
        """The screen."""


# A longer context of a text, in characters, is folded until it is needed.
LONG_CONTEXT = 600

# A text of more than this many letters is taller than a screen; letters that are as wide as high count twice.
LONG_TEXT = 3_000

# Colours and lines that tell chains apart; the number of a chain does so as well, beyond them.
COLOURS = 6
LINES = 3

# Mentions within one another that have lines of their own; those outside of more share one.
DEEPEST = 5


@register.filter
def is_rich(screen: object) -> bool:
    """Return whether texts of a screen are Markdown to be rendered: not where the characters themselves are judged."""
    if not isinstance(screen, Screen) or screen.format != "markdown":
        return False
    return not screen.kind.plain_text


@register.filter
def language_of_source(screen: object, text: str) -> str:
    """Return the language to mark a source with: the stated one, or else that of the study, as long as it can be.

    A German source in an Arabic study that states no language for it is in no language that is known: marked as
    Arabic, it would be read out with the wrong voice and drawn in the wrong typeface.
    """
    if not isinstance(screen, Screen):
        return ""
    return screen.source_language or (screen.language if languages.may_be_in(text, screen.language) else "")


@register.filter
def rich(text: str) -> SafeString:
    """Render Markdown as safe HTML."""
    return richtext.judged_html(text)


@register.filter
def direction(language: str) -> str:
    """Return the direction of a scale: that of its words, for all raters of a study, in any language of their pages."""
    return languages.direction(language)


@register.filter
def isolated(text: str) -> str:
    """Return a text of a study for a sentence of the page, whichever way each of them runs."""
    return languages.isolated(text)


@register.simple_tag
def highlighted(text: str, highlights: Sequence[Highlight], screen: Screen) -> SafeString:
    """Write a text with its highlights marked; a mention begins with the number of its chain on the screen."""
    chains = screen.chains
    return _pieces(nested(text, highlights), _words_of(highlights, chains), chains)


def _words_of(highlights: Sequence[Highlight], chains: Chains) -> dict[Highlight, str]:
    """Return the words that a screen reader says before each mention."""
    words = gettext("Number %(number)d, mention %(place)d of %(total)d:")
    return {
        mention: words % {"number": chains.numbers[mention.chain], "place": place, "total": total}
        for mention, place, total in places_in_chain(highlights)
        if mention.chain
    }


def _pieces(nodes: Iterable[Node], words: Mapping[Highlight, str], chains: Chains) -> SafeString:
    return format_html_join("", "{}", ((_piece(node, words, chains),) for node in nodes))


def _piece(node: Node, words: Mapping[Highlight, str], chains: Chains) -> SafeString:
    highlight = node.highlight
    if highlight is None:
        return escape(node.words)
    inner = _pieces(node.inner, words, chains)
    if not highlight.chain:
        end = format_html('<span class="visually-hidden"> ({})</span>', gettext("highlighted")) if node.ends else ""
        return format_html('<mark class="highlight">{}{}</mark>', inner, end)
    number = chains.numbers[highlight.chain]
    begins = format_html(
        '<span class="mention-number" data-mention><span aria-hidden="true">{}</span>'
        '<span class="visually-hidden">{} </span></span>',
        number,
        words[highlight],
    )
    return format_html(
        '<span class="mention mention-{} mention-line-{} mention-depth-{}" data-chain="{}"{}{}>{}{}</span>',
        (number - 1) % COLOURS + 1,
        (number - 1) // COLOURS % LINES + 1,
        min(node.depth, DEEPEST),
        number,
        SafeString(" data-begins" if node.begins else ""),
        SafeString(" data-ends" if node.ends else ""),
        begins if node.begins else "",
        inner,
    )


@register.filter
def is_long(screen: Screen) -> bool:
    """Return whether the context of a text is too long to stand open above it."""
    return sum(len(source) + len(text) for source, text in screen.preceding) > LONG_CONTEXT


@register.filter
def is_tall(text: str) -> bool:
    """Return whether a text is so long that it has a pane of its own beside its questions, where there is room."""
    if len(text) * 2 <= LONG_TEXT:
        return False
    return len(text) + sum(unicodedata.east_asian_width(letter) in "WF" for letter in text) > LONG_TEXT


@register.filter
def shows_tall_text(blocks: Iterable[ShowsScreen]) -> bool:
    """Return whether a text of a page is so long that the page has a jump to the questions and a way back."""
    return any(is_tall(text) for block in blocks for text in _texts_of(block.screen))


def _texts_of(screen: Screen) -> Iterator[str]:
    yield from (part.text for part in screen.parts)
    yield from (screen.source, screen.reference, screen.personal_text, *screen.context, *screen.context_texts)


@dataclass(frozen=True, slots=True)
class ShownMedia:
    """A picture, sound or film as it is shown: `id` names it in the log, `words` to a person.

    `is_output` says that it is judged: the words of a sound or film are then shown on demand only.
    """

    media: Media
    id: str
    heading: str
    words: str
    language: str = ""
    is_output: bool = False

    @property
    def player(self) -> str:
        """The name of the player: a transcript is too long for it."""
        return self.heading if self.is_output else self.words


@register.filter
def shown_media(owner: object) -> list[ShownMedia]:
    """Return the media of a screen, or of one of its texts, with their descriptions, or else “Picture 1”."""
    media, letter = _media_of(owner)
    headings = {"image": gettext("Picture"), "audio": gettext("Sound"), "video": gettext("Film")}
    if _stands_beside_files(owner):
        headings = {
            "image": gettext("Source picture"),
            "audio": gettext("Source sound"),
            "video": gettext("Source film"),
        }
    counts: dict[str, int] = {}
    shown = []
    for medium in media:
        number = counts[medium.kind] = counts.get(medium.kind, 0) + 1
        several = sum(other.kind == medium.kind for other in media) > 1
        heading = " ".join([headings.get(medium.kind, medium.kind), *[letter] * bool(letter), *[str(number)] * several])
        of_text = f"-{letter}" if letter else ""
        shown.append(ShownMedia(medium, f"{medium.kind}{of_text}-{number}", heading, medium.description or heading))
    return shown


@register.simple_tag
def shown_output(file: Media, words: str, heading: str, key: str, language: str) -> ShownMedia:
    """Return a picture, sound or film that is judged, under its heading; `key` tells it from others in the log."""
    return ShownMedia(file, f"output-{key}", heading, words.strip() or heading, language, is_output=True)


def _stands_beside_files(owner: object) -> bool:
    """Return whether pictures, sounds or films are judged as well, so that headings must tell texts apart."""
    if isinstance(owner, Screen):
        return owner.shows_files
    return isinstance(owner, ShownPart) and owner.part.file is not None


def _media_of(owner: object) -> tuple[Sequence[Media], str]:
    """Return the media of a screen or of a text, and the letter of the text."""
    if isinstance(owner, ShownPart):
        return owner.part.media, owner.letter
    return (owner.media if isinstance(owner, Screen) else ()), ""
