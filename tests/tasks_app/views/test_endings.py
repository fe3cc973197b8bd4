"""The last page of a rater's way: what it says of pay, and who is asked how it went before it."""

import re
from pathlib import Path

import pytest
from django.test import Client

from tasks_app.models import Rater, RaterSet, Study, Task
from tasks_app.services.judging import assignments
from tests import invariants, pages
from tests.builders import build_study
from tests.house.examples import load, opened
from tests.tasks_app.views.test_steps import enter, questions, send, text_of

pytestmark = pytest.mark.django_db

NOTHING, AS_SAID = "No text was judged yet, so there is nothing to pay.", "There is no pay for this, as stated before"


@pytest.mark.parametrize(
    ("outcome", "said"),
    [
        ("withdrawn", NOTHING),
        ("returned", NOTHING),
        ("timed_out", NOTHING),
        ("full", NOTHING),
        ("screened_out", AS_SAID),
        ("failed", AS_SAID),
    ],
)
def test_every_ending_says_so_where_nothing_is_paid(study: Study, somebody: Client, outcome: str, said: str) -> None:
    token = pages.join(study)
    assignments.stop(rater=Rater.objects.get(), outcome=outcome)
    assert said in text_of(somebody.get(f"/r/{token}/end/"))


def test_no_ending_speaks_of_pay_in_a_study_without_any(somebody: Client) -> None:
    study = build_study(None, opened=False)
    Study.objects.filter(pk=study.pk).update(settings={})
    token = pages.join(opened(Study.objects.get()))
    assignments.stop(rater=Rater.objects.get())
    page = text_of(somebody.get(f"/r/{token}/end/"))
    assert "You have stopped" in page
    assert not re.search(r"\b(pay|paid)\b", page)


NO_CHECKS = dict.fromkeys(("training", "exam", "controls", "attention", "repeats", "warm_up"), 0)


@pytest.mark.parametrize("judged", [0, 1])
def test_who_finds_everything_taken_is_asked_how_it_went_only_after_a_text(
    somebody: Client, tmp_path: Path, judged: int
) -> None:
    study = load("checked", tmp_path, "everything")
    Task.objects.filter(study=study, stage="main").update(k=1, set_size=36, checks=NO_CHECKS)
    token = enter(somebody, opened(study))
    send(somebody, token, questions(somebody, token, english="first", age="adult"))
    begin = f"/r/{token}/instructions/"
    somebody.post(begin, pages.hidden(somebody.get(begin)))
    for _text in range(judged):
        send(somebody, token, questions(somebody, token, clarity="4", accuracy="4"))
    RaterSet.objects.update(lease_until="2020-01-01T00:00Z")
    enter(Client(), study)
    if judged:
        assert "Some questions about you" in text_of(somebody.get(f"/r/{token}/", follow=True))
        send(somebody, token, questions(somebody, token, effort="2"))
    assert "All places were taken meanwhile" in text_of(somebody.get(f"/r/{token}/", follow=True))
    invariants.check(study)


LABELS = "enter it where you found the study", "Keep this code in case you want to ask about your answers."


@pytest.mark.parametrize(
    ("settings", "label"),
    [
        ({}, LABELS[1]),
        ({"codes": {"withdrawn": "STOP1"}}, LABELS[0]),
        ({"pay": {"amount": "2.00", "currency": "EUR"}}, LABELS[0]),
    ],
)
def test_a_code_is_to_be_entered_only_where_somebody_waits_for_it(
    somebody: Client, settings: dict[str, object], label: str
) -> None:
    study = build_study(None, opened=False)
    Study.objects.filter(pk=study.pk).update(settings=settings)
    token = pages.join(opened(Study.objects.get()))
    assignments.stop(rater=Rater.objects.get())
    page = text_of(somebody.get(f"/r/{token}/end/"))
    assert [words in page for words in LABELS] == [words == label for words in LABELS]


def test_the_bar_at_the_end_counts_no_units_that_were_left_to_others(study: Study, somebody: Client) -> None:
    token = pages.join(study)
    answer = {**pages.unit(somebody, token), "p1-fluency": "4"}
    assert somebody.post(f"/r/{token}/judge/", answer).status_code == 302
    assert re.search(r"\d of \d", text_of(somebody.get(f"/r/{token}/judge/")))
    assignments.stop(rater=Rater.objects.get())
    page = text_of(somebody.get(f"/r/{token}/end/"))
    assert "Your answer is saved" in page
    assert not re.search(r"\d of \d", page)
