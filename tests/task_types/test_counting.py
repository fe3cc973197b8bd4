"""Counting: numbers and answers about facts, the ratings that are stored, and what is refused."""

from dataclasses import replace
from random import Random

import pytest
from django.template.loader import render_to_string

from tasks_app.task_types.base import Criterion, GoldAnswer, ItemTexts, Part, Quality, Screen
from tasks_app.task_types.counting import Counting
from tasks_app.task_types.simulation import planted
from tests.task_types.kit import form_of, grades, ratings_of, simulated

MENTIONED = Criterion("mentioned", "Mentioned", language="en")
CONTRADICTED = Criterion("contradicted", "Contradicted", language="en")
ADDED = Criterion("added", "Added", question="How many facts are added?", language="en")
FACTS = ["It is cheap.", "It is by the river.", "It serves soup."]
BY_FACT = {"per_fact": ["mentioned", "contradicted"], "neither": "Not mentioned"}


def screen(*criteria: Criterion, facts: object = FACTS, text: str = "A cheap place.", **params: object) -> Screen:
    """A screen with one text."""
    kind = Counting(params)
    asked = (*(criteria or (ADDED,)), *kind.brings())
    return Screen(kind, (Part(0, text, "en"),), asked, options={"facts": facts} if facts else {})


def said(given: Screen, posted: dict[str, str]) -> dict[str, float | str | None]:
    """Return the value or the text of each rating of an answer, by criterion."""
    form = form_of(given, posted)
    assert form.is_valid(), form.errors
    values = ratings_of(given, form.cleaned_data)
    assert {one.part for one in values} == {0}
    return {str(one.criterion): one.text if one.value is None else one.value for one in values}


@pytest.mark.parametrize(
    ("typed", "number"), [("0", 0), ("00", 0), ("7", 7), (" 12 ", 12), ("٣", 3), ("５", 5), ("\u200e4", 4), ("50", 50)]
)
def test_a_number_is_read_in_the_digits_of_any_script(typed: str, number: int) -> None:
    assert said(screen(), {"p1-added": typed}) == {"added": number}


@pytest.mark.parametrize("typed", ["-1", "1.5", "1,000", "51", "three", "1e1", "NaN", "\x00", "\ud800", "9" * 10**5])
def test_everything_else_is_refused_with_a_sentence(typed: str) -> None:
    found = form_of(screen(), {"p1-added": typed}).errors
    assert found == {"p1-added": ["How many facts are added?: give a whole number from 0 to 50, in digits."]}


def test_without_a_number_the_form_says_which_question_is_open() -> None:
    assert form_of(screen(), {}).errors == {"p1-added": ["Answer “How many facts are added?”"]}
    assert form_of(screen(most=5), {"p1-added": "6"}).errors


def test_answers_about_facts_are_counted_and_kept() -> None:
    given = screen(MENTIONED, CONTRADICTED, ADDED, **BY_FACT)
    posted = {"p1-fact-1": "mentioned", "p1-fact-2": "none_of_these", "p1-fact-3": "mentioned", "p1-added": "2"}
    assert said(given, posted) == {
        "mentioned": 2, "contradicted": 0, "added": 2,
        "fact-1": "mentioned", "fact-2": "none_of_these", "fact-3": "mentioned",
    }  # fmt: skip
    assert form_of(given, {**posted, "p1-fact-2": ""}).errors == {"p1-fact-2": ["Answer “It is by the river.”"]}
    assert list(form_of(given, {**posted, "p1-fact-2": "added"}).errors) == ["p1-fact-2"]
    assert "p1-mentioned" not in form_of(given).fields


def test_facts_of_items_and_names_of_criteria_are_checked() -> None:
    kind = Counting({**BY_FACT, "facts": 2})
    (problem,) = kind.problems([MENTIONED, ADDED])
    assert problem == "per_fact names 'contradicted', which is none of the criteria: mentioned, added."

    def fault(facts: object) -> list[str]:
        return list(kind.item_problems(ItemTexts("i", (), (), options={"facts": facts} if facts is not None else {})))

    assert fault(FACTS[:2]) == []
    assert fault(None) == ['The column options has no list of facts. Write {"facts": ["…", "…"]}.']
    assert fault(FACTS) == ["It has 3 facts; the task has room for 2. Raise “Facts per item”."]
    assert fault([]) == fault("one") == ["options, facts: Facts are a list of texts, at least one."]
    assert fault(["a", "a"]) == ["options, facts: Two facts are the same."]
    assert fault(["a", " "]) == fault([1]) == ["options, facts: Each fact is a text of at most 500 characters."]
    assert list(Counting().item_problems(ItemTexts("i", (), ()))) == []


