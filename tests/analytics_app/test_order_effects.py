"""Order effects and fieldwork: places as they were stored, effects that were put in, and who took part."""

import json
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.db.models import F

from analytics_app import analyses, charts, ratings
from analytics_app.ratings import Extras, Table
from analytics_app.ratings.extras.controls import Controls
from analytics_app.ratings.extras.people import COMPLETED, OUTCOMES, People
from analytics_app.ratings.extras.screens import Screens
from analytics_app.results import Row
from analytics_app.stats.comparison.within import NO_VARIATION
from tasks_app.models import Rater, Rating, Study
from tasks_app.task_types.base import Scale
from tests.analytics_app.builders import are_rendered
from tests.analytics_app.filling import Filler, new_run, work
from tests.builders import build_study
from tests.house.examples import judged, load
from tests.house.test_analyses import crossed, labelled, made, sample, table
from tests.stats.carried import Columns, sittings

N_RATERS, N_ITEMS, N_SYSTEMS = 5, 6, 3


def on_screens(data: Table, *, order: int = 0) -> tuple[Table, Screens]:
    """Put the three texts of an item on one screen of each rater, in an order that is drawn."""
    rng = np.random.default_rng(order)
    judgment = np.array([rater * N_ITEMS + item for rater in range(5) for item in range(6) for _system in range(3)])
    n = N_RATERS * N_ITEMS
    one = data.judgments
    judgments = replace(
        one,
        id=np.arange(n, dtype=np.int64),
        rater=np.repeat(np.arange(5), 6).astype(np.int32),
        unit=np.tile(np.arange(6), 5).astype(np.int32),
        order=rng.permuted(np.tile(np.arange(6), (5, 1)), axis=1).ravel().astype(np.int32),
        seconds=np.full(n, 10.0),
        at=np.ones(n),
        wave=np.ones(n, dtype=np.int32),
        group=np.full(n, -1, dtype=np.int32),
        simulated=np.zeros(n, dtype=bool),
    )
    orders = ((0, 1, 2), (1, 2, 0), (2, 0, 1))
    screens = Screens(
        parts=rng.integers(3, size=n).astype(np.int32),
        criteria=np.full(n, -1, dtype=np.int32),
        orders_of_parts=orders,
        orders_of_criteria=(),
        part_number=np.tile(np.arange(3), 6).astype(np.int32),
    )
    return replace(data, judgment=judgment.astype(np.int32), judgments=judgments), screens


def effects(table: Table, screens: Screens, scale: Scale = Scale.INTERVAL) -> list[Row]:
    of = sample(table, scale, "order_effects")
    extras = Extras({Screens: screens})
    # A nominal sample is made of labels, and keeps its places.
    return list(made("order_effects").rows(replace(of, extras=extras)))


def of(found: list[Row], statistic: str) -> list[Row]:
    return [row for row in found if row.statistic == statistic]


def values(seed: int = 1) -> np.ndarray[Any, np.dtype[np.float64]]:
    return np.random.default_rng(seed).normal(50, 3, N_RATERS * N_ITEMS * N_SYSTEMS)


def test_what_a_place_adds_is_found_again() -> None:
    table, screens = on_screens(crossed(values().tolist()))
    place = screens.places(table)
    assert sorted(set(place.tolist())) == [0, 1, 2]
    moved = replace(table, value=table.value + np.array([6.0, 0.0, -6.0])[place])
    found = effects(moved, screens)
    assert [row.label for row in of(found, "place_effect")] == ["place 1", "place 2", "place 3"]
    assert [row.value for row in of(found, "place_effect")] == pytest.approx([6, 0, -6], abs=2)
    (test,) = of(found, "place_test")
    assert test.p is not None
    assert test.p < 0.05
    assert test.criterion == "fluency"
    assert (test.settings or {})["within"] == "texts and raters"
    assert len(of(found, "place_mean")) == 3
    unmoved = of(effects(table, screens), "place_test")[0]
    assert unmoved.p is not None
    assert unmoved.p > 0.05


def test_texts_rated_once_are_compared_within_raters() -> None:
    data = crossed(values().tolist())
    table, screens = on_screens(data)
    # Every text has one rater: text t is that of rater t mod 5.
    once = table.where(table.part % 5 == table.rater)
    (test,) = of(effects(once, screens), "place_test")
    assert (test.settings or {})["within"] == "raters"
    assert test.p is not None
    few = once.where(once.rater < 3)
    (none,) = of(effects(few, screens), "place_test")
    assert (none.value, none.note) == (None, NO_VARIATION)


