"""An archive with keys and texts that spreadsheets and readers change is verified, and its files come in again."""

import csv
import io
import json
import zipfile
from io import StringIO
from pathlib import Path

import pytest
import yaml
from django.core.management import call_command

from analytics_app.archive import writing
from tasks_app import studyfile
from tasks_app.models import Rating, Study, System
from tests.analytics_app.test_archive import empty_all_tables
from tests.round_trip import exported, rows
from tests.tasks_app.importing import kit

pytestmark = pytest.mark.django_db

SYSTEMS = ("=SUM(A1)", "+B (v2)", "-C", "@D", "'=E", "Zürich 中文", "NA", "007")
LABELS = ("None", "NA", "null", "nan", "=1+1", "-", "+5")
MAPPING = (
    "columns: {rater: who, item: seg, system: mt, output: mt_text, label: choice, text: why, system_size: size, "
    "feature_kind: sort}\nconstant: {criterion: kind}\n"
)


def table() -> str:
    """Return labels of texts by all systems, with keys, labels, texts and attributes that programs take for others."""
    out = io.StringIO(newline="")
    write = csv.writer(out, quoting=csv.QUOTE_ALL)
    write.writerow(["who", "seg", "mt", "mt_text", "choice", "why", "size", "sort"])
    for rater in ("=r1", "+r2", "NA"):
        for item in range(4):
            for n, system in enumerate(SYSTEMS):
                label = LABELS[(item + n) % len(LABELS)]
                # A sound text has line breaks, quotation marks, separators and leading signs.
                text = f'=Text {item}, "of"\r\n\t{n};\u2028 end '
                size = "=7B" if n % 2 else "null"
                write.writerow([rater, f"-i{item}", system, text, label, "", size, "+1"])
    return out.getvalue()


def test_what_an_archive_holds_comes_in_again_as_it_was(tmp_path: Path) -> None:
    (tmp_path / "awkward.csv").write_text(table(), encoding="utf-8", newline="")
    (tmp_path / "map.yaml").write_text(MAPPING, encoding="utf-8")
    (tmp_path / "plan.yaml").write_text("n_resamples: 100\nanalyses: [{analysis: krippendorff}]\n", encoding="utf-8")
    call_command("analyse_file", str(tmp_path / "awkward.csv"), "--map", str(tmp_path / "map.yaml"), stdout=StringIO())
    study = Study.objects.get()
    assert set(System.objects.values_list("key", flat=True)) == set(SYSTEMS)
    assert set(Rating.objects.values_list("label", flat=True)) == set(LABELS)
    call_command("analyse", study.slug, "--plan", str(tmp_path / "plan.yaml"), stdout=StringIO())
    before, attributes = exported(study), dict(System.objects.values_list("key", "attributes"))
    path = tmp_path / "archive.zip"
    call_command("archive", study.slug, str(path), stdout=StringIO())
    with zipfile.ZipFile(path) as archive:
        assert archive.read(writing.RATINGS) == before
        systems = [json.loads(line) for line in archive.read("rows/system.jsonl").splitlines()]
        assert {system["key"]: system["attributes"] for system in systems} == attributes
        zipped, ratings = archive.read(writing.STUDY_FILE), archive.read(writing.RATINGS)
    empty_all_tables()
    out = StringIO()
    with pytest.raises(SystemExit):
        call_command("verify", str(path), stdout=out)
    assert out.getvalue().startswith("archive.zip: recomputed, unsigned: 5 numbers, 96 ratings;")
    # The study file and the ratings of the archive make the same study, under another name.
    folder = tmp_path / "study"
    with zipfile.ZipFile(io.BytesIO(zipped)) as files:
        files.extractall(folder)
    text = (folder / "study.yaml").read_text(encoding="utf-8")
    assert [system["key"] for system in yaml.safe_load(text)["systems"]] == list(SYSTEMS)
    (folder / "study.yaml").write_text(text.replace("slug: awkward", "slug: copy"), encoding="utf-8")
    copy = studyfile.load(folder, owner=None)
    kit.bring(copy, tmp_path, ratings, name="ratings.csv")
    assert rows(exported(copy)) == rows(before)
    assert dict(System.objects.filter(study=copy).values_list("key", "attributes")) == attributes
