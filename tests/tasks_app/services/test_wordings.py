"""Wording experiments: which wording a rater reads, drawn with the plan, balanced, and kept through everything."""

from collections import Counter
from pathlib import Path
from random import Random

import pytest
import yaml
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from hypothesis import given
from hypothesis import strategies as st

from tasks_app.designs.base import PlanUnit
from tasks_app.models import Assignment, Criterion, Place, Rater, Study
from tasks_app.selectors import screens
from tasks_app.selectors.screens import RaterScreen
from tasks_app.services.judging import assignments, judgments
from tasks_app.services.plan.wordings import draw_wordings, with_wordings
from tasks_app.services.study import lifecycle
from tests import invariants
from tests.builders import build_study
from tests.tasks_app.designs.unit_sets import unit_sets
from tests.walk import answer, arrive, next_for

NEGATIVE = {"key": "negative", "question": "How bad is the fluency?", "reversed": True}


@given(
    units=unit_sets(),
    size=st.integers(1, 8),
    others=st.integers(1, 3),
    seed=st.integers(0, 2**32),
)
def test_every_wording_is_drawn_equally_often_at_any_time(
    units: list[PlanUnit], size: int, others: int, seed: int
) -> None:
    rng = Random(seed)
    places = [unit for unit in units for _place in range(unit.k)]
    rng.shuffle(places)
    plan = [places[start : start + size] for start in range(0, len(places), size)]
    keys = with_wordings([("fluency", [f"other-{number}" for number in range(others)]), ("content", [])])
    drawn = draw_wordings(plan, keys, rng)
    of_sets = [wordings["fluency"] for wordings in drawn if wordings]
    if not any(unit.criterion for unit in units):
        assert len(of_sets) == len(plan)
        for n in range(len(of_sets) + 1):
            counts = [Counter(of_sets[:n])[name] for name in keys["fluency"]]
            assert max(counts) - min(counts) <= 1
    assert drawn == draw_wordings(plan, keys, _again(units, seed))


def _again(units: list[PlanUnit], seed: int) -> Random:
    """A stream that has come as far as that of the first drawing."""
    rng = Random(seed)
    rng.shuffle([unit for unit in units for _place in range(unit.k)])
    return rng


def experiment(owner: User | None = None, **settings: object) -> Study:
    """Open a study whose question about fluency stands in two wordings."""
    study = build_study(owner, opened=False, **settings)
    criterion = Criterion.objects.get(study=study, key="fluency")
    criterion.ends = {**criterion.ends, "wordings": [NEGATIVE]}
    criterion.save()
    return lifecycle.move(study_id=study.pk, action="open", by=owner)


def wordings_of(rater: Rater) -> set[str]:
    """The wordings on the screens of a rater."""
    return {assignment.arrangement["wordings"]["fluency"] for assignment in rater.assignments.all()}


def judge(study: Study, rater: Rater, n: int) -> None:
    for number in range(n):
        assignment = next_for(rater=rater)
        assert assignment is not None
        judgments.submit(screen=RaterScreen(rater, assignment), submission=answer(study, assignment, Random(number)))


@pytest.mark.django_db
def test_a_rater_reads_one_wording_throughout_also_when_others_left() -> None:
    checks = {"repeats": 1, "warm_up": 1, "training": 1}
    study = experiment(items=8, k=4, set_size=4, sets_per_rater=2, checks=checks, known={"training": 1})
    first = [arrive(study) for _rater in range(6)]
    assert [len(wordings_of(rater)) for rater in first] == [1] * 6
    counts = Counter(one for rater in first for one in wordings_of(rater))
    assert counts == {"first": 3, "negative": 3}
    for rater in first[:3]:
        judge(study, rater, 3)
        assignments.stop(rater=rater)
    later = [arrive(study) for _rater in range(6)]
    for rater in later:
        judge(study, rater, rater.assignments.count())
        if assignments.take_another(rater=rater):
            judge(study, rater, rater.assignments.filter(state__in=Assignment.State.UNANSWERED).count())
        assert len(wordings_of(rater)) == 1, "a set brought another wording"
    invariants.check(study)