def test_the_second_half_and_the_trend_are_found_again() -> None:
    table, screens = on_screens(crossed(values().tolist()))
    order = table.judgments.order[table.judgment]
    tired = replace(table, value=table.value - 2.0 * order)
    found = effects(tired, screens)
    (half,), (trend,) = of(found, "second_half"), of(found, "sitting_trend")
    # Three places apart on average, and ten places.
    assert half.value == pytest.approx(-6, abs=2)
    assert trend.value == pytest.approx(-20, abs=6)
    assert trend.high is not None
    assert trend.high < 0


def one_a_screen(data: Columns) -> tuple[Table, Screens]:
    """Return simulated ratings, one text a screen, in the order of their raters."""
    numbers, texts, raters, places = data
    n = len(numbers)
    built = table(numbers.tolist(), raters.tolist(), texts.tolist(), [0] * n)
    one = replace(
        built.judgments,
        id=np.arange(n, dtype=np.int64),
        rater=raters.astype(np.int32),
        order=places.astype(np.int32),
    )
    built = replace(built, judgment=np.arange(n, dtype=np.int32), judgments=one)
    return built, Extras.empty(built, frozenset({Screens}))[Screens]


def test_the_text_and_the_answer_before_change_an_answer() -> None:
    rng = np.random.default_rng(6)
    found = effects(*one_a_screen(sittings(rng, 60, 20, 60, text=-0.3, answer=0.4)))
    (before,), (own,) = of(found, "preceding_text"), of(found, "preceding_answer")
    assert before.value == pytest.approx(-0.3, abs=0.1)
    assert own.value == pytest.approx(0.4, abs=0.1)
    assert (own.settings or {})["within"] == "texts and raters"
    assert (own.criterion, own.n_raters, own.by_system) == ("fluency", 60, False)
    drawn = {one.key: one for one in charts.draw_task(found, "main")}
    assert drawn["carry-over"].title == "Answers depend on the text or answer before for fluency"
    unmoved = effects(*one_a_screen(sittings(rng, 60, 20, 60)))
    assert all((row.p or 0) > 0.05 for name in ("preceding_text", "preceding_answer") for row in of(unmoved, name))
    # Several texts of a screen are judged side by side: no text is before another.
    assert not of(effects(*on_screens(crossed(values().tolist()))), "preceding_text")


def test_ranks_have_no_second_half() -> None:
    ranks = np.tile([1.0, 2.0, 3.0], 30)
    table, screens = on_screens(crossed(ranks.tolist()))
    found = effects(table, screens, Scale.ORDINAL)
    assert not of(found, "second_half")
    assert of(found, "place_test")


def test_labels_by_place_and_by_half() -> None:
    table, screens = on_screens(crossed(np.tile([1.0, 2.0, 2.0], 30).tolist()))
    place = screens.places(table)
    first = replace(table, value=np.where(place == 0, 1.0, 2.0))
    found = effects(first, screens, Scale.NOMINAL)
    assert [(row.label, row.value) for row in of(found, "label_place_share")][:3] == [
        ("1: place 1", 1.0), ("1: place 2", 0.0), ("1: place 3", 0.0),
    ]  # fmt: skip
    assert {(row.settings or {})["interval"] for row in of(found, "label_place_share")} == {"Student's t over raters"}
    tests = of(found, "label_place_test")
    assert [row.label for row in tests] == ["1", "2"]
    assert all(row.p is not None and row.p < 0.01 for row in tests)
    # One text a screen is chosen, whenever that is.
    assert not of(found, "second_half")


def test_seconds_over_the_sitting() -> None:
    table, screens = on_screens(crossed(values().tolist()))
    order = table.judgments.order
    faster = replace(table, judgments=replace(table.judgments, seconds=60 * 0.8**order * (1 + 0.01 * (order % 2))))
    found = effects(faster, screens)
    fifths = of(found, "seconds_a_unit")
    assert [row.label for row in fifths] == [f"fifth {number}" for number in range(1, 6)]
    assert fifths[0].value is not None
    assert fifths[-1].value is not None
    assert fifths[0].value > fifths[-1].value
    (trend,) = of(found, "seconds_trend")
    assert trend.value == pytest.approx(0.8**10, rel=0.1)
    assert (trend.n_items, trend.n_raters) == (30, 5)


