"""Findings in the texts of a study that a careful colleague would notice: made at loading, and stored as counts.

Reading 100,000 texts takes seconds, so it is done once, with all other checks of a study file; pages read the findings
from the settings of the study.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from statistics import median
from typing import Any, Self

from tasks_app.texts import plaintext
from tasks_app.texts.language_guess import differs
from tasks_app.texts.reading_time import reading_seconds

# Places that a finding names.
FIRST = 3
# The share of the texts of two systems, or of a system and the references, that is identical where a file was taken
# twice, and the fewest texts for it. Systems that edit a text often leave half of the texts as they are.
SAME, ENOUGH = 0.9, 4
# A system that has this part of the items, where another has nearly all, is incomplete; one with less stands for some
# purpose of its own, such as practice.
SOME, INCOMPLETE, COMPLETE = 1 / 3, 0.95, 0.98
# The part of the texts in another language than the table says, and the fewest texts for it.
FOREIGN = 0.5
# The part of the items for which a system has one and the same text, where a row was copied down.
REPEATED = 0.5
# The part of a system's texts that break off at the length of its longest text where all were cut to that length, and
# the part of the texts of that length that do: texts that end by themselves seldom end in the middle of a sentence.
# Shorter texts, such as labels, are often equally long. Texts made with a template end alike, so ends count once.
CUT, BREAK_OFF, CUT_CHARACTERS, END_CHARACTERS = 0.1, 0.8, 40, 12
# A text that takes so many times as long to read as half of all texts, and so many seconds more, stands out.
LONGER, SECONDS_MORE = 5, 30
# Characters that are quoted on each side of a placeholder.
AROUND = 20

# Kinds of systems with texts that people have not to compare with the others.
_ASIDE = frozenset({"reference", "source", "degraded", "reworded"})

_NOTHING = re.compile(r"(?:#?n/?a|null|nan|none|nil|undefined|\[\s*\]|\{\s*\}|\"\"|'')?", re.IGNORECASE)
_TOKENS = re.compile(
    r"<\|[\w ]{2,40}\|>|</?s>|<(?:unk|pad|eos|bos|sep|cls|mask|start_of_turn|end_of_turn)>|\[/?INST\]"
    r"|\[(?:PAD|SEP|CLS)\]|\w@@ \w|\u2581",
    re.IGNORECASE,
)
_TAGS = re.compile(
    r"</?(?:br|p|div|span|b|i|u|em|strong|ul|ol|li|a|h[1-6]|table|tr|td|img|font|sup|sub)(?:\s[^<>]*)?/?>"
    r"|&(?:amp|lt|gt|quot|apos|nbsp|#\d{2,5}|#x[\da-f]{2,4});",
    re.IGNORECASE,
)
_MARKDOWN = re.compile(r"\*\*[^\s*](?:[^*\n]{0,200}[^\s*])?\*\*|^#{1,6} \S|^```", re.MULTILINE)
# UTF-8 that was read as Latin-1 or Windows-1252, and the sign for what could not be read at all.
_BROKEN = re.compile(
    "\ufffd|\u00c3[\u0080-\u00bf\u0192\u0178\u201e\u0153\u2013\u2014\u2026\u2030\u0160\u2039\u0152\u017d]"
    "|\u00c2[\u0080-\u00bf]|\u00e2\u20ac[\u0080-\u00bf\u2122\u0153\u201c\u201d\u00a6\u02dc\u0161]|\u00ef\u00bb\u00bf"
)
_CHAT = re.compile(
    r"\bas an? (?:AI|artificial intelligence|(?:large )?language model)\b|\bals (?:KI|Sprachmodell|KI-Sprachmodell)\b"
    r"|^\s*(?:assistant|user|system|human|ai|chatgpt)\s*:"
    r"|^\s*(?:sure|certainly|of course|gerne|natürlich)[,!.:]? (?:here(?:'s| is| are)|hier ist|hier sind)\b"
    r"|^\s*(?:i'?m sorry|i am sorry|sorry|i apologi[sz]e|es tut mir leid|tut mir leid),? (?:but )?(?:aber )?"
    r"(?:i (?:can'?t|cannot|can not|am unable|won'?t)|ich kann)\b"
    r"|^\s*(?:here is|here's|hier ist) (?:the|a|an|your|der|die|das|ein|eine|ihre?) "
    r"(?:\w+ )?(?:summary|translation|text|answer|response|zusammenfassung|übersetzung|antwort)\b[^.\n]{0,60}:",
    re.IGNORECASE,
)
# The message of a program that failed, instead of a text, and a text that stands in JSON still.
_ERRORS = re.compile(
    r"^\s*(?:[A-Z]\w*)?(?:Error|Exception)\b: |^\s*Traceback \(most recent call last\)|\bCUDA out of memory\b"
)
_JSON = re.compile(r"\A\s*(?:\{\s*\"[^\"\n]{1,60}\"\s*:.*\}|\[\s*\".*\"\s*\])\s*\Z", re.DOTALL)
# What stands for words that a program or a person was to fill in. "TODO" is a word of Spanish and Portuguese.
_PLACEHOLDER = re.compile(
    r"\[(?!(?:INST|PAD|SEP|CLS|MASK|UNK|EOS|BOS|SIC)\])(?:[A-Z][A-Z0-9_ -]{2,40})\]"
    r"|<(?!(?:BR|PAD|EOS|BOS|SEP|CLS|MASK|UNK|DIV|SPAN|STRONG|TABLE|IMG|FONT|SUP|SUB)>)[A-Z][A-Z0-9_ -]{2,40}>"
    r"|\[(?i:your|insert|enter|add|ihr name|votre nom|su nombre|seu nome)\b[^\[\]\n]{0,60}\]"
    r"|<(?i:your|insert|enter) [^<>\n]{1,60}>"
    r"|\{\{[^{}\n]{1,80}\}\}|(?<![{$])\{[a-z][a-z0-9_]{1,40}\}(?!\})|\$\{[^{}\n]{1,80}\}"
    r"|(?i:\blorem ipsum\b)"
    r"|\b(?:TODO|FIXME|TBD)(?=:|\]|\)| -| –)|\bTODO (?:write|add|fill|check|fix|insert|replace|translate|finish)\b"
)
_PLACEHOLDER_SIGNS = ("[", "<", "{", "ipsum", "Ipsum", "IPSUM", "TODO", "FIXME", "TBD")
# Names that only a model or a service has. A system called "writer" or "rules" is not looked for in texts.
_MODEL = re.compile(
    r"\b(?:chat-?gpt|gpt-?\d[\w.]*|openai|deepl|google translate|gemini(?: pro| flash|-\d)|llama[- ]?\d[\w.]*|mixtral"
    r"|qwen[\d.-]*|deepseek[\w.-]*|claude[ -](?:sonnet|opus|haiku|\d)[\w.-]*|opus-mt[\w-]*|nllb[\w-]*)",
    re.IGNORECASE,
)
_IN_MODELS = (
    "gpt", "openai", "deepl", "google", "gemini", "llama", "mixtral", "qwen", "deepseek", "claude", "opus-mt", "nllb",
)  # fmt: skip
# Each pattern with signs of which it needs one, and which most texts lack, and the formats that it is looked for in.
_EVERY, _NO_CODE = ("text", "markdown", "code"), ("text", "markdown")
_PATTERNS = (
    ("broken", _BROKEN, ("\ufffd", "\u00c3".lower(), "\u00c2".lower(), "\u00e2\u20ac", "\u00ef"), _EVERY),
    ("chat", _CHAT, (":", " ai", "model", "ki", "here", "hier", "sorry", "leid", "apolog"), _EVERY),
    ("errors", _ERRORS, ("error", "exception", "traceback", "out of memory"), _NO_CODE),
    ("json", _JSON, ('"',), _NO_CODE),
    ("tokens", _TOKENS, ("<", "[", "@@", "\u2581"), _EVERY),
    ("tags", _TAGS, ("<", "&"), _NO_CODE),
    ("markdown", _MARKDOWN, ("**", "#", "```"), ("text",)),
)
_PROPER = re.compile(r"(?=.*[^\W\d_]{3})(?:.*\d|.*[_-]|.*[^\W\d_]*[a-z][A-Z])")
SHORTEST_NAME = 4


@dataclass(frozen=True, slots=True)
class TextFinding:
    """One kind of finding in `n` of `of` texts; `first` names some of the places, `words` the words found there."""

    kind: str
    n: int
    of: int
    first: tuple[str, ...] = ()
    words: str = ""
    systems: tuple[str, ...] = ()

    @classmethod
    def stored(cls, contents: Iterable[Mapping[str, Any]]) -> tuple[Self, ...]:
        """Read the findings that were stored with a study."""
        return tuple(
            cls(**{**row, "first": tuple(row.get("first", ())), "systems": tuple(row.get("systems", ()))})
            for row in contents
        )

    def to_store(self) -> dict[str, Any]:
        """Return the finding as JSON."""
        return {**asdict(self), "first": list(self.first), "systems": list(self.systems)}


def findings_in(items: Sequence[Mapping[str, Any]], systems: Sequence[Mapping[str, Any]]) -> list[TextFinding]:
    """Return the findings in the items and systems of a checked study file."""
    kinds = {str(row["key"]): str(row.get("kind") or "machine") for row in systems}
    names = {str(row["key"]): str(row.get("name") or row["key"]) for row in systems}
    return [
        *_in_each_text(items, names),
        *_placeholders(items, names),
        *_long(items, kinds, names),
        *_of_systems(items, kinds, names),
        *_of_languages(items),
        *_cut(items, kinds),
    ]


def _texts(items: Sequence[Mapping[str, Any]]) -> Iterator[tuple[Mapping[str, Any], Mapping[str, Any]]]:
    """Yield the outputs that are texts, each with its item; the words for a picture or sound are no text."""
    for item in items:
        for output in item["outputs"]:
            if "file" not in output:
                yield item, output


def proper_names(names: Mapping[str, str]) -> set[str]:
    """Return the keys and names of systems that only a system has; "writer" or "Rules" stand in texts as words."""
    return {name for pair in names.items() for name in pair if len(name) >= SHORTEST_NAME and _PROPER.match(name)}


def _in_each_text(items: Sequence[Mapping[str, Any]], names: Mapping[str, str]) -> Iterator[TextFinding]:
    """Yield the parts of single texts that raters should not read."""
    places_by_kind: dict[str, list[tuple[str, str]]] = {}
    own = proper_names(names)
    total = 0
    for item, output in _texts(items):
        total += 1
        text, place = output["text"], f"{item['key']}, {names.get(output['system'], output['system'])}"
        for kind, words in _noticed(text, item, own):
            places_by_kind.setdefault(kind, []).append((place, words))
    for kind, places in places_by_kind.items():
        words = Counter(words for _place, words in places).most_common(1)[0][0]
        yield TextFinding(kind, len(places), total, tuple(place for place, _words in places[:FIRST]), words)
    broken = [item["key"] for item in items if _BROKEN.search(item["source"]) or _BROKEN.search(item["reference"])]
    if broken:
        yield TextFinding("broken_source", len(broken), len(items), tuple(broken[:FIRST]))


def _placeholders(items: Sequence[Mapping[str, Any]], names: Mapping[str, str]) -> Iterator[TextFinding]:
    """Yield the placeholders left in outputs, and those in sources and references, with the words around the first.

    Code has brackets and braces of its own.
    """
    prose = [item for item in items if item.get("format", "text") in _NO_CODE]
    outputs = [
        (f"{item['key']}, {names.get(output['system'], output['system'])}", output["text"])
        for item, output in _texts(prose)
    ]
    given = [(item["key"], item[column]) for item in prose for column in ("source", "reference")]
    of_outputs, of_items = len(list(_texts(items))), len(items)
    for kind, texts, of in (("placeholder", outputs, of_outputs), ("placeholder_source", given, of_items)):
        matches = [
            (place, text, match)
            for place, text in texts
            if any(sign in text for sign in _PLACEHOLDER_SIGNS) and (match := _PLACEHOLDER.search(text))
        ]
        if matches:
            words = Counter(match[0] for _place, _text, match in matches).most_common(1)[0][0]
            shown = tuple(f"{place}: “{_around(text, match)}”" for place, text, match in matches[:FIRST])
            yield TextFinding(kind, len({place for place, _text, _match in matches}), of, shown, words[:40])


def _around(text: str, match: re.Match[str]) -> str:
    """Return the words found in a text with some of those before and behind."""
    start, end = max(0, match.start() - AROUND), match.end() + AROUND
    before, behind = ("…" if start else ""), ("…" if end < len(text) else "")
    return f"{before}{' '.join(text[start:end].split())}{behind}"


def _long(
    items: Sequence[Mapping[str, Any]], kinds: Mapping[str, str], names: Mapping[str, str]
) -> Iterator[TextFinding]:
    """Yield the outputs that take far longer to read than the others, each with its minutes, the longest first."""
    seconds = [
        (reading_seconds(output["text"]), f"{item['key']}, {names.get(output['system'], output['system'])}")
        for item, output in _texts(items)
        if kinds.get(output["system"], "machine") not in _ASIDE
    ]
    if len(seconds) < ENOUGH:
        return
    usual = median(number for number, _place in seconds)
    long = sorted((row for row in seconds if row[0] >= max(LONGER * usual, usual + SECONDS_MORE)), reverse=True)
    if long:
        places = tuple(f"{place}: {number / 60:.1f} min" for number, place in long[:FIRST])
        yield TextFinding("long", len(long), len(seconds), places, f"{usual:.0f}")


def _noticed(text: str, item: Mapping[str, Any], own: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield the findings of one text, by kind, with the words that were found."""
    if _NOTHING.fullmatch(text.strip()):
        yield "empty", text.strip()
        return
    given = f"{item['source']}\n{item['reference']}".lower()
    lower = text.lower()
    model = _MODEL.search(text) if any(name in lower for name in _IN_MODELS) else None
    named = (*((model[0],) if model else ()), *(as_a_word(name, text) for name in own if name.lower() in lower))
    if words := next((words for words in named if words and words.lower() not in given), ""):
        yield "names", words
    shape = item.get("format", "text")
    for kind, pattern, signs, formats in _PATTERNS:
        if shape in formats and any(sign in lower for sign in signs) and (match := pattern.search(text)):
            yield kind, " ".join(match[0].split())[:40]


