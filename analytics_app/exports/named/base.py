"""The base of writers, and the study they write: its texts in order, and its ratings as rows."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import IO, Any, ClassVar

from django.utils.functional import Promise
from django.utils.translation import gettext as _

from analytics_app.exports import ratings
from tasks_app.hooks.registry import Registry, stem
from tasks_app.models import Item, Output, Study
from tasks_app.task_types.error_spans import ErrorSpans
from tasks_app.task_types.error_spans.scoring import Rule

registry: Registry[Writer] = Registry("export format")


def register(member: type[Writer]) -> type[Writer]:
    """Make a writer known under its module's name, written with hyphens."""
    member.name = stem(member).replace("_", "-")
    registry.register(member())
    return member


@dataclass(frozen=True, slots=True)
class Segment:
    """An item with its texts by system; `number` is its place in the document, from 1."""

    key: str
    document: str
    number: int
    source: str
    reference: str
    pair: str
    domain: str
    texts: Mapping[str, str]


@dataclass
class Written:
    """The study to write. `left_out` counts the values that the format cannot hold, by a sentence with %(n)s."""

    study: Study
    left_out: Counter[str] = field(default_factory=Counter)

    @cached_property
    def segments(self) -> Sequence[Segment]:
        """The items that have texts, document after document, in the order of the study."""
        outputs: dict[int, dict[str, str]] = {}
        languages: dict[int, str] = {}
        rows = Output.objects.filter(item__study=self.study, until=None).order_by("id")
        for item, system, text, language in rows.values_list("item_id", "system__key", "text", "language"):
            outputs.setdefault(item, {}).setdefault(system, text)
            languages.setdefault(item, language)
        items = Item.objects.filter(study=self.study, until=None, pk__in=outputs).select_related("document")
        order: dict[str, list[Item]] = {}
        for found in items.order_by("id"):
            order.setdefault(found.document.key if found.document else self.study.slug, []).append(found)
        return [
            Segment(
                found.key, document, number, found.source, found.reference,
                f"{found.source_language or 'und'}-{languages[found.pk] or 'und'}",
                str(found.features.get("domain") or "all"), outputs[found.pk],
            )
            for document, entries in order.items()
            for number, found in enumerate(sorted(entries, key=lambda entry: (entry.position, entry.pk)), start=1)
        ]  # fmt: skip

    @cached_property
    def systems(self) -> Mapping[str, str]:
        """The names of systems by their keys: their titles, where they have some."""
        return {key: name or key for key, name in self.study.systems.order_by("id").values_list("key", "name")}

    @cached_property
    def rules(self) -> Mapping[str, Sequence[Rule]]:
        """The weights of errors by the keys of the tasks in which errors are marked."""
        tasks = self.study.tasks.filter(until=None, type=ErrorSpans.name)
        return {task.key: ErrorSpans(task.params).told_apart(source=True).rules for task in tasks}

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield the ratings of the main part that count, as rows of the export (docs/columns.md)."""
        # The connection is busy while they are read.
        assert None not in (self.segments, self.systems, self.rules)
        unfinished = b""
        for chunk in ratings.stream(self.study, format="jsonl", include=("main",)):
            *lines, unfinished = (unfinished + chunk).split(b"\n")
            for line in lines:
                row = json.loads(line)
                if row["state"] == "submitted" or row["label"] == "none":
                    yield row

    def one_line(self, text: str) -> str:
        """Return a text without tabs and line ends, each a space, so that places of marked words stay as they are."""
        plain = text.translate({9: " ", 10: " ", 13: " "})
        if plain != text:
            self.left_out[_("Tabs and line breaks are written as spaces (texts: %(n)s).")] += 1
        return plain

    @property
    def notes(self) -> list[str]:
        """Return sentences on the values that the format could not hold."""
        return [sentence % {"n": f"{n:,}"} for sentence, n in self.left_out.items()]


class Writer(ABC):
    """An export in the format of another tool. Its name is that of its module, with hyphens."""

    name: ClassVar[str]
    label: ClassVar[str | Promise]
    # What the file is for, and what of the study it cannot hold.
    about: ClassVar[str | Promise]
    not_kept: ClassVar[str | Promise]
    suffix: ClassVar[str]
    content_type: ClassVar[str]
    # True where it needs texts with marked errors.
    needs_errors: ClassVar[bool] = False

    @abstractmethod
    def write(self, written: Written, target: IO[bytes]) -> None:
        """Write a study. Values that the format cannot hold are counted in `written`."""

    def fits(self, study: Study) -> bool:
        """Return whether the study has ratings of the kind that the format holds."""
        return not self.needs_errors or study.tasks.filter(until=None, type=ErrorSpans.name).exists()


def writer_called(name: str) -> Writer:
    """Return a writer by its name. Raises tasks_app.hooks.registry.UnknownMember."""
    return registry[name.replace("-", "_")]
