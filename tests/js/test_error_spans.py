"""The pure parts of error spans: offsets in code points, words of many scripts, marks, steps back, keys, the panel."""

import json
from typing import Any

import pytest
from playwright.sync_api import Page

from tasks_app.task_types.graphemes import inside

# A family of four, a letter with two accents, Devanagari with a joined consonant, Thai and Arabic with vowel signs.
TEXTS = [
    "Ok 👩‍👩‍👧‍👦 né́e, 3.5 km… done!!!",
    "क्षत्रिय नमस्ते",
    "กำลังไปที่ตลาด",
    "ذَهَبَ الوَلَدُ إلى السوق.",
    "本日、リスボン行きの列車は運休です。🚌",
    "a\r\nb 𝒳\u200b𝒴",
]


def run(blank: Page, body: str, module: str = "model") -> Any:
    """Import a module of error spans on a blank page and return what the body returns."""
    source = f"/static/js/task_types/error_spans/{module}.js"
    return blank.evaluate(f"async () => {{ const it = await import('{source}'); {body} }}")


@pytest.mark.parametrize("snap", ["word", "character"])
@pytest.mark.parametrize("text", TEXTS)
def test_tokens_are_whole_characters_counted_as_the_server_counts(blank: Page, text: str, snap: str) -> None:
    options = json.dumps({"inside": inside(text), "snap": snap, "language": "th" if text == TEXTS[2] else ""})
    tokens = run(blank, f"return it.tokensOf({json.dumps(text)}, {options})")
    assert tokens
    for token in tokens:
        assert text[token["start"] : token["end"]] == token["words"]
        assert not {token["start"], token["end"]} & set(inside(text))
    ends = [0, *(token["end"] for token in tokens)]
    gaps = [text[end : token["start"]] for end, token in zip(ends, tokens, strict=False)]
    assert not "".join(gaps).strip(" \r\n\u200b")  # nothing that can be seen is left out, nothing is in two tokens


def test_words_are_words_and_punctuation_stands_alone(blank: Page) -> None:
    words = run(blank, f"return it.tokensOf({json.dumps(TEXTS[0])}).map((one) => one.words)")
    assert words == ["Ok", "👩‍👩‍👧‍👦", "né́e", ",", "3.5", "km", "…", "done", "!!!"]
    japanese = run(blank, f"return it.tokensOf({json.dumps(TEXTS[4])}, {{language: 'ja'}}).map((one) => one.words)")
    assert len(japanese) > 8
    assert "列車" in japanese
    assert run(blank, "return it.tokensOf('it works', {language: 'no such tag'}).length") == 2
    # A browser that cannot find words still finds what looks like them.
    without = (
        "Intl.Segmenter = undefined; const found = it.tokensOf('Two words, ok.'); return found.map((one) => one.words)"
    )
    kept = f"const kept = Intl.Segmenter; try {{ {without} }} finally {{ Intl.Segmenter = kept; }}"
    assert run(blank, kept) == ["Two", "words", ",", "ok", "."]


def test_a_place_is_mirrored_in_proportion_and_never_beyond_the_text(blank: Page) -> None:
    body = """
        const tokens = it.tokensOf('a b c d e f g h i j');
        const at = (start, end) => it.mirrorOf(tokens, {start, end}, 100);
        return [at(0, 5), at(50, 55), at(95, 100), at(100, 101), it.mirrorOf([], {start: 0, end: 1}, 5)];
    """
    assert run(blank, body) == [[0, 1], [4, 6], [8, 9], None, None]


def test_arrows_go_to_the_nearest_word_of_the_next_line(blank: Page) -> None:
    body = """
        const box = (left, right, line) => ({left, right, top: line * 30, bottom: line * 30 + 20});
        const boxes = [box(0, 40, 0), box(50, 90, 0), box(0, 20, 1), box(30, 100, 1), box(0, 30, 2)];
        return [[1, 1], [0, 1], [3, -1], [3, 1], [4, 1], [0, -1], [4, -1]].map((one) => it.onNextLine(boxes, ...one));
    """
    assert run(blank, body) == [3, 2, 1, 4, 4, 0, 2]