def as_a_word(name: str, text: str) -> str:
    """Return a name as it stands in a text as a word of its own; "" where it does not."""
    at = text.lower().find(name.lower())
    end = at + len(name)
    if at < 0 or text[max(0, at - 1) : at].isalnum() or text[end : end + 1].isalnum():
        return ""
    return text[at:end]


def _repeated(
    items: Sequence[Mapping[str, Any]], by_item: Sequence[Mapping[str, str]], names: Mapping[str, str]
) -> Iterator[TextFinding]:
    """Yield systems that have one text for many items with different sources."""
    sources: dict[str, dict[str, set[str]]] = {}
    for item, texts in zip(items, by_item, strict=True):
        for system, text in texts.items():
            if " " in text.strip():
                sources.setdefault(system, {}).setdefault(text, set()).add(item["source"] or item["key"])
    have = Counter(system for texts in by_item for system in texts)
    for system, by_text in sources.items():
        text, of_text = max(by_text.items(), key=lambda pair: len(pair[1]))
        if len(of_text) >= max(ENOUGH, REPEATED * have[system]):
            words = text if len(text) <= 40 else f"{text[:39]}…"
            yield TextFinding("repeated", len(of_text), have[system], words=words, systems=(names.get(system, system),))


def _of_systems(
    items: Sequence[Mapping[str, Any]], kinds: Mapping[str, str], names: Mapping[str, str]
) -> Iterator[TextFinding]:
    """Yield systems with the texts of another or of the references, and those that lack texts."""
    by_item = [_by_system(item, kinds) for item in items]
    compared = [texts for texts in by_item if len(texts) > 1]
    have = Counter(system for texts in compared for system in texts)
    together, same = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
    for texts in compared:
        for pair in combinations(sorted(texts), 2):
            together[pair] += 1
            same[pair] += bool(texts[pair[0]]) and texts[pair[0]] == texts[pair[1]]
    for pair, n in together.items():
        if n >= ENOUGH and same[pair] >= SAME * n:
            yield TextFinding("twins", same[pair], n, systems=tuple(names.get(key, key) for key in pair))
    for system, n, copies in _copies(items, by_item, "reference"):
        if kinds.get(system) != "human":
            yield TextFinding("reference", copies, n, systems=(names.get(system, system),))
    for system, n, copies in _copies(items, by_item, "source"):
        if len(have) > 1:
            yield TextFinding("source", copies, n, systems=(names.get(system, system),))
    yield from _doubled(items, by_item)
    yield from _looking_alike(items, kinds, names, together)
    most = max(have.values(), default=0)
    for system, n in have.items():
        if most >= max(ENOUGH, COMPLETE * len(compared)) and SOME * most <= n < INCOMPLETE * most:
            lacks = [
                item["key"]
                for item, texts in zip(items, by_item, strict=True)
                if len(texts) > 1 and system not in texts
            ]
            yield TextFinding("missing", n, most, tuple(lacks[:FIRST]), systems=(names.get(system, system),))
    yield from _repeated(items, by_item, names)
    for pair in combinations(sorted(have), 2):
        if not together[pair] and min(have[system] for system in pair) >= ENOUGH:
            yield TextFinding("apart", 0, len(compared), systems=tuple(names.get(key, key) for key in pair))


