"""The cumulative logit mixed model: the figures of R's `ordinal::clmm`, and what must not change them."""

import csv
import gzip
from typing import Any

import numpy as np
import pytest

from analytics_app.stats.mixed.hessian import Ratings
from analytics_app.stats.mixed.laplace import TERMS, Likelihood
from analytics_app.stats.mixed.ordinal import (
    ALONE,
    SEPARATED,
    OrdinalComparison,
    compare_ordinal,
    latent_superiority,
)
from tests.reproduction.published import folder_of, missing

# Bitterness of wine, 1 to 5, by nine judges: R. H. Randall (1989), Journal of Agricultural Science 7, 319-328. Eight
# bottles a judge: two cold without contact of juice and skins, two cold with it, two warm without, two warm with it.
WINE = (
    "23344455" "12132354" "23325544" "32323253" "23433333" "32322454" "11222323" "22233334" "12323244"
)  # fmt: skip


def compared(values: Any, systems: Any, items: Any, raters: Any, **options: Any) -> OrdinalComparison:
    chosen = {"n_systems": 3, "pairs": [(1, 0), (2, 0), (2, 1)], "confidence": 0.95} | options
    return compare_ordinal(values, systems, items, raters, **chosen)


def crossed() -> tuple[np.ndarray, ...]:
    """Draw 240 ratings of 20 items by 8 raters, of whom each rates every second item."""
    rng = np.random.default_rng(5)
    item, system, rater = (axis.ravel() for axis in np.meshgrid(*map(range, (20, 3, 8)), indexing="ij"))
    kept = (item + rater) % 2 == 0
    item, system, rater = item[kept], system[kept], rater[kept]
    of_item, of_both = rng.normal(0, 1.2, 20)[item], rng.normal(0, 0.8, (20, 3))[item, system]
    of_rater, of_taste = rng.normal(0, 1, 8)[rater], rng.normal(0, 0.7, (8, 3))[rater, system]
    better = np.array([0, 0.5, 1.2])[system]
    latent = of_item + of_both + of_rater + of_taste + better + rng.logistic(size=item.size)
    return np.digitize(latent, [-2, -0.3, 1, 2.5]) + 1, system, item, rater


def test_wine_as_in_r() -> None:
    """clmm(rating ~ temp:contact + (1|judge)), R 4.2.2, ordinal 2022.11-16."""
    systems, judges = np.tile(np.repeat(range(4), 2), 9), np.repeat(range(9), 8)
    found = compare_ordinal(
        [int(step) for step in WINE], systems, np.zeros(72, int), judges, n_systems=4,
        pairs=[(1, 0), (2, 0), (0, 3)], confidence=0.95, left_out={"item", "system_item", "rater_system"},
    )  # fmt: skip
    assert [pair.log_odds.value for pair in found.pairs] == pytest.approx([1.717432, 2.946702, -4.895665], abs=1e-4)
    assert [pair.log_odds.se for pair in found.pairs] == pytest.approx([0.701963, 0.761088, 0.885607], abs=1e-4)
    assert [pair.log_odds.p for pair in found.pairs] == pytest.approx([0.014421, 0.000108, 3.24e-8], rel=5e-3)
    assert found.thresholds == pytest.approx([-1.662750, 1.443921, 4.168665, 6.043970], abs=1e-4)
    assert found.sd == pytest.approx({"rater": 1.1296}, abs=1e-3)
    assert found.log_likelihood == pytest.approx(-81.53596, abs=1e-4)


