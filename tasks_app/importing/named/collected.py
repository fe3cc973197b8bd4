"""The texts, ratings and questions that a reader of a format collects, written as a study file with its ratings."""

from __future__ import annotations

import json
import re
import tempfile
import zipfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import IO, Any

import yaml
from django.utils.translation import gettext as _

from tasks_app.hooks.sections import Json
from tasks_app.importing.named.keys import Keys, document_key, pseudonym
from tasks_app.importing.named.spans import Offset

ITEMS, RATINGS, STUDY = "items.jsonl", "ratings.jsonl", "study.yaml"

# The system of texts where a file has no systems.
ONLY_SYSTEM = "texts"

# What no text of a database may hold, one character for each.
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
_REPLACEMENT = "\ufffd"
_LINE_END = re.compile("\r\n|\r")


@dataclass(slots=True)
class Question:
    """A criterion of a task: a question to raters. `labels` are its answers where these are words."""

    key: str
    name: str
    labels: list[str] = field(default_factory=list)

    @property
    def document(self) -> dict[str, Json]:
        """Return the criterion as a study file has it."""
        labels = {"labels": self.labels} if self.labels else {}
        return {"key": self.key, "name": self.name, "question": self.name, **labels}


@dataclass(slots=True)
class Task:
    """A task: its type with parameters, and its questions by their names in the file."""

    key: str
    type: str
    params: dict[str, Json] = field(default_factory=dict)
    questions: dict[str, Question] = field(default_factory=dict)

    @property
    def document(self) -> dict[str, Json]:
        """Return the task as a study file has it."""
        criteria = {"criteria": [question.key for question in self.questions.values()]} if self.questions else {}
        return {"key": self.key, "type": self.type, "params": self.params, **criteria, "keep_identical": True}


@dataclass(frozen=True, slots=True)
class Text:
    """A text of a system for an item, by the keys that its ratings name; `shift` turns the file's offsets."""

    item: str
    system: str
    variant: str
    text: str
    line_ends: tuple[int, ...]

    @property
    def names(self) -> dict[str, Json]:
        """Return the columns by which a rating names the text."""
        return {"item": self.item, "system": self.system, **({"variant": self.variant} if self.variant else {})}

    def at(self, offset: int) -> int:
        """Turn an offset of the file's own text, with line ends of one or two characters, into one of this text."""
        return offset - sum(end < offset for end in self.line_ends)


