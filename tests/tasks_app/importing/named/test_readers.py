"""Every named format: its miniature is recognised, read as it should be, and becomes a study whole."""

import gzip
import io
import json
import zipfile
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.conf import settings
from django.core.management import CommandError, call_command

from tasks_app.importing.named import apart, keys, studies
from tasks_app.importing.named.base import CERTAIN, Converted
from tasks_app.importing.named.reference import reference
from tasks_app.importing.named.registry import format_called, registry
from tasks_app.models import Rating, Study
from tasks_app.studyfile import StudyFileError, fields
from tests.shipped import FORMATS as SHIPPED
from tests.shipped import only_shipped
from tests.tasks_app.importing.named.miniatures import MAROT, MINIATURES, OLD_HEADER, WMT_MQM, Miniature

FORMATS = sorted(MINIATURES)


def converted(format: str, miniature: Miniature, **options: str) -> tuple[Converted, dict[str, Any]]:
    """Read a miniature; return what is said of it, and the files of the study."""
    name, content = miniature.upload
    target = io.BytesIO()
    said = apart.convert(
        io.BytesIO(content), target, name=name, format=format, options={**miniature.options, **options}, slug="x"
    )
    with zipfile.ZipFile(target) as archive:
        files = {
            member: [json.loads(line) for line in archive.read(member).decode().splitlines()]
            for member in ("items.jsonl", "ratings.jsonl")
        }
        return said, {**files, "study.yaml": archive.read("study.yaml").decode()}


def test_every_shipped_format_has_a_miniature() -> None:
    names = sorted(registry[name].name for name in SHIPPED)
    assert names == FORMATS, "Add a small file of each format to MINIATURES in miniatures.py."


@pytest.mark.parametrize("format", FORMATS)
def test_a_format_is_recognised_by_its_files(format: str) -> None:
    """The format of a file is the first one; no other is certain."""
    name, content = MINIATURES[format].upload
    found = apart.recognise(io.BytesIO(content), name=name)
    assert found[0].format == format
    assert found[0].why
    assert [sign.format for sign in found[1:] if sign.sure == CERTAIN] == []


@pytest.mark.parametrize("format", FORMATS)
def test_a_format_is_read(format: str) -> None:
    miniature = MINIATURES[format]
    said, files = converted(format, miniature)
    assert said.counts == miniature.counts
    assert said.tasks == miniature.kinds
    assert len(files["ratings.jsonl"]) == len(miniature.ratings)
    for row, expected in zip(files["ratings.jsonl"], miniature.ratings, strict=True):
        assert {column: row.get(column) for column in expected} == expected
    texts = {(row["item"], row["system"]): row for row in files["items.jsonl"]}
    for row in files["ratings.jsonl"]:
        text = texts[row["item"], row["system"]]["source" if row.get("span_side") == "source" else "output"]
        if row.get("span_side") and row["text"] != "[missing]":
            assert text[row["span_start"] : row["span_end"]] == row["text"]


@pytest.mark.django_db
@pytest.mark.parametrize("format", FORMATS)
def test_a_format_becomes_a_study(format: str) -> None:
    """What was read is stored whole by a process of its own, and nothing is dropped on the way."""
    miniature = MINIATURES[format]
    name, content = miniature.upload
    upload = studies.Upload(name, io.BytesIO(content))
    made = studies.make_study(upload=upload, format=format, options=miniature.options, owner=None, slug="of-a-format")
    study = Study.objects.get(slug="of-a-format")
    assert study.state == Study.State.CLOSED
    assert made.imported.counts["rows"] == miniature.counts["ratings"]
    silent = sum("label" in row and row["label"] == "none" for row in miniature.ratings)
    assert Rating.objects.filter(task__study=study).count() == miniature.counts["ratings"] - silent
    assert study.systems.count() == miniature.counts["systems"]


