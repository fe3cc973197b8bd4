"""The arithmetic of ranking: typing, stepping, dropping, with ties and without."""

from itertools import product
from typing import Any

import pytest
from playwright.sync_api import Page

from tasks_app.task_types.ranking import gap
from tests.js.test_pure import run

MODULE = "task_types/ranking/order.js"


def said(blank: Page, call: str) -> Any:
    """Call a function of the module."""
    return run(blank, MODULE, f"return it.{call};")


@pytest.mark.parametrize(
    ("typed", "place"),
    [("2", 2), (" 4 ", 4), ("٣", 3), ("۲", 2), ("", None), ("5", "NaN"), ("0", "NaN"), ("1.5", "NaN")],
)
def test_what_is_typed(blank: Page, typed: str, place: int | str | None) -> None:
    body = f"const place = it.parse({typed!r}, 4); return Number.isNaN(place) ? 'NaN' : place;"
    assert run(blank, MODULE, body) == place


@pytest.mark.parametrize(
    ("call", "places"),
    [
        # Typed without ties: whoever holds the place makes room, towards the place that was left, else downwards.
        ("typed([1, 2, 3, 4], 3, 2, false)", [1, 3, 4, 2]),
        ("typed([1, 2, 3, 4], 0, 3, false)", [3, 1, 2, 4]),
        ("typed([1, 2, null, null], 2, 1, false)", [2, 3, 1, None]),
        ("typed([null, 3, 4, null], 0, 4, false)", [4, 2, 3, None]),
        ("typed([null, null, null, null], 2, 3, false)", [None, None, 3, None]),
        # With ties what is typed is what is meant.
        ("typed([1, 2, 3], 2, 2, true)", [1, 2, 2]),
        # The next place
        ("put([1, null, 3, null], 3, false)", [1, None, 3, 2]),
        ("put([1, 1, null], 2, true)", [1, 1, 3]),
        ("put([null, null, null], 1, true)", [None, 1, None]),
        # Steps without ties change places with the neighbour.
        ("step([1, 2, 3], 2, -1, false)", [1, 3, 2]),
        ("step([1, 2, 3], 0, -1, false)", [1, 2, 3]),
        ("step([1, 2, 3], 2, 1, false)", [1, 2, 3]),
        ("step([null, 1, null], 0, -1, false)", [2, 1, None]),
        ("step([null, 1, null], 0, 1, false)", [None, 1, None]),
        # Steps with ties go into the neighbour's place, then past it.
        ("step([1, 2, 3], 2, -1, true)", [1, 2, 2]),
        ("step([1, 2, 2], 2, -1, true)", [1, 3, 2]),
        ("step([1, 1, 3], 0, 1, true)", [2, 1, 3]),
        ("step([2, 1, 3], 0, 1, true)", [2, 1, 2]),
        ("step([1, 1, 1], 2, 1, true)", [1, 1, 3]),
        # Drops
        ("drop([1, 2, 3, 4], 0, { target: 2, where: 'after' }, false)", [3, 1, 2, 4]),
        ("drop([1, 2, 3, null], 3, { target: 1, where: 'before' }, false)", [1, 3, 4, 2]),
        ("drop([1, null, 3, null], 3, { target: 2, where: 'before' }, false)", [1, None, 3, 2]),
        ("drop([1, 2, 3, null], 0, { end: true }, false)", [3, 1, 2, None]),
        ("drop([null, null], 1, { end: true }, true)", [None, 1]),
        ("drop([1, 2, 3], 1, { out: true }, true)", [1, None, 3]),
        ("drop([1, 2, 3], 2, { target: 0, where: 'on' }, true)", [1, 3, 1]),
        ("drop([1, 1, 3], 2, { target: 0, where: 'before' }, true)", [2, 2, 1]),
        ("order([3, null, 1, null])", [2, 0, 1, 3]),
    ],
)
def test_moves(blank: Page, call: str, places: list[int | None]) -> None:
    assert said(blank, call) == places


def test_without_ties_no_move_gives_two_texts_one_place(blank: Page) -> None:
    body = """
        let seed = 7; const draw = (n) => { seed = (seed * 48271) % 2147483647; return seed % n; };
        let places = [null, null, null, null, null]; const bad = [];
        for (let turn = 0; turn < 3000; turn += 1) {
          const text = draw(5); const before = places;
          const others = [0, 1, 2, 3, 4].filter((one) => one !== text && places[one] !== null);
          const target = others.length ? others[draw(others.length)] : null;
          const moves = [() => it.typed(places, text, 1 + draw(5), false), () => it.out(places, text),
            () => it.step(places, text, draw(2) * 2 - 1, false),
            () => target === null ? it.drop(places, text, { end: true }, false)
              : it.drop(places, text, { target, where: draw(2) ? "before" : "after" }, false)];
          const move = draw(9) === 0 ? moves[1] : moves[[0, 2, 3][draw(3)]];
          places = move();
          const held = places.filter((place) => place !== null);
          if (new Set(held).size < held.length || held.some((place) => !(place >= 1 && place <= 5))) {
            bad.push([before, places, String(move)]);
          }
        }
        return bad;
    """
    assert run(blank, MODULE, body) == []


def test_the_page_finds_the_gaps_that_the_server_finds(blank: Page) -> None:
    all_places = [list(places) for places in product(range(1, 5), repeat=4)]
    assert said(blank, f"gap ? {all_places}.map((places) => it.gap(places)) : 0") == [gap(one) for one in all_places]


def test_what_a_pointer_means(blank: Page) -> None:
    body = """
        const boxes = [{ text: 2, top: 100, bottom: 160 }, { text: 0, top: 168, bottom: 228 }];
        const at = (ties) => [110, 130, 155, 164, 190, 225, 240, 300].map((y) => {
          const goal = it.aim(y, boxes, 260, ties);
          return goal.end ? "end" : goal.out ? "out" : `${goal.where} ${goal.target}`; });
        return [at(false), at(true), it.aim(50, [], 260, false)];
    """
    plain, ties, empty = run(blank, MODULE, body)
    assert plain == ["before 2", "after 2", "after 2", "before 0", "before 0", "after 0", "end", "out"]
    assert ties == ["before 2", "on 2", "after 2", "before 0", "on 0", "after 0", "end", "out"]
    assert empty == {"end": True}


def test_the_page_scrolls_along_near_its_edges_only(blank: Page) -> None:
    body = "return [0, 48, 96, 400, 704, 752, 900].map((y) => it.scrollAt(y, 800));"
    assert run(blank, "task_types/ranking/drag.js", body) == [-14, -7, 0, 0, 0, 7, 14]
