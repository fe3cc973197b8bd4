"""The pure part of ticks: what rules out the others stands alone."""

from playwright.sync_api import Page

from tests.js.test_pure import run


def test_what_rules_out_the_others_stands_alone(blank: Page) -> None:
    body = "return [it.kept([0, 1, 2], 2, [2]), it.kept([1, 2], 1, [2]), it.kept([0, 1], 1, []), it.kept([2], 2, [2])];"
    assert run(blank, "task_types/magnitude/ticks.js", body) == [[2], [1], [0, 1], [2]]