def _looking_alike(
    items: Sequence[Mapping[str, Any]],
    kinds: Mapping[str, str],
    names: Mapping[str, str],
    together: Mapping[tuple[str, str], int],
) -> Iterator[TextFinding]:
    """Yield every two systems with texts of an item that are identical (same), or are but for white space (alike).

    `together` counts the items with texts of both systems.
    """
    places: dict[tuple[str, tuple[str, str]], list[str]] = {}
    for item in items:
        by_look: dict[str, list[tuple[str, str]]] = {}
        for output in item["outputs"]:
            if kinds.get(output["system"], "machine") not in _ASIDE and "file" not in output and output["text"].strip():
                text = f"{output['text']}{output.get('highlights') or ''}"
                by_look.setdefault(plaintext.visible(text), []).append((output["system"], text))
        for shown in (group for group in by_look.values() if len(group) > 1):
            for (a, text), (b, other) in combinations(sorted(shown), 2):
                if a != b:
                    places.setdefault(("same" if text == other else "alike", (a, b)), []).append(item["key"])
    for (kind, pair), keys in places.items():
        named = tuple(names.get(key, key) for key in pair)
        items_alike = tuple(dict.fromkeys(keys))
        n = len(items_alike)
        yield TextFinding(kind, n, max(n, together[pair]), items_alike[:FIRST], systems=named)


