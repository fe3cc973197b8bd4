"""Texts that stand in line-aligned files beside scores, as WMT and mt-metrics-eval lay them out."""

from __future__ import annotations

from pathlib import PurePosixPath

from django.utils.translation import gettext as _

from tasks_app.hooks.sections import Json
from tasks_app.importing.named.appraise_rows import Score
from tasks_app.importing.named.collected import Collected, Text
from tasks_app.importing.named.files import Files

_SHORT = {
    "ara": "ar", "bho": "bho", "ces": "cs", "deu": "de", "eng": "en", "est": "et", "fin": "fi", "fra": "fr",
    "heb": "he", "hin": "hi", "hrv": "hr", "isl": "is", "ita": "it", "jpn": "ja", "kor": "ko", "lav": "lv",
    "lit": "lt", "mas": "mas", "plk": "pl",
    "pol": "pl", "ron": "ro", "rus": "ru", "spa": "es", "srp": "sr", "tur": "tr", "ukr": "uk", "zho": "zh",
}  # fmt: skip


def pair_of(pair: str) -> dict[str, Json]:
    """Return the languages of a pair such as en-de as columns of items."""
    source, _hyphen, target = pair.partition("-")
    return {"source_language": source, "language": target} if target else {}


def short(language: str) -> str:
    """Return the tag of a language that is written with three letters."""
    return _SHORT.get(language.lower(), language.lower())


class Segments:
    """Sources and outputs by language pair and line, where the files have them; each file is read once."""

    def __init__(self, files: Files, study: Collected) -> None:
        self._files, self._study = files, study
        self._names = {_place(name): name for name in files.ending(".txt", ".docs")}
        self._lines: dict[str, list[str]] = {}
        self._has_told = False

    def lines(self, place: str) -> list[str] | None:
        """Return the lines of a file by its place, such as sources/en-de.txt; None where there is none."""
        if place not in self._names:
            return None
        if place not in self._lines:
            self._lines[place] = list(self._files.lines(self._names[place]))
        return self._lines[place]

    def of_score(self, score: Score) -> tuple[Text, bool]:
        """Return the text that a score is about, and whether the files have it; else a line that stands for it."""
        pair = f"{short(score.source_language)}-{short(score.language)}"
        line = int(score.segment) if score.segment.isdecimal() and len(score.segment) < 9 else -1
        source, output = self._line(f"sources/{pair}.txt", line), None
        for place in (f"system-outputs/{pair}/{score.system}.txt", f"references/{pair}.{score.system}.txt"):
            output = output if output is not None else self._line(place, line)
        document = f"{pair}:{score.document}" if score.document else None
        item = self._study.item(
            f"{pair}-{score.segment}", source=source, document=document, feature_pair=pair, **pair_of(pair)
        )
        return self._study.text(
            item, score.system, output or self.instead(score.system, score.segment)
        ), output is not None

    def instead(self, system: str, segment: str) -> str:
        """Return a line that stands for a text which the files do not have, and note that once."""
        if not self._has_told:
            self._has_told = True
            self._study.notes.append(
                _(
                    "Some texts are not among the files, so a line in brackets stands for each. The figures do not "
                    "depend on them."
                )
            )
        return f"[{system} {segment}]"

    def _line(self, place: str, line: int) -> str | None:
        lines = self.lines(place)
        return lines[line] if lines is not None and 0 <= line < len(lines) else None


def _place(name: str) -> str:
    """Return the last folders of a file's name from sources, references, system-outputs or documents on."""
    parts = PurePosixPath(name).parts
    for number, part in enumerate(parts):
        if part in {"sources", "references", "system-outputs", "documents"}:
            return "/".join(parts[number:])
    return name