def test_keys_turn_with_the_text_and_letters_can_be_off(blank: Page) -> None:
    body = """
        const say = (key, more, options) => {
            const found = it.commandOf({key, ...more}, options);
            return found && Object.values(found).join(' ');
        };
        return [
            say('ArrowRight'), say('ArrowRight', {}, {rightToLeft: true}), say('ArrowLeft', {shiftKey: true}),
            say('3'), say('3', {}, {singles: false}), say('M'), say('m', {ctrlKey: true}), say('z', {ctrlKey: true}),
            say('Z', {metaKey: true, shiftKey: true}), say('Delete'), say(' '), say('Enter'),
            say('Enter', {ctrlKey: true}),
            say('a', {altKey: true}), say('Tab'), say('0'), say('End', {ctrlKey: true}),
        ];
    """
    assert run(blank, body) == [
        "move next false", "move previous false", "move previous true",
        "severity 3", None, "category m", None, "undo",
        "redo", "remove", "anchor", "open", None,
        None, None, None, "move last false",
    ]  # fmt: skip


def test_score_and_errors_contradict_each_other_or_not(blank: Page) -> None:
    body = """
        const limits = {above: 90, below: 80, gravest: 'major'};
        const ask = (severities, score) =>
            it.contradiction(severities.map((severity) => ({severity})), score, limits);
        return [ask([], 30), ask([], 80), ask(['major'], 95), ask(['minor'], 95), ask(['major'], 90), ask([], null),
            ask([], NaN), it.contradiction([{severity: ''}], 99, {...limits, gravest: ''})];
    """
    assert run(blank, body) == ["below", None, "above", None, None, None, None, None]


MARKS = """
    const m = (start, end, severity = 'minor', category = null) => ({side: 'output', start, end, severity, category});
    const given = {1: [m(4, 9, 'major')], 2: []};
    const make = (more = {}) => {
        const severities = [{key: 'minor'}, {key: 'major'}];
        const marks = new it.Marks({positions: [1, 2], given, severities, most: 3, ...more});
        for (const position of [1, 2]) marks.read(position, '', {}, false);
        return marks;
    };
"""


def test_a_text_is_done_when_everything_was_said(blank: Page) -> None:
    body = f"""{MARKS}
        const marks = make({{categories: [{{key: 'a'}}]}}); const said = [marks.left(1), marks.left(2)];
        marks.keep('given-1-1'); said.push(marks.left(1));
        const key = marks.add(2, m(0, 3, null)); said.push(marks.left(2));
        marks.set(key, {{severity: 'minor'}}); said.push(marks.left(2));
        marks.set(key, {{category: 'a'}}); said.push(marks.left(2), JSON.parse(marks.json(2)));
        marks.remove(key); said.push(marks.left(2), marks.json(2), marks.json(2, 'x'));
        marks.read(2, '', {{}}, true); said.push(marks.left(2));
        return said;
    """
    whole = {"side": "output", "start": 0, "end": 3, "severity": "minor", "category": "a"}
    assert run(blank, body, "marks") == [
        "unsettled", "nothing", "category", "severity", "category", "", [whole], "nothing", "", "[]", "",
    ]  # fmt: skip


def test_who_changes_a_given_mark_removes_it_and_makes_their_own(blank: Page) -> None:
    body = f"""{MARKS}
        const marks = make(); marks.set('given-1-1', {{severity: 'minor'}});
        const own = JSON.parse(marks.json(1)).map((one) => [one.severity, one.of]);
        const before = [marks.state.verdicts[1], own, marks.left(1)];
        marks.undo(); const undone = [marks.state.verdicts[1], marks.json(1), marks.left(1)];
        return [before, undone, marks.undo(), marks.undo(true), marks.left(1), marks.undo(true)];
    """
    assert run(blank, body, "marks") == [
        [{"1": "remove"}, [["minor", 1]], ""],
        [{}, "", "unsettled"],
        False,
        True,
        "",
        False,
    ]


def test_given_marks_that_are_edited_say_what_became_of_them(blank: Page) -> None:
    body = f"""{MARKS}
        const edited = {{1: [m(4, 9, 'major'), m(13, 17)]}};
        const marks = make({{given: {{1: []}}, edited}});
        const posted = edited[1].map((one, place) => ({{...one, category: '', of: place + 1}}));
        marks.read(1, JSON.stringify(posted), {{}}, false);
        const origins = () => marks.of(1).map((one) => marks.origin(one));
        const said = [origins()];
        const [first] = marks.of(1);
        marks.set(first.key, {{end: 12}}); said.push(origins());
        marks.add(1, m(0, 2)); said.push(origins(), JSON.parse(marks.json(1)).map((one) => one.of ?? 0));
        marks.remove(first.key); said.push(origins());
        marks.undo(); marks.undo(); marks.undo(); said.push(origins());
        return said;
    """
    assert run(blank, body, "marks") == [
        ["kept", "kept"],
        ["changed", "kept"],
        ["", "changed", "kept"],
        [0, 1, 2],
        ["", "kept"],
        ["kept", "kept"],
    ]


