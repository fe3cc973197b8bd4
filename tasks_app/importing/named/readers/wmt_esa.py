"""ESA as WMT publishes it since 2024: scores with marked errors, as CSV beside the texts or as JSON Lines with them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tasks_app.importing.named import appraise_rows
from tasks_app.importing.named.base import CERTAIN, NamedFormat, Sign
from tasks_app.importing.named.collected import Collected
from tasks_app.importing.named.errors import ErrorsAndScores
from tasks_app.importing.named.files import Files
from tasks_app.importing.named.registry import register
from tasks_app.importing.named.segments import Segments, pair_of

_NEEDED = {"langs", "src", "tgt", "esa_spans", "esa_score", "system", "annotator"}


@register
class WmtEsa(NamedFormat):
    """ESA as WMT publishes it."""

    label = gettext_lazy("WMT ESA")
    about = gettext_lazy(
        "Error span annotation of the general translation task since 2024: CSV files of scores and spans, best in a "
        "zip with the folders sources and system-outputs; or JSON Lines with the texts."
    )
    kept = gettext_lazy("systems, documents, segments, texts, raters, scores 0–100, errors with severity, times")
    not_kept = gettext_lazy(
        "tutorials, degraded texts, repeats and incomplete documents, as in WMT's own scripts; earlier answers to the "
        "same text; errors where the zip has no texts"
    )

    def recognise(self, files: Files) -> Sign | None:
        """Return a sign where records have spans and scores, or rows are Appraise's with spans and two times."""
        for name in files.ending(".jsonl"):
            record = files.first_record(name)
            if isinstance(record, dict) and record.keys() >= _NEEDED:
                return Sign(CERTAIN, _("The records of %(file)s have esa_spans and esa_score.") % {"file": name})
        for name in appraise_rows.files_of(files):
            first = files.head(name).split("\n", 1)[0].split(",")
            if len(first) >= 12 and first[8] in {"True", "False"} and first[9].startswith(('"[', "[")):
                sentence = _("The rows of %(file)s are those of Appraise (TGT in column 4) with errors and two times.")
                return Sign(CERTAIN, sentence % {"file": name})
        return None

    def read(self, files: Files, study: Collected, options: Mapping[str, str]) -> None:
        """Collect the scores and errors."""
        task = ErrorsAndScores(study)
        for name in files.ending(".jsonl"):
            for _line, record in files.records(name):
                if isinstance(record, dict) and record.keys() >= _NEEDED:
                    _read_record(task, study, record)
        names = appraise_rows.files_of(files)
        if names:
            task.take_scores(appraise_rows.scores(files, names), Segments(files, study).of_score)
        task.finish()


def _read_record(task: ErrorsAndScores, study: Collected, record: Mapping[str, Any]) -> None:
    pair = str(record["langs"])
    item = study.item(
        f"{pair}-{record['line_id']}", source=record["src"], document=f"{pair}:{record.get('doc_id', '')}",
        feature_pair=pair, feature_domain=record.get("domain"), **pair_of(pair),
    )  # fmt: skip
    text = study.text(item, str(record["system"]), str(record["tgt"]))
    start, end = (record.get("times") or (None, None))[:2]
    task.rate(
        record["annotator"], text, float(record["esa_score"]), record["esa_spans"],
        started_at=appraise_rows.time_of(float(start or 0)), submitted_at=appraise_rows.time_of(float(end or 0)),
    )  # fmt: skip
