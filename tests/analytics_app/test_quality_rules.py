"""Each quality rule on a small table with hand-made material: who goes, why in plain words, and who was not tested."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from analytics_app import quality
from analytics_app.quality.base import Asking, Removal, RuleSample, Scope
from analytics_app.ratings import Extra, Extras, Table
from analytics_app.ratings.extras.controls import Controls
from analytics_app.ratings.extras.repeats import Repeats
from analytics_app.ratings.extras.screens import Screens
from analytics_app.ratings.extras.skips import REASONS, Skips
from analytics_app.ratings.extras.times import Times
from analytics_app.ratings.extras.words import Words
from tests.house.test_analyses import table

SCALE = (Scope("fluency", 0, 1.0, 5.0, 1.0),)


def apply(
    data: Table,
    rule: str,
    *extras: Extra,
    scales: tuple[Scope, ...] = SCALE,
    params: Mapping[str, Any] | None = None,
    **settings: Any,
) -> Removal:
    member = quality.registry[rule]
    z = np.full(len(data), np.nan)
    known = {need: need.empty(data) for need in member.needs} | {type(one): one for one in extras}
    sample = RuleSample(data, z, (), Extras(known), Asking("main", params or {}, scales))
    return member(settings).remove(sample)


def gone(data: Table, removal: Removal) -> list[str]:
    """The names of the raters who go; nobody else's ratings are marked."""
    names = data.names
    found = [names.raters[names.rater_ids.tolist().index(pk)] for pk in removal.ids.tolist()]
    assert removal.target == "rater"
    assert set(np.unique(data.rater[removal.mask]).tolist()) == {names.raters.index(name) for name in found}
    assert len(removal.reasons) == len(removal.ids) == len(removal.values) == len(removal.limits)
    return found


def given(*values: list[float]) -> Table:
    """Raters 0, 1, ... who rated items 0, 1, ... of one system, one after the other."""
    raters = [rater for rater, own in enumerate(values) for _one in own]
    items = [item % 6 for own in values for item in range(len(own))]
    return table([one for own in values for one in own], raters, items, [0] * len(raters))


def times(data: Table, **columns: list[float]) -> Times:
    """Times of five raters, unknown unless they are given."""
    known = {name: np.array([*own, *[np.nan] * (5 - len(own))]) for name, own in columns.items() if name != "seconds"}
    if "answered" in known:
        known["answered"] = np.nan_to_num(known["answered"]).astype(np.int64)
    if "seconds" in columns:
        known["seconds"] = np.array(columns["seconds"], dtype=float)
    return replace(Times.empty(data), **known)


TWO = given([1.0, 2.0, 3.0], [3.0, 2.0, 1.0])


class TestWorkingTime:
    def test_at_the_share_is_too_fast_and_above_is_not(self) -> None:
        found = apply(TWO, "working_time", times(TWO, elapsed=[240, 241], answered=[20, 20], per_unit=[30, 30]))
        assert gone(TWO, found) == ["r0"]
        assert found.reasons == ("working time 240 s, at most 240 s (40 % of 600 s for 20 units)",)
        assert (found.values.tolist(), found.limits.tolist()) == ([240.0], [240.0])
        assert found.notes == ()

    def test_in_several_sittings_active_time_counts(self) -> None:
        about = times(
            TWO, elapsed=[9000, 9000], active=[100, 100], pause=[60, 5000], answered=[9, 9], per_unit=[30, 30]
        )
        assert gone(TWO, apply(TWO, "working_time", about)) == ["r1"]
        assert gone(TWO, apply(TWO, "working_time", about, measure="active")) == ["r0", "r1"]

    def test_who_has_no_time_or_nothing_expected_is_kept_and_said(self) -> None:
        found = apply(TWO, "working_time", times(TWO, active=[5], answered=[3, 3]))
        assert gone(TWO, found) == []
        assert found.notes == (
            "1 rater was not tested and kept: nothing says how long they worked.",
            "1 rater was not tested and kept: nothing says how long their work should have taken.",
        )
        imported = apply(TWO, "working_time", times(TWO, active=[5], answered=[3, 3]), seconds_per_unit=10.0)
        assert imported.reasons == ("working time 5 s, at most 12 s (40 % of 30 s for 3 units)",)


