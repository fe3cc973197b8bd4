"""The door from rows to arrays: which ratings a run sees, and that every column is the table's."""

import numpy as np
import pytest

from analytics_app import ratings
from analytics_app.ratings.copying import copy
from tasks_app.models import Item, Output, Part, PartOutput, Rating, Study
from tests.analytics_app.filling import Filler, new_run

pytestmark = pytest.mark.django_db


@pytest.fixture
def filler(study: Study) -> Filler:
    return Filler(study)


def seen(filler: Filler) -> list[tuple[str, str, str, float]]:
    """What a run over everything sees, in words: (rater, item, system, value)."""
    table = ratings.load(new_run(filler.study), "main")
    names = table.names
    row, system, item = table.by_system()
    return [
        (names.raters[table.rater[one]], names.items[i], names.systems[s], float(table.value[one]))
        for one, s, i in zip(row.tolist(), system.tolist(), item.tolist(), strict=True)
    ]


def test_every_column_is_what_the_rows_say(filler: Filler) -> None:
    for rater in ("zoe", "adam"):
        for item in ("i0", "i2"):
            filler.judge(rater, item, "alpha-mt", {"fluency": 4.5}, order=7 if rater == "zoe" else 3)
    table = ratings.load(new_run(filler.study), "main")
    rows = list(Rating.objects.order_by("id").select_related("rater", "unit", "judgment__assignment", "criterion"))
    names = table.names
    assert table.id.tolist() == [one.pk for one in rows]
    assert [names.raters[one] for one in table.rater] == [one.rater.pseudonym for one in rows]
    assert [names.units[one] for one in table.unit] == [one.unit.key for one in rows]
    assert names.part_ids[table.part].tolist() == [one.part_id for one in rows]
    assert names.unit_of_part[table.part].tolist() == table.unit.tolist()
    assert [names.criteria[one] for one in table.criterion] == ["fluency"] * 4
    assert table.value.tolist() == [4.5] * 4
    assert np.isnan(table.shown).all()
    assert table.label.tolist() == [-1] * 4
    assert table.judgments.id[table.judgment].tolist() == [one.judgment_id for one in rows]
    assert table.judgments.order[table.judgment].tolist() == [7, 7, 3, 3]
    assert table.judgments.seconds[table.judgment].tolist() == [12.5] * 4
    assert table.judgments.at[0] == pytest.approx(rows[0].judgment.submitted_at.timestamp(), abs=1e-3)
    # Numbered by name, not by who came first.
    assert names.raters == ("adam", "zoe")


def test_only_current_main_answers_that_are_no_surplus_enter(filler: Filler) -> None:
    filler.judge("ada", "i0", "alpha-mt", {"fluency": 1})
    filler.judge("ada", "i1", "alpha-mt", {"fluency": 2}, state="surplus")
    filler.judge("ada", "i2", "alpha-mt", {"fluency": 3}, purpose="control")
    filler.judge("ada", "i3", "alpha-mt", {"fluency": 3}, purpose="warm_up")
    filler.judge("ada", "i1", "beta-mt", {}, skip_reason="upsetting", state="skipped")
    filler.judge("sandy", "i1", "beta-mt", {"fluency": 4}, rater_kind="sandbox")
    first = filler.judge("bob", "i0", "beta-mt", {"fluency": 5})
    filler.answer(first.assignment, filler.parts["i0", "beta-mt"], {"fluency": 2}, replaces=first)
    assert seen(filler) == [("ada", "i0", "alpha-mt", 1.0), ("bob", "i0", "beta-mt", 2.0)]
    with_surplus = ratings.load(new_run(filler.study, surplus=True), "main")
    assert with_surplus.value.tolist() == [1.0, 2.0, 2.0]


def test_a_run_sees_what_was_there_when_it_began_and_goes_on_seeing_it(filler: Filler) -> None:
    first = filler.judge("ada", "i0", "alpha-mt", {"fluency": 1})
    run = new_run(filler.study)
    filler.judge("bob", "i0", "alpha-mt", {"fluency": 5})
    later = filler.answer(first.assignment, filler.parts["i0", "alpha-mt"], {"fluency": 4}, replaces=first)
    assert ratings.load(run, "main").value.tolist() == [1.0]
    # Even a skip instead of the answer does not reach back.
    filler.answer(first.assignment, None, {}, replaces=later, skip_reason="other")
    first.assignment.state = "skipped"
    first.assignment.save()
    assert ratings.load(run, "main").value.tolist() == [1.0]
    assert ratings.load(new_run(filler.study), "main").value.tolist() == [5.0]


