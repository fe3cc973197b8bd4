"""The pure parts of post-editing: what was changed, and what it took."""

from typing import Any

import pytest
from playwright.sync_api import Page

from tests.js.test_pure import run


def diff(blank: Page, before: str, after: str) -> Any:
    """Return the runs of a change, as short words."""
    body = """
        const signs = { same: "", gone: "-", new: "+" };
        return it.changes(before, after, "en").map((run) => signs[run.kind] + run.text);
    """
    return run(blank, "task_types/post_edit/diff.js", f"const [before, after] = {[before, after]}; {body}")


@pytest.mark.parametrize(
    ("before", "after", "runs"),
    [
        ("", "", []),
        ("a cat", "a cat", ["a cat"]),
        ("", "new", ["+new"]),
        ("old", "", ["-old"]),
        ("the cat sat", "the dog sat", ["the ", "-cat", "+dog", " sat"]),
        ("the cat sat", "the black cat sat", ["the ", "+black ", "cat sat"]),
        ("the cat sat.", "the cat sat", ["the cat sat", "-."]),
        ("one two three", "four five three", ["-one two", "+four five", " three"]),
        ("a b c d", "a c b d", ["a ", "-b ", "c", "+ b", " d"]),
        ("line\\nline", "line line", ["line", "-\n", "+ ", "line"]),
    ],
)
def test_changes_are_told_word_by_word(blank: Page, before: str, after: str, runs: list[str]) -> None:
    before = before.replace("\\n", "\n")
    assert diff(blank, before, after) == runs


def test_runs_always_add_up_to_both_texts(blank: Page) -> None:
    body = """
        let seed = 11; const draw = (n) => { seed = (seed * 48271) % 2147483647; return seed % n; };
        const bag = ["a", "b", "c", " ", " ", ".", "\\n", "猫", "が", "🚂"]; const bad = [];
        const text = () => Array.from({ length: draw(40) }, () => bag[draw(bag.length)]).join("");
        for (let turn = 0; turn < 400; turn += 1) {
          const [before, after] = [text(), text()]; const runs = it.changes(before, after, "en");
          const side = (kind) => runs.map((run) => ["same", kind].includes(run.kind) ? run.text : "").join("");
          if (side("gone") !== before || side("new") !== after) bad.push([before, after, runs]);
        }
        return bad;
    """
    assert run(blank, "task_types/post_edit/diff.js", body) == []


def test_texts_that_have_nothing_in_common_are_one_change_soon(blank: Page) -> None:
    # Each round of the comparison begins with a copy of what the one before it reached, and is as long as its number.
    body = """
        const words = (letter) => Array.from({ length: 2000 }, (_, n) => `${letter}${n}`).join(" ");
        const { slice } = Int32Array.prototype;
        let rounds = 0;
        Int32Array.prototype.slice = function (...about) { rounds += 1; return slice.apply(this, about); };
        try {
            const runs = it.changes(words("a"), words("b"), "en");
            return [runs.map((run) => run.kind), rounds > 0 && rounds < 1000, it.wordsIn(runs, "new", "en")];
        } finally {
            Int32Array.prototype.slice = slice;
        }
    """
    assert run(blank, "task_types/post_edit/diff.js", body) == [["gone", "new"], True, 2000]


def test_a_language_nobody_knows_does_no_harm(blank: Page) -> None:
    assert run(blank, "task_types/post_edit/diff.js", "return it.tokens('a b', 'not a tag').length;") == 3


def test_keys_and_seconds_of_work_are_counted_on(blank: Page) -> None:
    body = """
        let now = 0; const effort = new it.Effort(() => now, { keys: 5, seconds: 2 }); const said = [];
        const say = () => said.push(Object.values(effort.read()));
        now = 9000; say();
        effort.work(true); now = 12_000;
        for (const key of ["a", "Shift", "Control", "ArrowLeft", undefined]) effort.sign(key);
        say();
        now = 200_000; say();
        effort.work(false); now = 300_000; say();
        effort.show(false); effort.work(true); now = 320_000; say(); effort.show(true); now = 321_000; say();
        effort.restart({ keys: 2, seconds: 1 }); now = 322_500; say();
        return said;
    """
    assert run(blank, "task_types/post_edit/effort.js", body) == [
        [5, 2],
        [7, 5],
        [7, 65],
        [7, 65],
        [7, 65],
        [7, 66],
        [2, 2.5],
    ]
