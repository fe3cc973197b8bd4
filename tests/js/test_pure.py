"""The pure parts of the scripts: clocks, pauses, the states of drafts and of sending, the arithmetic of sliders."""

from typing import Any

import pytest
from playwright.sync_api import Page

# Timers that run when told to, and a list of what was shown.
PLAYTHINGS = """
    const waiting = new Map(); let next = 1; const shown = [];
    const add = (work, delay) => { waiting.set(next, [work, delay]); return next++; };
    const timers = { setTimeout: add, setInterval: add, clearTimeout: (id) => waiting.delete(id),
        clearInterval: (id) => waiting.delete(id) };
    const tick = () => { for (const [work] of [...waiting.values()]) work(); };
    const once = () => { const [id, [work]] = [...waiting][0]; waiting.delete(id); work(); };
    const calm = () => new Promise((done) => setTimeout(done));
    const show = (state, seconds) => shown.push(seconds === undefined ? state : `${state} ${seconds}`);
"""


def run(blank: Page, module: str, body: str) -> Any:
    """Import a module on a blank page and return what the body returns."""
    return blank.evaluate(f"async () => {{ const it = await import('/static/js/{module}'); {PLAYTHINGS} {body} }}")


def test_active_time_caps_gaps_and_leaves_out_what_was_hidden_and_breaks(blank: Page) -> None:
    body = """
        let now = 0; const clock = new it.Clock(() => now); const said = [];
        const say = () => said.push(Object.values(clock.read()));
        now = 10_000; clock.sign(); say();
        now = 310_000; say(); clock.sign(); say();
        clock.show(false); now = 410_000; clock.show(true); say();
        clock.pause(true); now = 910_000; say(); clock.pause(false); now = 915_000; say();
        return said;
    """
    assert run(blank, "core/timer.js", body) == [
        [10_000, 10_000],
        [70_000, 310_000],
        [70_000, 310_000],
        [70_000, 410_000],
        [70_000, 410_000],
        [75_000, 415_000],
    ]


def test_a_clock_goes_on_from_what_a_reload_left(blank: Page) -> None:
    body = "let now = 5; const clock = new it.Clock(() => now, {active: 7, elapsed: 9}); now = 6; return clock.read();"
    assert run(blank, "core/timer.js", body) == {"active": 8, "elapsed": 10}


def test_a_set_time_counts_on_from_the_seconds_of_the_server(blank: Page) -> None:
    body = """
        let now = 1000; const clock = new it.SetTime({ elapsed: 4.5, left: 2.5, now: () => now });
        const said = () => [clock.shown, clock.left, clock.isOver];
        const first = said(); now = 3250; const later = said(); now = 3500; return [first, later, said()];
    """
    assert run(blank, "core/set_time.js", body) == [[4.5, 3, False], [6.75, 1, False], [7, 0, True]]


def test_pauses_grow_and_heed_the_server(blank: Page) -> None:
    body = "return [[1], [2], [5], [6], [99], [1, '30'], [6, '3'], [1, '?'], [1, '9999']].map((a) => it.pause(...a));"
    assert run(blank, "core/retry.js", body) == [2, 4, 32, 60, 60, 30, 60, 2, 300]


def test_a_countdown_ends_once(blank: Page) -> None:
    body = """
        let ended = 0; it.countdown(3, (left) => shown.push(left), () => { ended += 1; }, timers);
        tick(); tick(); tick(); tick(); return [shown, ended, waiting.size];
    """
    assert run(blank, "core/retry.js", body) == [[3, 2, 1], 1, 0]


DRAFTS = """
    let answer = {a: "1"}, kept = null; const sent = []; const replies = [];
    const drafts = new it.Drafts({ counter: 4, timers, show, read: () => ({...answer}),
        keep: (copy) => { kept = copy; }, forget: () => { kept = null; },
        send: async (body) => { sent.push(body);
            const reply = replies.shift() ?? { status: 200, counter: body.counter };
            if (reply === "down") throw new TypeError("down"); return reply; } });
"""


def test_a_draft_waits_for_quiet_goes_once_and_its_counter_grows(blank: Page) -> None:
    body = f"""{DRAFTS}
        drafts.changed(); answer = {{a: "2"}}; drafts.changed(); const before = {{...kept}};
        const pending = waiting.size; once(); await calm();
        return [before, pending, sent, kept, shown];
    """
    assert run(blank, "core/draft.js", body) == [
        {"counter": 5, "answer": {"a": "2"}},
        1,
        [{"counter": 5, "answer": {"a": "2"}}],
        None,
        ["saving", "saving", "saved"],
    ]


