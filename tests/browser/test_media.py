"""Pictures and sounds beside a text, in a real browser: shown, made larger, played, sought, and noted."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Response, expect

from tests.about import AS_IT_IS
from tests.browser.conftest import STUDY
from tests.browser.kit import accessible, at, begin, fits, phone, press_until, send, without_script
from tests.media import png, vtt, wav
from tests.servers import LiveSite

# Long enough to be sent in parts, and to be sought in.
SOUND = wav(60.0)

# Waits until a player has got somewhere.
HEARD = "(one) => new Promise((done) => one.addEventListener('timeupdate', () => one.currentTime > 0 && done()))"

# Prints the log of the newest judgment of a study.
LOG = """
import json
import re
from tasks_app.models import Judgment
print(json.dumps(Judgment.objects.filter(assignment__unit__task__study__slug="{slug}").latest("id").log))
"""


@pytest.fixture
def make_media_study(live_site: LiveSite, tmp_path: Path) -> Callable[..., str]:
    """Load and open a study whose items have two pictures and a sound."""

    def make(slug: str, *, warning: str = "") -> str:
        folder = tmp_path / slug
        folder.mkdir()
        study = STUDY.format(slug=slug, type="likert", layout="single", size=1)
        if warning:
            study = study.replace("  enrolments", f"  content_warning: {warning}\n  enrolments")
        (folder / "study.yaml").write_text(study, encoding="utf-8")
        (folder / "house.png").write_bytes(png(1800, 1200))
        (folder / "garden.png").write_bytes(png(300, 200, shade=20))
        (folder / "call.wav").write_bytes(SOUND)
        rows = ["item,system,output,context_image,context_audio,options"]
        alt = '"{""alt"": [""A yellow house"", ""A garden""]}"'
        rows += [f"i{number},north,Text {number},house.png|garden.png,call.wav,{alt}" for number in range(4)]
        (folder / "items.csv").write_text("\n".join(rows), encoding="utf-8")
        live_site.manage("load_study", str(folder), "--owner", "researcher")
        return live_site.manage("move_study", slug, "open", *AS_IT_IS).strip()

    return make


def log_of(live_site: LiveSite, slug: str) -> list[list[Any]]:
    found: list[list[Any]] = json.loads(live_site.manage("shell", "-v", "0", "-c", LOG.format(slug=slug)))
    return found


def answer(page: Page) -> None:
    for group in page.get_by_role("radiogroup").all():
        group.locator("label").nth(3).click()
    send(page)
    expect(page.get_by_role("heading", name="Thank you, you have finished")).to_be_visible()


@pytest.mark.exhaustive
def test_what_was_played_and_enlarged_is_stored_with_the_answer(
    page: Page, live_site: LiveSite, make_media_study: Callable[..., str]
) -> None:
    parts: list[int] = []

    def note(response: Response) -> None:
        if "/media/" in response.url:
            parts.append(response.status)

    page.on("response", note)
    begin(page, make_media_study("heard"))
    pictures = page.get_by_role("button", name="A yellow house")
    expect(page.get_by_role("img", name="A garden")).to_be_visible()
    assert page.get_by_role("img", name="A yellow house").evaluate("(one) => one.naturalWidth") == 1800
    pictures.click()
    dialog = page.locator("dialog[open]")
    expect(dialog.get_by_role("heading", name="Picture 1")).to_be_visible()
    accessible(page)
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    expect(pictures).to_be_focused()
    player = page.locator("audio")
    expect(player).to_have_js_property("duration", 60)
    player.evaluate("(one) => { one.muted = true; return one.play(); }")
    player.evaluate(HEARD)
    player.evaluate("(one) => { one.currentTime = 30; one.currentTime = 58; }")
    expect(player).to_have_js_property("ended", True)
    answer(page)
    assert 206 in parts, "the sound is sent in parts"
    log = log_of(live_site, "heard")
    mine = [row[1:] for row in log if len(row) > 2 and row[2] in {"audio-1", "image-1"}]
    what = [row[0] for row in mine]
    assert what[:2] == ["zoom", "play"]
    assert "ended" in what
    assert ["seek", "audio-1", "58.0"] in mine or any(row[0] == "seek" and float(row[2]) > 57 for row in mine)
    assert sum(one == "seek" for one in what) == 1, "a pull along the line is one jump"
    assert mine[-1][0] == "played"
    assert mine[-1][2].split()[-1].startswith("58.0-")
    assert [row[0] for row in log] == sorted(row[0] for row in log)


@pytest.mark.exhaustive
def test_a_content_warning_covers_them_and_without_script_they_are_there(
    browser: Browser, live_site: LiveSite, make_media_study: Callable[..., str]
) -> None:
    with without_script(browser, live_site) as page:
        begin(page, make_media_study("covered", warning="This speaks of accidents."))
        expect(page.get_by_role("img", name="A yellow house")).to_be_hidden()
        expect(page.locator("audio")).to_be_hidden()
        page.get_by_text("Show the picture").first.click()
        expect(page.get_by_role("img", name="A yellow house")).to_be_visible()
        with page.context.expect_page() as opened:
            page.get_by_role("link", name="A yellow house").click()
        assert "/media/" in opened.value.url


OUTPUTS = """\
item,system,output,output_file,captions
sky,north,A bright sky,bright.png,
sky,south,A dark sky,dark.png,
call,north,Good morning,morning.wav,morning.vtt
call,south,Good evening,evening.wav,evening.vtt
"""


@pytest.fixture
def outputs_link(live_site: LiveSite, tmp_path: Path) -> str:
    """Load and open a study whose raters compare two pictures, and two sounds with captions."""
    study = STUDY.format(slug="outputs", type="likert", layout="together", size=2)
    study = study.replace("    k: 5\n", "    k: 5\n    instructions: Look and listen.\n")
    files: dict[str, bytes] = {"bright.png": png(900, 600, shade=120), "dark.png": png(900, 600, shade=10)}
    for name in ("morning", "evening"):
        files |= {f"{name}.wav": wav(20.0), f"{name}.vtt": vtt(*[f"Good {name}!"] * 20).encode()}
    for name, content in {"study.yaml": study.encode(), "items.csv": OUTPUTS.encode(), **files}.items():
        (tmp_path / name).write_bytes(content)
    live_site.manage("load_study", str(tmp_path), "--owner", "researcher")
    return live_site.manage("move_study", "outputs", "open", *AS_IT_IS).strip()


def judge_sounds(page: Page) -> None:
    """Play both sounds with the keyboard: captions are shown, and the second stops the first."""
    first, second = page.locator("video").all()
    press_until(page, lambda: page.evaluate("document.activeElement.dataset?.media") == "output-A")
    first.evaluate("(one) => { one.muted = true; }")
    page.keyboard.press("Space")
    first.evaluate(HEARD)
    assert first.evaluate("(one) => [one.textTracks[0].mode, one.textTracks[0].activeCues.length]") == ["showing", 1]
    press_until(page, lambda: page.evaluate("document.activeElement.dataset?.media") == "output-B")
    second.evaluate("(one) => { one.muted = true; }")
    page.keyboard.press("Space")
    second.evaluate(HEARD)
    expect(first).to_have_js_property("paused", True)
    expect(page.get_by_text("Good morning", exact=True)).to_be_hidden()
    page.get_by_text("In words").first.press("Enter")
    expect(page.get_by_text(re.compile("^Good (morning|evening)$")).first).to_be_visible()


def judge_pictures(page: Page) -> None:
    """Make a picture larger with the keyboard."""
    expect(page.get_by_role("figure", name="Picture B", exact=True)).to_be_visible()
    press_until(page, lambda: page.evaluate("document.activeElement.dataset?.zoom") == "output-A")
    page.keyboard.press("Enter")
    expect(page.locator("dialog[open]").get_by_role("heading", name="Picture A")).to_be_visible()
    page.keyboard.press("Escape")


@pytest.mark.exhaustive
def test_outputs_that_are_pictures_and_sounds_are_judged_by_keyboard(
    page: Page, browser: Browser, live_site: LiveSite, outputs_link: str
) -> None:
    begin(page, outputs_link)
    shown = []
    for done in range(2):
        at(page, done)
        accessible(page)
        fits(page)
        kind = "sound" if page.locator("video").count() else "picture"
        shown.append(kind)
        (judge_sounds if kind == "sound" else judge_pictures)(page)
        name = "Recording" if kind == "sound" else "Picture"
        expect(page.get_by_role("radiogroup", name=f"{name} B: How fluent is it?")).to_have_count(1)
        for group in page.get_by_role("radiogroup").all():
            group.get_by_role("radio").first.press("Space")
        send(page)
    expect(page.get_by_role("heading", name="Thank you, you have finished")).to_be_visible()
    assert sorted(shown) == ["picture", "sound"]
    with phone(browser, live_site) as small:
        begin(small, outputs_link)
        fits(small)
    with without_script(browser, live_site) as plain:
        begin(plain, outputs_link)
        expect(plain.locator("video[controls] > track[default], a.media-zoom[href]").first).to_be_attached()
        for group in plain.get_by_role("radiogroup").all():
            group.locator("label").nth(3).click()
        send(plain)
        at(plain, 1)
