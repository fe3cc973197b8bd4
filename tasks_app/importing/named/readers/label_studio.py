"""Label Studio's export as JSON: tasks with data and annotations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tasks_app.hooks.sections import Json
from tasks_app.importing.named.base import CERTAIN, NamedFormat, Sign
from tasks_app.importing.named.collected import Collected, Text
from tasks_app.importing.named.fields import OPTIONS, Fields, number_of
from tasks_app.importing.named.files import Files
from tasks_app.importing.named.registry import register
from tasks_app.importing.named.scales import Labels, Marks, Preferences, Scores

# Sides of a pair as Label Studio calls them.
_SIDES = {"left": "first", "right": "second"}


@register
class LabelStudio(NamedFormat):
    """Annotations of Label Studio."""

    label = gettext_lazy("Label Studio (JSON)")
    about = gettext_lazy("The export “JSON” of a project; not JSON-MIN or CSV, which mix data with answers.")
    kept = gettext_lazy(
        "texts, annotators by their number, ratings, numbers, choices, labelled words, pairwise answers, times"
    )
    not_kept = gettext_lazy(
        "cancelled annotations and predictions, regions of pictures, texts that annotators wrote, relations"
    )
    options = OPTIONS

    def recognise(self, files: Files) -> Sign | None:
        """Return a sign where a list has tasks with data and annotations."""
        for name in files.ending(".json", ".jsonl"):
            record = files.first_record(name)
            if isinstance(record, dict) and isinstance(record.get("data"), dict) and _annotations(record) is not None:
                return Sign(CERTAIN, _("The entries of %(file)s have data and annotations.") % {"file": name})
        return None

    def read(self, files: Files, study: Collected, options: Mapping[str, str]) -> None:
        """Collect the annotations of all tasks."""
        reader = _Reader(study, Fields(study, options))
        for name in files.ending(".json", ".jsonl"):
            for number, task in files.records(name):
                if isinstance(task, dict) and isinstance(task.get("data"), dict):
                    reader.take(task, str(task.get("id") or number))
        reader.finish()


class _Reader:
    """Writes the results of annotations."""

    def __init__(self, study: Collected, fields: Fields) -> None:
        self._study, self._fields = study, fields
        self._scores, self._labels, self._marks = Scores(study), Labels(study), Marks(study)
        self._pairs = Preferences(study)

    def take(self, task: Mapping[str, Any], number: str) -> None:
        """Write the annotations of a task."""
        for annotation in _annotations(task) or ():
            if not isinstance(annotation, dict):
                continue
            if annotation.get("was_cancelled"):
                self._study.left_out[_("Left out: cancelled annotations (%(n)s).")] += 1
                continue
            who = annotation.get("completed_by")
            rater = who.get("id") if isinstance(who, dict) else who
            cells = {
                "judgment": f"annotation-{annotation['id']}" if annotation.get("id") is not None else None,
                "seconds": _seconds(annotation.get("lead_time")),
                "submitted_at": annotation.get("created_at"),
            }
            for result in annotation.get("result") or ():
                if isinstance(result, dict) and isinstance(result.get("value"), dict):
                    self._take(task["data"], number, rater, result, cells)

    def _take(
        self, data: Mapping[str, Any], number: str, rater: Json, result: Mapping[str, Any], cells: Mapping[str, Json]
    ) -> None:
        value, question, shown = (
            result["value"],
            str(result.get("from_name") or "answer"),
            str(result.get("to_name") or ""),
        )
        kind = str(result.get("type") or "")
        cells = {**cells, "judgment": f"{cells['judgment']}-{kind}" if cells["judgment"] else None}
        if kind == "pairwise":
            self._pair(data, number, rater, question, shown, value, cells)
            return
        text = self._fields.text_of(data, number, shown)
        score = number_of(value.get("rating", value.get("number")))
        if score is not None:
            self._scores.rate(question, rater, text, score, **cells)
        elif isinstance(value.get("choices"), list) and "start" not in value:
            self._labels.rate(question, rater, text, value["choices"], **cells)
        elif kind == "labels" and number_of(value.get("start")) is not None:
            self._mark(rater, text, value, cells)
        else:
            sentence = _("Left out: answers of the kind “%(kind)s” (%(n)s).")
            self._study.left_out[sentence.replace("%(kind)s", kind or "?")] += 1

    def _mark(self, rater: Json, text: Text, value: Mapping[str, Any], cells: Mapping[str, Json]) -> None:
        start, end = number_of(value.get("start")), number_of(value.get("end"))
        for label in value.get("labels") or ():
            words = value.get("text") if isinstance(value.get("text"), str) else None
            self._marks.mark(rater, text, int(start or 0), int(end or 0), str(label), words, **cells)

    def _pair(
        self, data: Mapping[str, Any], number: str, rater: Json, question: str, shown: str, value: Mapping[str, Any],
        cells: Mapping[str, Json],
    ) -> None:  # fmt: skip
        names = [name.strip() for name in shown.split(",")]
        label = _SIDES.get(str(value.get("selected") or value.get("pairwise") or ""), "tie")
        if len(names) != 2 or any(not isinstance(data.get(name), str) for name in names):
            self._study.left_out[_("Left out: pairs whose two texts are not in the data (%(n)s).")] += 1
            return
        source = self._fields.name("source", data, without=names)
        item = self._study.item(number, source=str(data[source]) if source else None)
        first, second = (self._study.text(item, name, data[name]) for name in names)
        self._pairs.rate(question, rater, first, second, label, **cells)

    def finish(self) -> None:
        """Declare the task."""
        for asked in (self._scores, self._labels, self._marks):
            asked.finish()


def _annotations(task: Mapping[str, Any]) -> list[Any] | None:
    """Return the annotations of a task, which old versions call completions."""
    found = task.get("annotations", task.get("completions"))
    return found if isinstance(found, list) else None


def _seconds(value: Json) -> float | None:
    seconds = number_of(value)
    return seconds if seconds is not None and 0 <= seconds <= 86_400 else None
