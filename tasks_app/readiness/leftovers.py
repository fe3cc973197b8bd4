"""Text that somebody meant to replace: brackets to fill in, addresses of examples, words of a template."""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path as FilePath
from typing import Any

import yaml
from django.conf import settings
from django.utils.translation import gettext as _

from tasks_app.hooks.sections import Path
from tasks_app.readiness.base import Facts, Level, Point, register

KIND = "leftover"

# The first items, whose texts are looked for among those that came with the consent text.
_COMPARED = 20

# Square brackets with words in them. Not Markdown's links and notes: [text](address), [text][1], [1].
_BRACKET = re.compile(r"(?<!\])\[(?=[^\[\]\n]*[^\W\d_]{2})([^\[\]]{2,300})\](?![(\[:])")

# What brackets begin with that are meant to be replaced, in texts where other brackets are usual.
_TO_REPLACE = re.compile(
    r"(?:your|name|insert|add|fill|enter|write|describe|say|state|give|replace|change|which|who|what|how|when|until"
    r"|where|an? (?:e-?mail )?address|the institution|date|number|link|url|placeholder|if you|such as"
    r"|ihr|name|bitte|hier|wer|was|wie|wann|bis wann|votre|nom|insérer|à compléter|qui|combien"
    r"|su|nombre|insertar|cuánto|seu|nome|inserir|quanto)\b",
    re.IGNORECASE,
)

# Words and signs that stand for something still to be written, wherever they are.
_UNWRITTEN = re.compile(
    r"\b(?:TODO|TBD|TBA|TBC|FIXME|XXX+)\b"
    r"|\blorem ipsum\b"
    r"|\{\{[^{}]{1,80}\}\}"
    r"|<(?:your|name|insert|enter|e-?mail)[^<>]{0,60}>"
    r"|_{5,}"
    r"|\bto be (?:filled in|completed|announced|determined|added|written|confirmed)\b"
    r"|\b(?:DD|MM)[/.-](?:MM|DD)[/.-]YY(?:YY)?\b|\bTT\.MM\.JJ(?:JJ)?\b|\b(?:HH|hh):mm\b"
    r"|\bnoch (?:zu )?(?:ergänzen|schreiben)\b|\bYOUR[_-]?(?:CODE|LINK|URL)\b"
    r"|\b(?:insert|fill in|add) (?:\w+ ){0,3}here\b"
    r"|\bbitte (?:eintragen|ausfüllen)\b|\bnoch auszufüllen\b|\bà (?:compléter|remplir)\b"
    r"|\b(?:por completar|a rellenar|a preencher|por preencher)\b"
    r"|待填写|要記入|작성 예정|يُستكمل لاحقا",
    re.IGNORECASE,
)

# A value that is nothing but the name of what belongs there. Within a sentence these words may be meant.
_ONLY_A_NAME = re.compile(
    r"(?:the |your |ihre? |votre |su |sua )"
    r"(?:institution|university|group|department|laboratory|lab|name|e-?mail(?: address)?|einrichtung|universität"
    r"|université|institución|universidad|instituição|universidade)(?: name)?|您的机构|귀하의 기관|未定",
    re.IGNORECASE,
)

# A title or institution that nobody would show to raters: what is typed to try the form out.
_TO_TRY = re.compile(
    r"(?:test(?: study)?(?: ?\d+)?|untitled(?: study)?|new study|my(?: first)? study|asdf\w*|foo|bar|qwertz?y?"
    r"|neue studie|teststudie|unbenannt|sans titre|sin título|sem título)",
    re.IGNORECASE,
)
_COPY = re.compile(r"(?:copy of|kopie von) .+", re.IGNORECASE)

# Domains that are reserved for documentation (RFC 2606, RFC 6761), and names that nobody has. What stands before an @
# is read from the beginning of a word alone, and for 64 characters at most (RFC 5321): a text without an @ would
# otherwise be read anew from each of its characters. No domain is read on from its end once for each of its labels.
_ADDRESS = re.compile(
    r"(?:(?:(?<![\w.+-])[\w.+-]{1,64})?@|https?://)(?:[\w-]+\.)*"
    r"(?:example(?:\.(?:com|org|net|edu))?|beispiel\.(?:de|com|org)|[\w-]+\.(?:example|invalid|test)|localhost)"
    r"(?![.-]*\w)|\b(?:you|your[._-]?name|name|someone)@[\w-]+(?:\.[\w-]+)+",
    re.IGNORECASE,
)

# The group that runs the shipped examples, and the form of its approvals.
_EXAMPLE = re.compile(r"\bUniversity of Examples\b|\bExample group\b|\bEX-\d{4}-\d{2}\b")


