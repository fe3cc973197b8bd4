"""Figures computed again from ratings.csv and the settings of the row alone, as docs/methods/intervals.md says."""

from collections.abc import Mapping
from io import StringIO
from pathlib import Path
from typing import Any

import krippendorff
import numpy as np
import pandas as pd
import pytest
import scipy.stats
from django.core.management import call_command

from tests.analytics_app.by_commands import analysed, load, one

pytestmark = pytest.mark.django_db

# Loaded in another order than that of their keys, as texts or as numbers.
ITEMS = ["i10", "i2", "Z", "i1", "a", "i07", "i7", "x", "E", "i3", "B", "i11"]
SYSTEMS = ("north", "south")
KEYS = dict.fromkeys(("rater", "item", "system", "system_b", "document"), str)


def exported(folder: Path) -> pd.DataFrame:
    """Return the ratings that entered the results, from the file that leaves evalweb."""
    call_command("export", "small", output=str(folder / "out.csv"), stdout=StringIO())
    ratings = pd.read_csv(folder / "out.csv", dtype=KEYS)
    return ratings[(ratings["purpose"] == "main") & (ratings["state"] == "submitted") & ratings["excluded_by"].isna()]


def rated(folder: Path) -> None:
    """Two systems, four raters, twelve items; south lacks two items, and raters lack some texts."""
    draw = np.random.default_rng(11)
    texts = [
        (item, system) for item in ITEMS for system in SYSTEMS if (item, system) not in {("x", "south"), ("Z", "south")}
    ]
    ratings = [
        {
            "rater": rater, "item": item, "system": system, "criterion": "fluency",
            "value": int(np.clip(np.round(3 + draw.normal() + (ITEMS.index(item) - 6) / 4), 1, 5)),
        }
        for item, system in texts
        for rater in ("ann", "bob", "cem", "dia")
        if draw.random() < 0.9
    ]  # fmt: skip
    items = [{"item": item, "system": system, "output": f"{system} of {item}"} for item, system in texts]
    criteria = [{"key": "fluency", "name": "Fluency", "question": "How fluent?"}]
    load(folder, {"type": "likert", "k": 4, "criteria": ["fluency"]}, items, ratings, criteria=criteria)


def limits(samples: np.ndarray, said: Mapping[str, Any], n: int) -> list[float]:
    """Return the limits by the method that a row says."""
    tail = (1 - said["confidence"]) / 2
    if said["method"] == "expanded percentiles":
        tail = scipy.stats.norm.cdf(np.sqrt(n / (n - 1)) * scipy.stats.t.ppf(tail, n - 1))
    return list(np.quantile(samples, [tail, 1 - tail]))


@pytest.mark.parametrize(
    "settings", [{}, {"intervals": "percentile", "confidence": 0.8}], ids=["adjusted", "percentile"]
)
def test_a_mean_with_its_interval(tmp_path: Path, settings: dict[str, object]) -> None:
    rated(tmp_path)
    rows = analysed(tmp_path, {"analysis": "systems"}, **settings)
    for system, n_items in (("north", 12), ("south", 10)):
        row = one(rows, "mean", system=system, criterion="fluency")
        said = row["settings"]
        assert (said["interval"], said["n_resamples"]) == ("bootstrap over items", 100)
        assert said["method"] == ("percentiles" if settings else "expanded percentiles")

        values = exported(tmp_path).groupby(["item", "system"])["value"]
        sums, counts = (
            table.unstack(fill_value=0).sort_index()[system].to_numpy() for table in (values.sum(), values.count())
        )
        draws = np.random.default_rng(said["seed"]).integers(12, size=(said["n_resamples"], 12))
        means = sums[draws].sum(axis=1) / counts[draws].sum(axis=1)
        assert row["value"] == pytest.approx(sums.sum() / counts.sum(), abs=1e-12)
        assert [row["low"], row["high"]] == pytest.approx(limits(means, said, n_items), abs=1e-12)
        assert row["se"] == pytest.approx(means.std(ddof=1), abs=1e-12)