class TestPageTime:
    def test_a_rater_with_too_many_fast_screens_goes(self) -> None:
        data = given([1.0] * 6, [1.0] * 6)
        words = Words(np.full(len(data.names.units), 50.0))
        about = times(data, seconds=[4.9, 4.9, 4.9, 5, 9, 9, 4.9, 4.9, 5, 5, 9, 9])
        found = apply(data, "page_time", about, words)
        assert gone(data, found) == ["r0"]
        assert found.reasons == (
            "3 of 6 screens too fast (50 %), below 50 % is asked; a screen takes 1 s, and 1 s for 10 words",
        )
        assert gone(data, apply(data, "page_time", about, words, words_per_second=100)) == []
        assert gone(data, apply(data, "page_time", about, words, least_seconds=8)) == ["r0", "r1"]

    def test_speed_of_reading_is_not_held_against_raters_whom_a_set_time_hurries(self) -> None:
        data = given([1, 2, 3, 4, 5, 1])
        facts = (times(data, seconds=[3.0] * 6), Words(np.full(len(data.names.units), 50.0)))
        assert gone(data, apply(data, "page_time", *facts)) == ["r0"]
        assert gone(data, apply(data, "page_time", *facts, params={"set_seconds": 3})) == []
        found = apply(data, "page_time", *facts, params={"set_seconds": 3}, least_seconds=4)
        assert found.reasons == ("6 of 6 screens too fast (100 %), below 50 % is asked; a screen takes 4 s",)

    def test_without_times_nobody_is_tested(self) -> None:
        found = apply(TWO, "page_time", Times.empty(TWO), Words.empty(TWO))
        assert gone(TWO, found) == []
        assert found.notes == ("2 raters were not tested and kept: fewer than 5 of their screens have a time.",)


class TestStraightLining:
    def test_half_of_the_answers_in_one_run(self) -> None:
        data = given([1, 2, 1, 2, 1, 4, 4, 4, 4, 4], [1, 2, 1, 2, 1, 2, 4, 4, 4, 4], [3] * 9)
        found = apply(data, "straight_lining")
        assert gone(data, found) == ["r0"]
        assert found.reasons == ("one position 5 times in a row of 10 answers (50 %), below 50 % is asked",)
        assert found.notes == ("1 rater was not tested and kept: they gave fewer than 10 answers on one scale.",)

    def test_positions_are_those_on_the_screen(self) -> None:
        turned = [1.0, 5.0] * 5
        data = replace(given(turned, turned), shown=np.array([5.0] * 10 + turned))
        assert gone(data, apply(data, "straight_lining")) == ["r0"]

    def test_the_order_is_that_of_showing(self) -> None:
        data = given([1, 5, 1, 5, 1, 5, 1, 5, 1, 5])
        assert gone(data, apply(data, "straight_lining")) == []
        sorted_ = replace(data.judgments, order=np.array([0, 5, 1, 6, 2, 7, 3, 8, 4, 9], dtype=np.int32))
        assert gone(data, apply(replace(data, judgments=sorted_), "straight_lining")) == ["r0"]

    def test_on_a_screen_the_order_is_that_of_the_criteria_there(self) -> None:
        """Fluency and adequacy are asked in turns, the other way round on every second screen: 1 5 5 1 1 5 5 1 …"""
        one_by_one = given([1.0, 5.0] * 5)
        data = replace(
            one_by_one,
            judgment=np.repeat(np.arange(5, dtype=np.int32), 2),
            criterion=np.tile(np.array([0, 1], dtype=np.int32), 5),
            names=replace(one_by_one.names, criteria=("fluency", "adequacy")),
        )
        scales = (*SCALE, Scope("adequacy", 1, 1.0, 5.0, 1.0))
        orders = replace(
            Screens.empty(data),
            criteria=np.array([0, 1] * 5, dtype=np.int32),
            orders_of_criteria=(("fluency", "adequacy"), ("adequacy", "fluency")),
        )
        assert gone(data, apply(data, "straight_lining", scales=scales, share=0.2)) == []
        found = apply(data, "straight_lining", orders, scales=scales, share=0.2)
        assert found.reasons == ("one position 2 times in a row of 10 answers (20 %), below 20 % is asked",)

    def test_screens_of_one_position_throughout(self) -> None:
        data = given([1, 1, 1, 1, 2, 2, 2, 2, 3, 1, 2, 4])
        screens = np.repeat(np.arange(3, dtype=np.int32), 4)
        found = apply(replace(data, judgment=screens), "straight_lining")
        assert gone(data, found) == ["r0"]
        assert found.reasons == ("one position throughout 2 of 3 screens (66.7 %), below 50 % is asked",)

    def test_without_a_scale_nobody_is_tested(self) -> None:
        assert apply(TWO, "straight_lining", scales=()).notes == (
            "The task has no scale with positions, so nobody was tested.",
        )


