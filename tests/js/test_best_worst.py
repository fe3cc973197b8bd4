"""Best-worst scaling: which end a digit chooses for, and what is missing."""

from playwright.sync_api import Page

from tests.js.test_pure import run

MODULE = "task_types/best_worst.js"


def test_a_digit_chooses_for_the_end_at_work_else_for_the_first_that_is_open(blank: Page) -> None:
    none, one, other = {"best": None, "worst": None}, {"best": "1", "worst": None}, {"best": None, "worst": "1"}
    cases = [
        (None, none),
        (None, one),
        (None, other),
        (None, {"best": "2", "worst": "1"}),
        ("worst", none),
        ("best", one),
    ]
    said = blank.evaluate(
        f"async (cases) => {{ const it = await import('/static/js/{MODULE}');"
        " return cases.map(([atWork, chosen]) => [it.nextEnd(atWork, chosen), it.missingOf(chosen)]); }",
        [list(case) for case in cases],
    )
    assert said == [
        ["best", "both"], ["worst", "worst"], ["best", "best"], ["best", None], ["worst", "both"], ["best", "worst"],
    ]  # fmt: skip


def test_nothing_chosen_means_both_are_missing(blank: Page) -> None:
    assert run(blank, MODULE, "return it.missingOf({best: null, worst: null});") == "both"
