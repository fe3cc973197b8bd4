"""Tables of one file that belong together: which are joined without being asked for, and by which columns."""

from pathlib import Path
from typing import Any

import pytest

from tasks_app.importing import RatingsFile
from tasks_app.importing.formats.opening import readable
from tasks_app.importing.whole.guessing import readings_of
from tests.workbooks import Sheet, workbook

RATINGS: Sheet = [
    ["who", "segment", "mt", "score"],
    ["ann", "s1", "A", 5],
    ["bob", "s2", "B", 4],
    ["bob", "s2", "A", 1],
]

OTHERS: dict[str, tuple[Sheet, Any]] = {
    "a key of the same name": ([["segment", "text"], ["s1", "One text."], ["s2", "Two texts."]], "segment"),
    "a key of another name": ([["id", "text"], ["s1", "One text."], ["s2", "Two texts."]], {"segment": "id"}),
    "two columns that are a key together": (
        [["segment", "mt", "text"], ["s1", "A", "One."], ["s2", "B", "Two."], ["s2", "A", "Three."]],
        {"segment": "segment", "mt": "mt"},
    ),
    "a row without a partner": ([["segment", "text"], ["s1", "One text."]], None),
    "a key that stands there twice": ([["segment", "text"], ["s1", "a"], ["s2", "b"], ["s2", "c"]], None),
    "numbers that only count": ([["row", "about"], [1, "a"], [4, "b"], [5, "c"]], None),
    "a sheet about something else": ([["code", "meaning"], ["x", "Good"], ["y", "Bad"]], None),
}


@pytest.mark.parametrize("name", OTHERS)
def test_a_table_is_joined_where_every_row_has_its_partner(name: str, tmp_path: Path) -> None:
    sheet, on = OTHERS[name]
    path = tmp_path / "paper.xlsx"
    path.write_bytes(workbook({"Ratings": RATINGS, "Other": sheet}))
    with readable(RatingsFile.at(str(path))) as file:
        (reading,) = readings_of(file)
    assert reading.document.get("join") == ([{"sheet": "Other", "on": on}] if on is not None else None)
