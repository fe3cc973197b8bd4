"""Tables of factors, profiles, PANAS and questions: what stands in them, before and after rules."""

from collections.abc import Sequence
from dataclasses import fields, replace

import numpy as np
import pytest

from analytics_app.analyses.base import QuestionCriterion
from analytics_app.models import ResultRow
from analytics_app.results import Row
from analytics_app.show.cells import DASH
from analytics_app.show.shown import tables_for
from analytics_app.show.table import Table
from analytics_app.views.sections import sections_of
from tasks_app.task_types.base import Scale
from tests.analytics_app.scales import moods, pairs, panas_table, rows_of, sample, semantic, table, words


def stored(rows: Sequence[Row], *, both: bool = False) -> list[ResultRow]:
    """Return rows as pages read them; `both` gives them before the rules too."""
    everything = [*([replace(row, basis="all") for row in rows] if both else ()), *rows]
    return [ResultRow(**{one.name: getattr(row, one.name) for one in fields(Row)}) for row in everything]


def shown(name: str, rows: Sequence[Row], *, both: bool = False) -> dict[str, Table]:
    """Return the tables of an analysis by their captions; every row has a cell a column."""
    found = {str(one.caption): one for one in tables_for(name, stored(rows, both=both), 0.05)}
    for one in found.values():
        assert one.rows, one.caption
        assert all(len(row) == len(one.columns) for row in one.rows), one.caption
    return found


def lines(one: Table) -> list[dict[str, str]]:
    """Return the rows of a table, each by column."""
    return [{str(column.label): cell.text for column, cell in zip(one.columns, row, strict=True)} for row in one.rows]


def cells(one: Table, head: str) -> dict[str, str]:
    """Return the row of a table that begins with a word, by column."""
    (row,) = [line for line, cell in zip(lines(one), one.rows, strict=True) if cell[0].text == head]
    return row


@pytest.mark.parametrize("both", [False, True])
def test_affect(*, both: bool) -> None:
    given = sample("panas", panas_table(*moods(60, 3, rise=0.4)), words())
    found = shown("panas", rows_of("panas", given), both=both)
    titles = ["Positive and negative affect", "Groups at the beginning", "Change", "Groups compared"]
    assert list(found) == titles
    scores = cells(found["Positive and negative affect"], "Positive affect, messages, wave 3")
    assert scores["People"] == "30"
    assert scores["Dropped out"] == "0\u00a0%"
    change = cells(found["Change"], "Positive affect, messages, wave 1 to wave 3")
    assert change["Adjusted p"] == "< 0.001"
    assert (change["df"], change["Dropped out"]) == ("29", "0")
    assert DASH not in change.values()
    assert ("Before rules" in change) == both
    assert any("Šidák over 12 tests" in note for note in found["Change"].notes)


def test_affect_once() -> None:
    given = sample("panas", panas_table(*moods(20, 1)), words())
    assert list(shown("panas", rows_of("panas", given))) == ["Positive and negative affect", "Groups at the beginning"]


@pytest.mark.parametrize("both", [False, True])
def test_factors(*, both: bool) -> None:
    found = shown("factors", rows_of("factors", sample("factors", semantic(), pairs())), both=both)
    assert list(found) == ["Loadings", "Factors", "Factor scores of systems", "Suitability for factor analysis"]
    (bold,) = [cell for cell in found["Loadings"].rows[0] if cell.strong]
    assert bold.text.startswith("0.8")
    assert cells(found["Suitability for factor analysis"], "Number of factors")["Value"] == "2"


def test_factors_that_are_refused() -> None:
    found = shown("factors", rows_of("factors", sample("factors", semantic(raters=9), pairs())))
    (suited,) = found.values()
    assert any("30 for 6 scales" in note for note in suited.notes)


@pytest.mark.parametrize("both", [False, True])
def test_profile(*, both: bool) -> None:
    rows = rows_of("semantic_profile", sample("semantic_profile", semantic(), pairs()))
    (found,) = shown("semantic_profile", rows, both=both).values()
    assert len(found.rows) == 6
    assert len(found.columns) == 1 + 3 * (3 if both else 2)


def test_answers() -> None:
    values = np.array([[1.0, 1.0], [2.0, 0.0], [2.0, 1.0]])
    data = table(values, rater=[0, 1, 2], item=[0] * 3, system=[-1] * 3, criteria=["ease", "box"], group=[0, 0, 1])
    asked = (
        QuestionCriterion("ease", "How easy?", Scale.ORDINAL, 0, (1.0, 2.0), (1.0, 2.0)),
        QuestionCriterion("box", "Agreed", Scale.NOMINAL, 1, (0.0, 1.0), (0.0, 1.0)),
    )
    rows = rows_of("questions", sample("questions", data, asked))
    (ease,) = shown("questions", [row for row in rows if row.criterion == "ease"]).values()
    assert [str(column.label) for column in ease.columns] == ["Answer", "Everybody", "diary", "messages"]
    assert cells(ease, "2")["Everybody"] == "2 (67\u00a0%)"
    assert cells(ease, "2")["diary"] == "1 (50\u00a0%)"
    (box,) = shown("questions", [row for row in rows if row.criterion == "box"]).values()
    assert cells(box, "ticked")["Everybody"] == "2 (67\u00a0%)"
    (whole,) = shown("questions", [row for row in rows if row.criterion is None]).values()
    assert cells(whole, "How easy?") == {
        "Question": "How easy?", "People": "3", "Most frequent answer": "2", "Share": "67\u00a0%", "Median": "2.0",
    }  # fmt: skip


def test_many_questions_stand_folded_below_what_they_say_together() -> None:
    given = sample("panas", panas_table(*moods(20, 1)), words())
    rows = stored([*rows_of("panas", given), *rows_of("questions", given)])
    sections = sections_of(rows, [], criteria={}, primary="panas-alert", limit=0.05)["main"]
    assert [one.criterion for one in sections[:2]] == ["panas-alert", ""]
    assert [one.folded for one in sections] == [False, False, *[True] * 19]
    sections = sections_of(rows, [], criteria={}, primary="", limit=0.05)["main"]
    assert sections[0].criterion == ""
    assert [one.folded for one in sections] == [False, *[True] * 20]
    few = [row for row in rows if row.criterion in {None, "panas-alert"}]
    assert not any(one.folded for one in sections_of(few, [], criteria={}, primary="", limit=0.05)["main"])


def test_raters_are_listed_by_the_trust_they_have_after_the_rules() -> None:
    def trust(basis: str, **values: float) -> list[Row]:
        about = {"analysis": "trust", "statistic": "trust_coefficient", "task": "main", "basis": basis}
        return [
            Row(**about, rater=rater, value=value, settings={"level": "nominal"}) for rater, value in values.items()
        ]

    rows = [*trust("all", ada=0.2, bob=0.6, eve=0.9), *trust("kept", ada=0.8, bob=0.1)]
    (table,) = tables_for("trust", stored(rows), 0.05)
    assert [str(column.label) for column in table.columns] == ["Rater", "nominal, before rules", "nominal"]
    assert [[cell.text for cell in row] for row in table.rows] == [
        ["bob", "0.600", "0.100"], ["ada", "0.200", "0.800"], ["eve", "0.900", DASH],
    ]  # fmt: skip
    (alone,) = tables_for("trust", stored(trust("all", ada=0.9, bob=0.6)), 0.05)
    assert [row[0].text for row in alone.rows] == ["bob", "ada"]
    assert [str(column.label) for column in alone.columns] == ["Rater", "nominal"]