def test_names_of_other_tools_stay_as_they_are_and_apart() -> None:
    made = keys.Keys("item")
    names = ["CUNI MH (v2)", "Zürich", "http://000.cc", "日本", "a\u200bb", "ab", "\u200b", "online-a", "Online-A"]
    assert [made.key(name) for name in names] == [
        "CUNI MH (v2)", "Zürich", "http://000.cc", "日本", "ab", "ab-2", "item", "online-a", "Online-A",
    ]  # fmt: skip
    assert [made.key(name) for name in names[:2]] == names[:2]
    assert all(fields.is_name(made.key(name)) for name in [*names, "x" * 200, "y " * 80])
    plain = keys.Keys("criterion", plain=True)
    assert [plain.key(name) for name in ("Zürich (v2)", "Zurich-v2", "流暢")] == [
        "Zurich-v2",
        "Zurich-v2-2",
        "criterion",
    ]
    assert len(keys.pseudonym("x" * 60)) == keys.LONGEST_RATER


@pytest.mark.parametrize("format", FORMATS)
def test_a_format_says_what_it_keeps(format: str) -> None:
    reader = format_called(format)
    assert all(str(words) for words in (reader.label, reader.about, reader.kept, reader.not_kept))


def test_the_page_of_formats_says_what_the_readers_declare(monkeypatch: pytest.MonkeyPatch) -> None:
    only_shipped(monkeypatch)
    page = (Path(settings.BASE_DIR) / "docs" / "formats.md").read_text("utf-8")
    assert reference() in page, "docs/formats.md: run `make docs`"


HOSTILE = {
    "a bomb": ("x.tsv.gz", gzip.compress(b"\0" * (300 << 20), 9)),
    "a deep list": ("x.json", b"[" * 100_000),
    "half a zip": ("x.zip", MINIATURES["potato"].upload[1][:-30]),
    "letters of no encoding": ("x.tsv", OLD_HEADER.encode() + b"A\td\t1\t1\tr\t\xff\xfe\tb\tc\tMajor\n"),
    "too few cells": ("x.tsv", OLD_HEADER.encode() + b"A\td\t1\n"),
    "a number that is none": ("x.csv", b'u,S,1,TGT,eng,deu,80,d,True,"[{]",1724108800.0,1724108801.0\n'),
}


@pytest.mark.parametrize("hostile", HOSTILE)
@pytest.mark.parametrize("format", ["wmt-mqm", "wmt-esa", "label-studio"])
def test_a_hostile_file_is_refused_with_a_sentence(hostile: str, format: str) -> None:
    name, content = HOSTILE[hostile]
    with pytest.raises(StudyFileError) as refused:
        apart.convert(io.BytesIO(content), io.BytesIO(), name=name, format=format, options={}, slug="x")
    assert all(line.startswith(("x.", "annotation_output")) for line in refused.value.lines())


def test_errors_of_the_source_weigh_nothing_by_marot() -> None:
    """The two weightings of MQM: Marot's is the usual one of files with its header."""
    name, content = "mqm.tsv", MAROT.encode()
    for options, weights in (({}, [0.1, 0, 5, 1, 5]), ({"weights": "freitag2021"}, [5, 1])):
        target = io.BytesIO()
        said = apart.convert(io.BytesIO(content), target, name=name, format="wmt-mqm", options=options, slug="x")
        with zipfile.ZipFile(target) as archive:
            (task,) = yaml.safe_load(archive.read("study.yaml"))["tasks"]
        assert [rule["weight"] for rule in task["params"]["weights"]] == weights
        assert "Left out: tests of raters with a planted error (1)." in said.notes


def test_the_command_names_the_format_and_stores_nothing_unasked(tmp_path: Path) -> None:
    path, out = tmp_path / "mqm.tsv", StringIO()
    path.write_text(WMT_MQM)
    with pytest.raises(CommandError, match="--format wmt-mqm"):
        call_command("import_study", str(path), stdout=out)
    assert out.getvalue().startswith("wmt-mqm (certain): The first line of mqm.tsv has the columns")
    with pytest.raises(CommandError, match="weights is one of: freitag2021, marot"):
        call_command("import_study", str(path), format="wmt-mqm", option=["weights=mine"], slug="s")
    call_command("import_study", str(path), format="wmt-mqm", slug="s", write=str(tmp_path / "s.zip"), stdout=out)
    assert "2 systems, 3 texts, 2 raters, 4 ratings" in out.getvalue()
    with zipfile.ZipFile(tmp_path / "s.zip") as archive:
        assert sorted(archive.namelist()) == ["items.jsonl", "ratings.jsonl", "study.yaml"]
