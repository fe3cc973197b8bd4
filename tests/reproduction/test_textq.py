"""Macketanz et al. (2022), the semantic differential of machine translation: the test of fit that the paper prints.

HumEval 2022. No ratings are published, so nothing else can be computed anew: the pure function is checked, and the
sentences are loaded as a study with the published pairs of words.
"""

import csv
import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from analytics_app.stats.scales.factor import chi2_p, degrees_of_freedom, most_factors
from tasks_app.models import Criterion
from tests.reproduction.conftest import command
from tests.reproduction.published import every, expected, folder_of, left_out

SET = "textq"
CHI2, SCALES, FACTORS = 2.06, 8, 4


@every(expected(SET, lambda key: key == "efa_df"))
def test_degrees_of_freedom(name: str, figure: Mapping[str, Any]) -> None:
    assert degrees_of_freedom(SCALES, FACTORS) == figure["value"], name
    assert most_factors(SCALES) == FACTORS


@every(expected(SET, lambda key: key == "efa_p"))
def test_p_of_fit(name: str, figure: Mapping[str, Any]) -> None:
    assert chi2_p(CHI2, figure_df()) == pytest.approx(figure["value"], abs=figure["tolerance"]), name
    assert round(chi2_p(CHI2, figure_df()), 2) == figure["paper"]


@pytest.mark.django_db
@every(expected(SET, lambda key: key == "n_items"))
def test_the_published_sentences_and_pairs_make_a_study(tmp_path: Path, name: str, figure: Mapping[str, Any]) -> None:
    with (folder_of(SET) / "adjective_pairs.csv").open(encoding="utf-8", newline="") as file:
        pairs = [(row["negative_de"], row["positive_de"]) for row in csv.DictReader(file)]
    keys = [f"pair-{number}" for number in range(1, len(pairs) + 1)]
    said = {
        "evalweb": 1,
        "study": {"slug": "textq", "title": "TextQ", "public_title": "Sätze lesen", "language": "de"},
        "criteria": [
            {"key": key, "name": f"{low} – {high}", "kind": "pair", "low": low, "high": high}
            for key, (low, high) in zip(keys, pairs, strict=True)
        ],
        "tasks": [{"key": "sentences", "type": "semantic_differential", "criteria": keys}],
        "columns": {"items": {"item": "item_id", "system": "system", "output": "output_text"}},
    }
    # JSON is YAML.
    (tmp_path / "study.yaml").write_text(json.dumps(said), encoding="utf-8")
    shutil.copy(folder_of(SET) / "items.csv", tmp_path)
    assert f"{figure['value']} items, {figure['value']} outputs" in command("load_study", str(tmp_path)), name
    assert Criterion.objects.filter(kind="pair").count() == 20


def figure_df() -> int:
    return degrees_of_freedom(SCALES, FACTORS)


def test_no_published_figure_is_left_out() -> None:
    assert left_out(SET) == set()
