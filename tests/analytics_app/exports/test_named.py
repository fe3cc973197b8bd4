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
from tests.analytics_app.by_commands import load
from tests.tasks_app.importing.named.miniatures import OLD_HEADER, PEARMUT, lines

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
    assert said == "Names of systems are written without spaces and slashes (1).\n"
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


def test_nothing_of_pearmut_is_lost_in_a_folder_for_mt_metrics_eval(tmp_path: Path) -> None:
    """Every text, every score and every error of every rater is there, and no penalty that nobody gave."""
    said_by_bob = {
        "m1": {"score": 60, "error_spans": [{"start_i": 0, "end_i": 1, "category": None, "severity": "major"}]},
        "m2": {"score": 90, "error_spans": []},
    }
    plain = json.loads(json.dumps(PEARMUT).replace("Hi.\\nYou.", "Hi. You.").replace("Ho\\nla.", "Ho la."))
    del plain["annotation"][0]["m2"]["textfield"]
    upload = lines(plain, {**plain, "user_id": "bob", "annotation": [said_by_bob]}).encode()
    made = studies.make_study(
        upload=studies.Upload("a.jsonl", io.BytesIO(upload)), format="pearmut", options={}, owner=None, slug="p"
    )
    content, said = exported(made.study, tmp_path, "mt-metrics-eval")
    assert said == ""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        folder = {name.removeprefix("p/"): archive.read(name).decode() for name in archive.namelist()}
    scores = "human-scores/und-und.score"
    assert {name: text for name, text in folder.items() if name.endswith(".score")} == {
        f"{scores}.seg.score": "m1\t65.0\nm2\t92.5\n",
        f"{scores}.sys.score": "m1\t65.0\nm2\t92.5\n",
        f"{scores}-alice.seg.score": "m1\t70.0\nm2\t95.0\n",
        f"{scores}-bob.seg.score": "m1\t60.0\nm2\t90.0\n",
    }
    before = rows_of("pearmut", upload, "a.jsonl")
    after = rows_of("mt-metrics-eval", content, "p.zip")
    assert (
        _texts(before) == _texts(after) == Counter({("m1", "Hi. You.", "🙂 Ho la."): 1, ("m2", "Hi. You.", "Hola."): 1})
    )
    assert _spans(before) == _spans(after)
    assert sum(_spans(after).values()) == 3
    # Both looked at the text of m2 and found no error.
    for rater in ("alice", "bob"):
        last = folder[f"human-scores/und-und.errors.{rater}.seg.rating"].splitlines()[-1]
        assert last == f'm2\t{{"errors": []}}\t{rater}'


def _texts(found: tuple[Counter[str], Counter[str]]) -> Counter[tuple[str, ...]]:
    rows = [json.loads(row) for row in found[0].elements()]
    return Counter((row["system"], row["source"], row["output"]) for row in rows)


def _spans(found: tuple[Counter[str], Counter[str]]) -> Counter[tuple[Any, ...]]:
    columns = ("rater", "system", "span_side", "span_start", "span_end", "text", "severity")
    rows = [json.loads(row) for row in found[1].elements()]
    return Counter(tuple(row[name] for name in columns) for row in rows if "span_start" in row)


def test_nothing_of_wmts_mqm_is_lost_in_a_folder_for_mt_metrics_eval(marked: Study, tmp_path: Path) -> None:
    """Of MQM every error has its kind, too; a blank in the name of a system becomes a hyphen, which is said."""
    before = rows_of("wmt-mqm", MQM.encode().replace(b"CUNI MH", b"CUNI-MH").replace(b" (v2)", b"-(v2)"), "mqm.tsv")
    after = rows_of("mt-metrics-eval", exported(marked, tmp_path, "mt-metrics-eval")[0], "marked.zip")
    assert _texts(before) == _texts(after)
    assert _spans(before) == _spans(after)
    kinds = [Counter((row.get("category"), row.get("label")) for row in map(json.loads, found[1].elements())
                     if "value" not in row) for found in (before, after)]  # fmt: skip
    assert kinds[0] == kinds[1]


def test_errors_that_were_marked_here_are_errors_and_no_scores(tmp_path: Path, db: None) -> None:
    """The value of a mark is its weight where a scheme has weights."""
    text = "The cat sat."
    span = {"span_side": "output", "span_start": 4, "span_end": 7, "text": "cat", "severity": "major",
            "category": "accuracy/mistranslation", "value": 5}  # fmt: skip
    items = [{"item": "i1", "system": "A", "output": text, "source": "s"}]
    load(tmp_path, {"type": "error_spans", "params": {"scheme": "mqm"}, "k": 1}, items,
         [{"rater": "r1", "item": "i1", "system": "A", "criterion": "errors", **span}])  # fmt: skip
    content, said = exported(Study.objects.get(slug="small"), tmp_path, "mt-metrics-eval")
    assert said == ""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        names = {name.removeprefix("small/human-scores/en-en.") for name in archive.namelist() if "human-" in name}
        place = next(name for name in archive.namelist() if name.endswith(".rating"))
        rating = json.loads(archive.read(place).decode().split("\t")[1])
    assert [error["score"] for error in rating["errors"]] == [5]
    assert not {name for name in names if "errors" in name}, names


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
