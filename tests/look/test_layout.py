"""What tests find of words that are broken, clipped, over each other or on a line."""

from playwright.sync_api import Page

from tests.deviations import assert_each
from tests.layout import faults

BOX = "style='width: 6em; font: 16px sans-serif; line-height: 1.4;"
CASES = {
    "a word broken in two": (f"<p {BOX} overflow-wrap: anywhere; width: 3em'>exploratory</p>", "broken within a word"),
    "lines of whole words": (f"<p {BOX}'>Several short words on some lines.</p>", ""),
    "a word that no column holds": (f"<p {BOX} overflow-wrap: anywhere'>{'x' * 60}</p>", ""),
    "words cut off": (f"<div {BOX} overflow: hidden; white-space: nowrap'>Words that are cut off</div>", "clipped"),
    "words that scroll": (f"<div {BOX} overflow: auto; white-space: nowrap'>Words that are not cut off</div>", ""),
    "words over others": ("<p>First words</p><p style='margin-top: -2.2em'>Other words</p>", "over each other"),
    "a label on a line": (
        "<svg width=200 height=40><line x1=20 x2=20 y1=0 y2=40 stroke=black /><text x=5 y=20>Label</text></svg>",
        "on a line",
    ),
    "a label above a line": (
        "<svg width=200 height=60><line x1=20 x2=20 y1=30 y2=60 stroke=black /><text x=5 y=20>Label</text></svg>",
        "",
    ),
}


def test_each_fault_is_found_and_what_is_sound_is_not(page: Page) -> None:
    def check(body: str, fault: str) -> None:
        page.set_content(f"<html lang=en><title>Page</title><main>{body}</main>")
        assert [one.partition(":")[0] for one in faults(page)] == ([fault] if fault else [])

    assert_each(check, ((name, {"body": body, "fault": fault}) for name, (body, fault) in CASES.items()))
