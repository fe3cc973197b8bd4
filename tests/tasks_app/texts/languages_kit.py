"""Reading pages for their language: what a rater is shown, and what of it is English of ours."""

import html
import re
import shutil
from collections.abc import Mapping
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from random import Random

import yaml
from django.conf import settings

from scripts import messages, po
from tasks_app import studyfile
from tasks_app.management.simulated_raters import Visitor
from tasks_app.management.transports import Answer, InProcess
from tasks_app.models import Rater, Study
from tasks_app.services import rater_language
from tasks_app.services.study import lifecycle
from tasks_app.task_types.base import Quality
from tests import extent
from tests.house.examples import FOLDERS

ROOT = Path(settings.BASE_DIR)

# Whole pages are read in these languages, since that takes long; catalogues are held to the texts in all of them.
READ_WHOLE = ("de", "ar") if extent.is_exhaustive() else ("ar",)
PLACEHOLDER = re.compile(r"%\(\w+\)[sd]|\{\w+\}|\s*\n\s*|\*\*")
LONGEST_NAME = 12  # characters; shorter words can be a study's own by chance

# Attributes that are read out or shown.
SPOKEN = ("aria-label", "aria-valuetext", "alt", "placeholder", "title", "label")

# What is the same in every language because it is a name.
NAMES = frozenset({"evalweb", "English", "Deutsch", "Español", "Prolific", "Mechanical Turk"})


class Reading(InProcess):
    """A transport that keeps the pages a rater was shown."""

    def __init__(self) -> None:
        super().__init__()
        self.pages: list[tuple[str, str]] = []

    def get(self, path: str) -> Answer:
        """Fetch a page and keep it."""
        answer = super().get(path)
        if answer.status == 200:
            self.pages.append((re.sub(r"/r/[^/]+/", "/r/…/", path), answer.body))
        return answer


def example(name: str, folder: Path, language: str) -> tuple[Study, str]:
    """Load an example as a study in a language, open; returns it with everything its file says."""
    copy = folder / f"{name}-{language}"
    shutil.copytree(FOLDERS[name], copy)
    document = yaml.safe_load((copy / "study.yaml").read_text(encoding="utf-8"))
    document["study"] |= {"slug": copy.name, "language": language}
    text = yaml.safe_dump(document, allow_unicode=True, width=100_000)
    (copy / "study.yaml").write_text(text, encoding="utf-8")
    study = studyfile.load(copy, owner=None)
    said = " ".join(one.read_text(encoding="utf-8") for one in copy.glob("*.[cyj]*"))
    return lifecycle.move(study_id=study.pk, action="open", by=None), " ".join(said.split())


def walk(
    study: Study, language: str = "", units: int | None = None, *, every_page: bool = True
) -> list[tuple[str, str]]:
    """Let a careful rater go through a study and look at every page beside; returns the pages with their addresses.

    With `language` they choose it once they have agreed, with `units` they stop after so many. Without `every_page`
    they leave out what is the same in every study.
    """
    transport = Reading()
    visitor = Visitor(study, transport, Quality.CAREFUL, Random(4), stops_after=units)
    assert visitor.arrive()
    if language:
        rater_language.choose(rater_id=Rater.objects.latest("id").pk, language=language)
        transport.pages.clear()
    for page in ("help/", "stop/", "texts/", "stored/", "withdraw/") if every_page else ("help/", "texts/"):
        transport.get(f"/r/{visitor.token}/{page}")
    assert visitor.judge()
    transport.get(f"/r/{visitor.token}/stored/")
    return transport.pages


@cache
def english() -> tuple[str, ...]:
    """Return what is English of ours, for raters or not: pieces of sentences that stand in no translation."""
    texts = set(messages.collect())
    everything = messages.Source("")
    for path in [*ROOT.glob("tasks_app/**/*.py"), *ROOT.glob("templates/**/*.html")]:
        texts |= set(messages.READERS[path.suffix](path, everything, strict=False))
    sentences = [text for one in texts for text in (one.text, one.plural)]
    pieces = {piece.strip(" .,:;“”") for text in sentences for piece in PLACEHOLDER.split(text)}
    return tuple(sorted(piece for piece in pieces if len(piece) > LONGEST_NAME and piece not in _translated()))


@cache
def _translated() -> str:
    catalogues = [po.read(messages.catalogue(language)) for language in messages.LANGUAGES]
    return " ".join(words for known in catalogues for one in known.values() for words in one.translations)


@cache
def _by_beginning() -> Mapping[str, list[str]]:
    """Return the pieces by their beginnings: to search a page for each in turn takes five times as long."""
    pieces: dict[str, list[str]] = {}
    for piece in english():
        pieces.setdefault(piece[: LONGEST_NAME + 1], []).append(piece)
    return pieces


def english_in(page: str, own: str) -> list[str]:
    """Return what English of ours a page says that its study does not say itself."""
    said, pieces = words_of(page), _by_beginning()
    found = {
        piece
        for place in range(len(said))
        for piece in pieces.get(said[place : place + LONGEST_NAME + 1], ())
        if said.startswith(piece, place)
    }
    return sorted(piece for piece in found if piece not in own)


def words_of(page: str) -> str:
    """Return everything a page says: texts, and what attributes such as aria-label say."""
    return " ".join(html.unescape(page).split())


def head(page: str) -> tuple[str, str]:
    """Return language and direction of a page."""
    found = re.search(r'<html lang="([^"]*)" dir="([^"]*)"', page)
    assert found is not None, page[:200]
    return found[1], found[2]


class _Texts(HTMLParser):
    """Collects the texts of a page that are not marked as being in a language of their own."""

    VOID = frozenset({"br", "hr", "img", "input", "link", "meta", "source", "track", "wbr", "path", "circle"})

    def __init__(self) -> None:
        super().__init__()
        self.open: list[tuple[str, bool]] = []
        self.found: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        silent = tag in {"script", "style"} or (tag != "html" and "lang" in given)
        silent = silent or bool(self.open and self.open[-1][1])
        if not silent:
            self.found |= {str(given[name]) for name in SPOKEN if given.get(name)}
        if tag not in self.VOID:
            self.open.append((tag, silent))

    def handle_endtag(self, tag: str) -> None:
        while self.open and self.open.pop()[0] != tag:
            pass

    def handle_data(self, data: str) -> None:
        if self.open and not self.open[-1][1]:
            self.found.add(" ".join(data.split()))


def own_words(page: str) -> set[str]:
    """Return the texts of a page that are in the page's own language, names and numbers left out."""
    parser = _Texts()
    parser.feed(page)
    return {text for text in parser.found if re.search(r"[^\W\d_]{4}", text) and text not in NAMES and "@" not in text}


def said_alike(english_pages: list[tuple[str, str]], others: list[tuple[str, str]], own: str) -> set[str]:
    """Return what pages in another language say word for word as in English: nobody translated it.

    Left out is what the study says itself, and words that are the same in both.
    """
    first, second = (set().union(*(own_words(page) for _address, page in pages)) for pages in (english_pages, others))
    return {text for text in first & second if text not in own and text not in _translated()}
