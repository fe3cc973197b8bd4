"""Scripts of researchers' pages: sorting tables, and turning a part of a page into a newer one."""

import pytest
from playwright.sync_api import Page

from tests.js.test_pure import run

TABLE = """
    const place = document.createElement("div");
    const table = (rows) => `<table data-sortable><thead data-live-keep><tr><th scope="col">Name</th>
        <th scope="col" class="ew-number">Mean</th><th scope="col" data-unsorted>Act</th></tr></thead><tbody>
        ${rows.map(([name, key, text]) => `<tr><th scope="row">${name}</th><td data-sort="${key}">${text}</td>
        <td></td></tr>`).join("")}</tbody></table>`;
    const first = [["beta", "2.5", "2.5"], ["alpha", "", "–"], ["gamma", "10", "10.0"], ["delta", "-1", "−1.0"]];
    place.innerHTML = table(first);
    document.body.replaceChildren(place);
    const names = () => [...place.querySelectorAll("tbody th")].map((one) => one.textContent);
    const press = (number) => place.querySelectorAll("thead button")[number].click();
"""


def test_numbers_sort_by_what_the_server_gave_and_undefined_ones_stay_last(blank: Page) -> None:
    body = f"""{TABLE}
        it.start(place); const seen = [names()];
        press(1); seen.push(names()); press(1); seen.push(names()); press(0); seen.push(names());
        press(0); seen.push(names());
        return seen;
    """
    assert run(blank, "core/sortable.js", body) == [
        ["beta", "alpha", "gamma", "delta"],
        ["gamma", "beta", "delta", "alpha"],
        ["delta", "beta", "gamma", "alpha"],
        ["alpha", "beta", "delta", "gamma"],
        ["gamma", "delta", "beta", "alpha"],
    ]


def test_a_head_says_how_it_is_sorted_and_one_without_numbers_or_names_cannot_be(blank: Page) -> None:
    body = f"""{TABLE}
        it.start(place); it.start(place); press(1);
        const heads = [...place.querySelectorAll("thead th")];
        return heads.map((head) => [head.getAttribute("aria-sort"), head.querySelectorAll("button").length]);
    """
    assert run(blank, "core/sortable.js", body) == [[None, 1], ["descending", 1], [None, 0]]


def test_a_table_of_one_row_is_left_alone(blank: Page) -> None:
    body = f"{TABLE} place.innerHTML = table(first.slice(0, 1)); it.start(place);"
    assert run(blank, "core/sortable.js", f"{body} return place.querySelectorAll('button').length;") == 0


@pytest.mark.parametrize(
    ("arguments", "pause"), [("0", 5000), ("1", 10_000), ("2", 20_000), ("9", 60_000), ("0, 1000", 20_000)]
)
def test_a_server_that_is_away_or_slow_is_asked_less_often(blank: Page, arguments: str, pause: int) -> None:
    assert run(blank, "core/live.js", f"return it.pauseAfter({arguments});") == pause


def test_who_is_signed_out_or_shut_out_is_told_so(blank: Page) -> None:
    answers = """[{type: "opaqueredirect", status: 0}, {type: "basic", status: 404}, {type: "basic", status: 503},
        {type: "basic", status: 200}, {type: "basic", status: 304}]"""
    assert run(blank, "core/live.js", f"return {answers}.map(it.isGone);") == [True, True, False, False, False]


MORPH = """
    const made = (html) => { const one = document.createElement("div"); one.innerHTML = html; return one; };
    const old = made(`<p id="a" class="x">One <b>1</b></p><details open><summary>More</summary><p>text</p></details>
        <button id="go">Go</button>`);
    document.body.replaceChildren(old);
"""


def test_only_what_differs_is_touched(blank: Page) -> None:
    body = f"""{MORPH}
        const [paragraph, bold, button] = ["p", "b", "button"].map((one) => old.querySelector(one));
        button.focus();
        it.morph(old, made(`<p id="a" class="y">One <b>2</b></p><details><summary>More</summary><p>new</p></details>
            <button id="go">Go</button>`));
        return [old.querySelector("p") === paragraph, bold.isConnected, bold.textContent, paragraph.className,
            old.querySelector("details").open, old.querySelector("details p").textContent,
            document.activeElement === button];
    """
    assert run(blank, "core/live.js", body) == [True, True, "2", "y", True, "new", True]


def test_what_is_new_comes_and_what_is_gone_goes(blank: Page) -> None:
    body = f"""{MORPH}
        const said = () => old.innerHTML.trim();
        it.morph(old, made("<p>First</p><ul><li>a</li><li>b</li></ul>")); const grown = said();
        it.morph(old, made("<p>First</p>")); const shrunk = said();
        it.morph(old, made("text")); return [grown, shrunk, said()];
    """
    grown = "<p>First</p><ul><li>a</li><li>b</li></ul>"
    assert run(blank, "core/live.js", body) == [grown, "<p>First</p>", "text"]


def test_what_has_an_id_keeps_its_focus_while_notices_come_and_go_above_it(blank: Page) -> None:
    body = f"""{MORPH}
        const blocks = (notice) => `\n${{notice}}\n<section id="one"><button id="in">In</button></section>\n
            <section id="two">2</section>`;
        const place = made(blocks("")); document.body.replaceChildren(place);
        const button = place.querySelector("#in"); button.focus();
        it.morph(place, made(blocks("<div>No worker</div>"))); const seen = [document.activeElement === button];
        seen.push([...place.children].map((one) => one.id || one.textContent).join());
        it.morph(place, made(blocks("<p>Another</p>"))); it.morph(place, made(blocks("").replace("2", "3")));
        seen.push(document.activeElement === button, place.textContent.replace(/\\s+/g, " ").trim());
        return seen;
    """
    assert run(blank, "core/live.js", body) == [True, "No worker,one,two", True, "In 3"]


def test_heads_of_a_table_that_is_sorted_stay_and_its_new_rows_are_sorted(blank: Page) -> None:
    body = f"""{TABLE}
        const tables = await import("/static/js/core/sortable.js"); tables.start(place); press(1);
        const fresh = document.createElement("div"); fresh.innerHTML = table([...first, ["omega", "99", "99.0"]]);
        it.morph(place, fresh); tables.again(place.querySelector("table"));
        return [names(), place.querySelectorAll("thead button").length];
    """
    assert run(blank, "core/live.js", body) == [["omega", "gamma", "beta", "delta", "alpha"], 2]
