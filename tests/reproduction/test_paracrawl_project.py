"""Table 1 of Ramírez-Sánchez et al. (2022) as a project: a study for each language pair, one table for all of them."""

import csv
import gzip
import io
import json
from collections.abc import Mapping
from pathlib import Path

import pytest
import yaml
from django.contrib.auth.models import User
from django.test import Client

from tasks_app.models import Membership, Study
from tasks_app.services.study import projects
from tests.reproduction.conftest import command
from tests.reproduction.published import OURS, folder_of, missing
from tests.undrawn import undrawn

pytestmark = [pytest.mark.django_db, pytest.mark.exhaustive]

SET = "paracrawl_v6"
PAIRS = ("en-da", "en-es", "en-sl")
WHERE = "bicleaner>=0.7"
LABELS = ("L", "A", "T", "MT", "E", "F", "V")


def load(pair: str, folder: Path) -> None:
    """Load the texts and ratings of a language pair as a study of its own, and analyse it."""
    folder.mkdir()
    given = yaml.safe_load((OURS / SET / "study.yaml").read_text())
    given["study"] |= {"slug": pair, "title": f"ParaCrawl – {pair}"}
    for analysis in given["analysis"]["analyses"]:
        analysis.pop("slices", None)
    (folder / "study.yaml").write_text(yaml.safe_dump(given))
    for name in ("items", "ratings"):
        with gzip.open(folder_of(SET) / f"{name}.csv.gz", "rt", newline="") as lines:
            rows = [row for row in csv.DictReader(lines) if row["item_id"].startswith(f"{pair}-")]
        with (folder / f"{name}.csv").open("w", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
    ratings = folder / "ratings.csv"
    ratings.rename(folder.parent / f"{pair}.csv")
    command("load_study", str(folder))
    command("import_ratings", pair, str(folder.parent / f"{pair}.csv"), "--map", str(OURS / SET / "map.yaml"))
    command("analyse", pair, "--json", str(folder.parent / f"{pair}.json"))


@pytest.fixture
def tables(rosa: User, tmp_path: Path) -> dict[str, list[dict[str, str]]]:
    """Return the tables of a project of three language pairs, as their files have them."""
    if reason := missing(SET):
        pytest.skip(reason)
    with undrawn():
        for pair in PAIRS:
            load(pair, tmp_path / pair)
    studies = list(Study.objects.filter(slug__in=PAIRS).order_by("slug"))
    for study in studies:
        Membership.objects.update_or_create(study=study, user=rosa, defaults={"role": "owner"})
    project = projects.put_into_new(study=studies[0], name="ParaCrawl", by=rosa)
    projects.put_all(studies=studies, project=project, by=rosa)
    browser = Client()
    browser.force_login(rosa)
    answers = {
        key: browser.get(f"/admin/projects/{project.slug}/tables/{key}.csv", {"part": WHERE})
        for key in ("agreement", "raters")
    }
    return {key: list(csv.DictReader(io.StringIO(answer.content.decode()))) for key, answer in answers.items()}


def figure(name: str) -> Mapping[str, object]:
    figures: dict[str, dict[str, object]] = json.loads((folder_of(SET) / "expected.json").read_text())
    return figures[name]


def test_one_table_has_the_published_figures_of_all_language_pairs(tables: dict[str, list[dict[str, str]]]) -> None:
    agreement, raters = tables["agreement"], tables["raters"]
    assert [row["Study"] for row in agreement] == [f"ParaCrawl – {pair}" for pair in PAIRS]
    for pair, row in zip(PAIRS, agreement, strict=True):
        assert (row["Texts"], row["Raters"]) == ("500", "2")
        for column, name in (
            ("Cohen's kappa", "cohen_kappa"),
            ("Krippendorff's alpha", "krippendorff_nominal"),
            ("Percent agreement", "percent_agreement"),
        ):
            published = figure(f"{pair}.{name}.{WHERE.replace('>=', '_ge_')}")
            assert float(row[column]) == pytest.approx(published["value"], abs=published["tolerance"])
    assert [row["Rater"] for row in raters] == [f"{pair[3:]}-{one}" for pair in PAIRS for one in "AB"]
    for row in raters:
        pair, annotator = f"en-{row['Rater'][:2]}", row["Rater"][-1]
        shares = figure(f"{pair}.label_percent.{annotator}.{WHERE.replace('>=', '_ge_')}")["value"]
        assert isinstance(shares, dict)
        assert {label: float(row[label]) * 100 for label in LABELS} == pytest.approx(shares, abs=0.001)
        seconds = figure(f"{pair}.median_time_s.{annotator}.all")["value"]
        assert float(row["Median seconds per text"]) == seconds
