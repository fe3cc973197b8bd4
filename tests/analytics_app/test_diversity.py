"""Diversity of the texts of systems: the same items for all, what repeats itself, and what pages show."""

from dataclasses import replace

import numpy as np
import pytest

from analytics_app.analyses.base import Sample
from analytics_app.analyses.diversity import FEW_ITEMS
from analytics_app.models import ResultRow
from analytics_app.ratings import Extras
from analytics_app.ratings.extras.shown_texts import ShownTexts
from analytics_app.results import COLUMNS, Row
from analytics_app.show.shown import tables_for
from analytics_app.stats.comparison.diversity import Tokens, distinct
from tasks_app.task_types.base import Scale
from tests.house.test_analyses import made, sample, table
from tests.stats.test_diversity import texts

N = 40


def given(*systems: list[list[str]], lacking: int = 0) -> Sample:
    """Return ratings of texts by systems s0, s1, …, each of which has items 0 to 39; the last lacks some."""
    rated = [(item, system) for item in range(N) for system in range(len(systems))]
    rated = [(item, system) for item, system in rated if item >= lacking or system < len(systems) - 1]
    items, of = (list(column) for column in zip(*rated, strict=True))
    built = table([3.0] * len(items), [0] * len(items), items, of)
    shown_part, part_item, part_system = (
        getattr(built.names, name).tolist() for name in ("shown_part", "shown_item", "shown_system")
    )
    words = [""] * len(built.names.part_ids)
    for part, item, system in zip(shown_part, part_item, part_system, strict=True):
        if system < len(systems) and item < N:
            words[part] = " ".join(systems[system][item]).capitalize() + "."
    extras = Extras({ShownTexts: ShownTexts(tuple(words), ("",) * len(words))})
    return replace(sample(built, Scale.ORDINAL, "diversity"), extras=extras)


def of(rows: list[Row], statistic: str, label: str | None = None) -> list[Row]:
    return [row for row in rows if row.statistic == statistic and row.label == label]


def test_a_system_that_repeats_itself_is_found() -> None:
    plain, alike = texts(3, N, 400), texts(4, N, 400, repeats=0.8)
    rows = list(made("diversity").rows(given(plain, alike)))
    expected = distinct(Tokens.of(plain), 2)
    assert expected is not None
    first, second = of(rows, "distinct_2")
    assert [first.system, first.value, first.n_items] == ["s0", pytest.approx(expected.value), N]
    assert first.low is not None
    assert first.low < expected.value
    assert second.value is not None
    assert second.value < expected.value
    assert [row.value is not None for row in of(rows, "self_bleu")] == [True, True]
    assert [row.low for row in of(rows, "self_bleu")] == [None, None]
    for measure, sign in (("distinct_2", 1), ("self_bleu", -1)):
        (difference,) = of(rows, f"{measure}_difference")
        assert (difference.system, difference.system_b) == ("s0", "s1")
        assert difference.value is not None
        assert sign * difference.value > 0
        assert difference.p_adjusted is not None
        assert difference.p_adjusted < 0.01
    assert all(row.by_system for row in rows)
    stored = [ResultRow(**{name: getattr(row, name) for name in COLUMNS}) for row in rows]
    systems, pairs = tables_for("diversity", stored, 0.05)
    assert [line[0].text for line in systems.rows] == ["s0", "s1"] * 5
    assert [line[1].text for line in systems.rows][::2] == [
        "Type-token ratio", "Distinct-1", "Distinct-2", "Distinct-3", "Self-BLEU",
    ]  # fmt: skip
    assert len(pairs.rows) == 5


def test_systems_are_compared_on_the_items_that_all_have() -> None:
    first, second = texts(5, N, 400), texts(6, N, 400)
    rows = list(made("diversity").rows(given(first, second, lacking=15)))
    common = distinct(Tokens.of(first[15:]), 1)
    assert common is not None
    assert [row.n_items for row in of(rows, "distinct_1")] == [25, 25]
    assert of(rows, "distinct_1")[0].value == pytest.approx(common.value)
    drawn = list(made("diversity", most_items=10).rows(given(first, second, lacking=15)))
    settings = of(drawn, "distinct_1")[0].settings or {}
    assert (settings["n_drawn"], settings["of"], of(drawn, "distinct_1")[0].n_items) == (10, 25, 10)
    (nothing,) = made("diversity").rows(given(first, second, lacking=39))
    assert (nothing.value, nothing.note, nothing.n_items) == (None, FEW_ITEMS, 1)
    alone = list(made("diversity", without_systems=["s1"]).rows(given(first, second, lacking=15)))
    assert of(alone, "distinct_1")[0].n_items == N
    assert np.isfinite([row.value for row in alone]).all()
