"""Which newspaper is it from? (De Mattei et al. 2020): raters who cannot tell are right as often as chance."""

from collections.abc import Mapping
from random import Random

import pytest
from django.test import Client

from tasks_app.management.simulated_raters import Answering
from tasks_app.models import Output, Study
from tasks_app.task_types.base import Screen, TaskType
from tests.published.kit import Results, analysed, begun, judged, opened

pytestmark = [pytest.mark.django_db, pytest.mark.exhaustive]

PAPERS = ("Harbour Post", "Northern Courier")


def newspapers(study: Study) -> Mapping[str, tuple[int, str]]:
    """Return the number of each headline's item and the newspaper it is from, by the headline."""
    rows = (
        Output.objects.filter(item__study=study)
        .order_by("item__key")
        .values_list("text", "item__key", "item__features")
    )
    keys = sorted({key for _text, key, _features in rows})
    return {text: (keys.index(key), features["newspaper"]) for text, key, features in rows}


def guesser(known: Mapping[str, tuple[int, str]]) -> Answering:
    """Return a rater who is right about the headlines of every second topic and wrong about the others."""

    def answer(kind: TaskType, screen: Screen) -> dict[str, str]:
        number, paper = known[screen.parts[0].text]
        wrong = PAPERS[1 - PAPERS.index(paper)]
        return {"p1-newspaper": paper if number // 2 % 2 else wrong}

    return answer


def reader(known: Mapping[str, tuple[int, str]]) -> Answering:
    """Return a rater who can tell."""
    return lambda kind, screen: {"p1-newspaper": known[screen.parts[0].text][1]}


def results(browser: Client, rater: str) -> Results:
    study = opened(begun(browser, "newspaper_headlines"))
    known = newspapers(study)
    answering = {"guesser": guesser, "reader": reader}[rater](known)

    def made(_number: int, _rng: Random) -> Answering:
        return answering

    return analysed(judged(study, made, 6), drawn=rater == "guesser")


def test_raters_who_cannot_tell_are_not_better_than_chance(rosas_browser: Client) -> None:
    found = results(rosas_browser, "guesser")
    assert found.value("right_share", system=None, label=None, basis="kept") == pytest.approx(0.5)
    tests = found.rows("right_against_chance", basis="kept")
    assert {row.system for row in tests} == {None, "editor", "model"}
    assert all(row.value == pytest.approx(0) and row.p_adjusted == 1 for row in tests)
    page = rosas_browser.get(f"/admin/studies/{found.run.study.slug}/results/").content.decode()
    assert "not shown that raters are right more often than chance (50\u00a0%, chance 50\u00a0%)" in page
    # They agree perfectly, and are right half of the time.
    assert found.value("alpha", basis="kept") == 1


def test_raters_who_can_tell_are_found(rosas_browser: Client) -> None:
    found = results(rosas_browser, "reader")
    assert all(row.value == pytest.approx(0.5) and row.p_adjusted < 0.01 for row in found.rows("right_against_chance"))
