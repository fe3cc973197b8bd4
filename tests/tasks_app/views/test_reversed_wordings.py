"""What raters are told about answers where a wording turns the scale round: they read it as on their screen."""

from uuid import UUID

import pytest
from django.test import Client

from tasks_app.models import Criterion, Gold, Judgment, Rater, Rating
from tasks_app.services.study import lifecycle
from tests import pages
from tests.builders import build_study
from tests.tasks_app.services.test_wordings import wordings_of

pytestmark = pytest.mark.django_db

NEGATIVE = {"key": "negative", "question": "How bad?", "reversed": True, "low": "Very bad", "high": "Not bad"}


def reader(expected: object = 4, kind: str = "exact") -> str:
    """Return the token of a rater who reads the reversed wording, in a study with one practice text."""
    study = build_study(None, opened=False, checks={"training": 1}, known={"training": 1}, k=4)
    criterion = Criterion.objects.get(study=study, key="fluency")
    criterion.ends = {**criterion.ends, "wordings": [NEGATIVE]}
    criterion.save()
    Gold.objects.filter(unit__task__study=study).update(kind=kind, answer=expected)
    lifecycle.move(study_id=study.pk, action="open", by=None)
    tokens = {}
    for _rater in range(2):
        token = pages.join(study)
        (wording,) = wordings_of(Rater.objects.latest("pk"))
        tokens[wording] = token
    return tokens["negative"]


@pytest.mark.parametrize(
    ("kind", "expected", "sentence"),
    [
        ("exact", 4, "The right answer is: 2."),
        ("exact", 5, "The right answer is: 1 (Not bad)."),
        ("set", [4, 5], "The right answers are: 2, 1 (Not bad)."),
        ("range", [3, 5], "The right answers are from 1 (Not bad) to 3."),
    ],
)
def test_feedback_names_the_steps_of_the_screen(somebody: Client, kind: str, expected: object, sentence: str) -> None:
    token = reader(expected, kind)
    form = pages.unit(somebody, token)
    sent = somebody.post(f"/r/{token}/judge/", {**form, "p1-fluency": "5"})
    assert Judgment.objects.get().answer == {"p1-fluency": 1}
    assert sentence in somebody.get(sent["Location"]).content.decode()


def test_two_answers_are_compared_by_the_steps_of_the_screen(somebody: Client) -> None:
    token = reader()
    form: dict[str, str] = {}
    for value in ("2", "5"):
        form = pages.unit(somebody, token)
        sent = somebody.post(f"/r/{token}/judge/", {**form, "p1-fluency": value})
        if "feedback" in sent["Location"]:
            somebody.post(sent["Location"], pages.hidden(somebody.get(sent["Location"])))
    assert list(Rating.objects.order_by("pk").values_list("value", "shown_value")) == [(4, 2), (1, 5)]
    conflict = somebody.post(f"/r/{token}/judge/", {**form, "submission": str(UUID(int=1)), "p1-fluency": "1"})
    assert conflict.status_code == 409
    page = conflict.content.decode()
    assert "5 (Very bad)" in page.partition("New answer")[0]
    assert "1 (Not bad)" in page.partition("New answer")[2]
