"""Folders of mt-metrics-eval: texts in line-aligned files, human scores and marked errors of segments."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tasks_app.importing.named import mqm
from tasks_app.importing.named.base import CERTAIN, NamedFormat, Option, Sign
from tasks_app.importing.named.collected import Collected, Task, Text
from tasks_app.importing.named.files import Files, refused
from tasks_app.importing.named.registry import register
from tasks_app.importing.named.scales import Scores
from tasks_app.importing.named.segments import pair_of
from tasks_app.importing.named.spans import of_characters
from tasks_app.studyfile.files.jsontext import BadJson, loads

_FOLDERS = ("sources", "references", "documents", "system-outputs", "human-scores")
NO_TRANSLATION = "[No translation supplied]"
_PLACE = re.compile(
    r"(?:.*/)?(?P<kind>sources|references|documents|system-outputs|human-scores)/(?P<rest>[^/]+(?:/[^/]+)?)"
)
_SCORES = re.compile(r"(?P<pair>[^./]+)\.(?P<name>.+)\.seg\.(?P<kind>score|rating)")


@register
class MtMetricsEval(NamedFormat):
    """Folders of mt-metrics-eval."""

    label = gettext_lazy("mt-metrics-eval")
    about = gettext_lazy(
        "A test set in the folders sources, references, documents, system-outputs and human-scores, with one language "
        "pair or several."
    )
    kept = gettext_lazy(
        "sources, the first reference, domains, documents, outputs, human scores of segments, marked errors with rater"
    )
    not_kept = gettext_lazy(
        "scores of systems and documents, which follow from those of segments; metric scores; other references"
    )
    options = {
        "pair": Option(gettext_lazy("Language pair, such as en-de; without, all"), {}),
        "weights": mqm.WEIGHTS,
    }

    def recognise(self, files: Files) -> Sign | None:
        """Return a sign where the folders are there."""
        kinds = {place["kind"] for name in files.names if (place := _PLACE.fullmatch(name))}
        if kinds >= {"sources", "system-outputs", "human-scores"}:
            return Sign(CERTAIN, _("There are the folders sources, system-outputs and human-scores."))
        return None

    def read(self, files: Files, study: Collected, options: Mapping[str, str]) -> None:
        """Collect the texts and human scores of all language pairs, or of one."""
        reader = _Reader(files, study)
        pairs = sorted(name.rpartition(".")[0] for name in reader.places["sources"])
        for pair in pairs:
            if options.get("pair") in (None, "", pair):
                reader.read(pair)
        reader.finish(self.option(options, "weights"))


class _Reader:
    """Reads language pairs; `places` are the names of files by folder and by their name in it."""

    def __init__(self, files: Files, study: Collected) -> None:
        self._files, self._study = files, study
        self.places: dict[str, dict[str, str]] = {kind: {} for kind in _FOLDERS}
        for name in files.names:
            if place := _PLACE.fullmatch(name):
                self.places[place["kind"]][place["rest"]] = name
        self._scores: dict[str, Scores] = {}
        self._errors: Task | None = None
        self._severities: set[str] = set()
        self._categories: set[str] = set()

    def read(self, pair: str) -> None:
        """Collect a language pair. Raises StudyFileError where its files have not as many lines."""
        sources = self._lines("sources", pair, "source")
        documents = self._documents(pair, len(sources))
        references = sorted(name for name in self.places["references"] if name.startswith(f"{pair}."))
        reference = self._lines_of(self.places["references"][references[0]], "target") if references else []
        texts: dict[str, list[Text | None]] = {}
        for rest, name in self.places["system-outputs"].items():
            folder, _slash, file = rest.partition("/")
            if folder == pair:
                lines = self._lines_of(name, "hypothesis")
                if len(lines) != len(sources):
                    sentence = _("has %(n)d lines; the source has %(all)d.") % {"n": len(lines), "all": len(sources)}
                    raise refused(name, 0, sentence)
                texts[file.rpartition(".")[0]] = [
                    self._text(pair, number, line, file.rpartition(".")[0], sources, reference, documents)
                    for number, line in enumerate(lines)
                ]
        for rest, name in sorted(self.places["human-scores"].items()):
            named = _SCORES.fullmatch(rest)
            if named is None or named["pair"] != pair:
                continue
            for line, system, number, cells in _numbered(self._files, name):
                text = texts.get(system, [])[number] if number < len(texts.get(system, [])) else None
                if cells[0] == "None":
                    continue
                if text is None:
                    self._study.left_out[_("Left out: scores of outputs that the folder does not have (%(n)s).")] += 1
                elif named["kind"] == "score":
                    self._score(name, line, named["name"], text, cells[0])
                else:
                    self._rating(name, line, cells, text)

    def _text(self, pair: str, number: int, line: str, system: str, sources: list[str], reference: list[str],
              documents: list[tuple[str, str, int]]) -> Text | None:  # fmt: skip
        if line == NO_TRANSLATION:
            return None
        domain, document, position = documents[number] if documents else ("", "", 0)
        item = self._study.item(
            f"{pair}-{number + 1}", source=sources[number], reference=reference[number] if reference else None,
            document=f"{pair}:{document}" if document else None, position=position or None, feature_domain=domain,
            feature_pair=pair, **pair_of(pair),
        )  # fmt: skip
        return self._study.text(item, system, line)

    def _score(self, name: str, line: int, scorer: str, text: Text, cell: str) -> None:
        try:
            value = float(cell)
        except ValueError:
            raise refused(name, line, _("“%(cell)s” is no number.") % {"cell": cell}) from None
        scores = self._scores.setdefault(scorer, Scores(self._study, f"scores-{mqm.key_of(scorer)}"))
        scores.rate(scorer, scorer, text, value)

    def _rating(self, name: str, line: int, cells: list[str], text: Text) -> None:
        try:
            errors = loads(cells[0])["errors"]
        except (BadJson, KeyError, TypeError):
            raise refused(name, line, _("Expected a rating with errors, as JSON.")) from None
        self._errors = self._errors or self._study.task("errors", "error_spans")
        rater = cells[1] if len(cells) > 1 else name.rpartition("/")[2].split(".")[-3]
        if not errors:
            self._study.rate(self._errors, rater, text, label="none")
        for error in errors:
            severity, category = str(error.get("severity") or "minor").lower(), str(error.get("category") or "")
            self._severities.add(severity)
            self._categories |= {category} - {""}
            source = self._study.source_of(text) if error.get("is_source_error") else None
            place = int(error["start"]), int(error["end"])
            count = of_characters(text.text)
            self._study.span(
                self._errors, rater, text, *place, count, source, category=category, severity=severity
            )  # fmt: skip

    def finish(self, weights: str) -> None:
        """Declare the task. Scores are means or sums already: the name of the score stands for the rater."""
        for scores in self._scores.values():
            scores.finish()
        if self._scores:
            sentence = _("The folder does not say who gave the scores: the rater is named after the score (%(names)s).")
            self._study.notes.append(sentence % {"names": ", ".join(self._scores)})
        if self._errors is not None:
            self._errors.params |= mqm.params_of(weights, self._severities, self._categories)

    def _documents(self, pair: str, n: int) -> list[tuple[str, str, int]]:
        """Return domain, document and position for each segment."""
        name = self.places["documents"].get(f"{pair}.docs")
        rows = [line.split() for line in self._files.lines(name)] if name is not None else []
        positions: dict[str, int] = {}
        found = []
        for row in rows:
            domain, document = (row[0], row[1]) if len(row) > 1 else ("", row[0] if row else "")
            positions[document] = positions.get(document, 0) + 1
            found.append((domain, document, positions[document]))
        if found and len(found) != n:
            raise refused(name or "", 0, _("has %(n)d lines; the source has %(all)d.") % {"n": len(found), "all": n})
        return found

    def _lines(self, folder: str, stem: str, field: str) -> list[str]:
        places = self.places[folder]
        return self._lines_of(places.get(f"{stem}.txt") or places[f"{stem}.jsonl"], field)

    def _lines_of(self, name: str, field: str) -> list[str]:
        """Return the texts of a file: a line each, or a field of JSON Lines."""
        if name.endswith(".jsonl"):
            return [str(record[field]) for _line, record in self._files.records(name)]
        return [line.rstrip() for line in self._files.lines(name)]


def _numbered(files: Files, name: str) -> Iterator[tuple[int, str, int, list[str]]]:
    """Yield line, system, number of the segment from 0, and further cells of a file of scores or ratings."""
    counts: dict[str, int] = {}
    for line, text in enumerate(files.lines(name), start=1):
        cells: list[Any] = text.split("\t") if "\t" in text else text.split(maxsplit=1)
        if len(cells) < 2:
            raise refused(name, line, _("Expected a system and a score."))
        number = counts.get(cells[0], 0)
        counts[cells[0]] = number + 1
        yield line, cells[0], number, [cell.strip() for cell in cells[1:]]
