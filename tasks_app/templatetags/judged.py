"""Template tags that show the texts and media of a screen."""

from collections.abc import Sequence
from dataclasses import dataclass

from django import template
from django.utils.safestring import SafeString
from django.utils.translation import gettext

from tasks_app import languages, richtext
from tasks_app.task_types.base import Media, Screen, ShownPart

register = template.Library()

# Longer than this, in characters, what comes before a text is opened by who needs it.
LONG_CONTEXT = 600


@register.filter
def is_rich(screen: object) -> bool:
    """Say whether the texts of a screen are Markdown to be rendered: not where the characters themselves are judged."""
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
def is_long(texts: Sequence[str]) -> bool:
    """Say whether what comes before a text is too long to stand open above it."""
    return sum(map(len, texts)) > LONG_CONTEXT


@dataclass(frozen=True, slots=True)
class ShownMedia:
    """A picture, sound or film as it is shown: `id` names it in the log, `words` to a person."""

    media: Media
    id: str
    heading: str
    words: str


@register.filter
def shown_media(of: object) -> list[ShownMedia]:
    """Return the media of a screen, or of one of its texts, with their descriptions, or else “Picture 1”."""
    media, letter = _media_of(of)
    headings = {"image": gettext("Picture"), "audio": gettext("Sound"), "video": gettext("Film")}
    counts: dict[str, int] = {}
    shown = []
    for one in media:
        number = counts[one.kind] = counts.get(one.kind, 0) + 1
        several = sum(other.kind == one.kind for other in media) > 1
        heading = " ".join([headings.get(one.kind, one.kind), *[letter] * bool(letter), *[str(number)] * several])
        of_text = f"-{letter}" if letter else ""
        shown.append(ShownMedia(one, f"{one.kind}{of_text}-{number}", heading, one.description or heading))
    return shown


def _media_of(of: object) -> tuple[Sequence[Media], str]:
    """Return the media of a screen or of a text, and the letter of the text."""
    if isinstance(of, ShownPart):
        return of.part.media, of.letter
    return (of.media if isinstance(of, Screen) else ()), ""
