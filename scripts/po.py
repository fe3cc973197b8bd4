"""Catalogues of messages: reading and writing .po, and making the .mo that gettext loads. No tool of GNU is needed."""

import ast
import re
import struct
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

HEADER = (
    "Project-Id-Version: evalweb\n"
    "Language: {language}\n"
    "MIME-Version: 1.0\n"
    "Content-Type: text/plain; charset=UTF-8\n"
    "Content-Transfer-Encoding: 8bit\n"
    "Plural-Forms: nplurals={n_forms}; plural=({rule});\n"
)
# How many forms plurals have and which of them is for n, in languages that do not form them as English does.
AS_IN_ENGLISH = (2, "n != 1")
PLURALS = {
    "ar": (6, "n==0 ? 0 : n==1 ? 1 : n==2 ? 2 : n%100>=3 && n%100<=10 ? 3 : n%100>=11 ? 4 : 5"),
    "fr": (2, "n > 1"),
    "ja": (1, "0"),
    "ko": (1, "0"),
    "zh-hans": (1, "0"),
}

_LINE = re.compile(r'(msgctxt|msgid_plural|msgid|msgstr(?:\[\d\])?)?\s*(".*")')
_MAGIC = 0x950412DE


@dataclass(frozen=True, slots=True)
class Message:
    """A text to be translated: in one form, or with `plural` in two; `context` tells equal texts apart."""

    text: str
    plural: str = ""
    context: str = ""

    @property
    def key(self) -> str:
        """The text by which gettext looks a message up."""
        return f"{self.context}\x04{self.text}" if self.context else self.text


@dataclass(frozen=True, slots=True)
class Entry:
    """A message of a catalogue with its translation, or one translation per plural form."""

    message: Message
    translations: tuple[str, ...]
    places: tuple[str, ...] = ()
    flags: frozenset[str] = field(default_factory=frozenset)

    @property
    def is_done(self) -> bool:
        """Whether every form is translated, by a person who was sure."""
        return "fuzzy" not in self.flags and all(self.translations)


def n_forms(language: str) -> int:
    """Return how many forms the plurals of a language have: 6 in Arabic, 1 in Japanese."""
    return PLURALS.get(language, AS_IN_ENGLISH)[0]


def plural_rule(language: str) -> str:
    """Return the expression in C that says which form is for n."""
    return PLURALS.get(language, AS_IN_ENGLISH)[1]


def header(language: str) -> str:
    """Return the header of a catalogue."""
    return HEADER.format(language=language, n_forms=n_forms(language), rule=plural_rule(language))


class NotACatalogue(ValueError):
    """A .po file cannot be read."""


def read(path: Path) -> dict[Message, Entry]:
    """Read a .po file without its header; an empty mapping where there is none.

    Raises
    ------
    NotACatalogue
        Where a line is none of a catalogue, or an obsolete entry is kept.
    """
    entries: dict[Message, Entry] = {}
    if not path.exists():
        return entries
    for block in re.split(r"\n\s*\n", path.read_text(encoding="utf-8")):
        entry = _entry(block, path)
        if entry is None or not entry.message.text:
            continue
        if entry.message in entries:
            raise NotACatalogue(f"{path} has {entry.message.text!r} twice.")
        entries[entry.message] = entry
    return entries


def _entry(block: str, path: Path) -> Entry | None:
    parts: dict[str, str] = {}
    places: list[str] = []
    flags: set[str] = set()
    current = ""
    for line in filter(None, map(str.strip, block.splitlines())):
        if line.startswith("#:"):
            places += line[2:].split()
        elif line.startswith("#,"):
            flags |= {flag.strip() for flag in line[2:].split(",")}
        elif line.startswith("#~"):
            raise NotACatalogue(f"{path} keeps an entry that nothing uses any more: {line}")
        elif not line.startswith("#"):
            read_line = _LINE.fullmatch(line)
            if read_line is None:
                raise NotACatalogue(f"{path} has a line that is none of a catalogue: {line}")
            current = read_line[1] or current
            parts[current] = parts.get(current, "") + str(ast.literal_eval(read_line[2]))
    if not parts:
        return None
    message = Message(parts.get("msgid", ""), parts.get("msgid_plural", ""), parts.get("msgctxt", ""))
    forms = (words for part, words in parts.items() if part.startswith("msgstr"))
    return Entry(message, tuple(forms), tuple(places), frozenset(flags))


def write(path: Path, language: str, entries: Iterable[Entry]) -> None:
    """Write a .po file, in the order given."""
    blocks = [f'msgid ""\nmsgstr ""\n{_lines(header(language))}', *map(_block, entries)]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n\n".join(blocks) + "\n", encoding="utf-8")


def _block(entry: Entry) -> str:
    message, lines = entry.message, [f"#: {place}" for place in entry.places]
    flags = entry.flags | ({"python-format"} if "%(" in message.text else frozenset())
    if flags:
        lines.append(f"#, {', '.join(sorted(flags))}")
    if message.context:
        lines.append(f"msgctxt {_quoted(message.context)}")
    lines.append(f"msgid {_quoted(message.text)}")
    if message.plural:
        lines.append(f"msgid_plural {_quoted(message.plural)}")
        lines += [f"msgstr[{n}] {_quoted(form)}" for n, form in enumerate(entry.translations)]
    else:
        lines.append(f"msgstr {_quoted(entry.translations[0])}")
    return "\n".join(lines)


def _quoted(text: str) -> str:
    """Quote a text: on one line, or where it has several, each on its own."""
    return f'""\n{_lines(text)}' if "\n" in text.rstrip("\n") else _line_of(text)


def _lines(text: str) -> str:
    return "\n".join(map(_line_of, text.splitlines(keepends=True)))


def _line_of(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t")
    return f'"{escaped}"'


def compiled(language: str, entries: Mapping[Message, Entry]) -> bytes:
    """Return the .mo of a catalogue: its finished messages, in the order that gettext asks for."""
    texts = {"": header(language)}
    for message, entry in entries.items():
        if entry.is_done:
            key = f"{message.key}\x00{message.plural}" if message.plural else message.key
            texts[key] = "\x00".join(entry.translations)
    pairs = [(key.encode(), texts[key].encode()) for key in sorted(texts, key=str.encode)]
    start = 7 * 4 + 16 * len(pairs)
    tables = [b"", b""]
    strings = b""
    for column in (0, 1):
        for pair in pairs:
            tables[column] += struct.pack("<2I", len(pair[column]), start + len(strings))
            strings += pair[column] + b"\x00"
    head = struct.pack("<7I", _MAGIC, 0, len(pairs), 28, 28 + 8 * len(pairs), 0, start)
    return head + tables[0] + tables[1] + strings