def _copies(
    items: Sequence[Mapping[str, Any]], by_item: Sequence[Mapping[str, str]], column: str
) -> Iterator[tuple[str, int, int]]:
    """Yield the systems with the texts of a column of the items, with the numbers of texts compared and of copies."""
    n_compared, n_copies = Counter[str](), Counter[str]()
    for item, texts in zip(items, by_item, strict=True):
        original = item[column].strip()
        for system, text in texts.items() if original else ():
            n_compared[system] += 1
            n_copies[system] += text == original
    for system, n in n_compared.items():
        if n >= ENOUGH and n_copies[system] >= SAME * n:
            yield system, n, n_copies[system]


def _doubled(items: Sequence[Mapping[str, Any]], by_item: Sequence[Mapping[str, str]]) -> Iterator[TextFinding]:
    """Yield the items that stand there again: the same source, and the same texts by all systems.

    In documents, a sentence may come again.
    """
    first: dict[tuple[str, ...], str] = {}
    doubles = []
    for item, texts in zip(items, by_item, strict=True):
        if item.get("document") or len(texts) < 2 or not item["source"].strip():
            continue
        contents = (item["source"].strip(), *(part for pair in sorted(texts.items()) for part in pair))
        if contents in first:
            doubles.append(f"{item['key']} = {first[contents]}")
        first.setdefault(contents, item["key"])
    if doubles:
        yield TextFinding("doubled", len(doubles), len(items), tuple(doubles[:FIRST]))


