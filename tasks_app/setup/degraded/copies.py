"""Changed copies of the texts of a draft, worse or reworded: planning them, and adding them as further systems."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import pairwise
from random import Random

import regex
from django.utils.functional import Promise
from django.utils.translation import gettext as _

from tasks_app.hooks.sections import Json
from tasks_app.models import Setup, System
from tasks_app.services import events
from tasks_app.services.database import atomically
from tasks_app.setup.degraded.kinds import INSERTION, LABELS, MADE, RENAMING, SAME, SUBSTITUTION, degraded
from tasks_app.setup.degraded.same import Given, reworded
from tasks_app.setup.texts import reads, writes
from tasks_app.studyfile.files.media import OUTPUT_FILE

# Most copies that a page can make while the researcher waits.
MOST_COPIES = 20_000

LONGEST_KEY = 100

# No words for the kinds that need some.
NOTHING = Given()

# All kinds of copies that the program makes, with their names.
NAMES: Mapping[str, Promise] = {**LABELS, **{kind: SAME[kind] for kind in MADE}}

# Kinds of systems whose texts are copies.
COPIES = frozenset({System.Kind.DEGRADED.value, System.Kind.REWORDED.value})

# What a row says about an item beside its texts.
_NOT_TEXT = frozenset({"item", "system", "variant", "output", "language", "source_language", "format", "position"})

_WORDS = regex.compile(r"\s*\p{Nd}|\s*[^\s\p{Nd}]+|\s+$")


class CannotDegrade(Exception):
    """Copies that cannot be made; the message says why."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Words of a text, and whether its copy (or the original) has others in their place."""

    words: str
    changed: bool


@dataclass(frozen=True, slots=True)
class Copy:
    """A changed copy: the row that is added, and the text that it is made from."""

    kind: str
    original: str
    cells: Mapping[str, str]

    @property
    def text(self) -> str:
        """Return the changed text."""
        return self.cells["output"]

    @property
    def before(self) -> list[Piece]:
        """Return the original in pieces, changed ones marked."""
        return _pieces(self.original, self.text)

    @property
    def after(self) -> list[Piece]:
        """Return the copy in pieces, changed ones marked."""
        return _pieces(self.text, self.original)


@dataclass(frozen=True, slots=True)
class Plan:
    """The copies that would be made, and by kind how many texts cannot be changed in that way."""

    copies: Sequence[Copy]
    left_out: Mapping[str, int]

    def by_kind(self) -> dict[str, list[Copy]]:
        """Return the copies of each kind, in the order of the kinds."""
        kinds = dict.fromkeys(copy.kind for copy in self.copies)
        return {kind: [copy for copy in self.copies if copy.kind == kind] for kind in kinds}


def kind_of_system(kind: str) -> str:
    """Return the kind of the system that has the copies of a kind."""
    return str((System.Kind.REWORDED if kind in SAME else System.Kind.DEGRADED).value)


def key_of(system: str, kind: str) -> str:
    """Return the key of the system that has the copies of a system's texts."""
    return f"{system}-{kind}"


def systems_to_degrade(setup: Setup) -> list[reads.SystemRow]:
    """Return the systems with texts that are no copies themselves."""
    counted = reads.counts(setup).systems
    return [system for system in counted if system.outputs and system.kind not in COPIES]


def plan(setup: Setup, systems: Sequence[str], kinds: Sequence[str], given: Given = NOTHING) -> Plan:
    """Return the copies of the texts of some systems; those that are there already are not made again.

    The same draft always gives the same copies: each is drawn with the seed of the study, its kind and its text's
    place. Raises CannotDegrade where a key would be too long, there would be too many copies, or a kind needs words
    that are not `given`.
    """
    _refuse(setup, systems, kinds, given)
    rows = list(reads.cells_of_rows(setup))
    known = {_place(cells) for cells in rows}
    copies, left_out = [], dict.fromkeys(kinds, 0)
    for cells in rows:
        if cells.get("system") not in systems:
            continue
        for kind in kinds:
            copied = _copied(setup, cells, kind, given)
            if copied is None:
                left_out[kind] += 1
            elif _place(copied) not in known:
                copies.append(Copy(kind, cells.get("output", ""), copied))
    order = {kind: place for place, kind in enumerate(kinds)}
    copies.sort(key=lambda copy: order[copy.kind])
    return Plan(copies, {kind: n for kind, n in left_out.items() if n})