@pytest.mark.django_db
def test_each_text_is_judged_in_every_wording_as_the_seed_says() -> None:
    study = experiment(items=4, k=4, set_size=8)
    by_unit: dict[int, Counter[str]] = {}
    for place in Place.objects.filter(unit__task__study=study):
        by_unit.setdefault(place.unit_id, Counter())[place.arrangement["wordings"]["fluency"]] += 1
    assert list(by_unit.values()) == [Counter({"first": 2, "negative": 2})] * 8
    drawn = list(Place.objects.order_by("booklet__number", "order").values_list("arrangement__wordings", flat=True))
    again = experiment(slug="again", items=4, k=4, set_size=8)
    places = Place.objects.filter(unit__task__study=again).order_by("booklet__number", "order")
    assert list(places.values_list("arrangement__wordings", flat=True)) == drawn


@pytest.mark.django_db
def test_the_screen_and_the_stored_ratings_are_those_of_the_wording() -> None:
    study = experiment(items=4, k=2, set_size=8)
    for rater in (arrive(study), arrive(study)):
        assignment = next_for(rater=rater)
        assert assignment is not None
        (asked,) = screens.screen_of(assignment, study).criteria
        (wording,) = wordings_of(rater)
        assert asked.question == ("How bad is the fluency?" if wording == "negative" else "How good is the fluency?")
        screen = RaterScreen(rater, assignment)
        form = screen.form({"p1-fluency": "2"})
        assert form.is_valid()
        (value,) = screen.values(form.cleaned_data)
        assert (value.value, value.shown_value) == ((4.0, 2.0) if wording == "negative" else (2.0, 2.0))


@pytest.mark.django_db
def test_wordings_come_back_out_of_the_study_file(tmp_path: Path) -> None:
    folder = tmp_path / "study"
    call_command("load_study", "examples/likert")
    study = Study.objects.get(slug="example-likert")
    call_command("export_study", study.slug, str(folder))
    document = yaml.safe_load((folder / "study.yaml").read_text())
    key = document["criteria"][0]["key"]
    assert "wordings" not in document["criteria"][0]
    document["criteria"][0]["wordings"] = [{**NEGATIVE, "example": "An example."}]
    document["study"]["slug"] = "worded"
    (folder / "study.yaml").write_text(yaml.safe_dump(document, sort_keys=False))
    call_command("load_study", str(folder))
    worded = Study.objects.get(slug="worded")
    frame = screens.read_frame(worded.tasks.get().pk)
    (criterion,) = (one for one in frame.criteria if one.key == key)
    assert criterion.wording_keys == ("first", "negative")
    call_command("export_study", "worded", str(tmp_path / "again"))
    written = yaml.safe_load((tmp_path / "again" / "study.yaml").read_text())["criteria"][0]["wordings"]
    assert [{name: value for name, value in one.items() if value} for one in written] == [
        {**NEGATIVE, "example": "An example."}
    ]


@pytest.mark.parametrize(
    ("wordings", "task", "sentence"),
    [
        ([{"key": "first", "question": "Else?"}], {}, "the name of the question's own words"),
        ([{"key": "a"}], {}, "the same as in an earlier wording"),
        ([{"key": f"w{n}", "question": f"{n}?"} for n in range(4)], {}, "at most 3 wordings"),
        ([{"key": "a", "question": "Else?"}], {"stage": "exit"}, "has no sets then"),
        ([{"key": "a", "question": "A?"}, {"key": "a", "question": "B?"}], {}, "the key of two entries"),
    ],
)
@pytest.mark.django_db
def test_wordings_that_cannot_be_asked_are_refused(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    wordings: list[dict[str, object]],
    task: dict[str, object],
    sentence: str,
) -> None:
    document = yaml.safe_load(Path("examples/likert/study.yaml").read_text())
    document["criteria"][0]["wordings"] = wordings
    document["tasks"][0] |= task
    (tmp_path / "study.yaml").write_text(yaml.safe_dump(document, sort_keys=False))
    (tmp_path / "items.csv").write_text(Path("examples/likert/items.csv").read_text())
    with pytest.raises(CommandError, match="Nothing was stored"):
        call_command("load_study", str(tmp_path))
    assert sentence in capsys.readouterr().err
