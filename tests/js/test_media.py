"""Players: what stands in the log of what was played."""

from playwright.sync_api import Page

from tests.js.test_pure import run

PLAYER = """
    const media = new EventTarget(); media.dataset = {media: "audio-1"}; media.currentTime = 0;
    media.played = {length: 0}; media.error = null; media.closest = () => null;
    const said = []; const player = new it.Player(media, (...row) => said.push(row.join(" ")), timers);
    const at = (what, seconds) => { media.currentTime = seconds; media.dispatchEvent(new Event(what)); };
"""


def test_play_pause_and_end_are_noted_with_their_place(blank: Page) -> None:
    body = f"{PLAYER} at('play', 0); at('pause', 3.14159); at('play', 3.2); at('ended', 10); return said;"
    assert run(blank, "core/media.js", body) == [
        "play audio-1 0.0",
        "pause audio-1 3.1",
        "play audio-1 3.2",
        "ended audio-1 10.0",
    ]


def test_a_pull_along_the_line_is_one_jump_and_comes_before_what_follows(blank: Page) -> None:
    body = f"""{PLAYER}
        at('seeked', 1); at('seeked', 2); at('seeked', 5); const waiting_now = waiting.size; once();
        at('seeked', 7); at('play', 7); return [waiting_now, said, waiting.size];
    """
    assert run(blank, "core/media.js", body) == [1, ["seek audio-1 5.0", "seek audio-1 7.0", "play audio-1 7.0"], 0]


def test_what_was_played_at_all_is_said_once_for_each_state_of_affairs(blank: Page) -> None:
    body = f"""{PLAYER}
        const ranges = (...all) => ({{length: all.length, start: (n) => all[n][0], end: (n) => all[n][1]}});
        player.sum(); media.played = ranges([0, 3.21], [5, 6]); player.sum(); player.sum();
        media.played = ranges([0, 6]); player.sum(); return said;
    """
    assert run(blank, "core/media.js", body) == ["played audio-1 0.0-3.2 5.0-6.0", "played audio-1 0.0-6.0"]


def test_a_sound_that_does_not_play_is_noted(blank: Page) -> None:
    body = f"{PLAYER} media.error = {{code: 4}}; at('error', 0); return said;"
    assert run(blank, "core/media.js", body) == ["media-error audio-1 4"]


def test_a_sound_that_stops_because_its_page_gives_way_is_not_noted(blank: Page) -> None:
    body = f"""{PLAYER}
        const page = await import("/static/js/core/page.js"); at('play', 0); at('seeked', 4);
        page.turn(() => at('pause', 4)); at('seeked', 5); return [said, waiting.size];
    """
    assert run(blank, "core/media.js", body) == [["play audio-1 0.0"], 0]