def repeats(data: Table, pairs: list[tuple[int, float, float]]) -> Repeats:
    """Pairs (rater, first, again) of the first of each rater's judgments."""
    n = len(pairs)
    rater = np.array([one[0] for one in pairs], dtype=np.int32)
    first = np.array([np.flatnonzero(data.rater == code)[0] for code in rater])
    return replace(
        Repeats.empty(data),
        rater=rater,
        unit=data.unit[first],
        part=data.part[first],
        criterion=np.zeros(n, dtype=np.int32),
        first=np.array([one[1] for one in pairs]),
        again=np.array([one[2] for one in pairs]),
        first_label=np.full(n, -1, dtype=np.int32),
        again_label=np.full(n, -1, dtype=np.int32),
        first_shown=np.full(n, np.nan),
        again_shown=np.full(n, np.nan),
        apart=np.full(n, 10, dtype=np.int32),
        first_judgment=data.judgments.id[data.judgment[first]],
        again_judgment=np.arange(1000, 1000 + n),
    )


FIVE = given(*[[1.0, 2.0, 3.0]] * 5)
CONSISTENT = [(rater, 3.0, 3.0) for rater in range(4) for _time in range(2)]


class TestInconsistency:
    def test_the_one_who_contradicts_themselves_goes(self) -> None:
        found = apply(FIVE, "inconsistency", repeats(FIVE, [*CONSISTENT, (4, 1.0, 5.0), (4, 5.0, 4.0)]))
        assert gone(FIVE, found) == ["r4"]
        score = np.sqrt((1 + 1 / 16) / 2)
        assert found.values.tolist() == pytest.approx([score])
        assert found.reasons == (
            f"inconsistency score {score:.2f} over 2 repeats (0 never, 1 from end to end), at most 0.25",
        )

    def test_less_than_a_step_is_no_reason_and_one_pair_no_test(self) -> None:
        found = apply(FIVE, "inconsistency", repeats(FIVE, [*CONSISTENT, (4, 3.0, 4.0), (4, 3.0, 3.0)]))
        assert gone(FIVE, found) == []
        found = apply(FIVE, "inconsistency", repeats(FIVE, [*CONSISTENT, (4, 1.0, 5.0)]))
        assert gone(FIVE, found) == []
        assert found.notes == ("1 rater was not tested and kept: they were asked fewer than 2 things twice.",)

    def test_without_repeats_nobody_is_tested(self) -> None:
        for found in (
            apply(FIVE, "inconsistency", Repeats.empty(FIVE)),
            apply(FIVE, "inconsistency", repeats(FIVE, CONSISTENT), scales=()),
        ):
            assert found.notes == ("Nothing was asked twice on a numeric scale, so nobody was tested.",)
            assert not found.mask.any()

    def test_only_what_is_still_there_counts(self) -> None:
        """A repeat of a judgment that an earlier rule took says nothing any more."""
        pairs = repeats(FIVE, [*CONSISTENT, (4, 1.0, 5.0), (4, 5.0, 1.0)])
        first = np.flatnonzero(FIVE.rater == 4)[0]
        left = FIVE.where(np.arange(len(FIVE)) != first)
        assert gone(FIVE, apply(FIVE, "inconsistency", pairs)) == ["r4"]
        assert gone(left, apply(left, "inconsistency", pairs)) == []

    def test_a_change_where_all_agree_weighs_more(self) -> None:
        # Item 0 is rated alike by everybody, item 1 is not.
        data = given([3, 1], [3, 5], [3, 1], [3, 5], [3, 1])
        pairs = repeats(data, [(rater, 3.0, 3.0) for rater in range(4)] * 2 + [(4, 3.0, 5.0), (4, 1.0, 1.0)])
        of_second = np.flatnonzero(data.rater == 4)[1]
        pairs.part[-1], pairs.unit[-1] = data.part[of_second], data.unit[of_second]
        equal = apply(data, "inconsistency", pairs).values
        agreed = apply(data, "inconsistency", pairs, weights="agreed").values
        variance = np.var([0, 1, 0, 1, 0], ddof=1)
        expected = np.sqrt(0.25 * 100 / (100 + 1 / variance))
        assert equal.tolist() == pytest.approx([np.sqrt(0.25 / 2)])
        assert agreed.tolist() == pytest.approx([expected])


