"""The pure parts of labels: what "none of these" takes away, and what is still open in a question."""

from playwright.sync_api import Page

from tests.js.test_pure import run

MODULE = "task_types/labels.js"


def test_none_of_these_stands_alone(blank: Page) -> None:
    body = (
        "return [it.alone([0, 2, 3], 3, [3]), it.alone([0, 3], 0, [3]), it.alone([0, 1], 1, []),"
        " it.alone([2, 3], 3, [2, 3]), it.alone([0, 1, 3], 1, [2, 3])];"
    )
    assert run(blank, MODULE, body) == [[3], [0], [0, 1], [3], [0, 1]]


def test_a_question_is_open_until_what_is_asked_after_a_label_is_answered(blank: Page) -> None:
    body = """
        const after = (asked, needed, answered) => ({asked, needed, answered});
        return [
            it.stillOpen(0, []), it.stillOpen(1, []), it.stillOpen(0, [after(false, true, false)]),
            it.stillOpen(1, [after(false, true, false), after(true, true, false)]),
            it.stillOpen(1, [after(true, true, true)]), it.stillOpen(1, [after(true, false, false)]),
        ];
    """
    assert run(blank, MODULE, body) == ["choose", None, "choose", 1, None, None]