def test_what_changes_while_a_draft_is_under_way_is_kept_and_sent_after_it(blank: Page) -> None:
    body = f"""{DRAFTS}
        drafts.changed(); const first = drafts.flush(); answer = {{a: "2"}}; drafts.changed(); await first;
        const between = kept; once(); await calm();
        return [between, sent.map((one) => one.counter), kept];
    """
    between = {"counter": 6, "answer": {"a": "2"}}
    assert run(blank, "core/draft.js", body) == [between, [5, 6], None]


def test_without_network_drafts_are_kept_and_tried_again_with_growing_pauses(blank: Page) -> None:
    body = f"""{DRAFTS}
        replies.push("down", {{ status: 503, retryAfter: "7" }});
        drafts.changed(); once(); await calm(); const copy = {{...kept}};
        tick(); answer = {{a: "9"}}; drafts.changed(); tick(); await calm();
        const after = shown.at(-1); await drafts.flush(); return [copy, shown, after, sent.at(-1), kept];
    """
    copy, shown, after, last, kept = run(blank, "core/draft.js", body)
    assert copy == {"counter": 6, "answer": {"a": "1"}}
    assert shown == ["saving", "offline 2", "offline 1", "offline 7", "saved"]
    assert after == "offline 7"
    assert last == {"counter": 7, "answer": {"a": "9"}}
    assert kept is None


def test_a_browser_that_keeps_nothing_does_not_promise_that_it_does(blank: Page) -> None:
    body = f"""{DRAFTS}
        drafts.keep = () => false; replies.push("down"); drafts.changed(); once(); await calm();
        return [shown.at(-1), drafts.unsent];
    """
    assert run(blank, "core/draft.js", body) == ["offline-here 2", True]


@pytest.mark.parametrize(
    ("status", "state", "stopped", "kept"),
    [(409, "elsewhere", False, False), (410, "over-stopped", True, False), (403, "unsaved", True, True)],
)
def test_refused_drafts(blank: Page, status: int, state: str, stopped: bool, kept: bool) -> None:
    body = f"""{DRAFTS}
        replies.push({{ status: {status}, counter: 20 }}); drafts.changed(); once(); await calm();
        return [shown.at(-1), drafts.stopped, kept !== null, drafts.counter];
    """
    assert run(blank, "core/draft.js", body) == [state, stopped, kept, 20]


def test_no_draft_goes_once_the_answer_is_under_way(blank: Page) -> None:
    body = f"{DRAFTS} drafts.changed(); drafts.end(); await drafts.flush(); return [waiting.size, sent, kept !== null];"
    assert run(blank, "core/draft.js", body) == [0, [], True]


@pytest.mark.parametrize(
    ("copy", "newer"),
    [("null", False), ("{counter: 4, answer: {}}", False), ("{counter: 5, answer: {}}", True), ("{counter: 5}", False)],
)
def test_only_a_newer_copy_is_put_back(blank: Page, copy: str, newer: bool) -> None:
    assert run(blank, "core/draft.js", f"return it.isNewer({copy}, 4);") is newer


SENDER = """
    const replies = []; let posts = 0; const went = []; let fallbacks = 0;
    const sender = new it.Sender({ timers, show, go: (next) => went.push(next), fallback: () => { fallbacks += 1; },
        post: async () => { posts += 1; const reply = replies.shift();
            if (reply === "down") throw new TypeError("down");
            return reply; } });
"""


def test_sending_is_tried_until_it_works_and_begun_once(blank: Page) -> None:
    body = f"""{SENDER}
        replies.push("down", {{ status: 503 }}, {{ status: 0, next: "/next/" }});
        const begun = [sender.send(), sender.send()]; await calm();
        sender.now(); await calm(); sender.now(); await calm(); sender.now();
        return [begun, posts, went, fallbacks, shown];
    """
    shown = ["sending", "retry 2", "retrying", "retry 4", "retrying"]
    assert run(blank, "core/submit.js", body) == [[True, False], 3, ["/next/"], 0, shown]


def test_a_fault_of_the_server_is_tried_three_times_more_before_its_page_is_shown(blank: Page) -> None:
    body = f"""{SENDER}
        for (let one = 0; one < 4; one += 1) replies.push({{ status: 500 }});
        sender.send(); await calm();
        const after = [];
        for (let one = 0; one < 3; one += 1) {{ after.push(fallbacks); sender.now(); await calm(); }}
        return [posts, after, fallbacks];
    """
    assert run(blank, "core/submit.js", body) == [4, [0, 0, 0], 1]


