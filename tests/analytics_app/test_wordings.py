"""An experiment with the wording of a question, from its ratings to the pages, the datasheet and the paper."""

import csv
import json
from collections.abc import Iterator
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from analytics_app import analyses
from analytics_app.analyses import Question
from analytics_app.models import Plot, Run
from tasks_app.models import Membership, Study
from tasks_app.task_types.base import Scale
from tests.analytics_app import by_commands
from tests.analytics_app.views.reading import page, table, text

pytestmark = pytest.mark.django_db

SYSTEMS = ("alpha", "beta", "gamma")
NEGATIVE = {"key": "negative", "question": "How badly does it read?", "reversed": True}
CRITERIA = [
    {"key": "fluency", "name": "Fluency", "question": "How well does it read?", "low": "Badly", "high": "Well",
     "wordings": [NEGATIVE]},
    {"key": "style", "name": "Style", "question": "Is it polite?", "low": "No", "high": "Yes"},
]  # fmt: skip


def ratings(n_raters: int, gain: float) -> Iterator[dict[str, object]]:
    """Ratings of 12 items; with the wording “negative” raters answer higher by .5, and alpha gains more."""
    rng = np.random.default_rng(11)
    for rater in range(2 * n_raters):
        wording = ("first", "negative")[rater % 2]
        for item in range(12):
            for place, system in enumerate(SYSTEMS):
                value = 3 + 0.4 * place + (item % 3) * 0.3 + rng.normal(0, 0.5)
                if wording == "negative":
                    value += 0.5 + (gain if system == "alpha" else 0.0)
                row = {
                    "item": f"i{item}",
                    "system": system,
                    "rater": f"r{rater}",
                    "judgment": f"{rater}-{item}-{system}",
                }
                arrangement = json.dumps({"parts": [0], "wordings": {"fluency": wording}})
                steps = np.clip(round(value), 1, 7)
                yield {**row, "criterion": "fluency", "value": int(steps), "arrangement": arrangement}
                yield {**row, "criterion": "style", "value": 4, "arrangement": arrangement}


def study(folder: Path, n_raters: int = 6, gain: float = 1.5) -> list[dict[str, Any]]:
    """Load an experiment and return the rows of its analysis."""
    items = [
        {"item": f"i{item}", "system": system, "output": f"Text {item} by {system}"}
        for item in range(12)
        for system in SYSTEMS
    ]
    task = {"type": "likert", "params": {"points": 7}, "criteria": ["fluency", "style"], "k": 12}
    by_commands.load(folder, task, items, list(ratings(n_raters, gain)), criteria=CRITERIA)
    rows = by_commands.analysed(folder, {"analysis": "wordings"})
    return [row for row in rows if row["analysis"] == "wordings" and row["basis"] == "kept"]


def of(rows: list[dict[str, Any]], statistic: str) -> list[dict[str, Any]]:
    return [row for row in rows if row["statistic"] == statistic]


def pages(browser: Client, rosa: User) -> tuple[str, str, str]:
    """The results, the methods section and the datasheet of the study."""
    found = Study.objects.get(slug="small")
    Membership.objects.create(study=found, user=rosa, role=Membership.Role.OWNER)
    run = Run.objects.filter(study=found).latest("number")
    results = page(browser, f"/admin/studies/small/results/{run.number}/")
    methods = page(browser, reverse("analytics:methods_md", args=["small", run.number]))
    out = StringIO()
    call_command("heds", "small", stdout=out)
    return results, methods, out.getvalue()


def test_a_planted_gain_is_found_and_said_on_every_page(tmp_path: Path, rosa: User, rosas_browser: Client) -> None:
    rows = study(tmp_path)
    assert {row["criterion"] for row in rows} == {"fluency"}, "a question with one wording has rows"
    (test,) = of(rows, "wording_system_test")
    assert test["p"] < 0.001
    gains = {row["system"]: row for row in of(rows, "wording_gain")}
    assert max(gains.values(), key=lambda row: row["value"])["system"] == "alpha"
    assert gains["alpha"]["p_adjusted"] < 0.01
    assert [row["label"] for row in of(rows, "wording_shift")] == ["negative"]
    assert len(of(rows, "wording_mean")) == 6
    results, methods, datasheet = pages(rosas_browser, rosa)
    finding = (
        "The comparison of systems depends on the wording of the question on Fluency: with “negative”, alpha gains"
    )
    assert finding in text(results)
    assert "; their order by mean changes." in text(results)
    (first, *_rest) = table(results, "Mean of each system by wording")
    assert set(first) == {"System", "first (6 raters)", "negative (6 raters)"}
    assert [line["Wording"] for line in table(results, "Shift of ratings by the wording")] == ["negative − first"]
    assert "take the raters of all wordings together" in text(results)
    assert "each rater read one of 2 wordings, drawn at random and balanced" in methods
    assert "Schoch" in methods
    assert "“How badly does it read?”, scale from its high to its low end (Well – Badly)" in methods
    assert "systems by wording, F(2, " in methods
    assert "negative: “How badly does it read?”" in datasheet
    assert "The comparison of systems depends on the wording of the question" in datasheet


@pytest.mark.charts
def test_the_chart_counts_the_raters_of_all_wordings(tmp_path: Path) -> None:
    study(tmp_path)
    chart = Plot.objects.get(run__study__slug="small", key__endswith="fluency/wordings")
    assert "“first” is the question in its own words. 72 ratings each. 12 items, 12 raters." in str(chart.spec)


def test_a_shift_alone_leaves_the_comparison_of_systems_as_it_is(
    tmp_path: Path, rosa: User, rosas_browser: Client
) -> None:
    rows = study(tmp_path, gain=0.0)
    assert of(rows, "wording_system_test")[0]["p"] > 0.05
    assert of(rows, "wording_shift")[0]["p_adjusted"] < 0.05
    said = text(pages(rosas_browser, rosa)[0])
    assert "No clear sign that the comparison of systems depends on the wording of the question on Fluency" in said
    assert "; ratings shift by +0." in said


def test_with_two_raters_of_a_wording_the_page_says_that_nothing_can_be_told(
    tmp_path: Path, rosa: User, rosas_browser: Client
) -> None:
    rows = study(tmp_path, n_raters=2)
    assert {row["p"] for row in rows} == {None}
    results, _methods, datasheet = pages(rosas_browser, rosa)
    said = "This study cannot tell whether results depend on the wording of the question on Fluency: only 2 raters read"
    assert said in text(results)
    assert "This study cannot tell whether results depend on the wording" in datasheet


def test_the_export_names_the_wording_of_each_rating(tmp_path: Path) -> None:
    study(tmp_path)
    call_command("export", "small", "--format", "csv", output=str(tmp_path / "out.csv"), stdout=StringIO())
    with (tmp_path / "out.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    read = {(row["rater"], row["criterion"]): row["wording"] for row in rows}
    assert set(read.values()) == {"first", "negative", ""}
    assert all((wording == "") == (criterion == "style") for (_rater, criterion), wording in read.items())
    assert sum(wording == "negative" for wording in read.values()) == 6


def test_questions_in_one_wording_do_not_have_the_analysis() -> None:
    question = Question(task="main", task_type="likert", scale=Scale.ORDINAL, criterion="style")
    member = analyses.registry["wordings"]
    assert not member.fits(question)
    assert member.fits(replace(question, wordings=("first", "negative")))
