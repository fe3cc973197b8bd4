"""The result of an exam: which texts were right, and why, where the study says so."""

import pytest
from django.test import Client

from tasks_app.models import Gold
from tests import pages
from tests.builders import build_study
from tests.house.examples import opened
from tests.tasks_app.views.test_steps import RIGHT, WRONG, go_on, send, skip, text_of

pytestmark = pytest.mark.django_db


def test_where_the_study_says_so_a_failed_test_is_explained(somebody: Client) -> None:
    checks = {"exam": 2, "exam_pass": 1.0, "exam_attempts": 2, "exam_feedback": True}
    study = build_study(None, known={"exam": 4}, checks=checks, opened=False)
    Gold.objects.filter(unit__task__study=study, purpose="exam").update(explanation="Four, since it reads well.")
    opened(study)
    token = pages.join(study)
    send(somebody, token, RIGHT)
    address = send(somebody, token, WRONG)
    page = text_of(somebody.get(address))
    for words in (
        "1 of 2 texts were right.", "Text 1: right", "Text 2: not right", "The right answer is: 4.",
        "Four, since it reads well.", "of exam",
    ):  # fmt: skip
        assert words in page, words
    assert page.count("The right answer is: 4.") == 1
    go_on(somebody, address)
    assert skip(somebody, token) == f"/r/{token}/judge/"
    send(somebody, token, WRONG)
    end = text_of(somebody.get(f"/r/{token}/end/"))
    assert "You did not pass the test, so the study ends here." in end
    assert "this time" not in end
    assert "0 of 2 texts were right. To pass, 2 have to be right." in end
    assert f'href="{address}"' in end
    page = text_of(somebody.get(address))
    for words in ("Your answers in the test", "Text 1: skipped", "Text 2: not right", "You skipped this text."):
        assert words in page, words
    assert "form_token" not in page.partition("<main")[2], "nothing is left to do"