def _cut(items: Sequence[Mapping[str, Any]], kinds: Mapping[str, str]) -> Iterator[TextFinding]:
    """Yield the lengths at which the texts of systems break off, since something cut them there."""
    by_system: dict[str, list[tuple[str, str]]] = {}
    for item, output in _texts(items):
        if kinds.get(output["system"], "machine") not in _ASIDE and item.get("format", "text") in _NO_CODE:
            by_system.setdefault(output["system"], []).append((item["key"], output["text"].strip()))
    cut: dict[int, list[str]] = {}
    have = Counter[int]()
    for texts in by_system.values():
        longest = max(len(text) for _key, text in texts)
        # A text that was cut at a space lost it.
        at_limit = [(key, text) for key, text in texts if longest - 1 <= len(text)]
        broken_off = [(key, text) for key, text in at_limit if _breaks_off(text)]
        ends = {text[-END_CHARACTERS:] for _key, text in broken_off}
        is_cut = len(ends) >= max(ENOUGH, CUT * len(texts)) and len(broken_off) >= BREAK_OFF * len(at_limit)
        if is_cut and longest >= CUT_CHARACTERS:
            cut.setdefault(longest, []).extend(key for key, _text in broken_off)
            have[longest] += len(texts)
    for length, places in cut.items():
        yield TextFinding("cut", len(places), have[length], tuple(dict.fromkeys(places))[:FIRST], str(length))


