"""Borovikova et al. (2022): types of errors with people and metrics, on the published texts, ratings and scores.

The paper's coefficients come from a penalised fit on a random part of the texts, and its differences from twelve
raters, of whom ten were released. So the oracles are statsmodels on these texts, and the authors' way of computing
differences (`data_analysis.ipynb`, cells 13 to 18) in pandas.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm

from tests.reproduction.conftest import Reproduce
from tests.reproduction.published import folder_of, missing

pytestmark = pytest.mark.django_db

SET, PLAN = "coref", "errors.yaml"
METRICS = ["MUC_F1", "B3_F1", "CEAFm_F1", "CEAFe_F1", "BLANC_F1", "LEA_F1", "CoNLL_2012"]
ERRORS = ["err_border", "err_type", "err_noise", "err_silence", "err_irrelevant_chain", "err_chain_absence"]

# The slice of each scale, what each step becomes, and the highest value.
SCALES: Mapping[str, tuple[str | None, Mapping[int, int]]] = {
    "standard": (None, {step: step for step in range(8)}),
    "reduced": ("reduced=0 | 1 2 | 3 4 | 5 6 | 7", {0: 0, 1: 1, 2: 1, 3: 2, 4: 2, 5: 3, 6: 3, 7: 4}),
    "gravity": ("reduced=0 1 2 | 3 4 5 6 | 7", {0: 0, 1: 0, 2: 0, 3: 1, 4: 1, 5: 1, 6: 1, 7: 2}),
}
every_scale = pytest.mark.parametrize("scale", list(SCALES))
every_basis = pytest.mark.parametrize("basis", ["all", "kept"])


def scores(folder: Path) -> Sequence[str]:
    """Write counts of errors and scores of metrics as one file; return the arguments of its import."""
    items = pd.read_csv(folder_of(SET) / "items.csv")
    path = folder / "scores.csv"
    items[["item_id", "system", *ERRORS, *METRICS]].to_csv(path, index=False)
    return [str(path), "--item", "item_id", "--metrics", ",".join([*ERRORS, *METRICS])]


@pytest.fixture(scope="module")
def rows(reproduce: Reproduce) -> list[dict[str, Any]]:
    document = reproduce(SET, "coref", [("ratings.csv", "ratings.yaml")], plans=[PLAN], scores=scores)
    found: list[dict[str, Any]] = document["plans"][PLAN]["rows"]
    return [row for row in found if row["analysis"] == "error_counts"]


def published(scale: str, basis: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return ratings from 0 to 1 (raters by items; the simple items where rules apply) and the table of items."""
    if reason := missing(SET):
        pytest.skip(reason)
    ratings = pd.read_csv(folder_of(SET) / "ratings.csv")
    answers = ratings[ratings.is_repeat == 0].pivot_table(index="rater_id", columns="item_id", values="value")
    if basis == "kept":
        answers = answers[[item for item in answers.columns if answers[item].nunique() <= 3]]
    steps = SCALES[scale][1]
    items = pd.read_csv(folder_of(SET) / "items.csv").set_index("item_id").loc[answers.columns]
    return answers.replace(steps) / max(steps.values()), items


def of(rows: list[dict[str, Any]], statistic: str, scale: str, basis: str, **about: object) -> dict[str, Any]:
    (row,) = [
        row
        for row in rows
        if (row["statistic"], row["slice"], row["basis"]) == (statistic, SCALES[scale][0], basis)
        and all(row[name] == value for name, value in about.items())
    ]
    return row


def same(row: Mapping[str, Any], fit: Any, name: str) -> None:
    assert row["value"] == pytest.approx(fit.params[name], abs=1e-9)
    assert (row["low"], row["high"]) == pytest.approx(tuple(fit.conf_int().loc[name]), abs=1e-9)
    assert row["p"] == pytest.approx(fit.pvalues[name], rel=1e-6, abs=1e-12)


@every_scale
@every_basis
def test_effects_on_people_and_metrics(rows: list[dict[str, Any]], scale: str, basis: str) -> None:
    answers, items = published(scale, basis)
    design = sm.add_constant(items[ERRORS])
    people = answers.mean()
    fit = sm.OLS(people, design, missing="drop").fit()
    for name in ERRORS:
        same(of(rows, "error_effect", scale, basis, label=name), fit, name)
    r_squared = of(rows, "error_r_squared", scale, basis, metric=None, rater=None)
    assert (r_squared["value"], r_squared["n_items"]) == (pytest.approx(fit.rsquared), fit.nobs)
    for metric in METRICS:
        fit, apart = (sm.OLS(y, design, missing="drop").fit() for y in (items[metric], items[metric] - people))
        same(of(rows, "error_free", scale, basis, metric=metric), fit, "const")
        for name in ERRORS:
            same(of(rows, "error_effect_of_metric", scale, basis, metric=metric, label=name), fit, name)
            same(of(rows, "error_effect_difference", scale, basis, metric=metric, label=name), apart, name)


@every_scale
def test_effects_on_each_rater(rows: list[dict[str, Any]], scale: str) -> None:
    answers, items = published(scale, "all")
    fitted = set()
    for rater in answers.index:
        y = answers.loc[rater].dropna()
        x = sm.add_constant(items.loc[y.index, ERRORS], has_constant="add").dropna()
        y = y.loc[x.index]
        if len(y) <= len(ERRORS) + 1 or np.linalg.matrix_rank(x) <= len(ERRORS):
            refused = of(rows, "error_effect_of_rater", scale, "all", rater=rater)
            assert refused["value"] is None
            assert refused["note"]
            continue
        fit = sm.OLS(y, x).fit()
        fitted.add(rater)
        for name in ERRORS:
            same(of(rows, "error_effect_of_rater", scale, "all", rater=rater, label=name), fit, name)
    assert {"A7", "A10", "A11"} <= fitted


@every_scale
@every_basis
def test_differences_as_the_authors_code_has_them(rows: list[dict[str, Any]], scale: str, basis: str) -> None:
    answers, items = published(scale, basis)
    # mode() has a row for each of several that are as frequent; the authors take their mean.
    for label, people in (("mean", answers.mean()), ("mode", answers.mode().mean())):
        for metric in METRICS:
            difference = items[metric] - people
            about = {"metric": metric, "label": label}
            assert of(rows, "metric_minus_people", scale, basis, **about)["value"] == pytest.approx(difference.mean())
            distance = of(rows, "metric_people_distance", scale, basis, **about)
            assert distance["value"] == pytest.approx(difference.abs().mean())
            for statistic, some in (
                ("metric_above_people", difference[difference > 0]),
                ("metric_below_people", difference[difference < 0]),
            ):
                row = of(rows, statistic, scale, basis, **about)
                assert row["n_ratings"] == len(some)
                assert row["value"] == (pytest.approx(some.mean()) if len(some) else None)
