"""Quality rules: what each removes from a table, and the reasons it writes down."""

import numpy as np
import pytest
from django.contrib.auth.models import User

from analytics_app import quality
from analytics_app.models import Exclusion
from analytics_app.results import Row
from tasks_app.models import Study
from tests.analytics_app.filling import Filler, Found, new_run, work
from tests.builders import build_study
from tests.once import study_made_once

pytestmark = pytest.mark.django_db

ITEMS = ("i0", "i1", "i2", "i3")
SYSTEMS = ("alpha-mt", "beta-mt")

SYSTEMS_ALONE = [{"analysis": "systems"}]

# Four raters of all eight outputs: eve has one wild value, sam gave the same rating throughout.
GIVEN = {
    "ada": (1, 4, 3, 4, 3, 4, 3, 4),
    "bob": (5, 3, 2, 3, 2, 3, 2, 3),
    "eve": (3, 3, 3, 3, 3, 4, 3, 1),
    "sam": (5, 5, 5, 5, 5, 5, 5, 5),
}


def four_raters(study: Study) -> Filler:
    """Put the ratings of four raters into a study."""
    filler = Filler(study)
    outputs = [(item, system) for item in ITEMS for system in SYSTEMS]
    for rater, given in GIVEN.items():
        filler.fill((rater, *output, {"fluency": value}) for output, value in zip(outputs, given, strict=True))
    return filler


study_once, study = study_made_once("study", build_study)


@pytest.fixture(scope="module")
def filler_once(module_rosa: User) -> Filler:
    """Fill a study for the tests of this module."""
    filler = Filler(build_study(module_rosa, slug="filled"))
    values = {"ada": (3, 4, 3, 4, 3, 4, 3, 4), "bob": (2, 3, 2, 3, 2, 3, 2, 3), "eve": (3, 3, 3, 3, 3, 4, 3, 1)}
    for rater, given in values.items():
        outputs = [(item, system) for item in ITEMS for system in SYSTEMS]
        filler.fill((rater, *output, {"fluency": value}) for output, value in zip(outputs, given, strict=True))
    return filler


@pytest.fixture
def filler(filler_once: Filler, db: None) -> Filler:
    """Three raters who judged all eight outputs: ada and bob alike, eve with one wild value."""
    return filler_once.again()


def applied(study: Study, *rules: dict[str, object]) -> Found:
    """Apply rules, and compare the systems."""
    return work(new_run(study, rules=list(rules), analyses=SYSTEMS_ALONE))


def funnel(rows: list[Row]) -> list[tuple[str, str | None, int | None]]:
    steps = [one for one in rows if one.analysis == "funnel" and not one.by_system and one.statistic != "left"]
    return [(one.statistic, one.label, one.n_ratings) for one in steps]


def test_without_rules_everything_is_kept_and_results_have_one_basis(filler: Filler) -> None:
    found = applied(filler.study)
    assert funnel(found.rows) == [("collected", None, 24), ("kept", None, 24)]
    assert not found.exclusions
    assert {one.basis for one in found.rows if one.analysis != "funnel"} == {"kept"}


def test_burn_in_takes_the_first_places_of_every_rater(filler: Filler) -> None:
    found = applied(filler.study, {"rule": "burn_in", "n": 2})
    assert funnel(found.rows) == [("collected", None, 24), ("removed", "burn_in", 6), ("kept", None, 18)]
    assert {(one.judgment.assignment.rater.pseudonym, one.judgment.assignment.order) for one in found.exclusions} == {
        (rater, order) for rater in ("ada", "bob", "eve") for order in (1, 2)
    }
    assert {one.reason for one in found.exclusions} == {
        "place 1 of the rater, among the first 2",
        "place 2 of the rater, among the first 2",
    }
    assert {(one.value, one.limit) for one in found.exclusions} == {(1.0, 2.0), (2.0, 2.0)}
    taken = {one.system: one.n_ratings for one in found.rows if one.statistic == "removed_by_system"}
    assert taken == {"alpha-mt": 3, "beta-mt": 3}


def test_places_follow_the_order_of_showing_and_not_of_answering(filler: Filler) -> None:
    late = filler.judge("zoe", "i0", "alpha-mt", {"fluency": 5}, order=2)
    early = filler.judge("zoe", "i0", "beta-mt", {"fluency": 1}, order=1)
    found = applied(filler.study, {"rule": "burn_in", "n": 1})
    gone = {one.judgment_id for one in found.exclusions}
    assert early.pk in gone
    assert late.pk not in gone


