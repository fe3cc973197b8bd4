"""Published items and words run as studies: judged by simulated raters, exported, imported again without a change."""

import csv
import gzip
import shutil
from collections import Counter
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command

from tasks_app import studyfile
from tasks_app.models import Judgment, Rating, Study, Unit
from tasks_app.services.study import lifecycle
from tests import extent, invariants
from tests.reproduction.published import OURS, folder_of, missing
from tests.round_trip import comes_back_unchanged

pytestmark = pytest.mark.django_db

LANGUAGE_PAIR = "en-de"
WORDS = (
    "Interested", "Distressed", "Excited", "Upset", "Strong", "Guilty", "Scared", "Hostile", "Enthusiastic", "Proud",
    "Irritable", "Alert", "Ashamed", "Inspired", "Nervous", "Determined", "Attentive", "Jittery", "Active", "Afraid",
)  # fmt: skip


def loaded(description: str, folder: Path, slug: str) -> Study:
    """Load one of our descriptions with the items that were put beside it."""
    text = (OURS / "as_studies" / f"{description}.yaml").read_text(encoding="utf-8")
    if not extent.is_exhaustive():
        text = text.replace("set_size: 20", "set_size: 4")
    own = folder / slug
    own.mkdir()
    (own / "study.yaml").write_text(text.replace("-anew", f"-{slug}"), encoding="utf-8")
    if (folder / "items.csv").exists():
        shutil.copy(folder / "items.csv", own)
    return studyfile.load(own, owner=None)


def judged(study: Study, raters: int) -> Study:
    """Let simulated raters go through a study by its pages."""
    lifecycle.move(study_id=study.pk, action="open", by=None)
    call_command("simulate_raters", study.slug, raters=raters, drop_out=0.2, twice=0.05, stdout=StringIO())
    return lifecycle.move(study_id=study.pk, action="close", by=None)


def needs(name: str) -> None:
    """Skip, loudly, where a set of published data is missing."""
    if reason := missing(name):
        pytest.skip(reason)


@pytest.mark.exhaustive
def test_rankme_by_magnitudes_with_one_criterion_a_rater(tmp_path: Path) -> None:
    needs("rankme")
    shutil.copy(folder_of("rankme") / "items.csv", tmp_path)
    study = judged(loaded("rankme", tmp_path, "first"), raters=12)
    # 100 meaning representations, each once for each criterion.
    assert Counter(Unit.objects.filter(task__study=study).values_list("features__criterion", flat=True)) == {
        "informativeness": 100, "naturalness": 100, "quality": 100,
    }  # fmt: skip
    invariants.check(study)
    by_rater: dict[int, set[str]] = {}
    for rater, criterion in Rating.objects.filter(rater__study=study).values_list("rater", "criterion__key"):
        by_rater.setdefault(rater, set()).add(criterion)
    assert len(by_rater) >= 6
    assert all(len(criteria) == 1 for criteria in by_rater.values())
    comes_back_unchanged(study, loaded("rankme", tmp_path, "copy"), tmp_path)


@pytest.mark.exhaustive
def test_paracrawl_by_error_labels(tmp_path: Path) -> None:
    needs("paracrawl_v6")
    with (
        gzip.open(folder_of("paracrawl_v6") / "items.csv.gz", "rt", encoding="utf-8", newline="") as published,
        (tmp_path / "items.csv").open("w", encoding="utf-8", newline="") as ours,
    ):
        writer = csv.writer(ours)
        writer.writerow(["item_id", "system", "source", "output", "source_language", "language"])
        for row in csv.DictReader(published):
            source, output = row["language_pair"].split("-")
            if row["language_pair"] == LANGUAGE_PAIR:
                writer.writerow([row["item_id"], row["system"], row["source"], row["output"], source, output])
    study = judged(loaded("paracrawl_v6", tmp_path, "first"), raters=8)
    assert Unit.objects.filter(task__study=study).count() == 1000
    invariants.check(study)
    labels = set(Rating.objects.filter(rater__study=study, criterion__key="error").values_list("label", flat=True))
    assert labels <= {"L", "A", "T", "MT", "E", "F", "V"}
    assert len(labels) > 2
    comes_back_unchanged(study, loaded("paracrawl_v6", tmp_path, "copy"), tmp_path)


def test_the_published_words_of_panas(tmp_path: Path) -> None:
    study = judged(loaded("panas", tmp_path, "first"), raters=12)
    names = study.criteria.order_by("id").values_list("name", flat=True)
    assert tuple(names) == WORDS
    answered = Judgment.objects.filter(assignment__rater__study=study, replaced_by=None, skip_reason="").count()
    assert Rating.objects.filter(judgment__replaced_by=None, rater__study=study).count() == 20 * answered > 0
    assert set(Rating.objects.values_list("value", flat=True)) <= {1, 2, 3, 4, 5}
    comes_back_unchanged(study, loaded("panas", tmp_path, "copy"), tmp_path)