class Collected:
    """Texts, ratings and questions of a file. Ratings are written to a file of their own as they come."""

    def __init__(self, title: str, public_title: str = "") -> None:
        self.title, self.public_title = title, public_title or title
        self.notes: list[str] = []
        # What was left out, by a sentence with %(n)s for how often.
        self.left_out: Counter[str] = Counter()
        self.tasks: dict[str, Task] = {}
        self.counts: Counter[str] = Counter()
        self.samples: list[dict[str, Json]] = []
        self.languages: tuple[str, str] = ("", "")
        self._items = Keys("item")
        self._systems = Keys("system")
        self._criteria = Keys("criterion", plain=True)
        self._about: dict[str, dict[str, Json]] = {}
        self._texts: dict[tuple[str, str], list[Text]] = {}
        self._raters: dict[str, str] = {}
        self._ratings = tempfile.TemporaryFile()  # noqa: SIM115  `write` closes it

    def task(self, key: str, type: str, **params: Json) -> Task:
        """Return the task of this key, made where there is none yet."""
        return self.tasks.setdefault(key, Task(key, type, params))

    def question(self, task: Task, name: str) -> Question:
        """Return a question of a task by its name in the file."""
        if name not in task.questions:
            words = name.replace("_", " ").strip() or _("Rating")
            task.questions[name] = Question(self._criteria.key(f"{name}" or "rating"), words)
        return task.questions[name]

    def item(self, name: str, **about: Json) -> str:
        """Return the key of an item; its source, reference, document and so on are kept from its first mention."""
        key = self._items.key(name)
        kept = self._about.setdefault(key, {})
        for column, value in about.items():
            if value not in (None, "") and column not in kept:
                cell = document_key(str(value)) if column == "document" else value
                kept[column] = _storable(_LINE_END.sub("\n", cell)) if isinstance(cell, str) else cell
        return key

    def text(self, item: str, system: str, text: str) -> Text:
        """Return a text of a system for an item (a key). A second, different one is a variant of it."""
        key = self._systems.key(system or ONLY_SYSTEM)
        clean = _storable(_LINE_END.sub("\n", text))
        texts = self._texts.setdefault((item, key), [])
        for known in texts:
            if known.text == clean:
                return known
        line_ends = tuple(end.start() + 1 for end in _LINE_END.finditer(text) if end.group() == "\r\n")
        made = Text(item, key, str(len(texts) + 1) if texts else "", clean, line_ends)
        texts.append(made)
        return made

    def rate(self, task: Task, rater: object, about: Text | None = None, /, **cells: Json) -> None:
        """Write a rating of a text: `cells` are columns of evalweb's, those that are None or empty left out."""
        names = about.names if about is not None else {}
        name = "" if rater is None else str(rater)
        who = self._raters.setdefault(name, pseudonym(name) or "unknown")
        row = {"rater": who, "task": task.key, **names, **_filled(cells)}
        self._ratings.write(json.dumps(row, ensure_ascii=False).encode() + b"\n")
        self.counts["ratings"] += 1
        if len(self.samples) < 5:
            self.samples.append(row)

    def span(
        self, task: Task, rater: object, text: Text, start: int, end: int, count: Offset, source: str | None = None,
        **cells: Json,
    ) -> None:  # fmt: skip
        """Write a marked error; `start` and `end` (behind the span) are of the text or of `source`, as the file counts.

        A span that lies outside of the text is left out, and counted.
        """
        words = text.text if source is None else source
        first, last = count(start), count(end)
        if source is None:
            first, last = text.at(first), text.at(last)
        side = "output" if source is None else "source"
        is_missing = source is None and (first, last) == (len(words), len(words) + 1)
        if not (0 <= first < last <= len(words) or is_missing):
            self.left_out[_("Left out: marked errors outside of their texts (%(n)s).")] += 1
            return
        marked = "[missing]" if is_missing else words[first:last]
        self.rate(task, rater, text, span_side=side, span_start=first, span_end=last, text=marked, **cells)

    def source_of(self, text: Text) -> str:
        """Return the source of a text, "" where it has none."""
        return str(self._about[text.item].get("source", ""))

    @property
    def raters(self) -> int:
        """Return how many raters there are."""
        return len(set(self._raters.values()))

    def summary(self) -> dict[str, int]:
        """Return how many items, systems, texts, raters and ratings there are."""
        texts = sum(len(texts) for texts in self._texts.values())
        systems = len({system for _item, system in self._texts})
        return {"items": len(self._about), "systems": systems, "texts": texts, "raters": self.raters,
                "ratings": self.counts["ratings"]}  # fmt: skip

    def all_notes(self) -> list[str]:
        """Return the notes for the researcher: changed values, and values left out."""
        notes = list(self.notes)
        variants = sum(len(texts) - 1 for texts in self._texts.values())
        if variants:
            sentence = _("Where a system has several texts for an item, the further ones are variants (%(n)s).")
            notes.append(sentence % {"n": f"{variants:,}"})
        if self._systems.changed:
            changed = ", ".join(f"{name} → {key}" for key, name in list(self._systems.changed.items())[:5])
            notes.append(
                _("Systems whose names are no keys here keep them as their titles: %(names)s.") % {"names": changed}
            )
        if long := [name for name, who in self._raters.items() if who != name and name]:
            sentence = _("Raters whose names are too long or cannot be shown have other pseudonyms here (%(n)s).")
            notes.append(sentence % {"n": f"{len(long):,}"})
        if "" in self._raters:
            notes.append(_("Where the file does not say who rated, the rater is called “unknown”."))
        notes += [sentence % {"n": f"{n:,}"} for sentence, n in self.left_out.items()]
        return notes

    def document(self, slug: str) -> dict[str, Json]:
        """Return the study file's document."""
        systems = [{"key": key, "name": name[:200]} for key, name in self._systems.changed.items()]
        questions = [question.document for task in self.tasks.values() for question in task.questions.values()]
        titles = {"title": self.title[:200], "public_title": self.public_title[:200]}
        return {
            "evalweb": 1,
            "study": {**titles, "slug": slug, "language": "en"},
            "flow": {"imported": True},
            **({"criteria": questions} if questions else {}),
            "tasks": [task.document for task in self.tasks.values()],
            **({"systems": systems} if systems else {}),
        }

    def write(self, target: IO[bytes], slug: str) -> None:
        """Write a zip of study.yaml, items.jsonl and ratings.jsonl."""
        with closing(self._ratings), zipfile.ZipFile(target, "w", zipfile.ZIP_STORED) as archive:
            text = yaml.safe_dump(self.document(slug), allow_unicode=True, sort_keys=False)
            archive.writestr(STUDY, text)
            with archive.open(ITEMS, "w", force_zip64=True) as items:
                for row in self._rows():
                    items.write(json.dumps(row, ensure_ascii=False).encode() + b"\n")
            self._ratings.seek(0)
            with archive.open(RATINGS, "w", force_zip64=True) as ratings:
                while chunk := self._ratings.read(1 << 20):
                    ratings.write(chunk)

    def _rows(self) -> Iterator[dict[str, Json]]:
        source_language, language = self.languages
        languages = _filled({"language": language, "source_language": source_language})
        originals = self._items.changed
        for texts in self._texts.values():
            for text in texts:
                name = {"feature_name": originals[text.item]} if text.item in originals else {}
                yield {**text.names, "output": text.text, **self._about[text.item], **languages, **name}


def _filled(cells: Mapping[str, Json]) -> dict[str, Json]:
    return {
        name: _storable(value) if isinstance(value, str) else value
        for name, value in cells.items()
        if value is not None and value != ""
    }


def _storable(text: str) -> str:
    return _UNSTORABLE.sub(_REPLACEMENT, text)


def choices_of(labels: Sequence[Any]) -> list[str]:
    """Return answers as texts, each once, in their order."""
    return list(dict.fromkeys(str(label) for label in labels))
