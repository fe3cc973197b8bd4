"""Texts that several systems share: rated once, with a row of ratings.csv for each, and both numbers on the rows."""

from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command

from tests.analytics_app.by_commands import analysed, load, one
from tests.house import recipes

pytestmark = pytest.mark.django_db


def test_210_ratings_are_216_rows_of_the_file(tmp_path: Path) -> None:
    """Of 36 items and two systems, both wrote the same for two items; three raters judge every text."""
    items = [
        {"item": f"i{n}", "system": system, "output": f"{'both' if n < 2 else system} {n}"}
        for n in range(36)
        for system in "AB"
    ]
    ratings = [
        {"rater": rater, "item": f"i{n}", "system": system, "value": 1 + (n * 7 + number + (system == "B")) % 5}
        for n in range(36)
        for system in "AB"
        for number, rater in enumerate(("ann", "bob", "cem"))
        if not (system == "B" and n < 2)
    ]  # fmt: skip
    criterion = {"key": "quality", "name": "Quality", "question": "How good?", "low": "bad", "high": "good"}
    task = {"type": "likert", "criteria": ["quality"], "k": 3, "keep_identical": False}
    load(tmp_path, task, items, ratings, criteria=[criterion])
    rows = analysed(tmp_path, {"analysis": "krippendorff"}, {"analysis": "agreement"}, {"analysis": "systems"})
    alpha = one(rows, "alpha", criterion="quality")
    assert (alpha["n_ratings"], alpha["settings"]["n_file_rows"]) == (210, 216)
    said = "210 ratings are 216 rows of ratings.csv: a text that several systems share has a row for each of them"
    assert said in alpha["note"]
    assert one(rows, "gwet_ac2", criterion="quality")["settings"]["n_file_rows"] == 216
    # The recipe leads there from the files alone.
    call_command("export", "small", output=str(tmp_path / "ratings.csv"), stdout=StringIO())
    call_command("export", "small", output=str(tmp_path / "results.csv"), results=0, stdout=StringIO())
    assert (tmp_path / "ratings.csv").read_text().count("quality") == 216
    (code,) = recipes.in_docs()
    again = recipes.run(code, tmp_path)
    assert {row["statistic"] for row in again} == {"alpha", "mean"}
    for row in again:
        assert row["again"] == pytest.approx(row["value"], abs=1e-12)