def test_the_fence_is_pooled_over_z_and_strict(filler: Filler) -> None:
    found = applied(filler.study, {"rule": "iqr", "factor": 0.5})
    z = []
    for given in ((3, 4, 3, 4, 3, 4, 3, 4), (2, 3, 2, 3, 2, 3, 2, 3), (3, 3, 3, 3, 3, 4, 3, 1)):
        values = np.array(given, dtype=float)
        z += ((values - values.mean()) / values.std(ddof=1)).tolist()
    q1, q3 = np.quantile(z, [0.25, 0.75])
    outside = [one for one in z if one < q1 - 0.5 * (q3 - q1) or one > q3 + 0.5 * (q3 - q1)]
    assert len(outside) == 1
    (one,) = found.exclusions
    assert one.rating.rater.pseudonym == "eve"
    assert one.rating.value == 1
    assert one.value == pytest.approx(outside[0])
    assert one.limit == pytest.approx(q1 - 0.5 * (q3 - q1))
    assert "below the fence" in one.reason
    assert funnel(found.rows)[1:4] == [("removed", "iqr", 1), ("removed_low", "iqr", 1), ("removed_high", "iqr", 0)]


def test_z_is_not_taken_again_after_the_fence(filler: Filler) -> None:
    found = applied(filler.study, {"rule": "iqr", "factor": 0.5})
    kept = {one.system: one.value for one in found.rows if one.statistic == "mean_z" and one.basis == "kept"}
    whole = {one.system: one.value for one in found.rows if one.statistic == "mean_z" and one.basis == "all"}
    (gone,) = found.exclusions
    # eve's wild value was beta's: the mean of the z that were there before, without hers.
    assert kept["alpha-mt"] == pytest.approx(whole["alpha-mt"])
    assert kept["beta-mt"] == pytest.approx((12 * whole["beta-mt"] - gone.value) / 11)


def test_z_is_taken_again_after_a_rule_that_does_not_look_at_it(filler: Filler) -> None:
    found = applied(filler.study, {"rule": "burn_in", "n": 4})
    kept = {one.system: one.value for one in found.rows if one.statistic == "mean_z" and one.basis == "kept"}
    z = []
    for given in ((3, 4, 3, 4), (2, 3, 2, 3), (3, 4, 3, 1)):
        values = np.array(given, dtype=float)
        z.append((values - values.mean()) / values.std(ddof=1))
    assert kept["alpha-mt"] == pytest.approx(np.mean([one[::2] for one in z]))
    assert kept["beta-mt"] == pytest.approx(np.mean([one[1::2] for one in z]))


def test_exclusions_by_hand_that_held_at_the_start_count_and_later_ones_do_not(filler: Filler) -> None:
    study = filler.study
    reason = "Told us they had not read the texts."
    by_hand = Exclusion.objects.create(study=study, rule="manual", rater=filler.raters["bob"], reason=reason)
    judgment = Exclusion.objects.create(
        study=study,
        rule="manual",
        judgment=filler.raters["ada"].assignments.get(order=1).judgments.get(),
        reason="The browser had shown the wrong text.",
    )
    run = new_run(study, analyses=SYSTEMS_ALONE)
    run.facts = {"manual_exclusions": [by_hand.pk, judgment.pk]}
    run.save()
    Exclusion.objects.create(study=study, rule="manual", rater=filler.raters["eve"], reason="Later.")
    found = work(run)
    assert funnel(found.rows) == [("collected", None, 24), ("removed", "manual", 9), ("kept", None, 15)]
    assert {(one.rater_id, one.judgment_id, one.reason) for one in found.exclusions} == {
        (filler.raters["bob"].pk, None, reason),
        (None, judgment.judgment_id, judgment.reason),
    }


def test_rules_work_in_the_order_of_the_researcher(filler: Filler) -> None:
    rules = [{"rule": "burn_in", "n": 1}, {"rule": "iqr", "factor": 0.5}]
    first = applied(filler.study, *rules)
    second = applied(filler.study, *rules[::-1])
    assert [one.label for one in first.rows if one.statistic == "removed"] == ["burn_in", "iqr"]
    assert [one.label for one in second.rows if one.statistic == "removed"] == ["iqr", "burn_in"]


@pytest.mark.parametrize("name", list(quality.registry))
def test_every_rule_stands_being_given_nothing(study: Study, name: str) -> None:
    found = applied(study, {"rule": name})
    assert funnel(found.rows)[-1] == ("kept", None, 0)
    assert not found.exclusions


def test_every_analysis_stands_being_given_nothing(study: Study) -> None:
    found = work(new_run(study))
    assert funnel(found.rows)[-1] == ("kept", None, 0)
    assert not [one for one in found.rows if one.statistic == "mean" and one.value is not None]