def test_raters_and_items_crossed_as_in_r() -> None:
    """clmm(y ~ s + (1|i) + (1|is) + (1|r) + (1|rs)), the same versions."""
    found = compared(*crossed())
    assert [pair.log_odds.value for pair in found.pairs[:2]] == pytest.approx([0.418769, 1.651106], abs=1e-3)
    se_of_last = (0.479722994 + 0.496129551 - 2 * 0.244052366) ** 0.5
    assert [pair.log_odds.se for pair in found.pairs] == pytest.approx([0.692620, 0.704365, se_of_last], rel=1e-3)
    assert found.sd == pytest.approx(
        {"item": 1.145445, "system_item": 1.032091, "rater": 0.569380, "rater_system": 1.050526}, abs=1e-3
    )
    assert found.thresholds == pytest.approx([-0.754283, 0.949815, 2.400755, 3.762399], abs=1e-3)
    assert found.log_likelihood == pytest.approx(-335.4808449, abs=1e-4)


# Sets of RankME's Likert ratings (setup, criterion): log odds of sheffield_v2 and slug2slug over the baseline, their
# standard errors, deviations by term and log likelihood, by ordinal::clmm.
RANKME = {
    ("1", "quality"): (
        (-0.085081, 0.173572), (0.272776, 0.276394), (0.708342, 0, 2.513914, 0.134090), -378.2730241,
    ),
    ("2", "informativeness"): (
        (-5.441854, 0.498081), (0.776877, 0.751087), (0, 2.306279, 2.009937, 1.396726), -719.1957223,
    ),
    ("2", "quality"): (
        (-2.901244, 0.605547), (0.863433, 0.892958), (0.068182, 0.360366, 2.163603, 1.797583), -624.3039926,
    ),
}  # fmt: skip


@pytest.mark.skipif(bool(missing("rankme")), reason=missing("rankme") or "there")
@pytest.mark.parametrize(("setup", "criterion"), RANKME)
def test_published_ratings_as_in_r(setup: str, criterion: str) -> None:
    log_odds, se, sd, log_likelihood = RANKME[setup, criterion]
    with gzip.open(folder_of("rankme") / "ratings.csv.gz", "rt") as file:
        rows = [
            row
            for row in csv.DictReader(file)
            if (row["method"], row["setup"], row["criterion"]) == ("likert", setup, criterion)
        ]
    raters = sorted({row["rater_id"] for row in rows})
    found = compared(
        [int(row["value"]) for row in rows],
        [["baseline", "sheffield_v2", "slug2slug"].index(row["system"]) for row in rows],
        [int(row["item_id"][3:6]) for row in rows],
        [raters.index(row["rater_id"]) for row in rows],
    )
    assert [pair.log_odds.value for pair in found.pairs[:2]] == pytest.approx(log_odds, abs=1e-3)
    assert [pair.log_odds.se for pair in found.pairs[:2]] == pytest.approx(se, abs=1e-3)
    assert list(found.sd.values()) == pytest.approx(sd, abs=1e-3)
    assert found.log_likelihood == pytest.approx(log_likelihood, abs=1e-4)
    assert found.zero == tuple(term for term, value in zip(TERMS, sd, strict=True) if value == 0)


def test_the_gradient_is_the_slope_of_the_likelihood() -> None:
    values, system, item, rater = crossed()
    likelihood = Likelihood(Ratings(values - 1, system, item, rater, 3))
    given = [np.array([-1.0, 0.2, 1.5, 3.0]), np.array([0.0, 0.4, -0.3]), np.array([0.5, 0.7, 0.9, 0.4])]
    _value, *slopes = likelihood(*given)
    for part, slope in enumerate(slopes):
        for place in range(slope.size):
            moved = [likelihood(*_moved(given, part, place, by))[0] for by in (1e-5, -1e-5)]
            assert slope[place] == pytest.approx((moved[0] - moved[1]) / 2e-5, rel=1e-5, abs=1e-5)


def _moved(given: list[np.ndarray], part: int, place: int, by: float) -> list[np.ndarray]:
    moved = [array.copy() for array in given]
    moved[part][place] += by
    return moved