def controls(rows: list[tuple[int, bool]], **marks: bool) -> Controls:
    n = len(rows)
    marked = {name: np.full(n, marks.get(name, False)) for name in ("attention", "copy")}
    return Controls(
        rater=np.array([one[0] for one in rows], dtype=np.int32),
        judgment=np.arange(500, 500 + n),
        order=np.arange(n, dtype=np.int32),
        passed=np.array([one[1] for one in rows], dtype=bool),
        **marked,
    )


class TestControlAccuracy:
    def test_below_the_share_goes_and_at_it_stays(self) -> None:
        checks = [(0, right) for right in [True] * 7 + [False] * 3] + [(1, right) for right in [True] * 2 + [False]]
        found = apply(TWO, "control_accuracy", controls(checks))
        assert gone(TWO, found) == ["r1"]
        assert found.reasons == ("2 of 3 checks right (66.7 %), at least 70 % is asked",)
        assert found.notes == ()

    def test_who_answered_few_is_not_tested(self) -> None:
        found = apply(TWO, "control_accuracy", controls([(0, False), (0, False)]))
        assert gone(TWO, found) == []
        assert found.notes == ("2 raters were not tested and kept: they answered fewer than 3 checks.",)

    @pytest.mark.parametrize(("kind", "setting"), [("attention", "attention"), ("copy", "copies")])
    def test_what_counts_as_a_check_is_a_setting(self, kind: str, setting: str) -> None:
        checks = controls([(0, False)] * 3, **{kind: True})
        assert gone(TWO, apply(TWO, "control_accuracy", checks)) == ["r0"]
        found = apply(TWO, "control_accuracy", checks, **{setting: False})
        assert found.notes == ("No unit with a known answer was answered, so nobody was tested.",)


class TestSkips:
    def test_only_some_reasons_count(self) -> None:
        reasons = ["cannot_judge", "other", "other", "upsetting", "technical"] * 2
        rows = [(0, reason) for reason in reasons] + [(1, reason) for reason in reasons[3:]]
        skipped = Skips(
            rater=np.array([one[0] for one in rows], dtype=np.int32),
            unit=np.zeros(len(rows), dtype=np.int32),
            order=np.arange(len(rows), dtype=np.int32),
            reason=np.array([REASONS.index(one[1]) for one in rows], dtype=np.int32),
        )
        found = apply(TWO, "skips", skipped)
        assert gone(TWO, found) == ["r0"]
        assert found.reasons == ("6 units skipped as “cannot judge” or “other”, fewer than 5 are accepted",)
        assert gone(TWO, apply(TWO, "skips", skipped, n=7)) == []

    def test_no_skip_is_said(self) -> None:
        assert apply(TWO, "skips", Skips.empty(TWO)).notes == ("No unit was skipped.",)


