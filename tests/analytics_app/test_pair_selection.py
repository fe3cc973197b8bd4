"""A pre-study of adjective pairs: which pass the cut-offs of Macketanz et al. (2022), and the study they begin."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.contrib.auth.models import User
from django.test import Client

from analytics_app import analyses
from analytics_app.analyses.base import Question, QuestionCriterion
from tasks_app.models import Membership, Study
from tasks_app.setup.frozen import setup_of
from tasks_app.task_types.base import Scale
from tasks_app.task_types.semantic_differential.pairs import criteria_of, ends_of
from tests.analytics_app.by_commands import analysed, load, one
from tests.analytics_app.scales import only, rows_of, sample, table
from tests.analytics_app.test_scales import held_to_the_contract
from tests.analytics_app.views.test_scales_tables import cells, shown

STEPS = tuple(float(step) for step in range(1, 6))
# Answers of ten people to each pair, with mean and SD (ddof 1) by hand.
ANSWERS = {
    "confusing – clear": [5, 5, 4, 4, 5, 4, 5, 4, 5, 4],  # 4.5, .53
    "vague – precise": [4, 4, 3, 3, 3, 3, 3, 3, 3, 3],  # 3.2, .42: at the cut-off
    "dull – vivid": [3, 3, 3, 3, 3, 4, 3, 3, 3, 3],  # 3.1, .32
    "stiff – lively": [5, 5, 5, 5, 5, 1, 5, 5, 5, 2],  # 4.3, 1.49
    "cold – warm": [1, 5, 1, 5, 1, 2, 1, 1, 2, 1],  # 2.0, 1.63
}


def questions(names: list[str]) -> tuple[QuestionCriterion, ...]:
    """Return the rows of a grid about pairs, and a question that is none."""
    pairs = [
        QuestionCriterion(f"suited-{n}", name, Scale.ORDINAL, -1, STEPS, (1.0, 5.0)) for n, name in enumerate(names)
    ]
    return (*pairs, QuestionCriterion("read", "How often do you read?", Scale.ORDINAL, -1, STEPS, (1.0, 5.0)))


def rows(**settings: Any) -> list[Any]:
    """Return the rows of the pre-study."""
    asked = questions(list(ANSWERS))
    values = np.column_stack([*ANSWERS.values(), [1] * 10]).astype(float)
    data = table(values, rater=list(range(10)), item=[0] * 10, system=[-1] * 10, criteria=[one.key for one in asked])
    return rows_of("pair_selection", sample("questions", data, asked, instrument="own"), **settings)


def kept(found: list[Any]) -> dict[str, Any]:
    """Return the condition that each pair fails, by the words of the pair."""
    return {row.settings["pair"]: row.settings["fails"] for row in found if row.statistic == "pair_kept"}


def test_a_pair_below_the_mean_or_above_the_sd_is_not_kept() -> None:
    found = rows()
    held_to_the_contract(found, "pair_selection")
    assert kept(found) == {
        "confusing – clear": [],
        "vague – precise": [],
        "dull – vivid": ["mean"],
        "stiff – lively": ["sd"],
        "cold – warm": ["mean", "sd"],
    }
    assert only(found, "pair_mean", label="suited-2").value == pytest.approx(3.1)
    assert only(found, "pair_sd", label="suited-3").value == pytest.approx(1.4944, abs=1e-4)
    assert [row.value for row in found if row.statistic == "pair_kept"] == [1, 1, 0, 0, 0]


def test_an_sd_at_the_cut_off_is_kept_and_cut_offs_can_be_set() -> None:
    assert kept(rows(most_sd=0.42163702135578))["vague – precise"] == []
    assert kept(rows(least_mean=1, most_sd=100)) == {pair: [] for pair in ANSWERS}


def test_the_table_says_what_a_pair_fails() -> None:
    found = shown("pair_selection", rows())["Selection of pairs"]
    assert found.rows[0][0].text == "confusing – clear"
    assert cells(found, "cold – warm")["Kept"] == "no: mean too low, SD too high"
    assert cells(found, "vague – precise")["Kept"] == "yes"
    assert any("below 3.2 or its SD above 1.2" in note for note in found.notes)


def test_it_is_for_questionnaires_about_pairs() -> None:
    member = analyses.registry["pair_selection"]

    def fits(asked: tuple[QuestionCriterion, ...]) -> bool:
        question = Question("main", "questionnaire", Scale.ORDINAL, whole=True, criteria=asked)
        return member.fits(question)

    assert fits(questions(list(ANSWERS)))
    assert not fits(questions(["confusing – clear"]))
    assert not fits(questions(["in the morning", "from 3–5 pm"]))


def test_pairs_become_criteria_with_keys_of_their_own() -> None:
    assert ends_of("a – b – c") is None
    assert ends_of(" – b") is None
    found = criteria_of(["unklar – klar", "wirr – klar", "乱 – 清"])
    assert [one.key for one in found] == ["klar", "klar-2", "pair-3"]
    assert [(one.low, one.high, one.kind) for one in found[:1]] == [("unklar", "klar", "pair")]


@pytest.mark.django_db
def test_the_kept_pairs_begin_the_main_study(rosas_browser: Client, rosa: User, tmp_path: Path) -> None:
    question = {"key": "suited", "kind": "grid", "question": "How well do the words suit?", "points": 5}
    question |= {"rows": [{"key": f"{n}", "words": pair} for n, pair in enumerate(ANSWERS)]}
    task = {"type": "questionnaire", "params": {"questions": [question]}, "k": 10}
    ratings = [
        {"rater": f"r{person}", "criterion": f"suited-{n}", "value": answer}
        for n, answers in enumerate(ANSWERS.values())
        for person, answer in enumerate(answers)
    ]
    study = Study.objects.get(slug=load(tmp_path, task, [], ratings))
    Membership.objects.create(study=study, user=rosa, role=Membership.Role.OWNER)
    found = analysed(tmp_path, {"analysis": "pair_selection"})
    assert one(found, "pair_kept", label="suited-3", basis="kept")["settings"]["fails"] == ["sd"]
    run = study.runs.latest("number")
    address = f"/admin/studies/{study.slug}/results/{run.number}/"
    assert "2 pairs pass both cut-offs" in rosas_browser.get(address).content.decode()
    before = set(Study.objects.values_list("pk", flat=True))
    answer = rosas_browser.post(f"{address}main-study/")
    begun = Study.objects.exclude(pk__in=before).get()
    assert answer["Location"].startswith(f"/admin/studies/{begun.slug}/")
    given = setup_of(begun).given
    assert [(pair["low"], pair["high"]) for pair in given["criteria"]] == [("confusing", "clear"), ("vague", "precise")]
    (asked,) = given["tasks"]
    assert (asked["type"], asked["criteria"]) == ("semantic_differential", ["clear", "precise"])
    assert given["about"]["institution"] == "As published"
    assert begun.memberships.get().user == rosa
    assert study.events.filter(verb="began main study").count() == 1
