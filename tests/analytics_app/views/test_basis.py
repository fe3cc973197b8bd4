"""The ratings and raters that a headline is based on, and the word of a pair that a system is closer to."""

from dataclasses import replace
from itertools import combinations

import pytest
from django.test import Client

from analytics_app.models import ResultRow
from analytics_app.results import COLUMNS, Row
from analytics_app.show.findings import FindingQuestion, finding, sentences_of
from analytics_app.show.index import RowIndex
from tasks_app.models import Study
from tests.analytics_app.builders import build_run
from tests.analytics_app.views.reading import page, results, text
from tests.analytics_app.views.test_findings import THREE, rated

pytestmark = pytest.mark.django_db


def test_pairs_of_words_name_the_word_that_a_system_is_closer_to() -> None:
    def said(rows: list[Row], *names: str) -> list[str]:
        index = RowIndex([ResultRow(**{name: getattr(one, name) for name in COLUMNS}) for one in rows])
        questions = [FindingQuestion(name, "semantic_differential", 0.05) for name in names]
        found = [finding(index.kept, question) for question in questions]
        return sentences_of([one for one in found if one is not None])

    clear = rated(THREE, combinations("abc", 2))
    assert said(clear, "confusing – clear", "impersonal – personal") == [
        "a is rated closer than b and c to “clear” and “personal”; b is rated closer than c, too."
    ]
    assert said(rated(THREE), "cold – warm") == ["No two systems differ clearly on cold – warm."]


def test_the_basis_of_the_headline_is_told_where_the_run_counts_more(rosas_browser: Client, closed: Study) -> None:
    rows = [replace(one, n_ratings=18, n_raters=5) for one in rated(THREE)]
    tasks = {"main": {"ratings": 66}}
    build_run(closed, rows, facts={"simulated_raters": 0, "raters": 6, "tasks": tasks})
    said = text(page(rosas_browser, results(closed)))
    assert "66 ratings 6 raters The finding on style is based on 54 ratings by 5 raters" in said
    tasks = {"main": {"ratings": 52, "shared_texts": 2}}
    build_run(closed, rows, facts={"simulated_raters": 0, "raters": 5, "tasks": tasks})
    said = text(page(rosas_browser, results(closed)))
    assert (
        "The finding on style is based on 54 ratings by 5 raters (where several systems share a text, its ratings "
        "count for each of them)" in said
    )
    build_run(closed, rows, facts={"simulated_raters": 0, "raters": 5, "tasks": {"main": {"ratings": 54}}})
    assert "The finding on" not in text(page(rosas_browser, results(closed)))
