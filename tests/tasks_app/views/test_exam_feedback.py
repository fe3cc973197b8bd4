"""The result of an exam: which texts were right, and why, where the study says so."""

import pytest
from django.test import Client
from django.utils import translation

from tasks_app.models import Gold
from tasks_app.services.judging.between_units import ExamResult
from tasks_app.views.rater.steps import how_it_went
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
        "1 of 2 texts was right.", "Text 1: right", "Text 2: not right", "The right answer is: 4.",
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


@pytest.mark.parametrize(
    ("language", "right", "graded", "said"),
    [
        ("en", 1, 1, "Your answer to the text was right. To pass, 1 has to be right."),
        ("en", 0, 1, "Your answer to the text was not right. To pass, 1 has to be right."),
        ("en", 1, 3, "1 of 3 texts was right. To pass, 3 have to be right."),
        ("en", 2, 3, "2 of 3 texts were right. To pass, 3 have to be right."),
        ("de", 1, 3, "1 von 3 Texten war richtig."),
        ("de", 0, 3, "0 von 3 Texten waren richtig."),
        ("fr", 1, 3, "1 texte juste sur 3."),
        ("fr", 2, 3, "2 textes justes sur 3."),
        ("pt", 1, 3, "1 texto certo de 3."),
    ],
)
def test_right_answers_have_the_plural_of_their_number(language: str, right: int, graded: int, said: str) -> None:
    result = ExamResult(attempt=1, attempts=1, right=right, graded=graded, asked=graded, needed=1.0)
    with translation.override(language):
        assert how_it_went(result).startswith(said)
