"""Food diaries (Balloccu and Reiter 2022): affect improves from week 1 to week 2 where people are given texts.

Calories, which the diary counts outside the study, are uploaded for each person and week.

The paper reports that tailored texts improved emotional state against the app alone. Here the group with texts gains
eight points of positive affect, and loses as many of negative affect, in the second week only.
"""

from pathlib import Path
from random import Random

import pytest
from django.core.management import call_command
from django.test import Client

from tasks_app.management.simulated_raters import Answering
from tasks_app.models import Rater, Study
from tasks_app.task_types.base import Quality, Screen, TaskType
from tasks_app.task_types.questionnaire import field_name
from tasks_app.task_types.questionnaire.panas import NEGATIVE, POSITIVE, PREFIX
from tests.published.kit import analysed, begun, judged, opened

pytestmark = pytest.mark.django_db

# Points of a score of ten words that each group gains from one week to the next.
GAIN = {"diary": {"PA": 0.0, "NA": 0.0}, "texts": {"PA": 8.0, "NA": -8.0}}
# Calories a day that the group with texts eats less in the last week; the other group does not change.
LESS = 450
WORDS = {"PA": POSITIVE, "NA": NEGATIVE}
# Means before, in points of a score of ten words.
BEFORE = {"PA": 30.0, "NA": 22.0}


def rater(rng: Random) -> Answering:
    """Return a rater with a mood of their own, which moves in the last week as their group's does."""
    mood = {score: BEFORE[score] + rng.gauss(0, 4) for score in WORDS}
    weeks = 0

    def answer(kind: TaskType, screen: Screen) -> dict[str, str]:
        nonlocal weeks
        answers = kind.simulate(screen, Quality.CAREFUL, rng)
        if field_name(f"{PREFIX}{POSITIVE[0]}") not in answers:
            return answers
        weeks += 1
        # Raters come one after the other: the newest is this one.
        group = Rater.objects.select_related("group").latest("pk").group
        assert group is not None
        for score, words in WORDS.items():
            points = mood[score] + rng.gauss(0, 1) + (GAIN[group.key][score] if weeks == 3 else 0)
            for word in words:
                step = min(5, max(1, round(points / 10 + rng.gauss(0, 0.25))))
                answers[field_name(f"{PREFIX}{word}")] = str(step)
        return answers

    return answer


def diaries(study: Study, path: Path) -> Path:
    """Write the calories of each person's diary in each week, as a spreadsheet would have them."""
    lines = ["participant,week,calories"]
    people = study.raters.order_by("pk").values_list("pseudonym", "group__key")
    for person, (pseudonym, group) in enumerate(people):
        rng = Random(f"calories:{person}")
        usual = rng.gauss(2100, 200)
        for week in (1, 2, 3):
            eaten = usual + rng.gauss(0, 60) - (LESS if group == "texts" and week == 3 else 0)
            lines.append(f"{pseudonym},{week},{eaten:.0f}")
    path.write_text("\n".join([*lines, ""]), encoding="utf-8")
    return path


@pytest.mark.exhaustive
def test_affect_and_calories_change_from_week_1_to_week_2_where_there_are_texts(
    rosas_browser: Client, tmp_path: Path
) -> None:
    study = judged(opened(begun(rosas_browser, "food_diaries")), lambda _number, rng: rater(rng), 12)
    columns = ("--rater", "participant", "--wave", "week", "--outcomes", "calories")
    call_command("upload_outcomes", study.slug, str(diaries(study, tmp_path / "diaries.csv")), *columns)
    results = analysed(study, drawn=False)
    kept = {"basis": "kept", "group": "texts", "slice": "against=diary"}
    for score, gain in GAIN["texts"].items():
        for statistic in ("affect_change_between", "affect_change_adjusted"):
            (moved,) = results.rows(statistic, **kept, metric="week-1", metric_b="week-2", label=score)
            assert moved.value == pytest.approx(gain, abs=4)
            assert moved.p_adjusted < 0.05
            (still,) = results.rows(statistic, **kept, metric="before", metric_b="week-1", label=score)
            assert still.value == pytest.approx(0, abs=4)
    assert len(results.rows("affect_baseline", **kept)) == 2
    for statistic in ("outcome_change_between", "outcome_change_adjusted"):
        (moved,) = results.rows(statistic, **kept, metric="wave 2", metric_b="wave 3", label="calories")
        assert moved.task == "week-2"
        assert moved.value == pytest.approx(-LESS, abs=80)
        assert moved.p_adjusted < 0.001
        (still,) = results.rows(statistic, **kept, metric="wave 1", metric_b="wave 2", label="calories")
        assert still.p_adjusted > 0.05
    (effect,) = results.rows("outcome_change_between_effect", **kept, metric="wave 2", metric_b="wave 3")
    assert effect.low < effect.value < effect.high < 0
    assert len(results.rows("outcome_baseline", **kept)) == 1
    # The table of the groups before the study: each question, with the test that fits it.
    tests = {
        row.label: row.statistic
        for statistic in ("group_association", "group_higher", "group_mean_difference")
        for row in results.rows(statistic, task="about-you", **kept)
    }
    assert tests == {
        "age": "group_mean_difference",
        "gender": "group_association",
        "diary-before": "group_association",
        "goal": "group_association",
        "confident": "group_higher",
    }
    assert len(results.rows("group_higher", task="about-diary", **kept)) == 4
    # Only one group was given texts, so that nothing is compared there.
    assert not results.rows("group_answered", task="about-texts")
