"""Mutations of the product: which are made, that they are what they say, and that a process takes them and notices."""

import ast
import json
import os
import subprocess
import sys
from collections import Counter
from dataclasses import asdict
from pathlib import Path
from types import SimpleNamespace

import pytest

from scripts import mutate
from scripts.mutations import STRATA, Mutation, mutations_of, mutations_of_stratum, one_per_function

ROOT = Path(__file__).resolve().parents[2]

CODE = '''
"""A module."""
LIMIT: int = 10

def fits(n: int, most: "Literal[3]" = 3) -> bool:
    """Return 1 == 1."""
    assert n > 0, "narrows"
    if not n and n < LIMIT or n in {1}:
        note(n)
        return f"{n + 1}" == "x"
    return zip([n - 1], [], strict=True) is not None


class Kept:
    order = 3

    def asked(self) -> str:
        study_for("editor", Membership.Role.OWNER)
        return (
            "words"
        )
'''


def changes(kind: str) -> list[str]:
    return [one.change for one in mutations_of(CODE, "m.py") if one.kind == kind]


def test_each_kind_of_change_is_made_and_nothing_that_is_for_people_or_types() -> None:
    assert changes("comparison") == [
        "n < LIMIT -> n <= LIMIT", "n < LIMIT -> n >= LIMIT", "n in {1} -> n not in {1}",
        'f"{n + 1}" == "x" -> f\'{n + 1}\' != \'x\'',
        "zip([n - 1], [], strict=True) is not None -> zip([n - 1], [], strict=True) is None",
    ]  # fmt: skip
    assert changes("and/or") == [
        "not n and n < LIMIT or n in {1} -> (not n and n < LIMIT) and n in {1}",
        "not n and n < LIMIT -> not n or n < LIMIT",
    ]
    assert changes("not") == ["not n -> n"]
    assert changes("constant") == ["10 -> 11", "1 -> 2", "1 -> 2"]
    assert changes("call dropped") == ["note(n) -> pass", 'study_for("editor", Membership.Role.OWNER) -> pass']
    assert changes("return emptied")[-1] == '"words" -> ""'
    assert changes("role") == ["\"editor\" -> 'viewer'", "Membership.Role.OWNER -> Membership.Role.EDITOR"]
    assert {one.function for one in mutations_of(CODE, "m.py")} == {"", "fits", "Kept.asked"}


def test_a_changed_file_is_python_with_one_change_and_as_many_lines() -> None:
    before = ast.dump(ast.parse(CODE))
    for one in mutations_of(CODE, "m.py"):
        source = one.source(CODE)
        assert ast.dump(ast.parse(source)) != before, one
        assert source.count("\n") == CODE.count("\n"), one
        assert source.splitlines()[: one.line - 1] == CODE.splitlines()[: one.line - 1], one


@pytest.mark.parametrize(
    "stratum",
    [one if one in {"roles", "services"} else pytest.param(one, marks=pytest.mark.exhaustive) for one in STRATA],
)
def test_a_sample_depends_on_the_seed_and_is_spread_over_functions(stratum: str) -> None:
    def drawn(seed: int) -> list[tuple[str, Mutation]]:
        return mutate.draw(SimpleNamespace(seed=seed, number=10, strata=[stratum], only=None))

    first = drawn(1)
    assert first == drawn(1) != drawn(2)
    assert len(first) == 10
    if stratum == "roles":
        assert {one.kind for _name, one in first} == {"role"}
    else:
        assert max(Counter((one.path, one.function or one.line) for _name, one in first).values()) == 1


@pytest.mark.exhaustive
def test_every_change_of_the_product_is_python() -> None:
    for stratum in STRATA:
        for one in list(one_per_function(mutations_of_stratum(stratum, ROOT)))[::25]:
            compile(one.source((ROOT / one.path).read_text(encoding="utf-8")), one.path, "exec", dont_inherit=True)


@pytest.mark.parametrize(
    ("path", "test"),
    [
        ("analytics_app/stats/quality/fences.py", "tests/stats/test_fences.py"),
        ("tasks_app/task_types/likert.py", "tests/task_types/test_likert.py"),
        ("tasks_app/services/plan/reopening.py", "tests/tasks_app/services/test_reopening.py"),
        ("analytics_app/views/scores.py", "tests/analytics_app/views/test_scores.py"),
    ],
)
def test_the_likeliest_test_comes_first(path: str, test: str) -> None:
    assert mutate.tests_of(path, "constant")[0] == test


