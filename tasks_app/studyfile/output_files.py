"""Check that raters can judge the outputs of a study file that are pictures, sounds and films."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from django.utils.translation import gettext as _

from tasks_app import task_types
from tasks_app.models import Output
from tasks_app.studyfile.files.media import OUTPUT_FILE
from tasks_app.studyfile.reading import StudyReading
from tasks_app.task_types.base import ItemTexts, OutputText

if TYPE_CHECKING:
    from tasks_app.studyfile.screens import DraftTask


def refuse_files(reading: StudyReading, number: int, items: Mapping[str, ItemTexts]) -> None:
    """Report every output of a task that is no text, where the task type works on the words of texts."""
    task = reading.document["tasks"][number]
    sentence = _(
        "The task “%(task)s” is of the type %(type)s, which works on the words of a text. %(able)s can show this."
    )
    able = ", ".join(sorted(name for name, member in task_types.registry.items() if member.judges_files))
    for item in items.values():
        for output in item.outputs:
            if output.file is not None:
                words = {"task": task["key"], "type": task["type"], "able": able}
                _report(reading, (item.key, output.system, output.variant), sentence % words)


def check_kinds(reading: StudyReading, drafts: Sequence[DraftTask]) -> None:
    """Report outputs of different kinds on one screen, such as a picture and a text, and note words about texts."""
    for draft in drafts:
        mixed: dict[tuple[str, str, str], OutputText] = {}
        shows_files = False
        for unit in draft.units.values():
            shown = [(unit.item_of(number), text) for number, text in enumerate(draft.texts(unit))]
            shows_files = shows_files or any(text.file is not None for _item, text in shown)
            for item, text in shown:
                other = next((other for _item, other in shown if _kind(other) != _kind(text)), None)
                if item is not None and text.file is not None and other is not None:
                    mixed.setdefault((item, text.system, text.variant), other)
        for key, other in mixed.items():
            sentence = _(
                "The task “%(task)s” shows this on one screen with the output of “%(system)s”, which is a %(kind)s; "
                "raters would compare the kinds. Give outputs on one screen the same kind."
            )
            words = {"task": draft.task["key"], "system": other.system, "kind": Output.Kind(_kind(other)).label}
            _report(reading, key, sentence % words)
        if shows_files and not draft.task["instructions"]:
            note = _(
                "The task “%(task)s” shows pictures, sounds or films. The instructions and questions that come with "
                "its type speak of texts: write your own."
            )
            reading.note(note % {"task": draft.task["key"]})


def _kind(text: OutputText) -> str:
    return text.file.kind if text.file is not None else Output.Kind.TEXT.value


def _report(reading: StudyReading, key: tuple[str, str, str], sentence: str) -> None:
    """Report an output, by its item, system and variant, where its file is named."""
    place = reading.file_places[key]
    reading.problems.add(reading.items_file, place.line, place.column, f"{OUTPUT_FILE}: {sentence}")
