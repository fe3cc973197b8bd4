"""The files that a rater's pages ask for."""

from collections.abc import Callable
from urllib.parse import urlsplit

from playwright.sync_api import Page, Request

from tests.browser.kit import at


def test_six_files_at_first_and_none_for_the_pages_to_judge_on(page: Page, open_example: Callable[..., str]) -> None:
    asked: list[tuple[str, str]] = []

    def note(request: Request) -> None:
        path = urlsplit(request.url).path
        if path.startswith("/static/"):
            asked.append((urlsplit(page.url).path.rstrip("/").rpartition("/")[2], path))

    page.on("request", note)
    page.goto(open_example("error_spans"))
    page.wait_for_load_state("networkidle")
    first = {path for _page, path in asked}
    assert {"/static/css/page", "/static/js/core/main"} <= {path.partition(".")[0] for path in first}
    assert len(first) <= 6
    page.get_by_role("button", name="I agree, begin").click()
    page.wait_for_url("**/instructions/")
    page.wait_for_load_state("networkidle")
    page.get_by_role("button", name="Start").click()
    at(page, 0)
    page.wait_for_load_state("networkidle")
    judging = {path for where, path in asked if where == "judge"}
    before = {path for where, path in asked if where != "judge"}
    assert {"/static/js/task_types/error_spans", "/static/css/page"} <= {path.partition(".")[0] for path in judging}
    assert judging <= before
