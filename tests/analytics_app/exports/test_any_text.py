"""A text that a rater wrote, whatever is in it, comes out of every export as it went in, and goes in again."""

import csv
import io
import json
from pathlib import Path

import polars
import pytest

from analytics_app.exports import named, ratings
from analytics_app.exports.named.base import Written
from tasks_app.models import Rating, Study
from tests import extent
from tests.house.examples import load
from tests.tasks_app.importing import kit
from tests.texts_at_random import AWKWARD, WORDS, many
from tests.workbooks import in_workbook, workbook

pytestmark = pytest.mark.django_db

# Texts that are drawn beside those that are tried in every run.
DRAWN = 200

# Names of the file's own: an apostrophe before a formula is then part of the text.
MAP = """
columns: {rater: judge, unit: unit, text: text}
constant: {criterion: edited-text, system: rules}
"""

# A row without any text has no rating.
TEXTS = [text for text in (*WORDS, *AWKWARD, *many(DRAWN * extent.times_as_many(), seed=3)) if text]


def stored(study: Study) -> list[str | None]:
    return list(Rating.objects.filter(rater__study=study).order_by("id").values_list("text", flat=True))


def in_csv(unit: str) -> str:
    out = io.StringIO(newline="")
    table = csv.writer(out, quoting=csv.QUOTE_ALL)
    table.writerow(["judge", "unit", "text"])
    table.writerows([f"r{number}", unit, text] for number, text in enumerate(TEXTS))
    return out.getvalue()


def as_workbook(unit: str, texts: list[str]) -> bytes:
    rows = [[f"r{number}", unit, text] for number, text in enumerate(texts)]
    return workbook({"Sheet": [["judge", "unit", "text"], *rows]})


def test_a_workbook_brings_every_text_unchanged(tmp_path: Path) -> None:
    study = load("post_edit", tmp_path, "any-workbook")
    unit = study.tasks.get().units.order_by("id").first().key
    texts = [text for text in map(in_workbook, TEXTS) if text]
    kit.bring(study, tmp_path, as_workbook(unit, texts), mapping=MAP, name="texts.xlsx")
    assert stored(study) == texts


def test_every_export_has_the_texts_that_were_imported(tmp_path: Path) -> None:
    study = load("post_edit", tmp_path, "any-text")
    unit = study.tasks.get().units.order_by("id").first().key
    kit.bring(study, tmp_path, in_csv(unit), mapping=MAP)
    assert stored(study) == TEXTS

    lines = b"".join(ratings.stream(study, format="jsonl"))
    assert [json.loads(line)["text"] for line in lines.decode().rstrip("\n").split("\n")] == TEXTS
    assert [row["text"] for row in ratings.page(ratings.select(study), "", len(TEXTS)).rows] == TEXTS
    parquet = io.BytesIO()
    named.registry["parquet"].write(Written(study), parquet)
    parquet.seek(0)
    assert polars.read_parquet(parquet)["text"].to_list() == TEXTS

    table = b"".join(ratings.stream(study, format="csv"))
    for row, text in zip(csv.DictReader(io.StringIO(table.decode(), newline="")), TEXTS, strict=True):
        assert row["text"] in {text, f"'{text}"}, "a formula has an apostrophe in front"
    for name, content in (("again.csv", table), ("again.jsonl", lines)):
        copy = load("post_edit", tmp_path, name.replace(".", "-"))
        kit.bring(copy, tmp_path, content, name=name)
        assert stored(copy) == TEXTS, name
