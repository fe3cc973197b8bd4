"""The profile of systems: names above their lines, words at both ends of the scale, and the whole width in use."""

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator, Sequence
from itertools import pairwise

import pytest

from analytics_app import charts
from analytics_app.charts.profile import BETWEEN, spread
from analytics_app.charts.room import NARROW, WIDE
from analytics_app.results import Row

PAIRS = ("artificial – natural", "unclear – clear", "boring – interesting and engaging to read throughout", "سيئ – جيد")
SVG = "{http://www.w3.org/2000/svg}"


def rows_of(names: Sequence[str]) -> list[Row]:
    """Make the rows of systems that are close to each other on the first pair."""
    return [
        Row(
            analysis="semantic_profile",
            statistic="profile_mean",
            task="main",
            label=pair,
            system=name,
            value=0.1 * number + 0.5 * place - 1,
            low=0.1 * number + 0.5 * place - 1.3,
            high=0.1 * number + 0.5 * place - 0.7,
            by_system=True,
            settings={"pair": pair, "limits": [-3, 3]},
        )
        for place, pair in enumerate(PAIRS)
        for number, name in enumerate(names)
    ]


def drawn(names: Sequence[str]) -> charts.Drawn:
    return {one.key: one for one in charts.draw_task(rows_of(names), "main")}["profile"]


def words(drawing: str) -> Iterator[tuple[str, float, float, str]]:
    """Yield the lines of words in a drawing: what, where, and how they are aligned."""

    def inside(parent: ET.Element, across: float, down: float) -> Iterator[tuple[str, float, float, str]]:
        for child in parent:
            x, y = across, down
            for move in re.findall(r"translate\(([-\d.]+),([-\d.]+)\)", child.attrib.get("transform", "")):
                x, y = x + float(move[0]), y + float(move[1])
            if child.tag == f"{SVG}text":
                for line in child.itertext():
                    yield line, x, y, child.attrib.get("text-anchor", "start")
            else:
                yield from inside(child, x, y)

    return inside(ET.fromstring(drawing), 0, 0)


def test_names_stand_above_their_lines_without_touching() -> None:
    names = ("north", "south", "a rather long system", "east")
    one = drawn(names)
    at = {text: (x, y) for text, x, y, _anchor in words(one.svg) if text in names}
    assert set(at) == set(names)
    assert len({y for _x, y in at.values()}) == 1
    assert max(y for _x, y in at.values()) < min(y for text, _x, y, _anchor in words(one.svg) if text == "artificial")
    in_order = sorted(at, key=lambda name: at[name][0])
    # As their points: the first pair has them from north to east.
    assert in_order == list(names)
    for left, right in pairwise(in_order):
        assert at[left][0] + WIDE.length(left) / 2 < at[right][0] - WIDE.length(right) / 2


def test_names_without_room_stand_in_a_legend() -> None:
    names = ("a system with a very long name that nobody would give", "another one whose name is as long as that", "c",
             "مترجم آلي", "and one more system whose name is longer than it need be")  # fmt: skip
    one = drawn(names)
    said = {text for text, *_place in words(one.svg)}
    on_a_telephone = {text for text, *_place in words(drawn(("north", "south")).narrow)}
    assert {"north", "south"} <= on_a_telephone
    assert {name for name in names if name.isascii()} <= said
    assert len({y for text, _x, y, _anchor in words(one.svg) if text in names}) > 1


@pytest.mark.parametrize("room", [WIDE, NARROW], ids=["wide", "narrow"])
def test_the_scale_is_as_wide_as_there_is_room_whatever_the_words_are(room: object) -> None:
    one = drawn(("north", "south"))
    drawing = one.svg if room is WIDE else one.narrow
    at = {text: x for text, x, _y, _anchor in words(drawing)}
    scale = at["3"] - at["−3"]
    # The longest words, broken into lines, take a quarter of a wide room, and nothing of a narrow one.
    assert scale >= (0.6 * WIDE.width if room is WIDE else 0.9 * NARROW.width)
    for whole in ("interesting and engaging to read throughout", "artificial", "natural"):
        assert all(word in " ".join(at) for word in whole.split())


def test_names_are_moved_as_little_as_they_can_be() -> None:
    assert spread([100, 300], [40, 40], 600) == [100, 300]
    # Two that would touch share what they are moved by.
    assert spread([100, 110], [40, 40], 600) == [105 - (40 + BETWEEN) / 2, 105 + (40 + BETWEEN) / 2]
    left, right = spread([590, 595], [40, 60], 600)
    assert (right, right - left) == (570, 50 + BETWEEN)
    assert spread([0, 0], [40, 40], 600)[0] == 20


def test_words_of_a_pair_stand_although_the_first_system_has_no_ratings_of_it() -> None:
    rows = [row for row in rows_of(("north", "south")) if (row.system, row.label) != ("north", PAIRS[1])]
    one = {drawing.key: drawing for drawing in charts.draw_task(rows, "main")}["profile"]
    for drawing in (one.svg, one.narrow):
        said = [text for text, _x, _y, _anchor in words(drawing)]
        assert said.count("unclear") == said.count("clear") == 1