def test_a_role_is_tried_by_the_permission_table_first() -> None:
    assert mutate.tests_of("analytics_app/views/runs.py", "role")[0] == mutate.PERMISSIONS


def test_what_was_judged_equivalent_is_counted_apart_and_stands_in_the_code() -> None:
    found = [one for one in mutations_of(CODE, "m.py") if one.kind == "constant"]
    states = zip(found, ("caught", "survived", "survived"), strict=True)
    results = [
        {"stratum": "s", "mutation": asdict(one), "outcome": state, "n_tests": 2, "tests": ["t"]}
        for one, state in states
    ]
    assert mutate.shares(results, {}) == {"s": 1 / 3}
    assert mutate.shares(results, {found[1].key: "only faster"}) == {"s": 1.0}, "both are of one text"
    assert mutate.shares([results[0] | {"outcome": "not applicable"}], {}) == {"s": 0}, "nothing was tried"
    (row,) = (line for line in mutate.report(results, {}) if line.startswith("s "))
    assert row.split() == ["s", "3", "1", "0", "2", "0", "0", "0", "33%"]
    for key, reason in mutate.equivalents().items():
        path = key.split(" | ")[0]
        assert key in {one.key for one in mutations_of((ROOT / path).read_text(encoding="utf-8"), path)}, key
        assert len(reason) > 20, key


SUM = """
from product.limits import LIMIT

def few(n: int) -> bool:
    while n > 99:
        n -= 100
    return n < LIMIT
"""
TEST = """
import pytest
from product.sums import few

def test_few() -> None:
    assert few(1)

def test_without_the_mutation_it_fails_too() -> None:
    assert not few(1)

@pytest.mark.parametrize("n", [9, 10])
def test_edge(n: int) -> None:
    assert few(n) == (n == 9)
"""


@pytest.mark.exhaustive
def test_a_process_takes_each_change_and_tells_what_noticed_it(tmp_path: Path) -> None:
    files = {
        "product/__init__.py": "",
        "product/limits.py": "LIMIT = 10\n",
        "product/sums.py": SUM,
        "test_sums.py": TEST,
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    chosen = [*mutations_of(files["product/limits.py"], "product/limits.py"), *mutations_of(SUM, "product/sums.py")]
    # A test that never ends is killed, and its process with it.
    chosen.sort(key=lambda one: one.after == "n <= 99")
    jobs = [{"number": k, "mutation": asdict(one), "tests": ["test_sums.py"]} for k, one in enumerate(chosen)]
    (tmp_path / "jobs.json").write_text(json.dumps(jobs))
    paths = [str(tmp_path / "jobs.json"), str(tmp_path / "results.jsonl"), "60", "2"]
    environment = os.environ | {"PYTHONPATH": f"{tmp_path}:{ROOT}", "EVALWEB_MUTATIONS": os.pathsep.join(paths)}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "scripts.mutating", "-p", "no:cacheprovider"]
    # Functions that are set aside before the first test are changed, too.
    command += ["-p", "tests.garbage", "-p", "no:django", "-c", os.devnull, "--rootdir", str(tmp_path), str(tmp_path)]
    answer = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    results = [json.loads(line) for line in (tmp_path / "results.jsonl").read_text().splitlines()]
    outcomes = {chosen[one["number"]].change: one["outcome"] for one in results}
    assert outcomes == {
        "10 -> 11": "caught",
        "n > 99 -> n >= 99": "survived",
        "99 -> 100": "survived",
        "100 -> 101": "survived",
        "n < LIMIT -> n <= LIMIT": "caught",
        "n < LIMIT -> n >= LIMIT": "caught",
        "n < LIMIT -> not (n < LIMIT)": "caught",
        "n > 99 -> n <= 99": "hung",
    }, answer.stdout + answer.stderr
    noticed = {chosen[one["number"]].change: one["test"].partition("::")[2] for one in results}
    assert noticed["10 -> 11"] == noticed["n < LIMIT -> n <= LIMIT"] == "test_edge[10]"
    assert "test_without_the_mutation_it_fails_too" not in noticed.values()
    assert (tmp_path / "product" / "sums.py").read_text() == SUM
