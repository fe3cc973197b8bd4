"""What is owed, by cases worked out by hand; what it is an hour; quartiles against numpy's."""

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks_app import pay
from tasks_app.pay import Offer, SetWork, due, work_of

# 3.00 for a full set of 20 that should take 10 minutes, 0.40 for whoever is sent away.
OFFER = Offer(Decimal("3.00"), Decimal("0.40"), part_by_time=False, minutes=10, minimum_hourly=Decimal("12.00"))
FULL = {1: 20}


def a_set(main: int = 20, judged: int = 0, asked: int | None = None, answered: int | None = None) -> SetWork:
    """One set of task 1; without checks all its units are those to judge."""
    return SetWork(1, main, judged, main if asked is None else asked, judged if answered is None else answered)


CASES = {
    "completed": ("completed", [a_set(20, 20)], "3.00"),
    "completed a shorter set": ("completed", [a_set(13, 13)], "1.95"),
    "completed, five lost to others while away": ("completed", [a_set(20, 15)], "2.25"),
    "completed two sets": ("completed", [a_set(20, 20), a_set(20, 20)], "6.00"),
    "completed two sets, one of them short": ("completed", [a_set(20, 20), a_set(7, 7)], "4.05"),
    "a third of a set, up to the cent": ("completed", [a_set(1, 1)], "0.15"),
    "more than a full set is a full set": ("completed", [a_set(24, 24)], "3.00"),
    "stopped at once": ("withdrawn", [a_set(20, 0)], "0.00"),
    "stopped half-way": ("withdrawn", [a_set(20, 10)], "1.50"),
    "stopped after training alone": ("withdrawn", [a_set(20, 0, 27, 5)], "0.56"),
    "stopped in a shorter set": ("withdrawn", [a_set(10, 5)], "0.75"),
    "stopped in the second set": ("withdrawn", [a_set(20, 20), a_set(20, 10)], "4.50"),
    "returned on the platform": ("returned", [a_set(20, 10)], "1.50"),
    "timed out there, having answered all": ("timed_out", [a_set(20, 20)], "3.00"),
    "screened out": ("screened_out", [a_set(20, 0, 23, 2)], "0.40"),
    "failed the exam": ("failed", [a_set(20, 0, 30, 10)], "0.40"),
    "failed checks after half": ("failed", [a_set(20, 10)], "1.50"),
    "failed checks after one unit": ("failed", [a_set(20, 1)], "0.40"),
    "came back to nothing": ("full", [a_set(20, 0)], "0.40"),
}


@pytest.mark.parametrize(("outcome", "sets", "amount"), CASES.values(), ids=list(CASES))
def test_what_is_owed(outcome: str, sets: list[SetWork], amount: str) -> None:
    assert due(OFFER, outcome, work_of(sets, FULL)) == Decimal(amount)


def test_part_pay_by_time() -> None:
    by_time = replace(OFFER, part_by_time=True)
    nothing = work_of([a_set()], FULL)
    assert due(by_time, "failed", nothing, minutes=5) == Decimal("1.50")
    assert due(by_time, "failed", nothing, minutes=0.1) == Decimal("0.40"), "never less than was announced"
    assert due(by_time, "screened_out", nothing, minutes=500) == Decimal("3.00"), "never more than a full set"
    assert due(by_time, "withdrawn", nothing, minutes=5) == Decimal("0.00")


def test_several_tasks_share_the_pay() -> None:
    full = {1: 20, 2: 5}
    sets = [SetWork(1, 20, 20, 20, 20), SetWork(2, 5, 5, 5, 5), SetWork(9, 0, 0, 3, 3)]
    assert due(OFFER, "completed", work_of(sets, full)) == Decimal("3.00")
    assert due(OFFER, "completed", work_of(sets[:1], full)) == Decimal("2.40")


@given(
    st.integers(1, 40), st.lists(st.tuples(st.integers(0, 50), st.integers(0, 50)), max_size=4),
    st.decimals("0.00", "99.99", places=2), st.decimals("0.00", "9.99", places=2),
    st.sampled_from(["completed", "withdrawn", "failed", "screened_out", "full", "returned", "timed_out"]),
)  # fmt: skip
def test_nobody_gets_less_than_their_share_and_no_more_than_the_sets(
    full: int, drawn: list[tuple[int, int]], amount: Decimal, part: Decimal, outcome: str
) -> None:
    sets = [a_set(main, min(main, judged)) for main, judged in drawn]
    offer = replace(OFFER, amount=amount, part_amount=part)
    owed = due(offer, outcome, work_of(sets, {1: full}))
    assert owed == owed.quantize(Decimal("0.01"))
    assert 0 <= owed <= max(amount * len(sets), part) + Decimal("0.01")
    if outcome == "completed":
        exact = sum((Fraction(amount) * min(full, one.judged) / full for one in sets), Fraction(0))
        assert exact <= Fraction(owed) < exact + Fraction(1, 100)
    if outcome in {"failed", "screened_out", "full"}:
        assert owed >= part


def test_an_hour() -> None:
    assert pay.hourly(Decimal("3.00"), 10) == Decimal("18.00")
    assert pay.hourly(Decimal("1.00"), 7) == Decimal("8.57")
    assert pay.hourly(Decimal("1.00"), 0) is None
    assert pay.needed(Decimal("12.00"), 7) == Decimal("1.40")
    assert pay.needed(Decimal("12.00"), 7.01) == Decimal("1.41"), "rounded up"
    assert pay.shortfall(Decimal("12.00"), Decimal("1.00"), 7) == Decimal("0.40")
    assert pay.shortfall(Decimal("12.00"), Decimal("5.00"), 7) == Decimal("0.00")
    assert OFFER.is_enough
    assert not replace(OFFER, minutes=15.1).is_enough


@given(st.lists(st.floats(0, 1e4), min_size=1, max_size=30))
def test_quartiles_are_numpys(values: list[float]) -> None:
    found = pay.quartiles(values)
    assert found is not None
    assert [found.low, found.median, found.high] == pytest.approx(np.quantile(values, [0.25, 0.5, 0.75]))


def test_quartiles_of_nothing() -> None:
    assert pay.quartiles([]) is None
