"""Rules for numbers without a scale: one number throughout, screens without differences, identical texts."""

from dataclasses import replace
from typing import Any

import numpy as np

from analytics_app import quality
from analytics_app.quality.base import Asking, Removal, RuleSample
from analytics_app.ratings import Extras, Table
from analytics_app.ratings.extras.shown import Shown
from tests.analytics_app.test_quality_rules import gone
from tests.house.test_analyses import table

PARAMS = {"reference_value": 100}


def apply(data: Table, rule: str, texts: tuple[str, ...] = (), **settings: Any) -> Removal:
    member = quality.registry[rule]
    shown = Shown(texts) if texts else Shown.empty(data)
    sample = RuleSample(data, np.full(len(data), np.nan), (), Extras({Shown: shown}), Asking("main", PARAMS))
    return member(settings).remove(sample)


def screens(*of_raters: list[list[float]]) -> Table:
    """Raters 0, 1, ... with their screens; the texts of a screen are by systems 0, 1, ... and of one item."""
    flat = [
        (number, rater, item, system)
        for rater, own in enumerate(of_raters)
        for item, screen in enumerate(own)
        for system, number in enumerate(screen)
    ]
    numbers, raters, items, systems = zip(*flat, strict=True)
    data = table(list(numbers), list(raters), list(items), list(systems))
    codes: dict[tuple[int, int], int] = {}
    judgment = [codes.setdefault((rater, item), len(codes)) for _number, rater, item, _system in flat]
    judgments = data.judgments.where(np.array([list(codes.values()).index(n) for n in range(len(codes))], np.int32))
    return replace(data, judgment=np.array(judgment, dtype=np.int32), judgments=judgments)


class TestNoDifferences:
    def test_one_number_throughout_goes_and_says_that_it_is_the_reference(self) -> None:
        data = screens([[100, 100]] * 5, [[80, 80]] * 4 + [[80, 81]], [[100, 100]] * 4 + [[50, 60]])
        found = apply(data, "no_differences")
        assert gone(data, found) == ["r0"]
        assert found.reasons == ("100 (the reference) in 10 of 10 answers, below 100 % is asked",)

    def test_screens_without_differences(self) -> None:
        data = screens([[100, 100], [50, 50], [70, 70], [70, 70], [20, 20]], [[100, 90]] + [[50, 50]] * 4)
        found = apply(data, "no_differences")
        assert gone(data, found) == ["r0"]
        assert found.reasons == ("the same number for all texts on 5 of 5 screens (100 %), below 100 % is asked",)
        assert gone(data, apply(data, "no_differences", flat_share=0.8)) == ["r0", "r1"]

    def test_each_criterion_of_a_screen_counts_for_itself(self) -> None:
        data = screens([[100, 100], [50, 60]] * 3, [[50, 60], [50, 60]] * 3)
        data = replace(
            data,
            judgment=data.judgment // 2,
            criterion=(data.judgment % 2).astype(np.int32),
            names=replace(data.names, criteria=("fluency", "adequacy")),
        )
        found = apply(data, "no_differences", flat_share=0.5)
        assert found.reasons == ("the same number for all texts on 3 of 6 screens (50 %), below 50 % is asked",)

    def test_who_gave_little_is_kept_and_said(self) -> None:
        data = screens([[100, 100]] * 4)
        found = apply(data, "no_differences")
        assert gone(data, found) == []
        assert found.notes == (
            "1 rater was not tested and kept: they gave fewer than 10 numbers, and rated several texts on fewer than 5 "
            "screens.",
        )


class TestIdenticalTexts:
    DATA = screens(
        [[100, 100], [50, 50], [70, 70], [30, 80]], [[100, 90], [50, 60], [70, 70], [30, 30]], [[9, 9], [8, 7]]
    )

    def texts(self) -> tuple[str, ...]:
        """Both systems wrote the same for items 0 to 2, and different texts for item 3."""
        names = self.DATA.names
        shown = dict(
            zip(names.shown_part.tolist(), zip(names.shown_item, names.shown_system, strict=True), strict=True)
        )
        return tuple(
            f"Text {item}" if item < 3 else f"Text {item} by {system}"
            for item, system in (shown[n] for n in sorted(shown))
        )

    def test_who_tells_identical_texts_apart_goes(self) -> None:
        found = apply(self.DATA, "identical_texts", self.texts())
        assert gone(self.DATA, found) == ["r1"]
        assert found.reasons == ("different numbers for 2 of 3 identical texts (66.7 %), below 50 % is asked",)
        assert found.notes == (
            "1 rater was not tested and kept: they rated fewer than 3 texts of an item more than once.",
        )
        assert gone(self.DATA, apply(self.DATA, "identical_texts", self.texts(), least=2)) == ["r1", "r2"]

    def test_equal_texts_of_different_items_are_not_compared(self) -> None:
        names = self.DATA.names
        found = apply(self.DATA, "identical_texts", tuple(f"Text by {n % 2}" for n in range(len(names.part_ids))))
        assert gone(self.DATA, found) == []
