"""Questions one at a time: where it begins, where it goes on to, and what is hidden meanwhile."""

from typing import Any

import pytest
from playwright.sync_api import Page

# Three scales, the second under a heading of its own, and a comment that may stay empty.
FORM = """
    document.body.innerHTML = `<div data-status></div><form><div data-paged="${kind}">
      <fieldset data-question id="a"><input type="radio" name="a" value="1"><input type="radio" name="a" value="2">
      </fieldset>
      <section data-page-group id="group"><fieldset data-question id="b"><label><input type="radio" name="b" value="1">
        yes</label></fieldset></section>
      <div data-question data-optional id="c"><input type="text" name="c"></div>
      <fieldset data-question id="d"><input type="radio" name="d" value="1"></fieldset></div></form>
      <template data-paging><div><button type="button" data-paging-back>Back</button>
      <p data-paging-place data-words="{n} of {total}"></p><button type="button" data-paging-next>Next</button></div>
      </template>`;
    const root = document.querySelector("[data-paged]");
    const narrow = Object.assign(new EventTarget(), { matches: true });
    const calm = (ms = 0) => new Promise((done) => setTimeout(done, ms));
    const seen = () => [...root.querySelectorAll("[data-question], section")]
        .filter((one) => !one.hidden).map((one) => one.id).join(" ");
    const tap = async (name, step = 0) => {
        const radio = root.querySelectorAll(`[name=${name}]`)[step];
        radio.dispatchEvent(new Event("pointerdown", { bubbles: true })); radio.click(); await calm(300);
        return seen();
    };
    const press = (key, name, step = 0) => {
        const control = root.querySelectorAll(`[name=${name}]`)[step];
        const event = new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true });
        control.dispatchEvent(event);
        if (key === "ArrowDown") control.click();
        return event.defaultPrevented;
    };
    const make = () => new it.Pages(root, document.querySelector("template"), narrow);
    const next = root.querySelector.bind(root, "[data-paging-next]");
    const back = root.querySelector.bind(root, "[data-paging-back]");
"""


def run(blank: Page, body: str, kind: str = "") -> Any:
    """Run a body on a page with a paged form, the module at hand as `it`."""
    script = f"async (kind) => {{ const it = await import('/static/js/core/paging.js'); {FORM} {body} }}"
    return blank.evaluate(script, kind)


def test_one_question_is_shown_and_the_buttons_lead_on_and_back(blank: Page) -> None:
    body = """
        make(); const said = [[seen(), back().hidden]];
        for (let press = 0; press < 3; press += 1) { next().click(); said.push(seen()); }
        const status = document.querySelector("[data-status]");
        said.push([next().hidden, root.querySelector("p").textContent, status.textContent]);
        back().click(); said.push(seen(), document.activeElement.id);
        return said;
    """
    assert run(blank, body) == [["a", True], "group b", "c", "d", [True, "4 of 4", "4 of 4"], "c", "c"]


@pytest.mark.parametrize(
    ("before", "first"),
    [("", "a"), ("root.querySelector('[name=a]').click();", "group b"), ("d.dataset.wrong = '';", "d")],
    ids=["nothing answered", "a draft", "a mistake"],
)
def test_it_begins_at_the_first_mistake_or_the_first_open_question(blank: Page, before: str, first: str) -> None:
    assert run(blank, f"const d = root.querySelector('#d'); {before} make(); return seen();") == first


def test_a_tap_goes_on_to_what_is_to_do_and_arrow_keys_do_not(blank: Page) -> None:
    body = """
        make(); const said = [];
        press("ArrowDown", "a", 1); await calm(300); said.push(seen());
        said.push(await tap("a", 1));
        said.push(await tap("b"));
        next().click(); said.push(await tap("d"));
        back().click(); back().click(); said.push(seen()); said.push(await tap("b"));
        return said;
    """
    # The same choice again goes on as well; the empty comment is offered once, and at the end it stays where it is.
    assert run(blank, body) == ["a", "group b", "c", "d", "group b", "group b"]


def test_enter_goes_on_and_is_left_to_others_where_nothing_is_to_do(blank: Page) -> None:
    body = """
        make(); const said = [];
        root.querySelector("[name=a]").click(); said.push(press("Enter", "a"), seen());
        root.querySelector("[name=b]").click(); said.push(press("Enter", "b"), seen());
        root.querySelector("[name=d]").click(); said.push(press("Enter", "c"), seen());
        return said;
    """
    assert run(blank, body) == [True, "group b", True, "c", False, "c"]


def test_whoever_moves_the_focus_into_a_question_reveals_it(blank: Page) -> None:
    body = """
        make(); const said = [];
        const questions = await import('/static/js/core/questions.js');
        questions.focusQuestion(root.querySelector("#d")); said.push(seen(), document.activeElement.name);
        return said;
    """
    assert run(blank, body) == ["d", "d"]


def test_narrow_ones_are_listed_again_where_there_is_room(blank: Page) -> None:
    body = """
        make(); const said = [seen()];
        narrow.matches = false; narrow.dispatchEvent(new Event("change")); said.push(seen());
        said.push(root.lastElementChild.hidden, await tap("a"), press("Enter", "a"));
        narrow.matches = true; narrow.dispatchEvent(new Event("change")); said.push(seen());
        return said;
    """
    everything = "a group b c d"
    assert run(blank, body, "narrow") == ["a", everything, True, everything, False, "group b"]
