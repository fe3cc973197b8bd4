"""The last page of a rater in a closed study: their answers beside those of the others, where the study shows them."""

from typing import Any

import pytest
from django.test import Client

from tasks_app.models import Criterion, Judgment, Rater, Study
from tasks_app.selectors.you_and_others import compared
from tasks_app.services.study import lifecycle
from tests import pages
from tests.builders import build_study

pytestmark = pytest.mark.django_db

TITLE = "You and the others"
# Six texts; the steps that three raters give to all of theirs.
STEPS = (5, 3, 2)


def judged(
    somebody: Client, *, steps: tuple[int, ...] = STEPS, items: int = 3, revises: bool = False, **how: object
) -> tuple[Study, list[str]]:
    """Return a study that raters have judged, each giving one step throughout, and the tokens of the raters.

    With `revises`, each changes the first answer to 1 before the second.
    """
    study = build_study(None, items=items, k=len(steps), set_size=2 * items, opened=False, **how)
    answer_of = {1: "good", 2: "bad"} if how.get("type") == "labels" else {}
    if answer_of:
        Criterion.objects.filter(study=study).update(ends={"labels": ["good", "bad"]})
    study = lifecycle.move(study_id=study.pk, action="open", by=None)
    tokens = []
    for step in steps:
        token = pages.join(study)
        tokens.append(token)
        for number in range(2 * items):
            page = somebody.get(f"/r/{token}/judge/", follow=True)
            answered(somebody, page, f"/r/{token}/judge/", answer_of.get(step, f"{step}"))
            if number == 0 and revises:
                earlier = f"/r/{token}/judge/1/"
                answered(somebody, somebody.get(earlier), earlier, "1")
    return study, tokens


def answered(somebody: Client, page: Any, address: str, answer: str) -> None:
    """Send an answer to a page, which is accepted."""
    sent = somebody.post(address, {**pages.hidden(page), "p1-fluency": answer})
    assert sent.status_code in {302, 303}, sent.content.decode()


def end(somebody: Client, token: str) -> str:
    """Return the last page of a rater."""
    return somebody.get(f"/r/{token}/end/", follow=True).content.decode()


def test_a_rater_sees_their_average_beside_that_of_the_others(somebody: Client) -> None:
    study, tokens = judged(somebody, show_comparison=True)
    assert TITLE not in end(somebody, tokens[0])
    lifecycle.move(study_id=study.pk, action="close", by=None)
    page = " ".join(end(somebody, tokens[0]).split())
    assert TITLE in page
    assert "Your average: 5.0. Average of the others: 2.5. Texts: 6." in page
    assert "Your average: 2.0. Average of the others: 4.0. Texts: 6." in " ".join(end(somebody, tokens[2]).split())
    assert "alpha" not in page


@pytest.mark.parametrize(
    ("steps", "how"),
    [
        (STEPS, {}),  # the study does not show it
        ((5, 3), {"show_comparison": True}),  # one other rater
        (STEPS, {"show_comparison": True, "items": 2}),  # four texts
    ],
)
def test_nothing_is_shown_that_a_study_does_not_show_or_that_would_be_one_person_s(
    somebody: Client, steps: tuple[int, ...], how: dict[str, object]
) -> None:
    study, tokens = judged(somebody, steps=steps, **how)
    lifecycle.move(study_id=study.pk, action="close", by=None)
    assert TITLE not in end(somebody, tokens[0])


def test_labels_are_compared_with_the_most_frequent_one_of_the_others(somebody: Client) -> None:
    study, _tokens = judged(somebody, type="labels", steps=(1, 1, 2), show_comparison=True)
    lifecycle.move(study_id=study.pk, action="close", by=None)
    first, _second, third = (compared(rater) for rater in Rater.objects.filter(study=study).order_by("pk"))
    # One of the two others gave the same label, which is as frequent as the other one.
    assert [(one.n_texts, one.same, one.mine) for one in first] == [(6, 6, None)]
    assert [(one.n_texts, one.same) for one in third] == [(6, 0)]


def test_a_changed_answer_counts_once_with_its_last_value(somebody: Client) -> None:
    study, tokens = judged(somebody, show_comparison=True, revises=True)
    assert Judgment.objects.filter(assignment__rater__study=study).count() == 3 * 7
    lifecycle.move(study_id=study.pk, action="close", by=None)
    # Five texts with 5, and the first with 1; the others have 3 and 2, and 1 each for their first.
    assert "Your average: 4.3." in " ".join(end(somebody, tokens[0]).split())
