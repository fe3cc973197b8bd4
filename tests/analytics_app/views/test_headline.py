"""The headline answers the question of the study; what is about its design stands below."""

import re

import pytest
from django.contrib.auth.models import User
from django.test import Client

from analytics_app.results import Row
from tasks_app.models import Study
from tests.analytics_app.builders import SETTINGS, build_run, slider_rows
from tests.analytics_app.views.conftest import shut
from tests.analytics_app.views.reading import page, results, text
from tests.analytics_app.views.test_findings import ALONE, CASES, headline, row

pytestmark = pytest.mark.django_db

# 3 judgments a text, of which 2 are not enough.
ENOUGH = [
    row("fewer_judgments", "majority_error", criterion="kind", label=str(m), value=value, low=low, high=high,
        settings={"judgments": 3, "tolerated": 0.05})
    for m, value, low, high in ((1, 0.3, 0.2, 0.4), (2, 0.2, 0.1, 0.3), (3, 0.0, None, None))
]  # fmt: skip
NOT_SHOWN = "With 2 instead of 3 judgments per text, 20.0 % of majority labels would change"


@pytest.mark.parametrize(
    ("state", "rows", "primary", "said"),
    [
        ("open", slider_rows(), "", "Results by system are hidden until the study is closed."),
        ("open", slider_rows(), "content", "Results by system are hidden until the study is closed."),
        ("closed", [], "", "No test of this run compares systems."),
        ("closed", slider_rows(), "", CASES["groups"][1]),
        ("closed", slider_rows(), "kind", "There is no finding on the primary criterion, kind."),
        ("closed", [*slider_rows(), *ALONE], "style", f"{CASES['one system'][1]} {CASES['groups'][1]}"),
    ],
)
def test_the_headline_answers_the_question_of_the_study(
    rosa: User, rosas_browser: Client, study: Study, state: str, rows: list[Row], primary: str, said: str
) -> None:
    of_state = study if state == "open" else shut(study, rosa)
    build_run(of_state, [*ENOUGH, *rows], settings={**SETTINGS, "primary": primary})
    html = page(rosas_browser, results(of_state))
    shown = headline(html)
    assert shown.replace("&#x27;", "'") == said
    assert "majority labels" not in shown
    # What is about the design of the study stands below.
    (below,) = re.findall(r'<ul class="ew-told">(.*?)</ul>', html.split('id="summary"', 1)[1], flags=re.DOTALL)[:1]
    assert NOT_SHOWN in text(below)
