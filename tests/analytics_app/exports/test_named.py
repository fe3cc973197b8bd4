"""Exports in the formats of other tools: read back by their readers they give the same texts and ratings."""

import csv
import io
import json
import zipfile
from collections import Counter
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import polars
import pytest
from django.conf import settings
from django.core.management import CommandError, call_command

from analytics_app.exports import named
from analytics_app.exports.columns import RATINGS
from tasks_app.importing.named import apart, studies
from tasks_app.models import Event, Study
from tests.tasks_app.importing.named.miniatures import OLD_HEADER, lines

pytestmark = pytest.mark.django_db

# What a text may have in it that is lost easily: characters of two units, quotation marks, spaces, other scripts.
MQM = OLD_HEADER + (
    'A\tnews.1\t1\t1\tr1\tEin "🙂" Satz.\t"Un 🙂 <v>mot</v>\u00a0faux.\tFluency/Spelling\tMinor\n'
    'A\tnews.1\t1\t1\tr1\tEin "<v>🙂</v>" Satz.\t"Un 🙂 mot\u00a0faux.\tAccuracy/Omission\tMajor\n'
    'A\tnews.1\t1\t1\tr2\tEin "🙂" Satz.\t"Un 🙂 mot\u00a0<v>faux</v>.\tFluency/Punctuation\tMinor\n'
    'CUNI MH (v2)\tnews.1\t1\t1\tr1\tEin "🙂" Satz.\tΚείμενο 中文 =1+1\tNo-error\tNo-error\n'
    "A\tnews.1\t2\t2\tr1\tZwei.\t<v>Deux</v>.\tStyle/Awkward\tMajor\n"
    "CUNI MH (v2)\tnews.1\t2\t2\tr1\tZwei.\t<v>Δύο</v>\tNon-translation!\tMajor\n"
)


def rows_of(format: str, content: bytes, name: str) -> tuple[Counter[str], Counter[str]]:
    """Return the texts and ratings that a reader finds in a file, each as JSON, in no order."""
    target = io.BytesIO()
    apart.convert(io.BytesIO(content), target, name=name, format=format, options={}, slug="x")
    with zipfile.ZipFile(target) as archive:
        found = [Counter(archive.read(member).decode().splitlines()) for member in ("items.jsonl", "ratings.jsonl")]
    return found[0], found[1]


@pytest.fixture
def marked(db: None) -> Study:
    """A study of marked errors that was read from a file of WMT."""
    upload = studies.Upload("mqm.tsv", io.BytesIO(MQM.encode()))
    made = studies.make_study(upload=upload, format="wmt-mqm", options={}, owner=None, slug="marked")
    return made.study


def exported(study: Study, tmp_path: Path, format: str) -> tuple[bytes, str]:
    path, err = tmp_path / "out", StringIO()
    call_command("export", study.slug, format=format, output=str(path), stdout=StringIO(), stderr=err)
    return path.read_bytes(), err.getvalue()


def test_errors_written_for_wmt_are_read_back_unchanged(marked: Study, tmp_path: Path) -> None:
    content, said = exported(marked, tmp_path, "wmt-mqm")
    assert rows_of("wmt-mqm", content, "mqm.tsv") == rows_of("wmt-mqm", MQM.encode(), "mqm.tsv")
    assert said == ""


def test_marks_of_a_metric_are_no_human_scores(marked: Study, tmp_path: Path) -> None:
    """The same file as marks of a metric: WMT has rows of the metric, mt-metrics-eval people only."""
    before, _said = exported(marked, tmp_path, "mt-metrics-eval")
    (tmp_path / "mqm.tsv").write_text(MQM, encoding="utf-8")
    call_command(
        "import_ratings", "marked", str(tmp_path / "mqm.tsv"), format="wmt-mqm", metric="twin", stdout=StringIO()
    )
    after, said = exported(marked, tmp_path, "mt-metrics-eval")
    assert "ratings of automatic metrics" in said
    assert rows_of("mt-metrics-eval", after, "x.zip") == rows_of("mt-metrics-eval", before, "x.zip")
    lines = exported(marked, tmp_path, "wmt-mqm")[0].decode().splitlines()
    assert {line.split("\t")[4] for line in lines[1:]} >= {"r1", "metric:twin"}


