"""All modules of the statistics: their examples run, and importing them loads nothing heavy."""

import doctest
import importlib
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

from analytics_app import stats

MODULES = sorted(module.name for module in pkgutil.walk_packages(stats.__path__, "analytics_app.stats."))
HEAVY = ["krippendorff", "pandas", "scipy", "statsmodels", "django", "rest_framework", "celery"]


def test_they_are_found() -> None:
    assert "analytics_app.stats.agreement.krippendorff" in MODULES


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_in_docstrings_run(name: str) -> None:
    module = importlib.import_module(name)
    assert doctest.testmod(module).failed == 0


@pytest.mark.parametrize(
    "path",
    [
        "agreement.krippendorff.krippendorff_alpha",
        "comparison.paired.item_means",
        "comparison.paired.paired",
        "comparison.paired.superiority",
        "agreement.correlation.between_raters",
        "comparison.corrections.adjust",
        "mixed.crossed.compare_crossed",
        "mixed.preferences.preference_shares",
        "mixed.robust.compare_crossed_robust",
        "mixed.strengths.crossed_strengths",
        "values.Estimate",
        "quality.fences.iqr_fences",
        "comparison.means.group_means",
        "comparison.means.group_medians",
        "resampling.bootstrap.interval",
        "resampling.bootstrap.weights",
        "scales.standardise.judge_wise_z",
    ],
)
def test_what_analyses_call_has_an_example(path: str) -> None:
    name, _dot, function = path.rpartition(".")
    called = getattr(importlib.import_module(f"analytics_app.stats.{name}"), function)
    assert doctest.DocTestFinder().find(called, function)[0].examples


def test_importing_them_loads_nothing_heavy() -> None:
    code = "\n".join(
        [
            "import importlib, sys",
            f"for name in {MODULES!r}:",
            "    importlib.import_module(name)",
            "print([name for name in sys.modules if '.' not in name])",
        ]
    )
    root = Path(__file__).resolve().parents[2]
    said = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True).stdout
    assert "'numpy'" in said
    assert [name for name in HEAVY if f"'{name}'" in said] == []
