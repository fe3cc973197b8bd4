"""MQM as WMT publishes it since 2020: a row for each error, tabs between cells, marked words between <v> and </v>."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tasks_app.importing.named import mqm, spans
from tasks_app.importing.named.base import CERTAIN, NamedFormat, Sign
from tasks_app.importing.named.collected import Collected, Task, Text
from tasks_app.importing.named.files import Files, refused, same_names
from tasks_app.importing.named.registry import register

_NEEDED = ("system", "doc", "rater", "source", "target", "category", "severity")
# Names of the number of a segment in its document and in the whole, in files up to 2022 and of Marot.
_IN_DOCUMENT, _IN_ALL = ("docsegid", "doc_id"), ("globalsegid", "seg_id")

# Tests of the rater that Marot mixes in: sentences with a planted error.
_TEST = "hotw-test"
_NO_ERROR = "no-error"


@dataclass(frozen=True, slots=True)
class _Row:
    """A row: its cells by the names of the header in small letters, and its line."""

    line: int
    cells: Mapping[str, str]

    def first(self, names: tuple[str, ...]) -> str:
        """Return the first cell of these names that is there."""
        return next((self.cells[name] for name in names if self.cells.get(name)), "")


@register
class WmtMqm(NamedFormat):
    """MQM as WMT publishes it."""

    label = gettext_lazy("WMT MQM (TSV)")
    about = gettext_lazy("Errors marked by translators, as WMT publishes them since 2020; also the files of Marot.")
    kept = gettext_lazy(
        "systems, documents, segments, sources, texts, raters, kind and severity of each error, its words"
    )
    not_kept = gettext_lazy("Marot's metadata but for the time; tests with planted errors; further words of one error")
    options = {"weights": mqm.WEIGHTS}

    def recognise(self, files: Files) -> Sign | None:
        """Return a sign where the header of a table with tabs has the columns of WMT."""
        for name in files.ending(".tsv", ".txt"):
            header = files.head(name).split("\n", 1)[0].split("\t")
            if same_names(header, _NEEDED):
                return Sign(CERTAIN, _("The first line of %(file)s has the columns system, doc, rater, category and "
                                       "severity, with tabs between them.") % {"file": name})  # fmt: skip
        return None

    def read(self, files: Files, study: Collected, options: Mapping[str, str]) -> None:
        """Collect the errors of all tables with these columns."""
        task = study.task("errors", "error_spans")
        marks = _Marks(study, task)
        is_marot = False
        for name in files.ending(".tsv", ".txt"):
            lines = files.lines(name)
            header = [cell.strip().lower() for cell in next(lines, "").split("\t")]
            if not same_names(header, _NEEDED):
                continue
            is_marot = is_marot or "docsegid" in header
            for number, line in enumerate(lines, start=2):
                if line.strip():
                    marks.take(name, _Row(number, dict(zip(header, line.split("\t"), strict=False))))
        marks.finish()
        usual = mqm.MAROT if is_marot else mqm.FREITAG
        weights = options.get("weights") or usual
        task.params.update(mqm.params_of(weights, marks.severities, marks.categories))
        words = mqm.WEIGHTS.choices[weights]
        study.notes.append(_("Errors are weighted as in %(weights)s.") % {"weights": words})


class _Marks:
    """Writes the errors of rows; that a rater found none is written where no other row of theirs has an error."""

    def __init__(self, study: Collected, task: Task) -> None:
        self._study, self._task = study, task
        self.severities: set[str] = set()
        self.categories: set[str] = set()
        self._with_errors: set[tuple[str, Text]] = set()
        self._without: dict[tuple[str, Text], dict[str, Any]] = {}

    def take(self, name: str, row: _Row) -> None:
        """Write the error of a row. Raises StudyFileError where the row lacks cells."""
        cells = row.cells
        if any(column not in cells for column in _NEEDED):
            raise refused(
                name, row.line, _("This line has %(n)d cells, fewer than the first line.") % {"n": len(cells)}
            )
        severity, category = cells["severity"].strip(), cells["category"].strip()
        if severity.casefold() == _TEST:
            self._study.left_out[_("Left out: tests of raters with a planted error (%(n)s).")] += 1
            return
        source, source_spans = spans.unmarked(cells["source"])
        target, target_spans = spans.unmarked(cells["target"])
        segment = row.first(_IN_DOCUMENT) or row.first(_IN_ALL)
        position = int(segment) if segment.isdecimal() and len(segment) < 9 else None
        item = self._study.item(
            f"{cells['doc']}-{segment}", source=source, document=cells["doc"], position=position,
            feature_segment=row.first(_IN_ALL),
        )  # fmt: skip
        text = self._study.text(item, cells["system"], target)
        if _NO_ERROR in {severity.casefold(), category.casefold()}:
            self._without.setdefault((cells["rater"], text), {})
            return
        self._with_errors.add((cells["rater"], text))
        self.severities.add(severity)
        self.categories.add(category)
        words: dict[str, Any] = {"category": category, "severity": severity.lower()}
        if comment := cells.get("comment", "").strip():
            self._study.left_out[_("Left out: comments on errors (%(n)s).")] += bool(comment)
        marked = target_spans or source_spans
        if len(target_spans) + len(source_spans) > 1:
            sentence = _("Of errors whose words are marked in several places, only the first place is kept (%(n)s).")
            self._study.left_out[sentence] += 1
        if not marked or marked[0][0] == marked[0][1]:
            self._study.rate(self._task, cells["rater"], text, **words)
            return
        of_source = None if target_spans else source
        self._study.span(self._task, cells["rater"], text, *marked[0], spans.of_characters(target), of_source, **words)

    def finish(self) -> None:
        """Write who found no error in which text."""
        for rater, text in self._without:
            if (rater, text) in self._with_errors:
                self._study.left_out[
                    _("Left out: rows that say “no error” beside errors of the same rater (%(n)s).")
                ] += 1
            else:
                self._study.rate(self._task, rater, text, label="none")
