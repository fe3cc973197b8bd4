"""The languages of pages, and the script and direction of texts in any language."""

import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from functools import cache

from django.conf import settings
from django.conf.locale import LANG_INFO
from django.http import HttpRequest
from django.utils import translation
from django.utils.translation import gettext
from django.utils.translation.trans_real import parse_accept_lang_header

# Written from right to left, whatever the script says otherwise.
FROM_THE_RIGHT = frozenset({"ar", "arc", "ckb", "dv", "fa", "he", "ku", "ps", "sd", "ug", "ur", "yi"})

# Chinese is written in two ways, which tags name by script or by region; zh alone is simplified.
TRADITIONAL = frozenset({"hant", "tw", "hk", "mo"})


@dataclass(frozen=True, slots=True)
class Review:
    """A speaker of a language has read all its texts in their place and corrected them."""

    by: str
    on: date


# English is what the texts are written in. All other catalogues were translated by machine: whoever reads one through
# is named here, with the day. Until then raters and researchers are told.
REVIEWS: Mapping[str, Review] = {}


@dataclass(frozen=True, slots=True)
class PageLanguage:
    """A language that pages can be read in: its name, and a note for raters, both in the language itself."""

    code: str
    name: str
    note: str = ""


def match(language: str) -> str:
    """Return the shipped language that people of a language read: itself or its base; empty where there is none.

    Somebody who reads traditional Chinese (zh-TW, zh-Hant) is not shown the simplified script.
    """
    known = {code for code, _name in settings.LANGUAGES}
    base, *further = language.lower().split("-")
    if base == "zh":
        base = "" if TRADITIONAL.intersection(further) and "hans" not in further else "zh-hans"
    return next((code for code in (language.lower(), base) if code in known), "")


def closest(language: str, written: Iterable[str]) -> str:
    """Return the tag of the text for people of a language: their own, else a tag for readers of the same pages.

    `written` are the tags that texts have, the preferred ones first. Returns one of them, or "" where no text is for
    these people: traditional Chinese is never given for simplified.
    """
    tags, pages = list(written), match(language)
    exact = (tag for tag in tags if tag.lower() == language.lower())
    return next(exact, "") or next((tag for tag in tags if pages and match(tag) == pages), "")


def shipped(language: str) -> str:
    """Return the language that pages are shown in for people of a language: itself, its base, or English."""
    return match(language) or settings.LANGUAGE_CODE


def of_browser(request: HttpRequest) -> str:
    """Return the first shipped language that a browser asks for, or English.

    Django's own choice would give simplified Chinese to people who ask for traditional Chinese.
    """
    tags = parse_accept_lang_header(request.headers.get("Accept-Language", "").lower())
    return next(filter(None, (match(code) for code, _weight in tags)), settings.LANGUAGE_CODE)


def direction(language: str) -> str:
    """Return rtl for a language written from right to left, else ltr."""
    return "rtl" if language.lower().split("-", maxsplit=1)[0] in FROM_THE_RIGHT else "ltr"


def may_be_in(text: str, language: str) -> bool:
    """Return whether a text runs as texts of a language do, as far as its first letter tells."""
    turns = (unicodedata.bidirectional(character) for character in text)
    first = next((turn for turn in turns if turn in {"L", "R", "AL"}), None)
    return first is None or (first == "L") == (direction(language) == "ltr")


def isolated(text: str) -> str:
    """Return a text for a sentence of the active language: between isolating marks where it runs the other way.

    Without them the punctuation of the sentence would end up on the wrong side of a text of the other direction.
    """
    return text if may_be_in(text, spoken()) else f"\u2068{text}\u2069"


def is_reviewed(code: str) -> bool:
    """Return whether the texts of a shipped language are checked: they were written in it, or a speaker read them."""
    return code == settings.LANGUAGE_CODE or code in REVIEWS


@cache
def to_choose_from() -> tuple[PageLanguage, ...]:
    """Return the languages that are shipped."""
    return tuple(_page_language(code) for code, _name in settings.LANGUAGES)


def _page_language(code: str) -> PageLanguage:
    name = str(translation.get_language_info(code)["name_local"])
    with translation.override(code):
        note = "" if is_reviewed(code) else gettext("machine translated, not yet checked by a speaker")
    return PageLanguage(code, name[:1].upper() + name[1:], note)


def english_name(code: str) -> str:
    """Return the English name of a language, such as Simplified Chinese; its code where Django has no name for it."""
    if code not in LANG_INFO and code.partition("-")[0] == "zh":
        return "Chinese"
    try:
        return str(translation.get_language_info(code)["name"])
    except KeyError:
        return code


def spoken() -> str:
    """Return the active language, with which a type marks its own words."""
    return translation.get_language() or settings.LANGUAGE_CODE


@contextmanager
def speaking(language: str) -> Iterator[str]:
    """Activate a language for evalweb's own words, or English where it is not shipped; yield the language used.

    Words that belong to an instrument, such as the steps of agreement, are said in the language of the study: a rater
    who reads the page's own words in another language must not meet another scale.
    """
    with translation.override(shipped(language) if language else spoken()):
        yield spoken()


def mark(language: str, study_language: str) -> str:
    """Return the language mark of a text in a study: empty where it is in the study's own language."""
    return "" if language == match(study_language) else language
