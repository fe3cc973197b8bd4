"""The languages of pages, and the script and direction of texts in any language."""

import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager

from django.conf import settings
from django.utils import translation

# Written from right to left, whatever the script says otherwise.
FROM_THE_RIGHT = frozenset({"ar", "arc", "ckb", "dv", "fa", "he", "ku", "ps", "sd", "ug", "ur", "yi"})


def shipped(language: str) -> str:
    """Return the language that pages are shown in for people of a language: itself, its base, or English."""
    known = [code for code, _name in settings.LANGUAGES]
    base = language.lower().split("-", maxsplit=1)[0]
    return next((code for code in (language.lower(), base) if code in known), settings.LANGUAGE_CODE)


def direction(language: str) -> str:
    """Return rtl for a language written from right to left, else ltr."""
    return "rtl" if language.lower().split("-", maxsplit=1)[0] in FROM_THE_RIGHT else "ltr"


def may_be_in(text: str, language: str) -> bool:
    """Return whether a text runs as texts of a language do, as far as its first letter tells."""
    turns = (unicodedata.bidirectional(one) for one in text)
    first = next((turn for turn in turns if turn in {"L", "R", "AL"}), None)
    return first is None or (first == "L") == (direction(language) == "ltr")


def to_choose_from() -> tuple[tuple[str, str], ...]:
    """Return the languages that are shipped, each with its name in itself: de, Deutsch."""
    names = {code: str(translation.get_language_info(code)["name_local"]) for code, _name in settings.LANGUAGES}
    return tuple((code, name[:1].upper() + name[1:]) for code, name in names.items())


def spoken() -> str:
    """Return the language that words are being said in: what a type marks words of its own with."""
    return translation.get_language() or settings.LANGUAGE_CODE


@contextmanager
def speaking(language: str) -> Iterator[str]:
    """Word what evalweb says in a language, or in English where that is not shipped; gives the language spoken.

    Words that belong to an instrument, such as the steps of agreement, are said in the language of the study: a rater
    who reads the page's own words in another language must not meet another scale.
    """
    with translation.override(shipped(language) if language else spoken()):
        yield spoken()


def mark(language: str, study_language: str) -> str:
    """Return what a text in a study is marked with: nothing where it is in the study's own language."""
    return "" if language == study_language.lower().split("-", maxsplit=1)[0] else language
