"""Confirmed factors: named factors that hold and that do not, and the studies that follow a factor analysis."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.test import Client

from analytics_app.analyses.confirmed_factors import read_factors
from tasks_app.models import Membership, Study
from tasks_app.setup.frozen import setup_of
from tests.analytics_app.by_commands import analysed, load, one
from tests.analytics_app.scales import PAIRS, SYSTEMS, keys, only, pairs, rows_of, sample, semantic
from tests.analytics_app.test_scales import held_to_the_contract

TWO = "clarity: clear, simple, precise\ncharm: lively, vivid, warm"
CROSSED = "a: clear, lively, precise\nb: simple, vivid, warm"


def rows(factors: str, **how: Any) -> list[Any]:
    """Return the rows of ratings with two factors: the first three pairs, and the others."""
    return rows_of("confirmed_factors", sample("confirmed_factors", semantic(**how), pairs()), factors=factors)


def test_factors_that_were_planted_fit_and_others_do_not() -> None:
    found = rows(TWO)
    held_to_the_contract(found, "confirmed_factors")
    fit = only(found, "fit_chi2", label="ratings")
    assert fit.df == 8
    robust = only(found, "fit_robust", label="ratings")
    assert robust.p > 0.05
    assert (robust.settings or {})["test"].endswith("raters and items as samples")
    assert only(found, "cfi", label="ratings").value > 0.95
    assert only(found, "rmsea", label="ratings").value < 0.06
    assert all((only(found, "confirmed_loading", label=key).value or 0) > 0.6 for key in keys())
    assert only(found, "confirmed_loading", label="warm").metric == "charm"
    assert only(found, "confirmed_correlation", metric="clarity", metric_b="charm").value == pytest.approx(0, abs=0.3)
    assert {row.label for row in found if row.statistic == "srmr"} == {"ratings", "text means", "less the rater's mean"}
    crossed = rows(CROSSED)
    assert only(crossed, "fit_robust", label="ratings").p < 0.001
    assert only(crossed, "cfi", label="ratings").value < 0.8


def test_without_factors_nothing_is_computed_and_unknown_pairs_are_named() -> None:
    assert rows("") == []
    (row,) = rows("a: clear, simple, fast")
    assert row.note == "This task does not ask on a scale with steps or numbers: fast."


def test_too_few_rows_say_so() -> None:
    row = only(rows(TWO, raters=6), "fit_chi2", label="ratings")
    assert row.value is None
    assert "5" in row.note


def test_rows_that_lack_a_rating_are_counted() -> None:
    assert "lack a rating and are left out" in only(rows(TWO, missing=0.02), "srmr", label="ratings").note


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("clear, simple", ["Line 1: Write a name, a colon and keys"]),
        ("a: x\n\nb: y, z, y", ["Line 1: A factor needs at least two", "Line 3: A pair or question belongs to one"]),
        ("a: x, y, z\na: u, v", ["Line 2: There are two factors “a”."]),
        ("a: x, y, z\nb: z, u", ["Line 2: A pair or question belongs to one factor; named twice: z."]),
        ("a: x, y", ["One factor alone needs at least three"]),
    ],
)
def test_lines_that_name_no_factor_are_refused(text: str, sentences: list[str]) -> None:
    with pytest.raises(ValidationError) as refusal:
        read_factors(text)
    assert len(refusal.value.messages) == len(sentences)
    for message, sentence in zip(refusal.value.messages, sentences, strict=True):
        assert message.startswith(sentence)


def factor_study(folder: Path, owner: User, *, features: bool = False) -> Study:
    """Load a study of six pairs with two factors behind its ratings.

    With `features`, texts have a word more for each step of the mean rating of the first three pairs, and items have a
    feature `noise` that goes with nothing.
    """
    data = semantic(raters=30, items=30)
    first = [data.value[(data.part == part) & (data.criterion < 3)].mean() for part in range(len(data.names.part_ids))]
    systems = [SYSTEMS[code] for code in data.names.shown_system]
    items = [f"i{code}" for code in data.names.shown_item]
    outputs = [
        {
            "item": item,
            "system": system,
            "output": f"Text of {system} for {item}." + " word" * round(10 + 3 * mean) * features,
            "feature_noise": f"{int(item[1:]) * 7919 % 101}",
        }
        for item, system, mean in zip(items, systems, first, strict=True)
    ]
    criteria = [
        {"key": pair.key, "name": pair.name, "kind": "pair", "low": pair.name.split(" – ")[0], "high": pair.key}
        for pair in pairs()
    ]
    ratings = [
        {
            "rater": f"r{data.rater[row]}", "item": items[data.part[row]], "system": systems[data.part[row]],
            "criterion": keys()[data.criterion[row]], "value": int(data.value[row]),
        }
        for row in range(len(data))
    ]  # fmt: skip
    task = {"type": "semantic_differential", "params": {"points": 7}, "k": 10, "criteria": keys()}
    study = Study.objects.get(slug=load(folder, task, outputs, ratings, criteria=criteria))
    Membership.objects.create(study=study, user=owner, role=Membership.Role.OWNER)
    return study


@pytest.mark.django_db
def test_a_factor_analysis_begins_the_study_that_follows(rosas_browser: Client, rosa: User, tmp_path: Path) -> None:
    study = factor_study(tmp_path, rosa)
    analysed(tmp_path, {"analysis": "factors", "n_factors": 2})
    run = study.runs.latest("number")
    address = f"/admin/studies/{study.slug}/results/{run.number}/"
    page = rosas_browser.get(address).content.decode()
    assert "The strongest pair of each factor:" in page
    assert "Begin a study with these 2 pairs" in page
    assert "Confirm the factors: a study with their 6 pairs" in page
    known = set(Study.objects.values_list("pk", flat=True))
    rosas_browser.post(f"{address}follow-up/", {"task": "main", "kind": "strongest"})
    strongest = setup_of(Study.objects.exclude(pk__in=known).get()).given
    asked = strongest["tasks"][0]["criteria"]
    assert len(asked) == 2
    assert {keys().index(key) // 3 for key in asked} == {0, 1}
    assert strongest["tasks"][0]["params"]["points"] == 7
    known = set(Study.objects.values_list("pk", flat=True))
    answer = rosas_browser.post(f"{address}follow-up/", {"task": "main", "kind": "confirm"})
    begun = Study.objects.exclude(pk__in=known).get()
    assert answer["Location"].startswith(f"/admin/studies/{begun.slug}/")
    given = setup_of(begun).given
    assert {pair["key"]: (pair["low"], pair["high"]) for pair in given["criteria"]} == {
        key: tuple(pair.split(" – ")) for key, pair in zip(keys(), PAIRS, strict=True)
    }
    (planned,) = [entry for entry in given["analysis"]["analyses"] if entry["analysis"] == "confirmed_factors"]
    named = read_factors(planned["factors"])
    assert [sorted(keys().index(key) // 3 for key in of_factor) for of_factor in named.values()] in (
        [[0, 0, 0], [1, 1, 1]], [[1, 1, 1], [0, 0, 0]],
    )  # fmt: skip
    assert study.events.filter(verb="began follow-up").count() == 2
    for kind, task in (("strongest", "other"), ("what", "main")):
        answer = rosas_browser.post(f"{address}follow-up/", {"task": task, "kind": kind}, follow=True)
        assert "This run has too few factors for such a study." in answer.content.decode()


@pytest.mark.django_db
def test_the_named_factors_are_a_section_of_results(rosas_browser: Client, rosa: User, tmp_path: Path) -> None:
    study = factor_study(tmp_path, rosa)
    found = analysed(tmp_path, {"analysis": "confirmed_factors", "factors": TWO})
    assert one(found, "fit_chi2", label="ratings", basis="kept")["df"] == 8
    run = study.runs.latest("number")
    page = rosas_browser.get(f"/admin/studies/{study.slug}/results/{run.number}/").content.decode()
    assert "Fit of the named factors" in page
    assert "Ratings less the mean of their rater" in page
    assert "Loadings on the named factors" in page
    assert np.isfinite(one(found, "rmsea", label="ratings", basis="kept")["value"])