def test_names_and_units_of_steps_change_nothing() -> None:
    values, system, item, rater = crossed()
    plain = compared(values, system, item, rater)
    renamed = compared(values**3, (system + 1) % 3, 19 - item, (rater * 3) % 8, pairs=[(2, 1), (0, 1), (0, 2)])
    for pair, other in zip(plain.pairs, renamed.pairs, strict=True):
        assert other.log_odds.value == pytest.approx(pair.log_odds.value, abs=1e-4)
        assert other.log_odds.se == pytest.approx(pair.log_odds.se, rel=1e-3)
    turned = compared(-values, system, item, rater)
    assert turned.pairs[0].log_odds.value == pytest.approx(-plain.pairs[0].log_odds.value, abs=1e-4)


def test_degrees_of_freedom_widen_the_interval() -> None:
    values, system, item, rater = crossed()
    wide = compared(values, system, item, rater, df=[7.0, None, None]).pairs[0]
    narrow = compared(values, system, item, rater).pairs[0]
    # The 97.5 % points of t with 7 degrees of freedom, and of the normal distribution.
    assert (wide.log_odds.high - wide.log_odds.value) / wide.log_odds.se == pytest.approx(2.364624)
    # 20 items and 8 raters: maximum likelihood divides their variances by 8 and not by 7.
    assert wide.log_odds.se == pytest.approx(narrow.log_odds.se * (8 / 7) ** 0.5)
    assert (narrow.log_odds.high - narrow.log_odds.value) / narrow.log_odds.se == pytest.approx(1.959964)
    assert wide.log_odds.df == 7
    assert narrow.log_odds.df is None
    assert wide.log_odds.p > narrow.log_odds.p
    assert wide.superiority.low < narrow.superiority.low < narrow.superiority.value == wide.superiority.value


def test_only_sides_with_a_term_widen_the_interval() -> None:
    values, system, item, rater = crossed()
    for left_out, n in (({"rater", "rater_system"}, 20), ({"rater_system"}, 8), (set(TERMS), None)):
        given = {"left_out": left_out, "pairs": [(1, 0)]}
        wide, plain = (compared(values, system, item, rater, df=df, **given).pairs[0] for df in ([7.0], None))
        factor = (n / (n - 1)) ** 0.5 if n else 1
        assert wide.log_odds.se == pytest.approx(plain.log_odds.se * factor)


@pytest.mark.parametrize(
    ("log_odds", "variance", "probability"),
    [
        # ln 3: 3 (3 - 1 - ln 3) / 4, written out.
        (np.log(3), 0, 3 * (2 - np.log(3)) / 4),
        (-np.log(3), 0, 1 - 3 * (2 - np.log(3)) / 4),
        (1e-9, 0, 0.5),
        (1e-3, 0, 0.5 + 1e-3 / 6),
        (400, 0, 1),
        # By scipy.integrate.quad over the densities of both logistic variables and the normal one.
        (1, 4, 0.6236705),
    ],
)  # fmt: skip
def test_superiority_of_logistic_variables(log_odds: float, variance: float, probability: float) -> None:
    assert latent_superiority(log_odds, variance) == pytest.approx(probability, abs=1e-7)


@pytest.mark.parametrize(
    ("values", "systems", "said"),
    [
        ([3, 3, 3, 3], [0, 0, 1, 1], "Fewer than two steps"),
        ([], [], "Fewer than two steps"),
        ([1, 2, 3, 4], [0, 0, 0, 0], "Fewer than two systems"),
        ([1, 2, 2, 3], [0, 0, 1, 1], SEPARATED),
        ([5, 2, 5, 2], [2, 0, 2, 0], SEPARATED),
    ],
)  # fmt: skip
def test_ratings_without_an_estimate_say_why(values: list[float], systems: list[int], said: str) -> None:
    items = np.arange(len(values)) % 2
    found = compared(values, np.array(systems, int), items, items)
    assert found.note is not None
    assert found.note.startswith(said)
    assert {pair.log_odds.note for pair in found.pairs} == {found.note}
    assert found.pairs[0].superiority.value is None


