"""The pure parts of error labels: where answers down the hierarchy lead, and what is taken back first."""

import pytest
from playwright.sync_api import Page

from tests.js.test_pure import run

MODULE = "task_types/error_labels.js"


@pytest.mark.parametrize(
    ("answers", "open_", "label", "last"),
    [
        (["", "", ""], 0, None, None),
        (["no", "", ""], 1, None, 0),
        (["no", "no", ""], 2, None, 1),
        (["yes", "", ""], None, 0, 0),
        (["no", "yes", "no"], None, 1, 1),
        (["", "yes", "no"], 0, None, None),
        (["no", "no", "no"], None, 3, 2),
    ],
)
def test_the_first_yes_ends_it_and_the_last_no_says_that_nothing_is_wrong(
    blank: Page, answers: list[str], open_: int | None, label: int | None, last: int | None
) -> None:
    body = f"return [it.walk({answers}), it.lastGiven({answers})];"
    assert run(blank, MODULE, body) == [{"open": open_, "label": label}, last]


def test_a_question_is_asked_after_its_own_labels_only(blank: Page) -> None:
    body = "return ['L', 'MT', 'M', 'T', ''].map((label) => it.isAsked('L MT', label));"
    assert run(blank, MODULE, body) == [True, True, False, False, False]
