"""Exporting the ratings of a study and importing them into a copy of it changes nothing."""

import csv
import io
from pathlib import Path
from typing import Any

from analytics_app.exports import ratings as export
from tasks_app import importing
from tasks_app.importing import RatingsFile
from tasks_app.models import Rating, Study


def comes_back_unchanged(study: Study, copy: Study, folder: Path) -> None:
    """Export a study, import the file into an empty copy of it, and assert that the copy says the same."""
    before = exported(study)
    file = folder / "ratings.csv"
    file.write_bytes(before)
    importing.import_ratings(study=copy, file=RatingsFile.at(str(file)), mapping=importing.NO_MAPPING, by=None)
    assert rows(exported(copy)) == rows(before)
    current = Rating.objects.filter(rater__study=study, judgment__replaced_by=None)
    assert Rating.objects.filter(rater__study=copy).count() == current.count()
    assert _values_of(copy) == _values_of(study)


def rows(content: bytes) -> list[dict[str, str]]:
    """Return the rows of an export, with the numbers of rows told by where they were met first."""
    lines = list(csv.DictReader(io.StringIO(content.decode(), newline="")))
    met: dict[str, dict[str, int]] = {"judgment": {}, "rating": {}}
    for row in lines:
        for name, new_numbers in met.items():
            if row[name]:
                row[name] = str(new_numbers.setdefault(row[name], len(new_numbers)))
        if row["repeat_of"]:
            row["repeat_of"] = str(met["judgment"].setdefault(row["repeat_of"], len(met["judgment"])))
    return lines


def exported(study: Study) -> bytes:
    """Return the export of a study."""
    return b"".join(export.stream(study, format="csv", checks=True))


def _values_of(study: Study) -> list[tuple[Any, ...]]:
    """Return the content of all ratings of a study, without their numbers."""
    values = Rating.objects.filter(rater__study=study, judgment__replaced_by=None).values_list(
        "rater__pseudonym", "unit__key", "part__number", "part_b__number", "criterion__key", "number", "value", "label",
        "text", "shown_value", "span_side", "span_start", "span_end", "category", "severity",
    )  # fmt: skip
    return sorted(values, key=repr)