def test_folders_written_for_mt_metrics_eval_are_read_back(marked: Study, tmp_path: Path) -> None:
    """Errors come back with their raters; the score of a text is the mean of its raters' penalties, turned."""
    content, said = exported(marked, tmp_path, "mt-metrics-eval")
    assert said == ""
    texts, ratings = rows_of("mt-metrics-eval", content, "marked.zip")
    assert {json.loads(text)["output"] for text in texts} == {
        '"Un 🙂 mot\u00a0faux.', "Κείμενο 中文 =1+1", "Deux.", "Δύο",
    }  # fmt: skip
    rows = [json.loads(row) for row in ratings.elements()]
    spans = sorted((row["rater"], row["text"], row["severity"]) for row in rows if "span_start" in row)
    assert spans == [
        ("r1", "Deux", "major"), ("r1", "mot", "minor"), ("r1", "Δύο", "major"), ("r1", "🙂", "major"),
        ("r2", "faux", "minor"),
    ]  # fmt: skip
    scores = {(row["item"], row["system"]): row["value"] for row in rows if "value" in row}
    # Raters 1 and 2: 1 + 5, and 0.1; a text without errors; major; non-translation.
    assert scores == pytest.approx(
        {
            ("und-und-1", "A"): -3.05,
            ("und-und-1", "CUNI-MH-(v2)"): 0,
            ("und-und-2", "A"): -5,
            ("und-und-2", "CUNI-MH-(v2)"): -25,
        }
    )


def test_what_a_line_cannot_hold_is_said(tmp_path: Path) -> None:
    record = {
        "langs": "en-de", "line_id": 1, "src": "One.", "tgt": "Eins\nund.  ", "doc_id": "d", "domain": "news",
        "esa_spans": [], "esa_score": "70", "system": "a", "annotator": "r",
    }  # fmt: skip
    upload = studies.Upload("set.jsonl", io.BytesIO(lines(record).encode()))
    study = studies.make_study(upload=upload, format="wmt-esa", options={}, owner=None).study
    content, said = exported(study, tmp_path, "mt-metrics-eval")
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert archive.read("set/system-outputs/en-de/a.txt").decode() == "Eins und.  \n"
        assert archive.read("set/human-scores/en-de.score.sys.score").decode() == "a\t70.0\n"
    assert said.splitlines() == [
        "Readers of the format drop the spaces at the ends of texts (1).",
        "Tabs and line breaks are written as spaces (texts: 1).",
    ]


def test_parquet_has_the_rows_of_the_csv_file_with_types(marked: Study, tmp_path: Path) -> None:
    content, said = exported(marked, tmp_path, "parquet")
    frame = polars.read_parquet(io.BytesIO(content))
    assert [*frame.columns] == [*(column.name for column in RATINGS), "feature_segment"]
    assert frame.schema["span_start"] == polars.Int64
    assert frame.schema["value"] == polars.Float64
    assert frame.schema["submitted_at"] == polars.Datetime("us", "UTC")
    csv_content, _said = exported(marked, tmp_path, "csv")
    rows = list(csv.DictReader(io.StringIO(csv_content.decode(), newline="")))
    assert [_as_in_csv(row) for row in frame.select("rater", "item", "text", "label", "span_start").to_dicts()] == [
        {name: line[name] for name in ("rater", "item", "text", "label", "span_start")} for line in rows
    ]
    assert said == ""


def _as_in_csv(row: dict[str, Any]) -> dict[str, str]:
    return {name: "" if value is None else str(value) for name, value in row.items()}


@pytest.mark.parametrize("format", sorted(writer.name for writer in named.registry.values()))
def test_an_export_of_an_open_study_is_in_its_log(marked: Study, tmp_path: Path, format: str) -> None:
    Study.objects.filter(pk=marked.pk).update(state=Study.State.OPEN)
    exported(marked, tmp_path, format)
    assert Event.objects.filter(study=marked, verb="exported").count() == 1


def test_other_formats_have_no_tasks_and_no_results(marked: Study) -> None:
    for options in ({"task": ["errors"]}, {"checks": True}, {"results": 0}):
        with pytest.raises(CommandError):
            call_command("export", marked.slug, format="parquet", stdout=StringIO(), **options)


def test_the_page_of_formats_names_every_export() -> None:
    page = (Path(settings.BASE_DIR) / "docs" / "formats.md").read_text("utf-8")
    assert list(_missing(page)) == []


def _missing(page: str) -> Iterator[str]:
    for writer in named.registry.values():
        if f"| `{writer.name}` | {writer.about} | {writer.not_kept} |" not in page:
            yield writer.name