def test_a_fault_that_passes_costs_no_answer(blank: Page) -> None:
    body = f"""{SENDER}
        replies.push({{ status: 500 }}, {{ status: 0, next: "/next/" }});
        sender.send(); await calm(); sender.now(); await calm();
        return [posts, went, fallbacks];
    """
    assert run(blank, "core/submit.js", body) == [2, ["/next/"], 0]


@pytest.mark.parametrize("status", [200, 403, 409, 410, 422])
def test_a_refusal_is_posted_the_ordinary_way(blank: Page, status: int) -> None:
    body = (
        f"{SENDER} replies.push({{ status: {status} }}); sender.send(); await calm(); return [posts, went, fallbacks];"
    )
    assert run(blank, "core/submit.js", body) == [1, [], 1]


@pytest.mark.parametrize(
    ("made", "key", "value", "wanted"),
    [
        ("0, 100, 1", "ArrowRight", "null", 50),
        ("0, 100, 1", "ArrowDown", "null", 50),
        ("0, 100, 1", "PageDown", "null", 50),
        ("0, 100, 1", "PageDown", "55", 45),
        ("0, 100, 1", "PageDown", "5", 0),
        ("0, 100, 1", "Home", "null", 0),
        ("0, 100, 1", "0", "null", 0),
        ("0, 100, 1", "ArrowLeft", "50", 49),
        ("0, 100, 1", "ArrowRight", "50", 51),
        ("0, 100, 1", "PageUp", "95", 100),
        ("-3, 3, 1", "ArrowLeft", "null", 0),
        ("0, 1, 0.1", "ArrowUp", "0.2", 0.3),
        ("0, 1, 0.1", "3", "null", 0.3),
        ("0, 7, 1", "End", "null", 7),
        ("0, 100, 1", "Tab", "50", None),
    ],
)
def test_where_a_key_leads(blank: Page, made: str, key: str, value: str, wanted: float | None) -> None:
    body = f"return new it.Range({made}).after('{key}', {value});"
    assert run(blank, "task_types/slider.js", body) == wanted


def test_the_nearest_anchor_and_the_least_gap(blank: Page) -> None:
    body = """
        const anchors = [0, 33, 66, 100].map((at) => ({at}));
        return [...[0, 16, 17, 50, 99].map((value) => it.nearest(anchors, value).at),
            it.leastGap([0, 1]), it.leastGap([1, 0.25, 0]), it.leastGap([0.5])];
    """
    assert run(blank, "task_types/slider.js", body) == [0, 0, 33, 66, 100, 1, 0.25, 1]


def test_digits_and_fields_are_told_apart(blank: Page) -> None:
    body = """
        const input = (type) => { const one = document.createElement("input"); one.type = type; return one; };
        return [["1", "9", "0"].map(it.stepOf), ["radio", "range", "text", "number"].map((type) =>
            it.isTyping(input(type))), it.isTyping(document.createElement("textarea"))];
    """
    assert run(blank, "core/keys.js", body) == [[1, 9, 10], [False, False, True, True], True]


def test_a_log_cannot_grow_without_end(blank: Page) -> None:
    body = """
        let now = 0; const log = new it.Log(() => now); now = 1234; log.add("change", "p1-a", "x".repeat(99));
        for (let i = 0; i < 999; i += 1) log.add("away");
        return [log.rows.length === it.LONGEST_LOG, log.rows[0], log.rows[1][0], log.rows[1][3].length];
    """
    assert run(blank, "core/log.js", body) == [True, [0, "open"], 1.2, 60]


def test_words_take_values_and_addresses_are_not_spelt_out(blank: Page) -> None:
    assert run(blank, "core/words.js", "return it.fill('in {seconds} s, {what}', {seconds: 5});") == "in 5 s, {what}"
    body = """
        return [it.studyPath('/r/tok/judge/4/'), it.digest('/tok').includes('tok'), it.digest('a') !== it.digest('b')];
    """
    assert run(blank, "core/store.js", body) == ["/r/tok", False, True]


@pytest.mark.parametrize(
    ("arguments", "due"),
    [
        ("5, 20, false, false", False),
        ("20, 20, false, true", True),
        ("5, 20, true, false", True),
        ("5, 20, true, true", False),
    ],
)
def test_when_a_break_is_due(blank: Page, arguments: str, due: bool) -> None:
    assert run(blank, "core/break.js", f"return it.isDue({arguments});") is due


