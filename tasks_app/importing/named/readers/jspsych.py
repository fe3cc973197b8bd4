"""jsPsych's data: a row for each trial, as CSV or JSON, of one participant or several."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tasks_app.hooks.sections import Json
from tasks_app.importing.named.base import CERTAIN, NamedFormat, Option, Sign
from tasks_app.importing.named.collected import Collected
from tasks_app.importing.named.fields import OPTIONS, Fields, number_of
from tasks_app.importing.named.files import Files, same_names
from tasks_app.importing.named.registry import register
from tasks_app.importing.named.scales import Labels, Scores
from tasks_app.studyfile.files.jsontext import BadJson, loads

_NEEDED = ("trial_type", "trial_index", "time_elapsed")
_PARTICIPANT = ("participant", "participant_id", "subject", "subject_id", "prolific_pid", "prolific_id", "workerid",
                "worker_id", "rater", "run_id", "session_id")  # fmt: skip
_TAG = re.compile(r"<[^<>]{0,2000}>")
# What a trial has beside the researcher's own columns.
_OWN = {*_NEEDED, "rt", "response", "internal_node_id", "plugin_version", "success", "timeout", "failed_images"}


@register
class Jspsych(NamedFormat):
    """Trials of jsPsych."""

    label = gettext_lazy("jsPsych")
    about = gettext_lazy(
        "The data of an experiment as CSV or JSON, one file or a zip with one for each participant. Trials with an "
        "answer are ratings of their stimulus, or of the columns item, system and text that you added."
    )
    kept = gettext_lazy("participants, stimuli without markup, sliders, Likert steps (from 1), choices, response times")
    not_kept = gettext_lazy("trials without an answer (instructions, preloading), keys pressed, written answers")
    options = {
        "participant": Option(gettext_lazy("Column with the participant"), {}),
        **OPTIONS,
    }

    def recognise(self, files: Files) -> Sign | None:
        """Return a sign where rows have trial_type, trial_index and time_elapsed."""
        for name in files.ending(".csv"):
            header = files.head(name).split("\n", 1)[0].replace('"', "").split(",")
            if same_names(header, _NEEDED):
                return Sign(
                    CERTAIN, _("%(file)s has the columns trial_type, trial_index and time_elapsed.") % {"file": name}
                )
        for name in files.ending(".json", ".jsonl"):
            record = files.first_record(name)
            if isinstance(record, dict) and same_names(record, _NEEDED):
                return Sign(
                    CERTAIN,
                    _("The records of %(file)s have trial_type, trial_index and time_elapsed.") % {"file": name},
                )
        return None

    def read(self, files: Files, study: Collected, options: Mapping[str, str]) -> None:
        """Collect the answers of all trials."""
        reader = _Reader(study, Fields(study, options), options.get("participant", ""))
        for name in files.ending(".csv", ".json", ".jsonl"):
            for trial in _trials(files, name):
                reader.take(trial, PurePosixPath(name).stem)
        reader.finish()


class _Reader:
    """Writes the answers of trials."""

    def __init__(self, study: Collected, fields: Fields, participant: str) -> None:
        self._study, self._fields, self._participant = study, fields, participant
        self._scores, self._labels, self._steps = Scores(study), Labels(study), Scores(study, "steps")

    def take(self, trial: Mapping[str, Json], file: str) -> None:
        """Write the answer of a trial; a trial without one is left out."""
        response, kind = _value(trial.get("response")), str(trial.get("trial_type") or "")
        own = {name: _without_markup(value) for name, value in trial.items() if name.lower() not in _OWN and value}
        own = {name: value for name, value in own.items() if not _is_participant(name, self._participant)}
        if response in (None, "", {}) or (not own.get("stimulus") and self._fields.name("item", own) is None
                                          and self._fields.name("text", own) is None):  # fmt: skip
            self._study.left_out[_("Left out: trials without an answer or a stimulus (%(n)s).")] += 1
            return
        rater = self._rater(trial, file)
        named = self._fields.name("text", own)
        text = self._fields.text_of(own, str(own.get(named or "stimulus") or own.get("stimulus")))
        milliseconds = number_of(_value(trial.get("rt")))
        seconds = milliseconds / 1000 if milliseconds is not None and 0 <= milliseconds < 6e8 else None
        answers = (
            response if isinstance(response, dict) else {kind.removeprefix("html-").removesuffix("-response"): response}
        )
        for question, answer in answers.items():
            number = number_of(answer) if not isinstance(answer, str) else None
            cells = {"seconds": seconds}
            if kind == "survey-likert" and number is not None:
                self._steps.rate(question, rater, text, number + 1, **cells)
            elif kind.endswith("slider-response") and number is not None:
                self._scores.rate(question, rater, text, number, **cells)
            elif kind == "survey-text" or answer in ("", None, []):
                self._study.left_out[_("Left out: written and empty answers (%(n)s).")] += 1
            elif number is not None and not kind.endswith("button-response"):
                self._scores.rate(question, rater, text, number, **cells)
            else:
                self._labels.rate(question, rater, text, answer if isinstance(answer, list) else [answer], **cells)

    def _rater(self, trial: Mapping[str, Json], file: str) -> str:
        return str(
            next((value for name, value in trial.items() if _is_participant(name, self._participant) and value), file)
        )

    def finish(self) -> None:
        """Declare the task."""
        for asked in (self._scores, self._labels, self._steps):
            asked.finish()


def _is_participant(name: str, chosen: str) -> bool:
    return name == chosen if chosen else name.lower() in _PARTICIPANT


def _trials(files: Files, name: str) -> Iterator[dict[str, Any]]:
    if name.lower().endswith(".csv"):
        for _line, row in files.table(name):
            if same_names(row, _NEEDED):
                yield row
        return
    for _line, record in files.records(name):
        if isinstance(record, dict) and same_names(record, _NEEDED):
            yield record


def _value(cell: Json) -> Json:
    """Return the value of a cell: JSON, or text; null and an empty cell are None."""
    if not isinstance(cell, str):
        return cell
    try:
        return loads(cell) if cell.strip() else None
    except BadJson:
        return cell


def _without_markup(value: Json) -> Json:
    return html.unescape(_TAG.sub(" ", value)).strip() if isinstance(value, str) and "<" in value else value