def test_a_text_shown_once_counts_for_each_system_that_wrote_it(filler: Filler) -> None:
    part = filler.parts["i0", "alpha-mt"]
    same = Output.objects.get(item__key="i0", system__key="beta-mt")
    Study.objects.filter(pk=filler.study.pk).update(state="draft", current_version=0)
    PartOutput.objects.create(part=part, output=same)
    Study.objects.filter(pk=filler.study.pk).update(state="open", current_version=1)
    filler.judge("ada", "i0", "alpha-mt", {"fluency": 3})
    filler.judge("ada", "i1", "beta-mt", {"fluency": 4})
    assert seen(filler) == [
        ("ada", "i0", "alpha-mt", 3.0),
        ("ada", "i0", "beta-mt", 3.0),
        ("ada", "i1", "beta-mt", 4.0),
    ]


def test_criteria_are_read_one_by_one_and_masks_keep_the_meaning_of_codes(filler: Filler) -> None:
    filler.judge("ada", "i0", "alpha-mt", {"fluency": 3})
    filler.judge("bob", "i0", "beta-mt", {"fluency": 4})
    run = new_run(filler.study)
    criterion = filler.criteria["fluency"].pk
    assert len(ratings.load(run, "main", [criterion])) == 2
    assert len(ratings.load(run, "main", [criterion + 1])) == 0
    assert len(ratings.load(run, "main", [])) == 0
    table = ratings.load(run, "main")
    bob = table.where(table.value == 4)
    assert [bob.names.raters[one] for one in bob.rater] == ["bob"]
    assert bob.by_system()[0].tolist() == [0]


def test_a_study_without_ratings_is_an_empty_table(filler: Filler) -> None:
    table = ratings.load(new_run(filler.study), "main")
    assert len(table) == 0
    assert table.n_raters == table.n_texts == 0
    assert [one.tolist() for one in table.by_system()] == [[], [], []]


def test_labels_are_coded_in_their_order(filler: Filler) -> None:
    judgment = filler.judge("ada", "i0", "alpha-mt", {})
    for number, label in enumerate(("yes", "Änderung", "no"), start=1):
        Rating.objects.create(
            judgment=judgment,
            task=filler.task,
            rater=judgment.assignment.rater,
            unit=judgment.assignment.unit,
            part=Part.objects.filter(unit=judgment.assignment.unit).first(),
            number=number,
            label=label,
        )
    table = ratings.load(new_run(filler.study), "main")
    assert [table.names.labels[one] for one in table.label] == ["yes", "Änderung", "no"]
    assert table.names.labels == tuple(sorted(("yes", "Änderung", "no")))


def test_features_are_words_by_item(filler: Filler) -> None:
    Study.objects.filter(pk=filler.study.pk).update(state="draft", current_version=0)
    Item.objects.filter(key="i0").update(features={"domain": "news", "length": 12})
    filler.judge("ada", "i0", "alpha-mt", {"fluency": 3})
    names = ratings.load(new_run(filler.study), "main").names
    assert names.features["domain"].tolist() == ["news", "", "", ""]
    assert names.features["length"].tolist() == ["12", "", "", ""]


def test_many_rows_arrive_whole(db: None) -> None:
    # More than one buffer of the reader.
    sql = "SELECT n::int4, (n * 0.5)::float8 FROM generate_series(1, 300000) n"
    found = copy(sql, {}, {"n": np.int32, "half": np.float64})
    assert found["n"].tolist() == list(range(1, 300_001))
    assert found["half"].sum() == 0.5 * 300_000 * 300_001 / 2


def test_a_null_where_none_may_be_is_an_error_and_not_a_shifted_column(db: None) -> None:
    with pytest.raises(ValueError, match="null"):
        copy("SELECT CASE WHEN n = 2 THEN NULL ELSE n END FROM generate_series(1, 3) n", {}, {"n": np.int32})
