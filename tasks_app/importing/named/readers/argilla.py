"""Argilla's records with responses: as JSON of version 2, or as the columns of a data set on the hub."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tasks_app.hooks.sections import Json
from tasks_app.importing.named.base import CERTAIN, LIKELY, NamedFormat, Sign
from tasks_app.importing.named.collected import Collected, Text
from tasks_app.importing.named.columnar import endings, records_of
from tasks_app.importing.named.fields import OPTIONS, Fields, number_of
from tasks_app.importing.named.files import Files
from tasks_app.importing.named.registry import register
from tasks_app.importing.named.scales import Labels, Marks, Scores

_RESPONSES = ".responses"
# Answers of more characters, or more different ones to a question, are texts and no labels.
_LONGEST_LABEL, _MOST_LABELS = 80, 50


@register
class Argilla(NamedFormat):
    """Records of Argilla."""

    label = gettext_lazy("Argilla")
    about = gettext_lazy(
        "Records with responses: JSON of dataset.records.to_json, or a data set of the hub (JSON Lines, Parquet) with "
        "columns such as quality.responses."
    )
    kept = gettext_lazy("fields, users, submitted ratings, labels (one or several), spans")
    not_kept = gettext_lazy("drafts and discarded responses, suggestions, rankings, written answers, vectors")
    options = OPTIONS

    def recognise(self, files: Files) -> Sign | None:
        """Return a sign where records have fields and responses, or columns with responses."""
        for name in files.ending(*endings(files)):
            record = next(iter(records_of(files, name, limit=1)), None)
            if not isinstance(record, dict):
                continue
            if isinstance(record.get("fields"), dict) and isinstance(record.get("responses"), dict | list):
                return Sign(CERTAIN, _("The records of %(file)s have fields and responses.") % {"file": name})
            if any(column.endswith(_RESPONSES) for column in record):
                return Sign(CERTAIN, _("%(file)s has columns of responses.") % {"file": name})
            if any(_is_feedback(value) for value in record.values()):
                return Sign(LIKELY, _("A column of %(file)s has user_id, value and status.") % {"file": name})
        return None

    def read(self, files: Files, study: Collected, options: Mapping[str, str]) -> None:
        """Collect the submitted responses."""
        reader = _Reader(study, Fields(study, options))
        for name in files.ending(*endings(files)):
            for number, record in enumerate(records_of(files, name), start=1):
                if isinstance(record, dict):
                    reader.take(record, str(record.get("id") or record.get("external_id") or number))
        reader.finish()


class _Reader:
    """Holds the answers in words back until it is known whether they are labels."""

    def __init__(self, study: Collected, fields: Fields) -> None:
        self._study, self._fields = study, fields
        self._scores, self._labels, self._marks = Scores(study), Labels(study), Marks(study)
        self._words: dict[str, list[tuple[str, Text, str]]] = {}

    def take(self, record: Mapping[str, Any], number: str) -> None:
        """Write the responses to a record."""
        fields = record.get("fields")
        if not isinstance(fields, dict):
            fields = {name: value for name, value in record.items() if isinstance(value, str) and "." not in name}
            fields = {
                name: value
                for name, value in fields.items()
                if name not in {"id", "_server_id", "status", "external_id"}
            }
        metadata = record.get("metadata")
        about = {**(metadata if isinstance(metadata, dict) else {}), **fields}
        responses = list(_responses(record))
        if not responses:
            return
        text = self._fields.text_of(about, number)
        for question, user, value, status in responses:
            if status not in {None, "submitted"}:
                self._study.left_out[_("Left out: drafts and discarded responses (%(n)s).")] += 1
            else:
                self._answer(question, user, text, value)

    def _answer(self, question: str, user: str, text: Text, value: Json) -> None:
        if isinstance(value, int | float) and not isinstance(value, bool):
            self._scores.rate(question, user, text, value)
        elif isinstance(value, str):
            self._words.setdefault(question, []).append((user, text, value))
        elif isinstance(value, list) and value and all(isinstance(entry, str) for entry in value):
            self._labels.rate(question, user, text, value)
        elif isinstance(value, list) and value and all(isinstance(entry, dict) and "start" in entry for entry in value):
            for span in value:
                start, end = number_of(span.get("start")), number_of(span.get("end"))
                self._marks.mark(user, text, int(start or 0), int(end or 0), str(span.get("label") or "span"))
        elif value not in (None, []):
            self._study.left_out[_("Left out: answers of other kinds, such as rankings (%(n)s).")] += 1

    def finish(self) -> None:
        """Write the labels, and declare the task."""
        for question, answers in self._words.items():
            different = {value for _user, _text, value in answers}
            if len(different) > _MOST_LABELS or max(map(len, different)) > _LONGEST_LABEL:
                self._study.left_out[_("Left out: written answers (%(n)s).")] += len(answers)
                continue
            for user, text, value in answers:
                self._labels.rate(question, user, text, [value])
        for asked in (self._scores, self._labels, self._marks):
            asked.finish()


def _responses(record: Mapping[str, Any]) -> Iterator[tuple[str, str, Json, str | None]]:
    """Yield question, user, value and status of each response, in any of the three forms."""
    responses = record.get("responses")
    if isinstance(responses, dict):
        for question, answers in responses.items():
            yield from _of_list(question, answers)
    elif isinstance(responses, list):
        for answer in responses:  # one for each user, with values by question
            for question, value in (answer.get("values") or {}).items() if isinstance(answer, dict) else ():
                found = value.get("value") if isinstance(value, dict) else value
                yield question, str(answer.get("user_id") or ""), found, answer.get("status")
    for column, values in record.items():
        if column.endswith(_RESPONSES) and isinstance(values, list):
            users = record.get(f"{column}.users") or [None] * len(values)
            states = record.get(f"{column}.status") or [None] * len(values)
            for value, user, status in zip(values, users, states, strict=False):
                yield column.removesuffix(_RESPONSES), str(user or ""), value, status
        elif _is_feedback(values):
            yield from _of_list(column, values)


def _of_list(question: str, answers: Json) -> Iterator[tuple[str, str, Json, str | None]]:
    if isinstance(answers, dict):  # lists beside each other
        users, states = answers.get("user_id") or [], answers.get("status") or []
        for place, value in enumerate(answers.get("value") or []):
            yield (question, str((users[place] if place < len(users) else None) or ""), value,
                   states[place] if place < len(states) else None)  # fmt: skip
        return
    for answer in answers if isinstance(answers, list) else ():
        if isinstance(answer, dict):
            yield question, str(answer.get("user_id") or ""), answer.get("value"), answer.get("status")


def _is_feedback(value: Json) -> bool:
    """Return whether a column has responses as the first versions wrote them."""
    first = value[0] if isinstance(value, list) and value else value
    return isinstance(first, dict) and first.keys() >= {"user_id", "value", "status"}
