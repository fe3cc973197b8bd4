"""Draw the screenshots of the docs: `make screenshots`. No test, and not collected as one.

Each is of an example study on a site of its own, as a browser shows it, and goes to docs/img/; those of the home page
go to static/img/, half as large.
"""

from io import BytesIO
from pathlib import Path

from PIL import Image
from playwright.sync_api import FrameLocator, Locator, Page, expect

from evalweb.local_services.folder import BASE_DIR
from tests.about import ready
from tests.browser.kit import begin, sign_in
from tests.servers import LiveSite

FOLDER, HOME = Path(BASE_DIR) / "docs" / "img", Path(BASE_DIR) / "static" / "img"
SIZE = {"width": 1280, "height": 860}
MARGIN = 13  # pixels
STUDY = "/admin/studies/example-likert/set-up"
STEPS = ("task", "texts", "questions", "raters", "consent", "review")
# Words on the page of raters that is shown beside a step; the preview follows the step.
_UNIT = "Comment to the researchers (optional)"
PREVIEWED = {"task": _UNIT, "questions": _UNIT, "raters": _UNIT, "consent": "Invitation to a study"}


# How long the results of an example may take on a busy machine, in milliseconds.
COMPUTED = 300_000


def draw(page: Page, name: str, part: Locator | None = None) -> None:
    """Store what the browser shows, or a part of it."""
    page.wait_for_load_state("networkidle")
    page.evaluate("document.activeElement?.blur()")
    store(drawn(page if part is None else part), FOLDER / f"{name}.png")


def draw_with_margin(page: Page, name: str, part: Locator) -> None:
    """Store a part of the page with the ground around it, into which the words of a chart may reach."""
    page.wait_for_load_state("networkidle")
    box = part.bounding_box()
    assert box is not None
    x, y = page.evaluate("[scrollX, scrollY]")
    clip = {"x": box["x"] + x - MARGIN, "y": box["y"] + y - MARGIN}
    size = {"width": box["width"] + 2 * MARGIN, "height": box["height"] + 2 * MARGIN}
    content = page.screenshot(animations="disabled", caret="hide", full_page=True, clip={**clip, **size})
    store(Image.open(BytesIO(content)).convert("RGB"), FOLDER / f"{name}.png")


def draw_for_home(page: Page, name: str) -> None:
    """Store what the browser shows for a step on the home page, half as large."""
    page.wait_for_load_state("networkidle")
    whole = drawn(page)
    size = (SIZE["width"] // 2, SIZE["height"] // 2)
    store(whole.resize(size, Image.Resampling.LANCZOS), HOME / f"home-{name}.png")


def drawn(shown: Page | Locator) -> Image.Image:
    return Image.open(BytesIO(shown.screenshot(animations="disabled", caret="hide"))).convert("RGB")


def store(picture: Image.Image, path: Path) -> None:
    # A page has few colours: a palette halves the file, and nobody sees it.
    picture.quantize(128, dither=Image.Dither.NONE).save(path, optimize=True)


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
        if step in PREVIEWED:
            expect(preview(page).get_by_text(PREVIEWED[step]).first).to_be_visible()
        draw(page, f"set-up-{step}")
        if step == "questions":
            draw_for_home(page, "set-up")
    link = live_site.manage("move_study", "example-likert", "open").strip()
    page.set_viewport_size({"width": SIZE["width"], "height": 800})
    begin(page, link)
    draw(page, "rater")
    page.set_viewport_size({"width": SIZE["width"], "height": SIZE["height"]})
    draw_for_home(page, "collect")


def finished(page: Page, live_site: LiveSite, folder: Path, example: str, raters: int) -> None:
    """Load an example, let simulated raters find what is planted in it, close it, and wait for its results."""
    name, _password = live_site.login
    slug = f"example-{example.replace('_', '-')}"
    live_site.manage("load_study", ready(example, folder), "--owner", name, "--replace")
    live_site.manage("move_study", slug, "open")
    live_site.manage("simulate_raters", slug, "--raters", str(raters), "--planted")
    live_site.manage("move_study", slug, "close")
    page.goto(f"/admin/studies/{slug}/results/")
    expect(page.get_by_role("heading", name="What was excluded")).to_be_visible(timeout=COMPUTED)


def test_results(page: Page, live_site: LiveSite, tmp_path: Path) -> None:
    page.set_viewport_size({"width": SIZE["width"], "height": SIZE["height"]})
    sign_in(page, live_site)
    finished(page, live_site, tmp_path / "pairs", "pairwise", 24)
    draw_for_home(page, "results")
    draw(page, "results", page.locator("#summary"))
    finished(page, live_site, tmp_path / "profile", "semantic_differential", 84)
    draw_with_margin(page, "profile", page.locator(".ew-figure").filter(has_text="Systems lie furthest apart").first)


TABLE = """annotator,segment,model,src,translation,fluency,adequacy,age,domain
ann,1,Online-A (v2),Der Zug ist da.,The train is here.,5,80,31,news
bob,1,Online-A (v2),Der Zug ist da.,The train is here.,4,70.5,45,news
ann,1,Zürich,Der Zug ist da.,Here the train.,2,30,31,news
bob,1,Zürich,Der Zug ist da.,Here the train.,1,20,45,news
ann,2,Online-A (v2),Es regnet wieder.,It rains again.,4,90,31,talk
bob,2,Online-A (v2),Es regnet wieder.,It rains again.,4,88,45,talk
ann,2,Zürich,Es regnet wieder.,Again rain.,1,10,31,talk
bob,2,Zürich,Es regnet wieder.,Again rain.,2,22,45,talk
"""


def test_one_table(page: Page, live_site: LiveSite, tmp_path: Path) -> None:
    page.set_viewport_size({"width": SIZE["width"], "height": SIZE["height"]})
    sign_in(page, live_site)
    file = tmp_path / "ratings.csv"
    file.write_text(TABLE, encoding="utf-8")
    page.goto("/admin/studies/new/?texts=one-table")
    page.get_by_label("Title").fill("Ratings of a paper")
    page.set_input_files("main input[type=file]", file)
    page.get_by_role("button", name="Create the study").click()
    expect(page.get_by_role("heading", name="The first rows as evalweb reads them")).to_be_visible()
    draw(page, "one-table", page.locator("#ew-main"))
