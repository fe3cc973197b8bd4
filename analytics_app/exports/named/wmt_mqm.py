"""Marked errors as WMT publishes them: a row for each, tabs between cells, the marked words between <v> and </v>."""

from __future__ import annotations

from typing import IO, Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from analytics_app.exports.named.base import Segment, Writer, Written, register
from tasks_app.importing.named.spans import marked

COLUMNS = ("system", "doc", "doc_id", "seg_id", "rater", "source", "target", "category", "severity")
NO_ERROR = "No-error"


@register
class WmtMqm(Writer):
    """MQM as WMT publishes it."""

    label = gettext_lazy("WMT MQM (TSV)")
    about = gettext_lazy("Errors with their words, for Marot and the scripts of WMT.")
    not_kept = gettext_lazy(
        "scores, reasons of marks, times and seconds, the weights, references, features, tabs and line breaks "
        "in texts, further texts of one system; places of missing words"
    )
    suffix = ".tsv"
    content_type = "text/tab-separated-values; charset=utf-8"
    needs_errors = True

    def write(self, written: Written, target: IO[bytes]) -> None:
        """Write a row for each error, and one for each text without."""
        segments = {segment.key: (number, segment) for number, segment in enumerate(written.segments, start=1)}
        target.write(("\t".join(COLUMNS) + "\n").encode())
        for row in written.rows():
            if row["task"] not in written.rules:
                written.left_out[_("Left out: ratings of other tasks (%(n)s).")] += 1
            elif row["value"] is not None:
                written.left_out[_("Left out: scores (%(n)s).")] += 1
            elif row["variant"]:
                written.left_out[_("Left out: errors in further texts of one system (%(n)s).")] += 1
            elif row["item"] in segments:
                cells = _cells(written, *segments[row["item"]], row)
                target.write(("\t".join(cells) + "\n").encode())


def _cells(written: Written, number: int, segment: Segment, row: dict[str, Any]) -> tuple[str, ...]:
    source, text = written.one_line(segment.source), written.one_line(segment.texts[row["system"]])
    if "<v>" in source + text:
        written.left_out[_("Readers take the <v> in a text for a mark (rows: %(n)s).")] += 1
    start, end = row["span_start"], row["span_end"]
    if start is None:
        pass
    elif row["span_side"] == "source":
        source = marked(source, start, end)
    elif end > len(text):
        written.left_out[_("Marks of missing words are written without a place (%(n)s).")] += 1
    else:
        text = marked(text, start, end)
    is_none = row["label"] == "none"
    category = NO_ERROR if is_none else row["category"] or ""
    severity = NO_ERROR if is_none else (row["severity"] or "").capitalize()
    about = (segment.document, str(segment.number), str(number), row["rater"], source, text, category, severity)
    return tuple(cell.replace("\t", " ") for cell in (written.systems[row["system"]], *about))