def _breaks_off(text: str) -> bool:
    """Return whether a text ends within a sentence: with a letter, digit or comma, or with dots that stand for more."""
    return text[-1:].isalnum() or text.endswith((",", "…", "..."))


def _by_system(item: Mapping[str, Any], kinds: Mapping[str, str]) -> dict[str, str]:
    """Return the texts of an item by system, with their highlights; without systems that stand aside."""
    return {
        output["system"]: f"{output['text'].strip()}{output.get('highlights') or ''}"
        for output in item["outputs"]
        if kinds.get(output["system"], "machine") not in _ASIDE and "file" not in output
    }


def _of_languages(items: Sequence[Mapping[str, Any]]) -> Iterator[TextFinding]:
    """Yield columns with texts in another language than the table says of them."""
    n_declared = Counter[tuple[str, str]]()
    other: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for item in items:
        language = item.get("source_language") or ""
        columns = [("foreign_source", language, item["source"])] if language else []
        columns += [("foreign", output.get("language") or "", output["text"]) for output in item["outputs"]]
        for kind, tag, text in columns:
            if not tag:
                continue
            n_declared[kind, tag] += 1
            if guessed := differs(text, tag):
                other.setdefault((kind, tag), []).append((item["key"], guessed))
    for (kind, tag), places in other.items():
        if len(places) >= max(ENOUGH, FOREIGN * n_declared[kind, tag]):
            language = Counter(guessed for _key, guessed in places).most_common(1)[0][0]
            keys = tuple(dict.fromkeys(key for key, _found in places))[:FIRST]
            yield TextFinding(kind, len(places), n_declared[kind, tag], keys, language, (tag,))
