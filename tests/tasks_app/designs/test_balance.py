"""Balance is what counting from scratch gives, for plans that are good and for plans that are not."""

from collections import Counter
from dataclasses import fields
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks_app.designs.balance import Evenness, measure, measure_evenness
from tasks_app.designs.base import PlanUnit
from tests.tasks_app.designs import oracle
from tests.tasks_app.designs.unit_sets import crossed, documents, pairs, unit_sets


@given(units=unit_sets(), size=st.integers(1, 8), seed=st.integers(0, 2**32))
def test_balance_of_any_plan_is_what_the_oracle_counts(units: list[PlanUnit], size: int, seed: int) -> None:
    rng = Random(seed)
    places = [unit for unit in units for _ in range(unit.k) if rng.random() < 0.9]
    rng.shuffle(places)
    plan = [places[i : i + size] for i in range(0, len(places), size)]
    balance = measure(plan, units)
    counts = Counter(unit.key for unit in places)
    classes = oracle.due(units, lambda unit: [unit.systems])
    met: Counter[object] = Counter()
    for b, prefix in enumerate(oracle.prefixes(plan)):
        assert balance.unit_spread[b] == oracle.unit_spread(prefix, units)
        for trace, members in ((balance.system_class, oracle.system_class), (balance.system, oracle.systems)):
            worst = max(map(abs, oracle.deviations(prefix, units, members).values()), default=0)
            assert trace.deviation[b] == pytest.approx(float(worst))
            assert trace.spread[b] == oracle.spread(prefix, units, members)
        for trace, members in ((balance.item, one_item), (balance.pair, two_systems)):
            assert trace.spread[b] == oracle.spread(prefix, units, members)
        so_far = plan[: b + 1]
        assert balance.position_spread[b] == oracle.position_spread(so_far, units)
        assert balance.booklet_spread[b] == oracle.kin_spread(Counter(u.systems for u in plan[b]), classes)
        met = oracle.document_counts(so_far)
        assert balance.document_spread[b] <= max(met.values(), default=0)
    assert balance.document_totals == {d: met[d] for d in balance.document_totals}
    assert balance.sizes == tuple(map(len, plan))
    gaps = [gap for booklet in plan for gap in oracle.gaps(booklet)]
    assert balance.smallest_spacing == min(gaps, default=None)
    assert {key: n for key, n in balance.unit_totals.items() if n} == counts
    assert {s: n for s, n in balance.system_totals.items() if n} == Counter(s for u in places for s in u.systems)
    assert balance.missing == sum(unit.k for unit in units) - len(places)
    assert balance.beyond_k == 0
    assert balance.repeated == sum(len(booklet) - len(set(booklet)) for booklet in plan)
    evenness = measure_evenness(plan, units)
    assert all(getattr(evenness, column.name) == getattr(balance, column.name) for column in fields(Evenness))


def one_item(unit: PlanUnit) -> list[object]:
    return [] if unit.item is None else [unit.item]


def two_systems(unit: PlanUnit) -> list[object]:
    """The systems of different parts, two by two."""
    parts = [(a, b) for i, one in enumerate(unit.shape) for b in one for other in unit.shape[:i] for a in other]
    found: list[object] = [*{tuple(sorted(pair)) for pair in parts if pair[0] != pair[1]}]
    return found


def test_documents_count_once_a_booklet_and_systems_once_a_document() -> None:
    units = documents([2, 1], 2, 1)
    by_key = {unit.key: unit for unit in units}
    plan = [[by_key[key] for key in keys] for keys in (["0.0-0", "0.1-0"], ["0.0-1"], ["0.1-1", "1.0-0"], ["1.0-1"])]
    balance = measure(plan, units)
    # Document 0 is in one booklet, in two, in three; document 1 in one of those, and then in one more.
    assert balance.document_spread == (1, 2, 2, 1)
    assert balance.document_totals == {"document 0": 3, "document 1": 2}
    # Counted by document: system 0; system 1; system 1 of the one and 0 of the other; system 1.
    assert balance.document_system_spread == (1, 0, 0, 1)
    assert balance.spread("document") == balance.document_spread
    assert balance.item_totals == {"item 0.0": 2, "item 0.1": 2, "item 1.0": 2}


def test_places_and_pairs_have_their_totals() -> None:
    ab, ac, bc = pairs(1, 3, 1)
    balance = measure([[ab, ac], [bc]], [ab, ac, bc])
    assert balance.position_totals == (
        {"system 0": 1, "system 1": 2, "system 2": 1},
        {"system 0": 1, "system 2": 1},
    )
    assert balance.pair_totals == {
        ("system 0", "system 1"): 1,
        ("system 0", "system 2"): 1,
        ("system 1", "system 2"): 1,
    }
    assert (balance.pair.spread, balance.position_spread, balance.booklet_spread) == ((1, 0), (1, 1), (1, 1))


def test_judgments_that_are_missing_too_many_or_repeated_are_counted() -> None:
    a, b, c = crossed(3, 1, 2)
    balance = measure([(a, b), (a, a, b)], [a, b, c])
    assert (balance.missing, balance.beyond_k, balance.repeated) == (2, 1, 1)
    assert not balance.complete
    assert balance.unit_spread == (1, 0)  # after the second booklet only c is below its k


def test_worst_figures_are_over_all_prefixes() -> None:
    one, two = crossed(1, 2, 2)
    balance = measure([(one,), (one,), (two,), (two,)], [one, two])
    assert balance.system.spread == (1, 2, 1, 0)
    assert balance.system.worst_spread == 2
    assert balance.system.worst_deviation == 1
    assert balance.unit_spread == (1, 0, 0, 0)  # from the second booklet on only one unit is below its k
    assert balance.worst_unit_spread == 1


def test_nothing_drawn_is_balanced() -> None:
    balance = measure([], [])
    assert balance.complete
    assert (balance.worst_unit_spread, balance.system.worst_spread, balance.smallest_spacing) == (0, 0, None)
    assert balance.system.worst_deviation == 0


def test_a_unit_from_elsewhere_is_an_error() -> None:
    with pytest.raises(ValueError, match="'0-0', which is none of the units"):
        measure([crossed(1, 1, 1)], [])
