"""Read one table of texts and ratings: items, outputs and scales; rows that contradict others are reported."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from django.utils.translation import gettext as _

from tasks_app.importing.raters import UNKNOWN
from tasks_app.importing.rows import MappedTable
from tasks_app.importing.whole.columns import ATTRIBUTE, FEATURE, OF_ITEM, OF_SYSTEM
from tasks_app.studyfile.fields import problem_in_attribute
from tasks_app.studyfile.files.tables import Row
from tasks_app.studyfile.problems import LISTED, Problems
from tasks_app.task_types.labels.options import LONGEST, may_be_an_option

# The name of the only system or criterion of a table that names none.
SYSTEM, CRITERION = "system", "rating"

# Labels of a criterion; with more, the column is rather a text.
MOST_LABELS = 40

# What a row of ratings has from the table, beside the keys that are made.
ANSWER = (
    "value", "label", "text", "judgment", "submitted_at", "started_at", "seconds", "purpose", "repeat_of", "wave",
    "group", "state", "shown_value", "arrangement", "span_side", "span_start", "span_end", "category", "severity",
    "mark_origin", "mark_of", "mark_reason",
)  # fmt: skip
_SPAN = ("span_start", "category", "severity")

# The second system of a pair, and the beginning of the columns with its attributes.
_SECOND, _OF_SECOND = f"{OF_SYSTEM}b", f"{OF_SYSTEM}b_"


@dataclass(slots=True)
class Found:
    """An item or an output as it was read: its values, and the line of each."""

    line: int
    values: dict[str, Any] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)


@dataclass(slots=True)
class Scale:
    """The answers on one criterion."""

    numbers: Counter[float] = field(default_factory=Counter)
    labels: Counter[str] = field(default_factory=Counter)
    spans: bool = False
    pairs: bool = False

    def take(self, row: Row) -> None:
        """Count the answer of a row."""
        cells = row.cells
        self.spans = self.spans or any(name in cells for name in _SPAN)
        self.pairs = self.pairs or "system_b" in cells
        if "value" in cells:
            self.numbers[cells["value"]] += 1
        elif "label" in cells:
            self.labels[str(cells["label"])] += 1


@dataclass(slots=True)
class Reading:
    """Reads the rows of a table and reports contradictions. `tells_systems` says whether a column names systems."""

    table: MappedTable
    problems: Problems
    tells_systems: bool = True
    items: dict[str, Found] = field(default_factory=dict)
    outputs: dict[tuple[str, str, str], Found] = field(default_factory=dict)
    scales: dict[str, Scale] = field(default_factory=dict)
    groups: dict[str, None] = field(default_factory=dict)
    attributes: dict[str, Found] = field(default_factory=dict)
    systems: dict[str, Found] = field(default_factory=dict)
    n_rows: int = 0
    n_unknown: int = 0
    n_unanswered: int = 0
    unanswered: list[int] = field(default_factory=list)
    _numbers: dict[tuple[str, ...], str] = field(default_factory=dict)

    def rows(self) -> Iterator[tuple[Row, dict[str, Any]]]:
        """Yield every rating by keys that are known by then, with the row that it stands in."""
        for row in self.table.rows():
            self.n_rows += 1
            item, system = self._item(row), str(row.cells.get("system", SYSTEM))
            self._describe(self.items.setdefault(item, Found(row.line)), row, (*OF_ITEM,), FEATURE)
            self._output(row, item, system, "output")
            self._system(row, system, OF_SYSTEM)
            rating = {name: row.cells[name] for name in ANSWER if name in row.cells}
            self.n_unknown += "rater" not in row.cells
            rating |= {"item": item, "system": system, "rater": str(row.cells.get("rater", f"{UNKNOWN}{row.line}"))}
            if "variant" in row.cells:
                rating["variant"] = row.cells["variant"]
            if "system_b" in row.cells:
                self._output(row, item, str(row.cells["system_b"]), "output_b")
                rating["system_b"] = row.cells["system_b"]
                self._system(row, str(row.cells["system_b"]), _OF_SECOND)
            self._rater(row, rating["rater"])
            criterion = str(row.cells.get("criterion", CRITERION))
            if any(name in rating for name in ("value", "label", "text", *_SPAN)):
                self._check_label(row)
                self.scales.setdefault(criterion, Scale()).take(row)
                yield row, {**rating, "criterion": criterion}
            else:
                self.n_unanswered += 1
                if len(self.unanswered) < LISTED:
                    self.unanswered.append(row.line)

    @property
    def without_text(self) -> list[Found]:
        """Return the outputs for which no row has a text."""
        return [found for found in self.outputs.values() if "output" not in found.values]

    @property
    def attribute_names(self) -> list[str]:
        """Return the attributes that raters have."""
        return list(dict.fromkeys(name for found in self.attributes.values() for name in found.values))

    @property
    def system_attribute_names(self) -> list[str]:
        """Return the attributes that systems have, as analyses call them."""
        return list(dict.fromkeys(name for found in self.systems.values() for name in found.values))

    @property
    def feature_names(self) -> list[str]:
        """Return the features that items have, as analyses call them."""
        names = dict.fromkeys(name for found in self.items.values() for name in found.values)
        return [name.removeprefix(FEATURE) for name in names if name.startswith(FEATURE)]

    def _item(self, row: Row) -> str:
        """Return the key of the item of a row: rows without one are of one item where their source is the same."""
        if "item" in row.cells:
            return str(row.cells["item"])
        # Without a column for systems, two texts with the same source are of two items, and not of two systems.
        apart_by = ("source", "document") if self.tells_systems else ("source", "document", "output")
        about = tuple(str(row.cells[name]) for name in apart_by if name in row.cells)
        if not about and "output" in row.cells and "system_b" not in row.cells:
            about = (str(row.cells["output"]),)
        return self._numbers.setdefault(about or (str(row.line),), str(len(self._numbers) + 1))

    def _describe(self, found: Found, row: Row, names: tuple[str, ...], prefix: str) -> None:
        for name in row.cells:
            if name in names or name.startswith(prefix):
                self._agree(found, row, name, row.cells[name])

    def _output(self, row: Row, item: str, system: str, column: str) -> None:
        key = (item, system, str(row.cells.get("variant", "")) if column == "output" else "")
        found = self.outputs.setdefault(key, Found(row.line))
        if column in row.cells:
            self._agree(found, row, "output", row.cells[column], column)
        if column == "output" and "language" in row.cells:
            self._agree(found, row, "language", row.cells["language"])

    def _check_label(self, row: Row) -> None:
        """Report a label that no option can be."""
        cells = row.cells
        if "label" in cells and "value" not in cells and not may_be_an_option(str(cells["label"])):
            sentence = _(
                "A label is one line of at most %(n)d characters, without spaces around it. If raters wrote the words, "
                "map the column to text."
            )
            row.report(self.problems, "label", sentence % {"n": LONGEST})

    def _rater(self, row: Row, rater: str) -> None:
        if "group" in row.cells:
            self.groups.setdefault(str(row.cells["group"]))
        attributes = [name for name in row.cells if name.startswith(ATTRIBUTE)]
        if attributes:
            found = self.attributes.setdefault(rater, Found(row.line))
            for name in attributes:
                self._agree(found, row, name, row.cells[name])

    def _system(self, row: Row, system: str, prefix: str) -> None:
        """Keep the attributes of a system, which stand in columns with this prefix."""
        for name in row.cells:
            if (
                name.startswith(prefix)
                and name != _SECOND
                and (prefix == _OF_SECOND or not name.startswith(_OF_SECOND))
            ):
                found = self.systems.setdefault(system, Found(row.line))
                attribute, value = name.removeprefix(prefix), str(row.cells[name])
                if attribute not in found.values and (problem := problem_in_attribute(attribute, value)):
                    row.report(self.problems, name, problem)
                self._agree(found, row, f"{OF_SYSTEM}{attribute}", value, name)

    def _agree(self, found: Found, row: Row, name: str, value: Any, column: str = "") -> None:
        """Keep a value, or report that an earlier row has another one."""
        if name not in found.values:
            found.values[name], found.lines[name] = value, row.line
        elif found.values[name] != value:
            sentence = {
                "output": _("This row has another text for the item and system of line %(line)d."),
                "language": _("This row has another language for the text of line %(line)d."),
            }.get(name, _("This row says something else about the same item than line %(line)d."))
            if name.startswith(ATTRIBUTE):
                sentence = _("This row says something else about the same rater than line %(line)d.")
            if name.startswith(OF_SYSTEM):
                sentence = _("This row says something else about the same system than line %(line)d.")
            row.report(self.problems, column or name, sentence % {"line": found.lines[name]})
