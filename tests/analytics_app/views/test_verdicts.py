"""Verdicts on data in which a careful colleague would not sign what a page could say: headline, sentence, charts."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import pytest
from django.test import Client

from analytics_app import charts
from analytics_app.results import Row
from tasks_app.models import Study
from tests.analytics_app import test_crossed, test_crossed_preferences
from tests.analytics_app.comparing import Screens
from tests.analytics_app.views.test_saying_of_kinds import Saying, said

pytestmark = pytest.mark.django_db


def everything(_item: int, _system: str, _value: float) -> bool:
    return True


def rated(
    *, systems: str = "AB", items: int = 24, keep: Callable[[int, str, float], bool] = everything, alike: bool = False
) -> list[Row]:
    """Ratings by four raters who rate A .8 higher, or all `alike`, without those that are not kept."""
    draw, screens = np.random.default_rng(11), Screens()
    for item in range(items):
        quality = draw.normal(0, 0.5)
        for system in systems:
            better = 0.8 if system == "A" else 0.0
            values = [round(3 + quality + better + draw.normal(0, 0.8), 1) for _rater in range(4)]
            given = {rater: 4.0 if alike else value for rater, value in enumerate(values) if keep(item, system, value)}
            unit = screens.unit(f"i{item:02}", system) if given else 0
            for rater, value in given.items():
                screens.values(rater, unit, value)
    return test_crossed.rows_of(screens)


def preferred(
    pairs: Sequence[str], first_wins: Callable[[str, int, int], bool], *, items: int, raters: int
) -> list[Row]:
    """Judgments of pairs by every rater; with as many raters as items each judges one."""
    screens = Screens()
    for item in range(items):
        for pair in pairs:
            unit = screens.unit(f"i{item:02}", *pair)
            for rater in [item] if raters == items else range(raters):
                label = "first" if first_wins(pair, item, rater) else "second"
                screens.judge(rater, unit, {"part": 0, "part_b": 1, "label": label})
    return test_crossed_preferences.rows_of(screens)


def titles(rows: Sequence[Row]) -> dict[str, str]:
    return {one.key: one.title.replace("\u00a0", " ") for one in charts.draw(rows, "main", "quality", name="quality")}


class Case(NamedTuple):
    """Data, the sentence with what is in it, a caution beside it, and titles of charts."""

    rows: Callable[[], list[Row]]
    sentence: str
    inside: str = ""
    caution: str = ""
    titles: tuple[tuple[str, str], ...] = ()


CASES = {
    "twelve wins of twelve": Case(
        lambda: preferred(["AB"], lambda *_one: True, items=12, raters=12),
        "A is preferred to B on quality (A over B: 100 %, 95 % interval 74 % to 100 %, p < 0.001; ",
        "; raters and texts random; 12 texts, 12 raters).",
        titles=(("preferences", "A is preferred to B for quality (100 %)"),),
    ),
    "a winner of every comparison, which has no strength": Case(
        lambda: preferred(["AB", "AC", "BC"], lambda pair, i, r: "A" in pair or (i + r) % 2 == 0, items=12, raters=9),
        "A is preferred to B and C on quality; no clear difference between B and C (",
        titles=(("strengths", "Systems by their strengths for quality"),),
    ),
    "pairs that nothing connects": Case(
        lambda: preferred(["AB", "CD"], lambda _pair, i, r: (i + r) % 5 > 0, items=12, raters=4),
        "A is preferred to B on quality; 2 of 2 pairs differ clearly (",
        "C over D: ",
        titles=(("strengths", "Systems by their strengths for quality"),),
    ),
    "one text": Case(
        lambda: preferred(["AB"], lambda _pair, _i, r: r > 0, items=1, raters=4),
        "No clear difference between A and B on quality; there is one text only, so this is not about further texts (",
        "This does not show that the systems are equal.",
        "There is no interval, so nothing says how large a difference may still be.",
    ),
    "systems without a common text": Case(
        lambda: rated(systems="ABC", keep=lambda item, system, _value: (system == "C") == (item < 12)),
        "A is rated higher than B and C on quality; no clear difference between B and C; A and C have no text in ",
        caution="A and C; B and C have no text in common: their difference also takes for granted that their texts",
        titles=(("means", "A is rated highest for quality ("),),
    ),
    "low ratings of one system are missing": Case(
        lambda: rated(keep=lambda _item, system, value: system == "B" or value > 3.5),
        "A is rated higher than B on quality (",
        caution="if ratings are missing because of what the texts are like, the difference may come from that.",
    ),
    "ratings that are all the same": Case(
        lambda: rated(alike=True),
        "No clear difference between A and B on quality (A − B: 0.00, p = 1.000;",
        "This does not show that the systems are equal.",
        "There is no interval, so nothing says how large a difference may still be.",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_a_page_says_what_a_careful_colleague_would_sign(rosas_browser: Client, closed: Study, case: Case) -> None:
    rows = case.rows()
    found: Saying = said(rosas_browser, closed, rows)
    assert found.sentence.startswith(case.sentence), found.sentence
    assert case.inside in found.sentence
    assert case.caution in found.cautions
    if case.titles:
        drawn = titles(rows)
        for key, title in case.titles:
            assert drawn[key].startswith(title), drawn[key]