def found_in(text: str, *, any_bracket: bool = False) -> str:
    """Return the left-over words of a text, as they stand there; "" if there are none.

    `any_bracket` says that square brackets have no other use in such a text.
    """
    for bracket in _BRACKET.finditer(text):
        if any_bracket or _TO_REPLACE.match(bracket[1].strip()) or _UNWRITTEN.search(bracket[1]):
            return _shortened(bracket[0])
    whole = text.strip(" .\n")
    if _ONLY_A_NAME.fullmatch(whole) or _TO_TRY.fullmatch(whole) or _COPY.fullmatch(whole):
        return _shortened(text)
    for pattern in (_UNWRITTEN, _ADDRESS, _EXAMPLE):
        if match := pattern.search(text):
            return _shortened(match[0])
    return ""


def n_found_in(text: str) -> int:
    """Count the square brackets of a consent text that are to be filled in."""
    return len(_BRACKET.findall(text))


def _shortened(words: str) -> str:
    words = " ".join(words.split())
    return words if len(words) <= 60 else f"{words[:57]}…"


@register
def in_consent(facts: Facts) -> Iterator[Point]:
    """Yield left-over words of the consent text and of the texts beside it: the research team and the contacts."""
    for language, text in facts.consent.items():
        if words := found_in(str(text), any_bracket=True):
            n = n_found_in(text)
            sentence = (
                _("The consent text has %(n)d places to fill in, such as “%(words)s”.") % {"n": n, "words": words}
                if n > 1
                else _("The consent text still contains “%(words)s”. Replace it with your own text.") % {"words": words}
            )
            yield Point(KIND, sentence, ("consent", language), Level.FINAL)
    for name, value in facts.section("about").items():
        if isinstance(value, str) and (words := found_in(value, any_bracket=True)):
            sentence = _("Raters would read “%(words)s” here. Write what is true of your study.") % {"words": words}
            yield Point(KIND, sentence, ("about", name), Level.FINAL)


@cache
def _shipped_consents() -> Mapping[str, tuple[str, FilePath]]:
    """Return the title and the folder of every shipped study, by its consent text."""
    texts: dict[str, tuple[str, FilePath]] = {}
    for path in sorted((FilePath(settings.BASE_DIR) / "examples").rglob("study.yaml")):
        given: dict[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
        consent = given.get("consent") or ""
        for text in consent.values() if isinstance(consent, dict) else [consent]:
            texts[str(text).strip()] = (str(given["study"]["title"]), path.parent)
    return texts


@register
def consent_about_other_texts(facts: Facts) -> Iterator[Point]:
    """Yield a consent text that came with an example or template, where the texts are no longer those it describes."""
    items = facts.document.get("items")
    texts = [output["text"] for item in items[:_COMPARED] for output in item["outputs"]] if items else []
    for language, text in facts.consent.items():
        title, folder = _shipped_consents().get(str(text).strip(), ("", None))
        if folder is None or not texts or any(words and words in _shipped_texts(folder) for words in texts):
            continue
        sentence = _(
            "The consent text came with “%(title)s” and describes its texts, which are no longer in the study. Say "
            "what your raters read and do, and how long it takes."
        )
        yield Point(KIND, sentence % {"title": title}, ("consent", language))


def _shipped_texts(folder: FilePath) -> str:
    """Return the items file of a shipped study."""
    return "".join(path.read_text(encoding="utf-8") for path in sorted(folder.glob("items.*")))


@register
def in_other_texts(facts: Facts) -> Iterator[Point]:
    """Yield left-over words of the other texts that raters read: titles, instructions, questions, pay, warnings."""
    groups: tuple[tuple[Path, Any], ...] = (
        (("study", "public_title"), facts.section("study").get("public_title")),
        *((("pay", name), facts.section("pay").get(name)) for name in ("bonus", "paid")),
        *((("codes", name), code) for name, code in facts.section("codes").items()),
        (("flow", "content_warning"), facts.section("flow").get("content_warning")),
        (("criteria",), facts.document.get("criteria")),
        *((("tasks", place, name), task.get(name)) for place, task in facts.tasks for name in _OF_TASKS),
    )
    for path, value in groups:
        for place, text in _texts(path, value):
            if words := found_in(text):
                sentence = _("Raters would read “%(words)s” here. Write what belongs there.") % {"words": words}
                yield Point(KIND, sentence, place)


def leftovers_in(facts: Facts) -> list[Point]:
    """Return all left-over text, also where other settings have problems."""
    return [*in_consent(facts), *in_other_texts(facts)]


# What raters read of a task.
_OF_TASKS = ("title", "instructions", "params")


def _texts(path: Path, value: Any) -> Iterator[tuple[Path, str]]:
    """Yield every text within a value, with the place of its setting."""
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, Mapping):
        for name, inner in value.items():
            if name not in {"key", "heds"}:
                yield from _texts((*path, name), inner)
    elif isinstance(value, list | tuple):
        for place, inner in enumerate(value):
            # A list of words is one setting.
            yield from _texts((*path, place) if isinstance(inner, Mapping) else path, inner)