def test_known_answers_are_numbers_also_of_facts() -> None:
    given = screen(MENTIONED, CONTRADICTED, ADDED, **BY_FACT)
    form = form_of(
        given, {"p1-fact-1": "mentioned", "p1-fact-2": "mentioned", "p1-fact-3": "contradicted", "p1-added": "0"}
    )
    assert form.is_valid()
    known = [
        GoldAnswer("exact", 2, "mentioned"), GoldAnswer("exact", 0, "contradicted"),
        GoldAnswer("range", [0, 1], "added"),
    ]  # fmt: skip
    assert [one.passed for one in grades(given, form.cleaned_data, known)] == [True, False, True]
    laid = given.kind.laid_over(given, form.cleaned_data, known).questions
    assert [(one.title, bool(one.options), one.track is not None) for one in laid] == [
        ("Mentioned", True, False), ("Contradicted", True, False), ("How many facts are added?", False, True),
    ]  # fmt: skip


@pytest.mark.parametrize("number", range(3))
def test_whoever_follows_the_check_of_attention_passes_it(number: int) -> None:
    given = screen(MENTIONED, CONTRADICTED, ADDED, **BY_FACT)
    check = given.kind.instructed((MENTIONED, CONTRADICTED, ADDED), number)
    facts = check.options["facts"]
    assert isinstance(facts, list)
    wanted = {criterion.name: criterion.key for criterion in (MENTIONED, CONTRADICTED)}
    posted = {
        f"p1-fact-{n}": next(key for name, key in wanted.items() if f"“{name}”" in fact)
        for n, fact in enumerate(facts, start=1)
    }
    ((_system, words),) = check.texts
    posted["p1-added"] = words.rpartition("“")[2].rstrip("”")
    shown = replace(given, options=check.options)
    form = form_of(shown, posted)
    assert form.is_valid()
    known = [GoldAnswer(kind, answer, key) for key, kind, answer in check.answers]
    assert {one.criterion for one in known} == {"mentioned", "contradicted", "added"}
    assert all(one.passed for one in grades(shown, form.cleaned_data, known))
    other = {"mentioned": "contradicted", "contradicted": "mentioned"}
    turned = {name: other.get(value, value) for name, value in posted.items()}
    form = form_of(shown, turned)
    assert form.is_valid()
    assert not all(one.passed for one in grades(shown, form.cleaned_data, known))


def test_simulated_raters_find_what_is_planted() -> None:
    with planted({"many": {"": 1.0}, "few": {"": 0.0}}):
        counts = {
            text: [int(simulated(screen(text=text), Quality.CAREFUL, Random(n))["p1-added"]) for n in range(10)]
            for text in ("many", "few")
        }
    assert min(counts["many"]) > max(counts["few"])


def test_the_datasheet_says_that_occurrences_are_counted() -> None:
    kind = Counting({**BY_FACT, "most": 20})
    assert kind.heds(ADDED) == {
        "4.3.3": "21",
        "4.3.4": "whole numbers from 0 to 20",
        "4.3.5": "other: a field in which a number is typed",
        "4.3.8": "counting occurrences",
    }
    assert kind.heds(MENTIONED)["4.3.8"] == "counting occurrences"
    assert kind.heds(kind.brings()[0])["4.3.4"] == "mentioned, contradicted, Not mentioned"


def test_the_page_asks_for_each_fact_and_for_each_number() -> None:
    given = screen(MENTIONED, CONTRADICTED, ADDED, **BY_FACT)
    page = render_to_string("task_types/counting.html", {"screen": given, "form": form_of(given)})
    assert page.count('type="radio"') == 9
    assert page.count("data-labels") == 3
    assert page.count('inputmode="numeric"') == 1
    assert page.count("Not mentioned</span>") == 3
    assert "checked" not in page
    assert '<label for="id_p1-added"' in page
    shown = form_of(given, {"p1-added": "x"})
    assert 'value="x"' in render_to_string("task_types/counting.html", {"screen": given, "form": shown})
