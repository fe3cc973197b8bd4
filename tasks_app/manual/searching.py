"""Search the manual for words: sections that hold all of them, those with the words in their heading first."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tasks_app.manual.pages import Page, Section, pages, plain
from tasks_app.texts.patterns import any_of

MOST = 30
# Characters of an excerpt before and after the first word that was found.
BEFORE, AFTER = 80, 200


@dataclass(frozen=True, slots=True)
class Hit:
    """A section that was found, with a few words of it; `parts` alternates between plain text and found words."""

    page: Page
    section: Section
    parts: tuple[str, ...]


def search(words: str) -> list[Hit]:
    """Return the sections that hold all words, at most MOST of them; none without words."""
    terms = list(dict.fromkeys(words.casefold().split()))[:10]
    if not terms:
        return []
    ranked = sorted(_hits(terms), key=lambda hit: -hit[0])
    return [Hit(page, section, excerpt(section.text, terms)) for _rank, page, section in ranked[:MOST]]


def _hits(terms: list[str]) -> Iterator[tuple[float, Page, Section]]:
    for page in pages().values():
        title = page.title.casefold()
        for section in page.sections:
            heading, text = section.heading.casefold(), section.text.casefold()
            around = f"{title} {heading} {text}"
            # A page is found by its title once, not with every section.
            if all(word in around for word in terms) and any(word in heading or word in text for word in terms):
                weight = sum(10 * (word in heading) + 3 * (word in title) + min(text.count(word), 5) for word in terms)
                yield weight / section.level**0.5, page, section


def excerpt(text: str, terms: list[str]) -> tuple[str, ...]:
    """Return a few words around the first search term; every second part is a search term."""
    line = plain(re.sub(r"\||-{3,}|`{3}\w*", " ", text))
    any_term = any_of(terms, ignore_case=True)
    match = any_term.search(line)
    first = match.start() if match else 0
    start = max(0, first - BEFORE)
    start = line.find(" ", start) + 1 if start else 0
    end = first + AFTER
    parts = any_term.split(line[start:end])
    parts[-1] += "…" if end < len(line) else ""
    if start:
        parts[0] = f"…{parts[0]}"
    return tuple(parts)