def test_a_difference_with_its_interval_and_p(tmp_path: Path) -> None:
    rated(tmp_path)
    row = one(
        analysed(tmp_path, {"analysis": "systems"}), "difference", system="north", system_b="south", criterion="fluency"
    )
    said = row["settings"]
    matrix = exported(tmp_path).pivot_table(index="item", columns="system", values="value").sort_index()
    apart = (matrix["north"] - matrix["south"]).to_numpy()
    there = ~np.isnan(apart)
    draws = np.random.default_rng(said["seed"]).integers(12, size=(said["n_resamples"], 12))
    means = np.nansum(apart[draws], axis=1) / there[draws].sum(axis=1)
    assert row["value"] == pytest.approx(apart[there].mean(), abs=1e-12)
    assert [row["low"], row["high"]] == pytest.approx(limits(means, said, int(there.sum())), abs=1e-12)


def test_an_alpha_with_its_interval(tmp_path: Path) -> None:
    rated(tmp_path)
    row = one(analysed(tmp_path, {"analysis": "krippendorff"}), "alpha", criterion="fluency")
    said = row["settings"]
    assert (said["level"], said["method"]) == ("ordinal", "percentiles on Fisher's scale, widened")

    texts = exported(tmp_path).groupby(["item", "system"])["value"].value_counts().unstack(fill_value=0)
    texts = texts[texts.sum(axis=1) > 1].sort_values(list(texts.columns)).to_numpy()
    about = {"value_domain": [1, 2, 3, 4, 5], "level_of_measurement": said["level"]}
    value = krippendorff.alpha(value_counts=texts, **about)
    assert row["value"] == pytest.approx(value, abs=1e-12)

    n, k = len(texts), texts.sum() / len(texts)
    draws = np.random.default_rng(said["seed"]).integers(n, size=(said["n_resamples"], n))
    alphas = [krippendorff.alpha(value_counts=texts[one], **about) for one in draws]
    low, middle, high = (
        np.log((1 + (k - 1) * c) / (1 - c)) for c in (np.quantile(alphas, 0.025), value, np.quantile(alphas, 0.975))
    )
    half = (high - low) / 2 * np.sqrt(n / (n - 1)) * scipy.stats.t.ppf(0.975, n - 1) / scipy.stats.norm.ppf(0.975)
    ends = [(np.exp(f) - 1) / (np.exp(f) + k - 1) for f in (middle - half, middle + half)]
    assert [row["low"], row["high"]] == pytest.approx(ends, abs=1e-9)


def test_a_strength_by_bradley_and_terry(tmp_path: Path) -> None:
    draw, systems = np.random.default_rng(12), ("a", "b", "c")
    said_of = ("first", "second", "tie", "both_bad")
    ratings = [
        {
            "rater": rater, "item": item, "system": x, "system_b": y, "criterion": "quality",
            "label": said_of[draw.choice(4, p=[0.45, 0.25, 0.1, 0.2])],
        }
        for item in ITEMS
        for x, y in (("a", "b"), ("a", "c"), ("b", "c"))
        for rater in ("ann", "bob")
    ]  # fmt: skip
    items = [{"item": item, "system": system, "output": f"{system} of {item}"} for item in ITEMS for system in systems]
    criteria = [{"key": "quality", "name": "Quality", "question": "Which is better?"}]
    task = {"type": "pairwise", "params": {"both_bad": True}, "k": 2, "criteria": ["quality"]}
    load(tmp_path, task, items, ratings, criteria=criteria)
    rows = analysed(tmp_path, {"analysis": "pairwise"})
    found = {system: one(rows, "bt_strength", system=system, criterion="quality") for system in systems}
    said = found["a"]["settings"]
    assert (said["ties"], said["both_bad"]) == ("half", "a tie")

    given = exported(tmp_path)
    half = {said["ties"]: 0.5}["half"]
    worth = {"first": (1, 0), "second": (0, 1), "tie": (half, half), "both_bad": (half, half)}
    wins = pd.DataFrame(0.0, index=systems, columns=systems)
    for x, y, label in given[["system", "system_b", "label"]].itertuples(index=False):
        wins.loc[x, y] += worth[label][0]
        wins.loc[y, x] += worth[label][1]
    w, times, strength = wins.to_numpy(), (wins + wins.T).to_numpy(), np.ones(3)
    for _step in range(500):
        strength = w.sum(axis=1) / (times / np.add.outer(strength, strength)).sum(axis=1)
    logs = np.log(strength) - np.log(strength).mean()
    assert [found[system]["value"] for system in systems] == pytest.approx(logs, abs=1e-6)
    # Without the answers "both are bad" the strengths are others: the settings matter.
    assert given["label"].eq("both_bad").sum() > 5
