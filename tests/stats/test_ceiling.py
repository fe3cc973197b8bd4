"""The human ceiling of metrics: against comparisons that are computed rating by rating, with scipy."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np
import pytest
import scipy.stats

from analytics_app.stats.metrics import ceiling
from analytics_app.stats.metrics.ceiling import ALONE, UNDEFINED, Ceiling, Kind, human_ceiling
from tests.deviations import assert_each

N_ITEMS, N_SYSTEMS, N_RATERS = 9, 4, 6
Rating = tuple[float, int, int, int]  # value, rater, system, item


def ratings(seed: int = 5) -> list[Rating]:
    """Ratings from 1 to 5 by raters who each leave out some texts, and rate a few twice."""
    rng = np.random.default_rng(seed)
    quality = rng.normal(0, 1, (N_ITEMS, N_SYSTEMS)) + np.array([-0.6, 0.0, 0.3, 0.9])
    made = []
    for rater in range(N_RATERS):
        for item in range(N_ITEMS):
            for system in range(N_SYSTEMS):
                for _time in range(int(rng.choice([0, 1, 1, 2]))):
                    value = np.clip(np.round(3 + quality[item, system] + rng.normal(0, 0.8)), 1, 5)
                    made.append((float(value), rater, system, item))
    return made


def found(made: Sequence[Rating], kind: Kind, seed: int = 3) -> Mapping[str, Ceiling]:
    values, raters, systems, items = zip(*made, strict=True)
    return human_ceiling(
        values, raters, systems, items, n_systems=N_SYSTEMS, kind=kind, rng=np.random.default_rng(seed)
    )


def means(made: Sequence[Rating], chosen: set[int]) -> dict[tuple[int, int], float]:
    cells: dict[tuple[int, int], list[float]] = defaultdict(list)
    for value, rater, system, item in made:
        if rater in chosen:
            cells[item, system].append(value)
    return {cell: round(sum(each) / len(each), 9) for cell, each in cells.items()}


def accuracy(pairs: Sequence[tuple[float, float]]) -> float:
    right = [bool(np.sign(a[0] - b[0]) == np.sign(a[1] - b[1])) for a, b in combinations(pairs, 2) if a[0] != b[0]]
    return sum(right) / len(right)


def brute(made: Sequence[Rating], chosen: set[int]) -> dict[str, float]:
    """Return the statistics between some raters and all others, text by text."""
    everybody = {rater for _value, rater, _system, _item in made}
    others, theirs = means(made, everybody - chosen), means(made, chosen)
    both = sorted(others.keys() & theirs.keys())
    pairs = [(others[cell], theirs[cell]) for cell in both]
    by_item: dict[int, list[tuple[float, float]]] = defaultdict(list)
    by_system: dict[int, list[tuple[float, float]]] = defaultdict(list)
    for (item, system), pair in zip(both, pairs, strict=True):
        by_item[item].append(pair)
        by_system[system].append(pair)
    varied = [
        list(zip(*group, strict=True))
        for group in by_item.values()
        if all(len(set(side)) > 1 for side in zip(*group, strict=True))
    ]
    # Every value that a pair of one item differs by is tried as epsilon.
    of_pairs = [[(a[0] - b[0], a[1] - b[1]) for a, b in combinations(group, 2)] for group in by_item.values()]
    of_pairs = [group for group in of_pairs if group]
    epsilons = {0.0, *(abs(theirs_by) for group in of_pairs for _others_by, theirs_by in group)}

    def share(epsilon: float) -> float:
        def right(people: float, metric: float) -> bool:
            tied = abs(metric) <= epsilon + 1e-9 if epsilon else metric == 0
            return tied if people == 0 else not tied and np.sign(people) == np.sign(metric)

        return float(np.mean([np.mean([right(*pair) for pair in group]) for group in of_pairs]))

    systems = [tuple(np.mean(group, axis=0)) for _system, group in sorted(by_system.items())]
    return {
        "pearson_texts": scipy.stats.pearsonr(*zip(*pairs, strict=True)).statistic,
        "spearman_texts": scipy.stats.spearmanr(*zip(*pairs, strict=True)).statistic,
        "kendall_texts": scipy.stats.kendalltau(*zip(*pairs, strict=True)).statistic,
        "pearson_by_item": np.mean([scipy.stats.pearsonr(*group).statistic for group in varied]),
        "spearman_by_item": np.mean([scipy.stats.spearmanr(*group).statistic for group in varied]),
        "tau_b_by_item": np.mean([scipy.stats.kendalltau(*group).statistic for group in varied]),
        "acc_eq_by_item": max(share(epsilon) for epsilon in epsilons),
        "pearson_systems": scipy.stats.pearsonr(*zip(*systems, strict=True)).statistic,
        "spearman_systems": scipy.stats.spearmanr(*zip(*systems, strict=True)).statistic,
        "pairwise_accuracy": accuracy(systems),
    }


@pytest.mark.parametrize("kind", ["one", "half"])
def test_every_statistic_rating_by_rating(kind: Kind) -> None:
    made = ratings()
    if kind == "one":
        divisions = [{rater} for rater in range(N_RATERS)]
    else:
        rng = np.random.default_rng(3)
        divisions = [set(rng.permutation(N_RATERS)[: N_RATERS // 2].tolist()) for _n in range(ceiling.N_HALVES)]
    wanted = [brute(made, chosen) for chosen in divisions]
    result = found(made, kind)
    assert result.keys() == wanted[0].keys()
    assert {one.n_comparisons for one in result.values()} == {len(divisions)}

    def check(name: str) -> None:
        each, one = [comparison[name] for comparison in wanted], result[name]
        by_hand = (np.mean(each), min(each), max(each))
        assert (one.estimate.value, one.lowest, one.highest) == pytest.approx(by_hand, abs=1e-9)

    assert_each(check, ((name, {"name": name}) for name in result))


def test_two_raters_who_agree_and_two_who_do_not() -> None:
    alike = [
        (float(item + system), rater, system, item) for rater in (0, 7) for item in range(4) for system in range(4)
    ]
    for kind in ("one", "half"):
        assert [one.estimate.value for one in found(alike, kind).values()] == pytest.approx([1.0] * 10)
    opposite = [(value if rater else -value, rater, system, item) for value, rater, system, item in alike]
    assert found(opposite, "one")["pearson_texts"].estimate.value == pytest.approx(-1)


def test_a_text_needs_two_raters() -> None:
    alone = [(float(item), item % 2, 0, item) for item in range(6)]
    # Two ratings by one rater are no two raters.
    for made in (alone, [*alone, *alone], [(float("nan"), 0, 0, 0), (1.0, 1, 0, 0)]):
        for kind in ("one", "half"):
            result = found(made, kind)
            assert list(result) == ["pearson_texts"]
            assert (result["pearson_texts"].estimate.value, result["pearson_texts"].estimate.note) == (None, ALONE)
    same = [(3.0, rater, system, item) for rater in (0, 1) for item in range(3) for system in range(3)]
    undefined = {name for name, one in found(same, "one").items() if one.estimate.note == UNDEFINED}
    # Pairs that both sides tie are right.
    assert undefined == found(same, "one").keys() - {"acc_eq_by_item"}


def test_of_many_raters_some_are_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ceiling, "MOST_RATERS", 3)
    made = ratings()
    first = found(made, "one", 1)["pearson_texts"]
    assert first.n_comparisons == 3
    assert first == found(made, "one", 1)["pearson_texts"]
    assert len({found(made, "one", seed)["pearson_texts"].lowest for seed in range(6)}) > 1


def test_settings_that_make_no_sense() -> None:
    with pytest.raises(ValueError, match="by one or by half"):
        human_ceiling([1.0], [0], [0], [0], n_systems=1, kind="all", rng=np.random.default_rng(1))
    with pytest.raises(ValueError, match="There are 1 values"):
        human_ceiling([1.0], [0, 1], [0], [0], n_systems=1, kind="one", rng=np.random.default_rng(1))