def test_charts_say_what_was_seen_and_no_more() -> None:
    table, screens = on_screens(crossed(values().tolist()))
    moved = replace(table, value=table.value + np.array([6.0, 0.0, -6.0])[screens.places(table)])
    drawn = {one.key: one for one in charts.draw_task(effects(moved, screens), "main")}
    assert are_rendered(drawn.values())
    assert drawn["places"].title == "The place on the screen changes ratings for fluency"
    assert drawn["pace"].title == "Raters are not seen to become faster or slower"
    unmoved = {one.key: one for one in charts.draw_task(effects(table, screens), "main")}
    assert unmoved["places"].title == "No place on the screen is seen to change ratings"


@pytest.mark.django_db
def test_places_are_those_that_were_stored(tmp_path: Path) -> None:
    study = judged(load("magnitude", tmp_path, "in-places"), raters=1)
    task = study.tasks.get(stage="main")
    run = new_run(study)
    table = ratings.load(run, task.key)
    screens = ratings.load_extras(run, task.key, table, [Screens])[Screens]
    places, asked = screens.places(table), screens.criterion_places(table)
    stored = Rating.objects.filter(pk__in=table.id.tolist()).values_list(
        "pk", "part__number", "criterion__key", "judgment__assignment__arrangement"
    )
    seen = {pk: (part, key, drawn) for pk, part, key, drawn in stored}
    assert len(seen) == len(table) > 0
    for pk, place, turn in zip(table.id.tolist(), places.tolist(), asked.tolist(), strict=True):
        part, key, drawn = seen[pk]
        drawn = json.loads(drawn) if isinstance(drawn, str) else drawn
        assert drawn["parts"][place] == part
        assert drawn["criteria"][turn] == key
    assert {0, 1, 2} == set(places.tolist())


@pytest.mark.django_db
def test_what_was_never_stored_has_no_place() -> None:
    filler = Filler(build_study(None, opened=False))
    filler.judge("ada", "i0", "alpha-mt", {"fluency": 2})
    filler.judge("ada", "i1", "alpha-mt", {"fluency": 3}, arrangement={"parts": [0], "criteria": ["fluency"]})
    run = new_run(filler.study)
    table = ratings.load(run, "main")
    screens = ratings.load_extras(run, "main", table, [Screens])[Screens]
    # One text, and one criterion, stand nowhere in particular.
    assert screens.places(table).tolist() == screens.criterion_places(table).tolist() == [-1, -1]


@pytest.mark.django_db
def test_a_triangle_has_the_place_that_was_chosen(tmp_path: Path) -> None:
    study = judged(load("triangle", tmp_path, "chosen"), raters=4)
    found = work(new_run(study, analyses=[{"analysis": "order_effects"}, {"analysis": "agreement"}])).rows
    shares = [row for row in found if row.statistic == "chosen_place_share"]
    labels = Rating.objects.filter(rater__study=study, label__isnull=False, judgment__replaced_by=None)
    labels = labels.filter(judgment__assignment__purpose="main")
    chosen = list(labels.values_list("label", flat=True))
    assert [row.value for row in shares] == [chosen.count(place) / len(chosen) for place in ("1", "2", "3")]
    assert {row.criterion for row in found if row.analysis == "agreement"} <= {"correct", "sureness"}


@pytest.mark.django_db
def test_a_questionnaire_has_no_agreement(tmp_path: Path) -> None:
    study = judged(load("questionnaire", tmp_path, "about-you"), raters=1)
    found = work(new_run(study)).rows
    agreeing = {"agreement", "kappa", "icc", "krippendorff", "correlation", "with_rest", "intra_rater"}
    assert not agreeing & {row.analysis for row in found}
    assert "fieldwork" in {row.analysis for row in found}


def fieldwork(study: Study, **settings: Any) -> dict[tuple[str, str, str | None], float | None]:
    found = work(new_run(study, analyses=[{"analysis": "fieldwork"}], **settings)).rows
    return {(row.basis, row.statistic, row.label): row.value for row in found if row.analysis == "fieldwork"}


