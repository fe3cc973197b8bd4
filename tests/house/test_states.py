"""Sets of states: each has one name beside the model, and SQL that spells one out spells a named one."""

import re
import subprocess
from pathlib import Path

import pytest

from tasks_app.models import Assignment, Rater

ROOT = Path(__file__).parents[2]

NAMED = {
    "state": {frozenset(value) for value in vars(Assignment.State).values() if isinstance(value, tuple)},
    "rater_kind": {frozenset(value) for value in vars(Rater.Kind).values() if isinstance(value, tuple)},
}
# Studies, sets and runs have states of their own.
ALL = {"state": frozenset(Assignment.State.values), "rater_kind": frozenset(Rater.Kind.values)}
IN_SQL = re.compile(r"\b(state|rater_kind) (?:NOT )?IN \(('[^)]*')\)")
REPLACED = re.compile(r"FROM tasks_app_judgment \w+\s+WHERE \w+\.replaces_id|replaced_by=None")


def modules() -> list[Path]:
    files = subprocess.check_output(["git", "ls-files", "tasks_app/*.py", "analytics_app/*.py"], cwd=ROOT, text=True)
    return [ROOT / name for name in files.split() if "/migrations/" not in name]


def unnamed(text: str) -> list[str]:
    found = [(one[0], one[1], frozenset(re.findall(r"'(\w+)'", one[2]))) for one in IN_SQL.finditer(text)]
    return [sql for sql, column, states in found if states <= ALL[column] and states not in NAMED[column]]


def test_sets_of_states_in_sql_are_those_with_a_name() -> None:
    strange = {str(path.relative_to(ROOT)): there for path in modules() if (there := unnamed(path.read_text()))}
    assert strange == {}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("a.state IN ('live', 'reserved')", 0),
        ("a.state NOT IN ('live', 'skipped')", 1),
        ("a.rater_kind IN ('real', 'simulated')", 0),
        ("a.rater_kind IN ('real', 'imported')", 1),
    ],
)
def test_a_set_without_a_name_is_found(text: str, found: int) -> None:
    assert len(unnamed(text)) == found


def test_named_sets_hold_states_that_there_are() -> None:
    assert all(states <= ALL[column] for column, named in NAMED.items() for states in named)


def test_what_makes_an_answer_the_current_one_is_written_once() -> None:
    spelled = [str(path.relative_to(ROOT)) for path in modules() if REPLACED.search(path.read_text())]
    assert spelled == ["tasks_app/models/judgments.py"]