def test_marks_need_a_reason_where_the_study_says_so(blank: Page) -> None:
    body = f"""{MARKS}
        const edited = {{1: [m(4, 9, 'major')]}};
        const marks = make({{given: {{1: [], 2: []}}, edited, reason: 'required'}});
        marks.read(1, JSON.stringify([{{...m(4, 9, 'major'), of: 1}}]), {{}}, false);
        const said = [marks.left(1)];
        const [kept] = marks.of(1);
        marks.set(kept.key, {{severity: 'minor'}}); said.push(marks.left(1));
        marks.setReason(kept, 'too hard'); said.push(marks.left(1), JSON.parse(marks.json(1))[0].reason);
        marks.set(kept.key, {{end: 12}}); said.push(marks.find(kept.key).reason);
        marks.setReason(marks.find(kept.key), '');
        said.push(marks.left(1), JSON.parse(marks.json(1))[0].reason ?? null);
        const free = make({{reason: 'optional'}}); free.add(2, m(0, 2)); said.push(free.left(2));
        return said;
    """
    assert run(blank, body, "marks") == ["", "reason", "", "too hard", "too hard", "reason", None, ""]


def test_overlaps_the_limit_and_kinds_that_decide_the_severity(blank: Page) -> None:
    body = f"""{MARKS}
        const marks = make(); const key = marks.add(1, m(10, 12));
        const said = [marks.problem(1, m(8, 10)), marks.problem(1, m(9, 10)), marks.problem(1, m(11, 13), key)];
        marks.add(1, m(20, 22)); said.push(marks.problem(1, m(30, 31)));
        const over = make({{overlaps: true}}); over.add(1, m(0, 5));
        said.push(over.problem(1, m(2, 9)), over.problem(1, m(0, 5)));
        const kinds = make({{categories: [{{key: 'non', severity: 'major'}}, {{key: 'x'}}]}});
        const whole = kinds.add(2, m(0, 5)); kinds.set(whole, {{category: 'non'}});
        said.push(kinds.find(whole).severity); kinds.set(whole, {{severity: 'minor'}});
        said.push(kinds.find(whole).category);
        return said;
    """
    assert run(blank, body, "marks") == ["overlap", None, None, "most", None, "overlap", "major", None]


def test_half_a_draft_is_nothing_and_wrong_marks_are_left_out(blank: Page) -> None:
    right = (
        '[{"side":"output","start":1,"end":2},{"side":"output","start":3,"end":3},{"side":"else","start":1,"end":2},7]'
    )
    given = json.dumps(["", "[{", "null", "7", right])
    assert run(blank, f"return {given}.map((one) => it.readJson(one).length)", "marks") == [0, 0, 0, 0, 1]


def test_the_panel_leaves_its_words_in_view(blank: Page) -> None:
    body = """
        const room = {left: 0, top: 100, width: 1000, height: 600};
        const at = (box, size) => it.placeFor({left: 400, right: 450, ...box}, size, room);
        const small = {width: 200, height: 150}, text = {left: 350, right: 900};
        return [
            at({top: 200, bottom: 220}, small), at({top: 640, bottom: 660}, small),
            at({top: 400, bottom: 420, left: 950, right: 990}, small),
            at({top: 380, bottom: 400}, {width: 400, height: 500}),
            at({top: 380, bottom: 400, left: 600, right: 700}, {width: 400, height: 500}),
            at({top: 400, bottom: 420, text}, small), at({top: 200, bottom: 220, text}, small),
            at({top: 200, bottom: 220, text}, {width: 400, height: 150}),
            at({top: 380, bottom: 400}, {width: 900, height: 500}),
        ];
    """
    assert run(blank, body, "panel") == [
        {"left": 400, "top": 228},
        {"left": 400, "top": 482},
        {"left": 792, "top": 428},
        {"left": 458, "top": 192},
        {"left": 192, "top": 192},
        # Lines that follow stay free while the last word is still to be pressed, where there is room above.
        {"left": 400, "top": 242},
        {"left": 142, "top": 200},
        {"left": 400, "top": 228},
        # No room anywhere: under the words, and the window follows.
        {"left": 92, "top": 408},
    ]
