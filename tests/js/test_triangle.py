"""The motive of a triangle: asked after the choice, and never hidden while it holds something."""

import pytest
from playwright.sync_api import Page

from tests.js.test_pure import run

PAGE = """
    const made = ({ checked = "", words = "", wrong = "", paged = "" } = {}) => {
        document.body.innerHTML = `<p data-status></p><div class="questions" ${paged}>
            <fieldset data-question data-picks><input type="radio" name="odd" data-key="1" ${checked}>
                <input type="radio" name="odd" data-key="2"></fieldset>
            <div data-question data-optional data-motive ${wrong}>
                <p class="question-words">Why?  <span>(optional)</span></p>
                <textarea name="motive">${words}</textarea></div></div>`;
        it.start(document);
        return document.querySelector("[data-motive]");
    };
    const said = () => document.querySelector("[data-status]").textContent;
    const fire = (selector, name) => document.querySelector(selector).dispatchEvent(new Event(name, {bubbles: true}));
"""


def test_it_is_asked_and_announced_once_a_text_is_chosen(blank: Page) -> None:
    body = """
        const motive = made(); const seen = [motive.hidden];
        fire("[data-picks] input", "change"); seen.push(motive.hidden);
        document.querySelector("[data-key='2']").checked = true;
        fire("[data-key='2']", "change"); seen.push(motive.hidden, said());
        document.querySelector("[data-status]").textContent = "";
        fire("[data-key='2']", "change");
        return [...seen, said()];
    """
    assert run(blank, "task_types/triangle.js", PAGE + body) == [True, True, False, "Why? (optional)", ""]


@pytest.mark.parametrize(
    "state", ["checked: 'checked'", "words: 'It rhymes.'", "wrong: 'data-wrong'", "paged: 'data-paged'"]
)
def test_it_is_not_hidden_from_an_answer_that_is_there(blank: Page, state: str) -> None:
    assert run(blank, "task_types/triangle.js", f"{PAGE} return made({{ {state} }}).hidden;") is False


def test_a_restored_motive_and_whoever_leads_to_it_bring_it_up(blank: Page) -> None:
    body = """
        const seen = [];
        let motive = made(); fire("textarea", "change"); seen.push(motive.hidden);
        motive = made(); fire("[data-motive]", "reveal"); seen.push(motive.hidden);
        return seen;
    """
    assert run(blank, "task_types/triangle.js", PAGE + body) == [False, False]
