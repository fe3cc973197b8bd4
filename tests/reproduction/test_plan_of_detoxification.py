"""The named plan of Logacheva et al. (2022): Tables 3 and 4 by the commands in its guide, to the printed digit."""

import csv
import json
import math
import shutil
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command

from evalweb.local_services.folder import BASE_DIR
from tests.reproduction.published import folder_of, missing

SET = "detox2022_tables"

MANUAL, AUTOMATIC = ("STAm", "SIMm", "FLm", "Jm"), ("STAa", "SIMa", "FLa", "Ja", "ChrF")
TABLES = {"spearman": "metric_spearman_systems", "pearson": "metric_pearson_systems"}

# Printed figures that do not follow from the printed means: a figure of Table 3 in Table 4, and two last digits.
MISPRINTED = {("pearson", "STAm", "FLa"), ("pearson", "SIMm", "ChrF"), ("pearson", "FLm", "SIMa")}


def printed(value: float) -> set[str]:
    """Return a figure with three digits as the paper has it, which rounds some and cuts others."""
    return {f"{round(value, 3) + 0.0:.3f}", f"{math.trunc(value * 1000) / 1000 + 0.0:.3f}"}


@pytest.mark.django_db
def test_both_tables_follow_from_the_printed_means_by_the_named_plan(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if reason := missing(SET):
        pytest.skip(reason)
    shutil.copy(folder_of(SET) / "system_scores.csv", tmp_path)
    (tmp_path / "examples").symlink_to(BASE_DIR / "examples")
    monkeypatch.chdir(tmp_path)
    guide = (BASE_DIR / "examples" / "plans" / "README.md").read_text(encoding="utf-8")
    lines = [line for line in guide.splitlines() if line.startswith("python ")]
    assert len(lines) == 3
    for line in lines:
        _python, manage, *arguments = line.split()
        assert manage == "manage.py"
        call_command(*arguments, stdout=StringIO(), stderr=StringIO())
    rows = json.loads((tmp_path / "results.json").read_text())["rows"]
    with (folder_of(SET) / "correlations.csv").open(encoding="utf-8", newline="") as file:
        pairs = {(row["manual"], row["automatic"]): row for row in csv.DictReader(file)}
    assert set(pairs) == {(manual, automatic) for manual in MANUAL for automatic in AUTOMATIC}
    wrong = set()
    for name, statistic in TABLES.items():
        found = {(row["criterion"], row["metric"]): row for row in rows if row["statistic"] == statistic}
        assert set(found) == set(pairs)
        for pair, row in found.items():
            assert row["n_ratings"] == 15
            assert row["value"] == pytest.approx(float(pairs[pair][f"{name}_computed"]), abs=1e-6)
            if f"{float(pairs[pair][f'{name}_printed']):.3f}" not in printed(row["value"]):
                wrong.add((name, *pair))
    assert wrong == MISPRINTED
