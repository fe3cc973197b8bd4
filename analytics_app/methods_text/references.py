"""The publications that sources of task types, rules and analyses name, as BibTeX."""

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

BIBTEX = Path(__file__).with_name("references.bib")

_ENTRY = re.compile(r"^@(?P<kind>\w+)\{(?P<key>[a-z0-9-]+),\n(?P<fields>.*?)^\}$", re.MULTILINE | re.DOTALL)
_FIELD = re.compile(r"^  (\w+) = \{(.*)\},$", re.MULTILINE)
# "Kim and Kim (2022). Vacillating", "Bojar et al. (2016). Findings" or "ISO 4120:2021", as sources name them.
_NAMED = re.compile(
    r"(?P<surname>(?:De |van )?[^\W\d_a-z][\w-]*)(?:(?:,| and|) [^\W\d_a-z][\w-]*)*(?: et al\.)? \((?P<year>\d{4})\)"
    r"(?=\.? ?(?P<word>\w*))"
    r"|ISO (?P<standard>\d+):(?P<edition>\d{4})"
)


@dataclass(frozen=True, slots=True)
class Reference:
    """A publication: its key, the surnames of its authors, its year and title, and its entry in BibTeX."""

    key: str
    surnames: tuple[str, ...]
    others: bool
    year: str
    title: str
    bibtex: str

    @property
    def short(self) -> str:
        """The authors and the year as a text cites them: "Kim and Kim, 2022"."""
        return f"{self._authors}, {self.year}"

    @property
    def _authors(self) -> str:
        if self.others or len(self.surnames) > 2:
            return f"{self.surnames[0]} et al."
        return " and ".join(self.surnames)


@cache
def references() -> Mapping[str, Reference]:
    """Return every reference by its key."""
    text = BIBTEX.read_text(encoding="utf-8")
    return {match["key"]: _reference(match) for match in _ENTRY.finditer(text)}


def named_in(source: str) -> tuple[str, ...]:
    """Return the keys of the publications that a source names, in its order; those without an entry are left out."""
    keys = (_key(match) for match in _NAMED.finditer(source))
    return tuple(dict.fromkeys(key for key in keys if key in references()))


def software(version: str, year: int) -> Reference:
    """Return the reference of this program in the version that computed a run, and the year of that."""
    title = f"evalweb: human evaluation of generated text, version {version}"
    bibtex = (
        f"@misc{{evalweb,\n  author = {{{{evalweb developers}}}},\n  title = {{{title}}},\n  year = {{{year}}},\n}}"
    )
    return Reference("evalweb", ("evalweb developers",), False, str(year), title, bibtex)


def _reference(match: re.Match[str]) -> Reference:
    fields = dict(_FIELD.findall(match["fields"]))
    authors = fields["author"].split(" and ")
    surnames = tuple(author.partition(",")[0].strip("{}") for author in authors if author != "others")
    return Reference(match["key"], surnames, "others" in authors, fields["year"], fields["title"], match[0])


def _key(match: re.Match[str]) -> str:
    """Return the key of a publication; two publications of one author and year differ in their titles."""
    if match["standard"]:
        return f"iso-{match['standard']}-{match['edition']}"
    start = f"{_plain(match['surname'])}-{match['year']}"
    word = _plain(match["word"])
    same = [reference for key, reference in references().items() if key == start or key.startswith(f"{start}-")]
    titled = [reference.key for reference in same if word and _plain(reference.title).startswith(word)]
    return titled[0] if titled else start


def _plain(text: str) -> str:
    """Return letters and digits in lower case, without accents."""
    letters = unicodedata.normalize("NFKD", text.casefold())
    return "".join(letter for letter in letters if letter.isalnum())