def test_a_system_without_ratings_has_no_estimate_and_the_others_do() -> None:
    values, system, item, rater = crossed()
    found = compared(values, system, item, rater, n_systems=4, pairs=[(1, 0), (3, 0)])
    assert found.pairs[0].log_odds.value is not None
    assert found.pairs[1].log_odds.note == "One of the systems has no ratings."


def test_ratings_that_are_missing_are_left_out() -> None:
    values, system, item, rater = crossed()
    holes = np.where(np.arange(values.size) % 9 == 0, np.nan, values)
    kept = ~np.isnan(holes)
    with_holes = compared(holes, system, item, rater)
    without = compared(values[kept], system[kept], item[kept], rater[kept])
    assert with_holes == without


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"pairs": [(1, 1)]}, "two different systems"),
        ({"n_systems": 2}, "below 2"),
        ({"left_out": {"documents"}}, "Unknown terms: documents"),
        ({"confidence": 1}, "confidence"),
    ],
)
def test_wrong_arguments_are_refused(options: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        compared(*crossed(), **options)


def test_items_and_raters_are_treated_alike() -> None:
    """The model has the same terms of both, although the fewer of them are eliminated last."""
    values, system, item, rater = crossed()
    found, turned = compared(values, system, item, rater), compared(values, system, rater, item)
    for pair, other in zip(found.pairs, turned.pairs, strict=True):
        assert other.log_odds.value == pytest.approx(pair.log_odds.value, abs=1e-4)
        assert other.log_odds.se == pytest.approx(pair.log_odds.se, rel=1e-3)
    swapped = {"item": "rater", "system_item": "rater_system", "rater": "item", "rater_system": "system_item"}
    assert turned.sd == pytest.approx({swapped[name]: sd for name, sd in found.sd.items()}, abs=1e-3)
    assert list(turned.sd) == list(TERMS)
    one_sided = compared(values, system, item, rater, left_out={"rater_system"})
    of_turned = compared(values, system, rater, item, left_out={"system_item"})
    assert of_turned.log_likelihood == pytest.approx(one_sided.log_likelihood, abs=1e-4)


def test_what_a_fit_factorises_goes_by_the_fewer_of_items_and_raters(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ten items of two systems by 300 raters: no matrix of raters, and few factors for each of the evaluations."""
    rng = np.random.default_rng(2)
    item, system = (np.tile(codes.ravel(), 30) for codes in np.indices((10, 2)))
    rater = np.arange(item.size) // 2
    values = np.clip(
        np.rint(3 + rng.normal(0, 1, 10)[item] + rng.normal(0, 1, 300)[rater] + rng.normal(size=600)), 1, 5
    )
    sizes, evaluations, factorise, evaluate = [], [], np.linalg.cholesky, Likelihood.__call__

    def factorised(matrix: np.ndarray) -> np.ndarray:
        sizes.append(len(matrix))
        return factorise(matrix)

    def evaluated(self: Likelihood, *given: np.ndarray) -> Any:
        evaluations.append(given)
        return evaluate(self, *given)

    monkeypatch.setattr(np.linalg, "cholesky", factorised)
    monkeypatch.setattr(Likelihood, "__call__", evaluated)
    assert compared(values, system, item, rater, n_systems=2, pairs=[(1, 0)]).note is None
    assert max(sizes) <= 10 + 10 * 2
    # One at the mode of every evaluation, and some on the way there.
    assert len(sizes) <= 3 * len(evaluations)


@pytest.mark.parametrize(
    ("limit", "said"),
    [
        ("MOST_RATINGS", "The model of ordinal steps takes up to 239 ratings; there are 240."),
        ("MOST_WORK", "There are too many systems, texts and raters for the model of ordinal steps."),
    ],
)
def test_ratings_beyond_the_limits_have_no_estimate(limit: str, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"analytics_app.stats.mixed.ordinal.{limit}", 239)
    assert compared(*crossed()).note == f"{said} {ALONE}"
