"""Draw the screenshots of the docs: `make screenshots`. No test, and not collected as one.

Each is of an example study on a site of its own, as a browser shows it, and goes to docs/img/.
"""

from io import BytesIO
from pathlib import Path

from PIL import Image
from playwright.sync_api import FrameLocator, Page, expect

from evalweb.local_services.folder import BASE_DIR
from tests.about import ready
from tests.browser.kit import begin, sign_in
from tests.servers import LiveSite

FOLDER = Path(BASE_DIR) / "docs" / "img"
SIZE = {"width": 1280, "height": 860}
STUDY = "/admin/studies/example-likert/set-up"
STEPS = ("task", "texts", "questions", "raters", "consent", "review")


def draw(page: Page, name: str) -> None:
    """Store what the browser shows."""
    page.wait_for_load_state("networkidle")
    page.evaluate("document.activeElement?.blur()")
    drawn = Image.open(BytesIO(page.screenshot(animations="disabled", caret="hide")))
    # A page has few colours: a palette halves the file, and nobody sees it.
    drawn.convert("RGB").quantize(128, dither=Image.Dither.NONE).save(FOLDER / f"{name}.png", optimize=True)


def preview(page: Page) -> FrameLocator:
    return page.frame_locator("[data-preview]")


def test_the_set_up(page: Page, live_site: LiveSite, tmp_path: Path) -> None:
    name, _password = live_site.login
    live_site.manage("load_study", ready("likert", tmp_path / "study"), "--owner", name)
    page.set_viewport_size({"width": SIZE["width"], "height": SIZE["height"]})
    sign_in(page, live_site)
    page.goto("/admin/studies/new/")
    draw(page, "new-study")
    for step in STEPS:
        page.goto(f"{STUDY}/{step}/")
        if step != "texts":
            expect(preview(page).get_by_text("Comment to the researchers (optional)")).to_be_visible()
        draw(page, f"set-up-{step}")
    link = live_site.manage("move_study", "example-likert", "open").strip()
    page.set_viewport_size({"width": SIZE["width"], "height": 800})
    begin(page, link)
    draw(page, "rater")
