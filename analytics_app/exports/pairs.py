"""Parallel pairs: each text that a rater wrote beside its source, with author, answers and verdict."""

import csv
import io
import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from tasks_app.models import Study
from tasks_app.selectors.collected_texts import Judged, Verdict, judged_rows, written_texts
from tasks_app.texts.plaintext import without_formula

CONTENT_TYPES = {"csv": "text/csv; charset=utf-8", "jsonl": "application/x-ndjson; charset=utf-8"}

COLUMNS = (
    "source",
    "rewrite",
    "source_language",
    "language",
    "source_item",
    "author",
    "judgment",
    "source_study",
    "study",
    "item",
    "verdict",
    "answers",
)

ACCEPTED, REJECTED, UNDECIDED = "accepted", "rejected", "undecided"


def rows_of(study: Study, rounds: Sequence[Study], *, only_accepted: bool) -> Iterator[dict[str, Any]]:
    """Yield a row for each answer with a text in each round; with `only_accepted`, those that its round accepts.

    Texts in no round yet have a row without a round. Those whose author was erased are no longer texts of this study.
    """
    texts = {text.rating: text for text in written_texts(study)}
    authors: dict[int, str] = dict(study.raters.values_list("pk", "pseudonym"))
    in_rounds: dict[int, list[Judged]] = {}
    for row in judged_rows(study, rounds):
        if row[0].rating is not None:
            in_rounds.setdefault(row[0].rating, []).append(row)
    for rating, text in texts.items():
        pair = {
            "source": text.source,
            "rewrite": text.text.strip(),
            "source_language": text.source_language,
            "language": text.language,
            "source_item": text.item,
            "author": authors[text.author],
            "judgment": text.judgment,
            "source_study": study.slug,
        }
        for in_round, verifying, verdict in in_rounds.get(rating, ()):
            word = _word(verdict)
            if word == ACCEPTED or not only_accepted:
                answers = {key: dict(sorted(counts.items())) for key, counts in (verdict or Verdict()).answers.items()}
                yield {**pair, "study": verifying.slug, "item": in_round.item, "verdict": word, "answers": answers}
        if rating not in in_rounds and not only_accepted:
            yield {**pair, "study": "", "item": "", "verdict": UNDECIDED, "answers": {}}


def _word(verdict: Verdict | None) -> str:
    if verdict is None or verdict.accepted is None:
        return UNDECIDED
    return ACCEPTED if verdict.accepted else REJECTED


def csv_text(rows: Iterable[dict[str, Any]]) -> str:
    """Return rows as CSV, with answers as JSON and without formulas."""
    file = io.StringIO(newline="")
    writer = csv.writer(file)
    writer.writerow(COLUMNS)
    for row in rows:
        cells = {**row, "answers": json.dumps(row["answers"], ensure_ascii=False, sort_keys=True)}
        writer.writerow([without_formula(cell) if isinstance(cell, str) else cell for cell in map(cells.get, COLUMNS)])
    return file.getvalue()


def json_lines(rows: Iterable[dict[str, Any]]) -> str:
    """Write rows as JSON Lines."""
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
