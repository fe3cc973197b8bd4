"""The library of criteria: what its entries say, and how they come into a set-up."""

import pytest
from django.contrib.auth.models import User

from tasks_app import task_types
from tasks_app.models import Setup
from tasks_app.setup import starting
from tasks_app.setup.criteria import library as criteria
from tasks_app.setup.criteria.library import Entry, library
from tasks_app.setup.starting import Names
from tasks_app.studyfile.declarations import CriterionBlock
from tasks_app.task_types import TaskType
from tasks_app.task_types.base import Criterion

NAMES = Names("Library", "Texts")
RATING = [member for member in task_types.registry.values() if member.criteria_needed[1] != 0]


@pytest.mark.parametrize("entry", library().values(), ids=list(library()))
def test_an_entry_says_what_the_datasheet_asks_and_where_it_comes_from(entry: Entry) -> None:
    assert entry.heds["4.1.1"] in {"correctness", "goodness", "feature"}
    assert entry.heds["4.1.2"] in {"form", "content", "both"}
    assert entry.heds["4.1.3"] in {"own right", "relative to input", "relative to something external"}
    assert entry.heds["4.2.1"] in {"objective", "subjective"}
    assert entry.heds["4.2.3"] in {"intrinsic", "extrinsic"}
    assert "(20" in entry.source
    assert entry.fits
    assert (entry.low, entry.high) == (entry.steps[0], entry.steps[-1])
    assert all((entry.name, entry.definition, entry.question, entry.aspect))


def test_the_library_is_large_enough_and_searched_by_words() -> None:
    assert 25 <= len(library()) <= 45
    assert criteria.search("fluency")[0].key == "fluency"
    assert {entry.key for entry in criteria.search("summaries faithful")} == {"faithfulness", "factuality"}
    assert len(criteria.search("")) == len(library())
    assert criteria.search("no such word") == []
    duc = ["grammaticality", "nonredundancy", "referential-clarity", "focus", "structure"]
    assert [entry.key for entry in criteria.search("DUC 2005 linguistic quality")] == duc
    assert criteria.search("typicality")[0].key == "typicality"


@pytest.mark.parametrize("member", RATING, ids=[member.name for member in RATING])
def test_an_entry_fits_every_type_that_takes_criteria(member: type[TaskType]) -> None:
    for entry in library().values():
        kind = member()
        worded = criteria.as_criterion(entry, kind)
        assert CriterionBlock.read({**worded})
        asked = Criterion(
            worded["key"],
            worded["name"],
            question=worded["question"],
            low=worded.get("low", ""),
            high=worded.get("high", ""),
            labels=tuple(worded.get("labels", ())),
        )
        if member.name != "semantic_differential":  # it asks pairs of words, which the library does not have
            assert list(kind.problems([asked])) == []


@pytest.fixture
def setup(rosa: User) -> Setup:
    study = starting.from_type(owner=rosa, member=task_types.registry["likert"], names=NAMES)
    return Setup.objects.get(study=study)


@pytest.mark.django_db
def test_criteria_are_added_once_and_for_the_task(setup: Setup, rosa: User) -> None:
    before = [entry["key"] for entry in setup.given["criteria"]]
    changed = criteria.add(setup=setup, task=0, keys=["coherence", before[0], "coherence"], by=rosa)
    given = changed.setup.given
    assert [entry["key"] for entry in given["criteria"]] == [*before, "coherence"]
    assert given["tasks"][0]["criteria"] == [*before, "coherence"]
    added = given["criteria"][-1]
    assert added["labels"] == list(library()["coherence"].steps)
    assert added["heds"]["4.3.1.2"] == "Coherence (Howcroft et al. 2020)"
    assert not changed.conflicts


@pytest.mark.django_db
def test_another_number_of_steps_gets_the_words_of_both_ends(rosa: User, setup: Setup) -> None:
    setup.given["tasks"][0]["params"] = {"points": 7}
    setup.save()
    added = criteria.add(setup=setup, task=0, keys=["coherence"], by=rosa).setup.given["criteria"][-1]
    assert "labels" not in added
    assert (added["low"], added["high"]) == ("Very badly", "Very well")


@pytest.mark.django_db
def test_what_is_not_there_cannot_be_added(setup: Setup, rosa: User) -> None:
    for task, key in ((0, "no-such-criterion"), (1, "coherence")):
        with pytest.raises(LookupError):
            criteria.add(setup=setup, task=task, keys=[key], by=rosa)
    assert Setup.objects.get().revision == setup.revision


def test_a_comparison_asks_to_compare() -> None:
    worded = criteria.as_criterion(library()["fluency"], task_types.registry["pairwise"]())
    assert worded["question"] == "Compare the texts by how well or badly they read."
    assert not {"labels", "low", "high"} & set(worded)
    number = criteria.as_criterion(library()["fluency"], task_types.registry["magnitude"]())
    assert number["question"] == library()["fluency"].question