def _refuse(setup: Setup, systems: Sequence[str], kinds: Sequence[str], given: Given) -> None:
    needed = {RENAMING: given.names, INSERTION: given.inserted.strip(), SUBSTITUTION: given.substitutions}
    lacking = [str(NAMES[kind]).partition(":")[0] for kind in kinds if kind in needed and not needed[kind]]
    if lacking:
        sentence = _("Give the words for these kinds of copies: %(kinds)s.")
        raise CannotDegrade(sentence % {"kinds": ", ".join(lacking)})
    longest = max((key_of(system, kind) for system in systems for kind in kinds), key=len, default="")
    if len(longest) > LONGEST_KEY:
        sentence = _("The key “%(key)s” would have more than %(most)d characters. Give the system a shorter key.")
        raise CannotDegrade(sentence % {"key": longest, "most": LONGEST_KEY})
    outputs = sum(system.outputs for system in systems_to_degrade(setup) if system.key in systems)
    if outputs * len(kinds) > MOST_COPIES:
        sentence = _(
            "These would be %(n)s copies; at most %(most)s can be made at a time. Choose fewer systems or kinds, or "
            "draw a sample of the texts first."
        )
        raise CannotDegrade(sentence % {"n": f"{outputs * len(kinds):,}", "most": f"{MOST_COPIES:,}"})


def _place(cells: Mapping[str, str]) -> tuple[str, str, str]:
    return cells.get("item", ""), cells.get("system", ""), cells.get("variant", "")


def _copied(setup: Setup, cells: Mapping[str, str], kind: str, given: Given) -> dict[str, str] | None:
    """Return the cells of a row's copy, None where its output is a file, or cannot be changed in this way."""
    if cells.get(OUTPUT_FILE):
        return None
    seed = setup.document.value(("study", "seed")) or setup.study.seed
    # Reproducible, not secret.
    rng = Random(":".join((str(seed), kind, *_place(cells))))  # noqa: S311
    language = cells.get("language") or str(setup.document.value(("study", "language")) or "")
    text = cells.get("output", "")
    if kind in SAME:
        others = [words for name, words in cells.items() if name not in _NOT_TEXT]
        changed = reworded(kind, text, others, given, rng)
    else:
        changed = degraded(kind, text, language, rng)
    return None if changed is None else {**cells, "system": key_of(cells["system"], kind), "output": changed}


@atomically
def add(*, setup: Setup, systems: Sequence[str], kinds: Sequence[str], by: events.Actor, given: Given = NOTHING) -> int:
    """Add the copies of some systems' texts behind the texts of a draft; return how many. Raises NotADraft."""
    planned = plan(setup, systems, kinds, given)
    if not planned.copies:
        return 0
    names = {system.key: system.label for system in systems_to_degrade(setup)}
    short = {kind: str(NAMES[kind]).partition(":")[0].lower() for kind in kinds}
    labels = {
        key_of(system, kind): f"{names.get(system, system)}, {short[kind]}" for system in systems for kind in kinds
    }
    kinds_of_systems = {copy.cells["system"]: kind_of_system(copy.kind) for copy in planned.copies}
    writes.store(
        setup=setup,
        rows=[copy.cells for copy in planned.copies],
        systems={key: labels[key] for key in kinds_of_systems},
        by=by,
        add=True,
        kinds=kinds_of_systems,
        source={"degraded": {"systems": list(systems), "kinds": list(kinds), **_words_of(kinds, given)}},
    )
    return len(planned.copies)


def _words_of(kinds: Sequence[str], given: Given) -> dict[str, Json]:
    """Return the words that were given for some kinds, for the study's log."""
    words: dict[str, Json] = {
        RENAMING: [list(pair) for pair in given.names],
        INSERTION: given.inserted.strip(),
        SUBSTITUTION: [list(pair) for pair in given.substitutions],
    }
    used = {kind: words[kind] for kind in kinds if kind in words}
    return {"words": used} if used else {}


def _pieces(text: str, other: str) -> list[Piece]:
    """Return a text in pieces; those that the other text does not have in this place are marked."""
    words, others = _words(text), _words(other)
    matches = SequenceMatcher(None, words, others, autojunk=False).get_matching_blocks()
    return list(_marked(words, [(match.a, match.a + match.size) for match in matches if match.size]))


def _marked(words: Sequence[str], same: Sequence[tuple[int, int]]) -> Iterator[Piece]:
    """Yield the words between the stretches that both texts have as changed."""
    bounds = [(0, 0), *same, (len(words), len(words))]
    for (_start, end), (start, stop) in pairwise(bounds):
        if changed := "".join(words[end:start]):
            yield Piece(changed, changed=True)
        if unchanged := "".join(words[start:stop]):
            yield Piece(unchanged, changed=False)


def _words(text: str) -> list[str]:
    """Return the words of a text, each with the space before it; a digit stands alone, so that one shows as changed."""
    return _WORDS.findall(text)
