"""Potato's annotation output: a folder for each user with annotated_instances.jsonl, or its exports as one file."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tasks_app.hooks.sections import Json
from tasks_app.importing.named.base import CERTAIN, NamedFormat, Sign
from tasks_app.importing.named.collected import Collected
from tasks_app.importing.named.fields import OPTIONS, Fields, number_of
from tasks_app.importing.named.files import Files
from tasks_app.importing.named.registry import register
from tasks_app.importing.named.scales import Labels, Marks, Scores

_LABELS, _SPANS = "label_annotations", "span_annotations"
_STATE = ("instance_id_to_label_to_value", "instance_id_to_span_to_value")
# A step of a Likert scale, such as scale_4.
_STEP = re.compile(r"(?:scale_)?(-?[0-9]+(?:\.[0-9]+)?)")
_TIME = re.compile(r"([0-9]+)d ([0-9]+)h ([0-9]+)m ([0-9]+)s")
_TEXTS = ("text_box", "textbox", "free_response")


@register
class Potato(NamedFormat):
    """Annotations of Potato."""

    label = gettext_lazy("Potato")
    about = gettext_lazy(
        "The folder annotation_output (annotated_instances.jsonl or user_state.json for each user), or one file of "
        "both; best in a zip with the data file, which has the texts."
    )
    kept = gettext_lazy(
        "instances, texts, users, Likert steps, sliders, numbers, labels (one or several), marked words, seconds"
    )
    not_kept = gettext_lazy("texts that annotators wrote, actions on the page, the order of instances")
    options = OPTIONS

    def recognise(self, files: Files) -> Sign | None:
        """Return a sign where records have label_annotations, or a file is a user's state."""
        for name in files.ending(".jsonl", ".json"):
            record = files.first_record(name)
            if isinstance(record, dict) and (_LABELS in record or _SPANS in record):
                return Sign(CERTAIN, _("The records of %(file)s have label_annotations.") % {"file": name})
            if isinstance(record, dict) and _STATE[0] in record:
                return Sign(
                    CERTAIN, _("%(file)s holds the answers of one annotator, as Potato saves them.") % {"file": name}
                )
        return None

    def read(self, files: Files, study: Collected, options: Mapping[str, str]) -> None:
        """Collect the annotations of all users."""
        reader = _Reader(study, Fields(study, options))
        annotated: list[tuple[str, dict[str, Any]]] = []
        states: list[dict[str, Any]] = []
        for name in files.ending(".jsonl", ".json"):
            for _line, record in files.records(name):
                if not isinstance(record, dict):
                    continue
                if _LABELS in record or _SPANS in record:
                    annotated.append((str(record.get("user_id") or record.get("user") or _folder(name)), record))
                elif _STATE[0] in record:
                    states.append(record)
                elif "id" in record:
                    reader.data[str(record["id"])] = record
        for user, record in annotated:
            reader.take(user, str(record.get("id", record.get("instance_id", ""))), record)
        if not annotated:
            for state in states:
                _take_state(reader, state)
        reader.finish()


def _folder(name: str) -> str:
    return PurePosixPath(name).parent.name or PurePosixPath(name).stem


def _take_state(reader: _Reader, state: Mapping[str, Any]) -> None:
    labels, spans = (state.get(key) or {} for key in _STATE)
    for instance in {**labels, **spans}:
        record = {_LABELS: labels.get(instance) or {}, _SPANS: spans.get(instance) or {}}
        reader.take(str(state.get("user_id") or ""), str(instance), record)


class _Reader:
    """Writes the users' answers about instances. `data` has the records of the data file by their ids."""

    def __init__(self, study: Collected, fields: Fields) -> None:
        self._study, self._fields = study, fields
        self._scores, self._labels, self._marks = Scores(study), Labels(study), Marks(study)
        self.data: dict[str, dict[str, Any]] = {}

    def take(self, user: str, instance: str, record: Mapping[str, Any]) -> None:
        """Write the annotations of an instance."""
        about = self.data.get(instance) or {"displayed_text": record.get("displayed_text") or f"[{instance}]"}
        text = self._fields.text_of({name: value for name, value in about.items() if name != "id"}, instance)
        seconds = _seconds(record.get("behavioral_data"))
        for question, said in _schemes(record.get(_LABELS)):
            chosen = [name for name, value in said.items() if value not in (False, None, "", "false")]
            score = _score(question, said, chosen)
            if chosen and chosen[0] in _TEXTS:
                self._study.left_out[_("Left out: texts that annotators wrote (%(n)s).")] += 1
            elif score is not None:
                self._scores.rate(question, user, text, score, seconds=seconds)
            elif chosen:
                self._labels.rate(question, user, text, chosen, seconds=seconds)
        for span in _spans(record.get(_SPANS)):
            start, end = number_of(span.get("start")), number_of(span.get("end"))
            kind = span.get("label") or span.get("name") or span.get("annotation") or span.get("schema") or "span"
            if start is None or end is None:
                self._study.left_out[_("Left out: marked words without a place in their texts (%(n)s).")] += 1
                continue
            words = next((span[name] for name in ("text", "span", "title") if isinstance(span.get(name), str)), None)
            self._marks.mark(user, text, int(start), int(end), str(kind), words)

    def finish(self) -> None:
        """Declare the task."""
        for asked in (self._scores, self._labels, self._marks):
            asked.finish()


def _schemes(given: Json) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the questions with the values by label, which a user's state wraps once more."""
    for question, said in given.items() if isinstance(given, dict) else ():
        if isinstance(said, dict) and isinstance(said.get("labels"), dict):
            yield question, said["labels"]
        elif isinstance(said, dict):
            yield question, said
        elif said is not None:
            yield question, {str(said): True}


def _score(question: str, said: Mapping[str, Any], chosen: list[str]) -> float | None:
    """Return the number of a Likert step, a slider or a number; None for labels."""
    if len(chosen) != 1:
        return None
    step = _STEP.fullmatch(chosen[0])
    if step is not None:
        return float(step[1])
    if chosen[0] in {question, "slider", "number", "value"}:
        return number_of(said[chosen[0]])
    return None


def _spans(given: Json) -> Iterator[dict[str, Any]]:
    """Yield marked words, in a list, by their schemes, or in pairs with a value."""
    groups = given.values() if isinstance(given, dict) else [given]
    for group in groups:
        for span in group if isinstance(group, list) else ():
            found = span[0] if isinstance(span, list) and span else span
            if isinstance(found, dict):
                yield found


def _seconds(given: Json) -> float | None:
    """Return the time spent on an instance, which Potato writes in words."""
    words = given.get("time_string") if isinstance(given, dict) else None
    found = _TIME.search(words) if isinstance(words, str) else None
    if found is None:
        return None
    days, hours, minutes, seconds = map(int, found.groups())
    return float(((days * 24 + hours) * 60 + minutes) * 60 + seconds) if days < 7 else None