def test_the_preview_is_shown_anew_once_it_has_arrived(blank: Page) -> None:
    """A change that is stored while the preview goes to another page must not take it back."""
    body = """
        const leaving = new Set(); let arrive;
        const location = { href: "/preview/?unit=2", protocol: "http:", replace: (href) => shown.push(href) };
        const frame = {
            contentWindow: { location, addEventListener: (_name, told) => leaving.add(told) },
            addEventListener: (_name, told) => { arrive = told; },
        };
        const preview = new it.Preview(frame);
        preview.showAnew(); leaving.forEach((told) => told());
        preview.showAnew(); shown.push("nothing while leaving"); location.href = "/preview/?unit=3"; arrive(); arrive();
        location.protocol = "about:"; preview.showAnew();
        return shown;
    """
    assert run(blank, "core/setup.js", body) == ["/preview/?unit=2", "nothing while leaving", "/preview/?unit=3"]


def test_a_button_waits_for_the_save_that_is_on_its_way(blank: Page) -> None:
    """It is pressed once, after the answer, and from then on nothing saves by itself; what is gone is not pressed."""
    body = """
        const form = document.createElement("form"); document.body.append(form);
        const buttons = ["add:tasks", "remove:tasks.1"].map((value) => `<button name="do" value="${value}"></button>`);
        form.innerHTML = buttons.join("");
        const tell = (name) => form.dispatchEvent(new CustomEvent(`htmx:${name}`, { cancelable: true }));
        const presses = new it.Presses(form);
        form.addEventListener("submit", (event) => {
            shown.push(`${event.submitter.value}${event.defaultPrevented ? " waits" : ""}`); event.preventDefault();
        });
        const [adding, removing] = form.children;
        shown.push(tell("beforeRequest")); tell("beforeSend"); removing.click(); adding.click(); adding.click();
        tell("afterRequest"); shown.push(tell("beforeRequest")); tell("afterRequest");
        presses.isLeaving = false; tell("beforeSend"); removing.click(); removing.remove(); tell("afterRequest");
        return shown;
    """
    assert run(blank, "core/setup.js", body) == [
        True, "remove:tasks.1 waits", "add:tasks waits", "add:tasks waits", "add:tasks", False, "remove:tasks.1 waits",
    ]  # fmt: skip


def test_links_of_the_preview_keep_the_unit_that_is_shown(blank: Page) -> None:
    body = """
        return it.kept("http://x/p/?theme=dark", "http://x/p/?unit=3&theme=light");
    """
    assert run(blank, "core/setup.js", body) == "http://x/p/?theme=dark&unit=3"


def test_a_form_that_takes_long_says_so_while_it_waits(blank: Page) -> None:
    body = """
        document.body.innerHTML = '<form data-once><p data-wait hidden>Wait.</p><button>Go</button></form>';
        const form = document.querySelector("form"); const words = document.querySelector("[data-wait]");
        it.start(); let sent = 0;
        form.addEventListener("submit", (event) => { sent += !event.defaultPrevented; event.preventDefault(); });
        const states = [words.hidden];
        for (const _press of [1, 2]) { form.requestSubmit(); states.push(words.hidden); }
        globalThis.dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true }));
        return [...states, words.hidden, sent];
    """
    assert run(blank, "core/once.js", body) == [True, False, False, True, 1]


def test_the_page_of_a_busy_server_sends_its_form_again_once(blank: Page) -> None:
    body = """
        document.body.innerHTML = '<p data-again-note hidden>Wait.</p><p data-again-by-hand>Load it again.</p>'
          + '<form data-again="1"><button>Go</button></form>';
        const form = document.querySelector("form"); let sent = 0;
        form.addEventListener("submit", (event) => { sent += 1; event.preventDefault(); });
        const ticks = []; const stopped = [];
        it.start({ setInterval: (tick) => ticks.push(tick), clearInterval: (timer) => stopped.push(timer) });
        const before = [...document.querySelectorAll("p")].map((words) => words.hidden).concat(sent);
        ticks[0]();
        return [...before, sent, stopped.length > 0];
    """
    assert run(blank, "core/again.js", body) == [False, True, 0, 1, True]


def test_a_value_lies_between_two_anchors_or_on_one(blank: Page) -> None:
    body = """
        const anchors = [100, 0, 33].map((at) => ({ at }));
        return [0, 10, 33, 34, 100].map((value) => it.around(anchors, value).map((one) => one.at));
    """
    assert run(blank, "task_types/slider.js", body) == [[0, 0], [0, 33], [33, 33], [33, 100], [100, 100]]
    assert run(blank, "task_types/slider.js", "return it.around([{ at: 5 }], 7);") == []
