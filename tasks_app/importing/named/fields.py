"""Which field of a record is its text, source, item or system: as chosen, else by its name, and always said."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tasks_app.hooks.sections import Json
from tasks_app.importing.named.base import Option
from tasks_app.importing.named.collected import Collected, Text

# Names of fields, the likeliest first.
_NAMES: Mapping[str, Sequence[str]] = {
    "text": ("output", "system_output", "generated_text", "generation", "response", "translation", "target", "tgt",
             "mt", "hypothesis", "summary", "answer", "completion", "text", "displayed_text", "sentence", "stimulus",
             "content"),
    "source": ("source", "src", "input", "prompt", "instruction", "question", "context", "document", "article"),
    "item": ("item", "item_id", "segment_id", "seg_id", "example_id", "source_id", "doc_id"),
    "system": ("system", "system_id", "system_name", "model", "model_id", "model_name", "method", "condition"),
}  # fmt: skip
_NO_TEXT = ""

OPTIONS: Mapping[str, Option] = {
    "text": Option(gettext_lazy("Field with the text that was rated"), {}),
    "source": Option(gettext_lazy("Field with the source"), {}),
    "item": Option(gettext_lazy("Field with the item's id"), {}),
    "system": Option(gettext_lazy("Field with the system"), {}),
}


class Fields:
    """Finds the parts of records, and notes the field of each part once."""

    def __init__(self, study: Collected, options: Mapping[str, str]) -> None:
        self._study, self._options = study, options
        self._told: set[tuple[str, str]] = set()

    def name(self, part: str, record: Mapping[str, Json], without: Iterable[str] = ()) -> str | None:
        """Return the field of a part; None where the record has none."""
        chosen = self._options.get(part)
        if chosen:
            return chosen if record.get(chosen) not in (None, "") else None
        usable = {name.lower(): name for name, value in record.items() if _is_plain(value) and name not in without}
        return next((usable[name] for name in _NAMES[part] if name in usable), None)

    def text_of(self, record: Mapping[str, Json], number: str, first: str | None = None) -> Text:
        """Return the text of a record, with its item; `number` names the item where no field does.

        `first` is the field that was rated, where the file says so.
        """
        source = self.name("source", record)
        field = first if first is not None and _is_plain(record.get(first)) else None
        field = field or self.name("text", record, without=[source] if source and "source" not in self._options else [])
        field = field or _longest(record)
        item_field, system_field = self.name("item", record), self.name("system", record)
        item_name = str(record[item_field]) if item_field is not None else number
        system = str(record[system_field]) if system_field is not None else ""
        self._tell("text", field)
        self._tell("system", system_field)
        self._tell("source", source if source != field else None)
        item = self._study.item(item_name, source=str(record[source]) if source and source != field else None)
        words = str(record[field]) if field is not None else f"[{number}]"
        return self._study.text(item, system, words)

    def _tell(self, part: str, field: str | None) -> None:
        if field is not None and (part, field) not in self._told and part not in self._options:
            self._told.add((part, field))
            sentences = {
                "text": _("The field “%(field)s” is taken for the text that was rated."),
                "system": _("The field “%(field)s” is taken for the system."),
                "source": _("The field “%(field)s” is taken for the source."),
            }
            self._study.notes.append(sentences[part] % {"field": field})


def _is_plain(value: Json) -> bool:
    return isinstance(value, str | int | float) and not isinstance(value, bool) and value != _NO_TEXT


def _longest(record: Mapping[str, Json]) -> str | None:
    """Return the field with the longest text."""
    texts = [(len(value), name) for name, value in record.items() if isinstance(value, str) and value.strip()]
    return max(texts)[1] if texts else None


def number_of(value: Json) -> float | None:
    """Return a value as a number, also one that is written as text; None for anything else."""
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, int | float):
        return float(value)
    try:
        number = float(str(value).strip()) if isinstance(value, str) else None
    except ValueError:
        return None
    return number if number is not None and abs(number) < 1e12 else None