@pytest.mark.django_db
def test_the_numbers_of_a_method_section() -> None:
    filler = Filler(build_study(None, opened=False))
    for rater, n in (("ada", 4), ("ben", 2), ("zoe", 1)):
        for number in range(n):
            filler.judge(rater, f"i{number}", "alpha-mt", {"fluency": 3})
    filler.rater("late")
    filler.rater("trying", "sandbox")
    found = fieldwork(filler.study)
    kept = {(statistic, label): value for (basis, statistic, label), value in found.items() if basis == "kept"}
    assert kept["raters_recruited", None] == 4
    assert (kept["raters_judged", None], kept["raters_excluded", None], kept["raters_analysed", None]) == (3, 0, 3)
    assert kept["judgments_analysed", None] == 7
    per_rater = [kept["judgments_per_rater", label] for label in ("least", "median", "most")]
    per_unit = [kept["judgments_per_unit", label] for label in ("least", "median", "most")]
    assert (per_rater, per_unit) == ([1, 2, 4], [1, 1.5, 3])
    assert kept["minutes_active", "median"] == pytest.approx(2 * 12.5 / 60)
    # Nobody enrolled here: there is no pay and no time in the study to speak of.
    assert not {"minutes", "hourly_pay", "raters_finished", "control_accuracy"} & {name for name, _label in kept}


@pytest.mark.django_db
def test_all_and_kept_stand_side_by_side() -> None:
    filler = Filler(build_study(None, opened=False))
    for rater, n in (("ada", 3), ("zoe", 1)):
        for number in range(n):
            filler.judge(rater, f"i{number}", "alpha-mt", {"fluency": 3})
    found = fieldwork(filler.study, rules=[{"rule": "burn_in", "n": 1}])
    assert (found["all", "raters_analysed", None], found["kept", "raters_analysed", None]) == (2, 1)
    assert (found["all", "raters_excluded", None], found["kept", "raters_excluded", None]) == (0, 1)
    assert (found["all", "judgments_analysed", None], found["kept", "judgments_analysed", None]) == (4, 2)


@pytest.mark.django_db
def test_people_are_known_as_they_were_when_the_run_was_started(tmp_path: Path) -> None:
    study = judged(load("pairwise", tmp_path, "people"), raters=2)
    task = study.tasks.get(stage="main")
    run = new_run(study)
    Rater.objects.filter(study=study).update(enrolled_at=F("enrolled_at") - timedelta(minutes=30))
    table = ratings.load(run, task.key)

    def people() -> People:
        return ratings.load_extras(run, task.key, table, [People])[People]

    first = people()
    finished = Rater.objects.filter(study=study, outcome="completed").count()
    assert (first.counts.sum(), (first.outcome == COMPLETED).sum()) == (2, finished)
    assert finished > 0
    done = first.outcome == COMPLETED
    # A gap counts for at most half an hour.
    assert ((first.minutes[done] > 25) & (first.minutes[done] < 35)).all()
    assert (first.paid[done] > 0).all()
    assert first.currency == study.options.currency
    # Whoever came or ended since does not count.
    one = Rater.objects.filter(study=study, outcome="completed").first()
    assert one is not None
    Rater.objects.filter(pk=one.pk).update(ended_at=F("ended_at") + timedelta(days=1))
    later = people()
    assert (later.outcome == COMPLETED).sum() == finished - 1
    assert OUTCOMES[COMPLETED] == "completed"


def test_controls_of_analysed_raters_alone() -> None:
    of_all = sample(crossed(values().tolist()), Scale.INTERVAL, "fieldwork")
    controls = Controls(
        rater=np.array([0, 0, 1, 4], dtype=np.int32),
        judgment=np.arange(4),
        order=np.arange(4, dtype=np.int32),
        passed=np.array([True, False, True, True]),
        attention=np.array([False, False, False, True]),
        copy=np.zeros(4, dtype=bool),
    )
    member = analyses.registry["fieldwork"]
    kinds = {kind: of_all.extras[kind] for kind in member.needs} | {Controls: controls}
    found = list(made("fieldwork").rows(replace(of_all, extras=Extras(kinds))))
    (accuracy,), (attention,) = of(found, "control_accuracy"), of(found, "attention_accuracy")
    assert (accuracy.value, accuracy.n_items, accuracy.n_raters) == pytest.approx((2 / 3, 3, 2))
    assert (attention.value, attention.n_items) == (1, 1)
    assert labelled(of_all.table).names.labels
