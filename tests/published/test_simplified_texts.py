"""Simplified texts (Agrawal and Carpuat 2024): what a program left out is found, and that originals are read longer."""

from collections.abc import Mapping
from random import Random

import pytest
from django.test import Client

from tasks_app.management.simulated_raters import Answering
from tasks_app.models import Rating
from tasks_app.task_types.base import Screen, TaskType
from tests.published.kit import analysed, begun, judged, opened, systems_by_text

pytestmark = [pytest.mark.django_db, pytest.mark.exhaustive]

NOT_SAID = "The text does not say"

# Seconds for which a version is read, and whether readers find it hard.
SECONDS = {"original": 30.0, "people": 20.0, "program": 15.0}

# 24 texts three times each; a reader reads 8.
RATERS = 9


def reader(number: int, system_of: Mapping[str, str]) -> Answering:
    """Return a reader who misses what the program left out, and finds every other original hard."""

    def answer(kind: TaskType, screen: Screen) -> dict[str, str]:
        (shown,) = screen.shown_parts
        system = system_of[shown.part.text]
        draw = Random(f"{number}:{shown.part.text}")
        right = [question["correct"] for question in screen.options["questions"]]
        # What the last question asks is not in the program's version; of the others readers err about one in ten.
        answers = [one if draw.random() < 0.9 else NOT_SAID for one in right]
        if system == "program":
            answers[-1] = NOT_SAID
        hard = system == "original" and number % 2 == 0
        given = {f"p1-q{place}": one for place, one in enumerate(answers, start=1)}
        given |= {"read": "1", "reading": f"{SECONDS[system] * draw.uniform(0.8, 1.2):.3f}"}
        return given | ({"p1-c-ease": "1", "p1-c-obstacle": "2"} if hard else {"p1-c-ease": "3"})

    return answer


def test_what_the_program_left_out_is_found(rosas_browser: Client) -> None:
    study = opened(begun(rosas_browser, "simplified_texts"))
    systems = systems_by_text(study)
    assert len(systems) == 24
    study = judged(study, lambda number, _rng: reader(number, systems), RATERS)
    asked = Rating.objects.filter(criterion__key="obstacle", judgment__assignment__unit__task__study=study)
    assert asked.exists()
    assert {rating.value for rating in asked} == {2}
    results = analysed(study, drawn=False)
    shares = {row.system: row.value or 0 for row in results.rows("mean", criterion="right-share", basis="kept")}
    assert shares["program"] < 2 / 3 < min(shares["original"], shares["people"])
    tests = results.rows("difference", criterion="right-share", basis="kept")
    clear = {frozenset((row.system, row.system_b)) for row in tests if (row.p_adjusted or 1) < 0.05}
    assert clear == {frozenset(("original", "program")), frozenset(("people", "program"))}
    # The last question is that of what the program left out.
    last = {row.system: row.value or 0 for row in results.rows("mean", criterion="correct-3", basis="kept")}
    assert last["program"] == 0
    assert min(last["original"], last["people"]) > 0.7
    seconds = {row.system: row.value for row in results.rows("mean", criterion="reading-seconds", basis="kept")}
    assert seconds == pytest.approx(SECONDS, rel=0.1)
    page = rosas_browser.get(f"/admin/studies/{study.slug}/results/").content.decode()
    assert "Share of right answers" in page
    assert "Reading time in seconds" in page