class TestSimpleItems:
    def test_texts_of_many_minds_go_with_all_their_ratings(self) -> None:
        data = given([1, 1], [2, 1], [3, 2], [4, 3], [4, 3])
        found = apply(data, "simple_items")
        assert found.target == "rating"
        assert found.ids.tolist() == data.id[found.mask].tolist()
        names = data.names
        assert {names.items[names.item_of_unit[unit]] for unit in data.unit[found.mask]} == {"i0"}
        assert found.mask.sum() == 5
        assert set(found.reasons) == {"4 different answers to this text, at most 3"}
        assert apply(data, "simple_items", most=2).mask.all()

    def test_labels_are_answers_too(self) -> None:
        data = given(*[[np.nan]] * 5)
        data = replace(data, label=np.array([0, 1, 2, 3, 3], dtype=np.int32))
        assert apply(data, "simple_items").mask.all()
        assert not apply(data, "simple_items", most=4).mask.any()

    def test_nothing(self) -> None:
        assert not apply(given([]), "simple_items").mask.any()


class TestTrust:
    ODD = given(*[[1, 2, 3, 4, 5, 1]] * 3, [5, 4, 1, 2, 1, 3])

    def test_who_lowers_agreement_goes(self) -> None:
        found = apply(self.ODD, "trust")
        assert gone(self.ODD, found) == ["r3"]
        (value,) = found.values.tolist()
        assert found.reasons == (f"trust coefficient {value:.3f}, above 0.5 is asked",)
        assert value < 0.5
        assert gone(self.ODD, apply(self.ODD, "trust", limit=-1)) == []

    def test_over_several_criteria_the_mean_counts(self) -> None:
        names = replace(self.ODD.names, criteria=("fluency", "adequacy"))
        both = {name: np.tile(getattr(self.ODD, name), 2) for name in ("judgment", "rater", "unit", "part", "part_b")}
        data = replace(
            self.ODD,
            **both,
            names=names,
            id=np.arange(48),
            number=np.tile(self.ODD.number, 2),
            shown=np.tile(self.ODD.shown, 2),
            label=np.tile(self.ODD.label, 2),
            criterion=np.repeat(np.array([0, 1], dtype=np.int32), 24),
            value=np.concatenate((self.ODD.value, np.tile([1.0, 2, 3, 4, 5, 1], 4))),
        )
        alone, mean = apply(self.ODD, "trust").values, apply(data, "trust", limit=0.9)
        assert gone(data, mean) == ["r3"]
        assert mean.values == pytest.approx((alone + 1) / 2)
        assert mean.reasons[0].endswith("(mean of 2 criteria), above 0.9 is asked")

    def test_groups_without_alpha_and_raters_without_a_group_are_said(self) -> None:
        found = apply(given([1, 1], [1, 1]), "trust")
        assert "all ratings are the same" in found.notes[0]
        assert found.notes[1] == "2 raters were not tested and kept: they have no coefficient."
        lonely = table([1, 2, 3, 1, 2, 4, 2], [0, 0, 0, 1, 1, 1, 2], [0, 1, 2, 0, 1, 2, 5], [0] * 7)
        assert "2 of 4 groups of raters have no alpha and count as 1" in apply(lonely, "trust").notes[0]

    def test_more_raters_than_it_is_for(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("analytics_app.quality.trust.MOST_RATERS", 3)
        assert apply(self.ODD, "trust").notes == ("There are 4 raters, and it takes 3 at most.",)


@pytest.mark.parametrize("name", list(quality.registry))
def test_a_rule_given_nothing_removes_nothing(name: str) -> None:
    data = given([])
    rule = quality.registry[name]
    found = apply(data, name, *(need.empty(data) for need in rule.needs))
    assert not found.mask.any()
    assert not len(found.ids)


@pytest.mark.parametrize("name", list(quality.registry))
def test_a_rule_whose_material_is_empty_removes_nobody(name: str) -> None:
    rule = quality.registry[name]
    data = given([1, 2, 3, 4, 5, 3, 2, 1, 2, 4, 5, 2], [2, 2, 3, 4, 4, 3, 1, 1, 2, 5, 5, 2])
    found = apply(data, name, *(need.empty(data) for need in rule.needs), **({"n": 1} if name == "burn_in" else {}))
    assert found.mask.sum() == (2 if name == "burn_in" else 0)
    # What could do nothing says why.
    assert found.notes or not rule.needs or name == "straight_lining"
