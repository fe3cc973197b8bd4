"""Pearmut: the annotations of a campaign (JSON Lines or JSON), with the texts or beside the campaign's own file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tasks_app.hooks.sections import Json
from tasks_app.importing.named.appraise_rows import time_of
from tasks_app.importing.named.base import CERTAIN, NamedFormat, Sign
from tasks_app.importing.named.collected import Collected, Text
from tasks_app.importing.named.errors import ErrorsAndScores
from tasks_app.importing.named.files import Files
from tasks_app.importing.named.registry import register
from tasks_app.importing.named.scales import Scores
from tasks_app.importing.named.spans import of_drawn_utf16

_NEEDED = {"user_id", "item_i", "annotation"}


@register
class Pearmut(NamedFormat):
    """Annotations of Pearmut."""

    label = gettext_lazy("Pearmut")
    about = gettext_lazy(
        "Annotations of a campaign (data/outputs/…jsonl, or the dashboard's download); older ones in a zip with the "
        "campaign's JSON, which has the texts."
    )
    kept = gettext_lazy("models, items, texts, users, scores, sliders, marked errors with severity and category, times")
    not_kept = gettext_lazy("comments and text fields, actions on the page, welcome items and random checks")

    def recognise(self, files: Files) -> Sign | None:
        """Return a sign where records have user_id, item_i and annotation."""
        for name in files.ending(".jsonl", ".json"):
            record = next(_flat(files.first_record(name)), None)
            if record is not None:
                return Sign(CERTAIN, _("The records of %(file)s have user_id, item_i and annotation.") % {"file": name})
        return None

    def read(self, files: Files, study: Collected, options: Mapping[str, str]) -> None:
        """Collect the last annotation of each user and item."""
        campaign: dict[str, list[Json]] = {}
        latest: dict[tuple[str, str], dict[str, Any]] = {}
        for name in files.ending(".jsonl", ".json"):
            for _line, value in files.records(name):
                if isinstance(value, dict) and "data" in value and "info" in value:
                    campaign |= _documents(value)
                for record in _flat(value):
                    key = (str(record["user_id"]), str(record["item_i"]))
                    if key in latest:
                        study.left_out[_("Where an answer was given again, the last one counts (%(n)s).")] += 1
                    latest[key] = record
        reader = _Reader(study, campaign)
        for record in latest.values():
            reader.take(record)
        reader.finish()


class _Reader:
    """Writes the annotations of documents."""

    def __init__(self, study: Collected, campaign: Mapping[str, list[Json]]) -> None:
        self._study, self._campaign = study, campaign
        self._errors = ErrorsAndScores(study, of_drawn_utf16)
        self._sliders = Scores(study, "sliders")

    def take(self, record: Mapping[str, Any]) -> None:
        """Write a user's answers about a document: a list of segments or one of them."""
        number, user = str(record["item_i"]), str(record["user_id"])
        if not number.isdecimal():
            self._study.left_out[_("Left out: answers to welcome items and random checks (%(n)s).")] += 1
            return
        answers = record["annotation"] if isinstance(record["annotation"], list) else [record["annotation"]]
        given = record.get("item") or self._campaign.get(f"{user}/{number}") or self._campaign.get(number) or []
        segments = given if isinstance(given, list) else [given]
        for place, answer in enumerate(answers):
            segment = segments[place] if place < len(segments) and isinstance(segments[place], dict) else {}
            name = str(segment.get("item_id") or f"{number}-{place}")
            item = self._study.item(
                name, source=segment.get("src"), reference=segment.get("ref"), document=f"document-{number}",
                position=place + 1,
            )  # fmt: skip
            for model, said in answer.items() if isinstance(answer, dict) else ():
                if isinstance(said, dict):
                    output = (segment.get("tgt") or {}).get(model)
                    self._rate(user, self._study.text(item, model, output or f"[{model} {name}]"), said,
                               output is not None, _times(record))  # fmt: skip

    def _rate(self, user: str, text: Text, said: Mapping[str, Any], is_known: bool, times: Mapping[str, Json]) -> None:
        errors = said.get("error_spans") or ()
        if errors and not is_known:
            sentence = _("Left out: marked errors whose texts are not among the files (%(n)s).")
            self._study.left_out[sentence] += len(errors)
            errors = ()
        self._errors.rate(user, text, said.get("score"), errors, **times)
        for name, value in (said.get("sliders") or {}).items():
            if isinstance(value, int | float):
                self._sliders.rate(name, user, text, value, **times)
        if said.get("textfield"):
            self._study.left_out[_("Left out: texts in text fields (%(n)s).")] += 1

    def finish(self) -> None:
        """Declare the task."""
        self._errors.finish()
        self._sliders.finish()


def _times(record: Mapping[str, Any]) -> dict[str, Json]:
    moments = [
        action["time"] for action in record.get("actions") or () if isinstance(action, dict) and "time" in action
    ]
    moments = [moment for moment in moments if isinstance(moment, int | float)]
    return {"started_at": time_of(min(moments)), "submitted_at": time_of(max(moments))} if moments else {}


def _flat(value: Json) -> Iterator[dict[str, Any]]:
    """Yield the annotations in a record, or in the lists of a download by campaigns."""
    if isinstance(value, dict) and value.keys() >= _NEEDED:
        yield value
    elif isinstance(value, dict):
        for entries in value.values():
            for entry in entries if isinstance(entries, list) else ():
                if isinstance(entry, dict) and entry.keys() >= _NEEDED:
                    yield entry


def _documents(campaign: Mapping[str, Any]) -> dict[str, list[Json]]:
    """Return the documents of a campaign by user and number; by number alone where users draw from one list."""
    data = campaign["data"]
    documents_by_place: dict[str, list[Json]] = {}
    parts = data.items() if isinstance(data, dict) else [("", data)]
    for user, documents in parts:
        for number, document in enumerate(documents if isinstance(documents, list) else ()):
            if isinstance(document, list) and document and isinstance(document[0], dict):
                documents_by_place[f"{user}/{number}" if user else str(number)] = document
            elif isinstance(document, dict):
                documents_by_place[f"{user}/{number}" if user else str(number)] = [document]
    return documents_by_place
