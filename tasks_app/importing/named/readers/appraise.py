"""Appraise's exports of scores, alone or in a zip with the batches that hold the texts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tasks_app.importing.named import appraise_rows
from tasks_app.importing.named.base import LIKELY, NamedFormat, Sign
from tasks_app.importing.named.collected import Collected, Text
from tasks_app.importing.named.errors import ErrorsAndScores
from tasks_app.importing.named.files import Files
from tasks_app.importing.named.registry import register
from tasks_app.importing.named.segments import Segments, pair_of, short

# The names of the two sides in batches of pairs.
_SIDES = (("targetID", "targetText"), ("target1ID", "target1Text"), ("target2ID", "target2Text"))


@register
class Appraise(NamedFormat):
    """Scores of Appraise."""

    label = gettext_lazy("Appraise")
    about = gettext_lazy(
        "Scores as Appraise exports them (a CSV file without a header), best in a zip with the JSON batches of the "
        "campaign."
    )
    kept = gettext_lazy(
        "systems, documents, segments, raters, scores 0–100, marked errors, times; texts of the batches"
    )
    not_kept = gettext_lazy("degraded texts, repeats and tutorials; earlier answers to the same text; notes on errors")

    def recognise(self, files: Files) -> Sign | None:
        """Return a sign where the fourth column of a CSV file is TGT, REF, BAD or CHK."""
        for name in appraise_rows.files_of(files):
            sentence = _(
                "%(file)s has no header, a kind of item (TGT, REF, BAD, CHK) in column 4 and a score in column 7."
            )
            return Sign(LIKELY, sentence % {"file": name})
        return None

    def read(self, files: Files, study: Collected, options: Mapping[str, str]) -> None:
        """Collect the scores, with texts of batches or of files beside them."""
        texts = {key: item for name in files.ending(".json") for key, item in _texts(files, name)}
        segments, task = Segments(files, study), ErrorsAndScores(study)

        def text_of(score: appraise_rows.Score) -> tuple[Text, bool]:
            source_and_text = texts.get((score.system, score.segment, score.document)) or texts.get(
                (score.system, score.segment, "")
            )
            if source_and_text is None:
                return segments.of_score(score)
            pair = f"{short(score.source_language)}-{short(score.language)}"
            item = study.item(
                "-".join(filter(None, (pair, score.document, score.segment))), source=source_and_text[0],
                document=score.document or None, **pair_of(pair),
            )  # fmt: skip
            return study.text(item, score.system, source_and_text[1]), True

        names = appraise_rows.files_of(files)
        task.take_scores(appraise_rows.scores(files, names), text_of)
        task.finish()


def _texts(files: Files, name: str) -> Iterator[tuple[tuple[str, str, str], tuple[str, str]]]:
    """Yield the source and text of every item of batches by system, segment and document."""
    for _line, batch in files.records(name):
        for item in batch.get("items", ()) if isinstance(batch, dict) else ():
            yield from _sides(item)


def _sides(item: Mapping[str, Any]) -> Iterator[tuple[tuple[str, str, str], tuple[str, str]]]:
    source = str(item.get("sourceText") or item.get("segmentText") or "")
    for system, text in _SIDES:
        if item.get(system) and isinstance(item.get(text), str):
            segment = str(item.get("itemID"))
            for document in (str(item.get("documentID") or ""), ""):
                yield (str(item[system]), segment, document), (source, item[text])
