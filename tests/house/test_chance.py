"""No test depends on chance, on the speed of a machine, or on the day it runs."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from hypothesis import settings

from tests import chance

TESTS = Path(__file__).resolve().parents[1]
# What the profile decides for every test.
DECIDED = {"max_examples", "deadline", "derandomize", "print_blob", "database", "backend"}
# Work is counted instead (tests/work.py), and a test about days sets the clock (tests/clock.py).
CLOCKS = re.compile(
    r"\b(perf_counter|process_time|thread_time|monotonic|performance\.now|date\.today|localdate)\(|now\(\)[^\n]*\.date\(\)"
)


def test_examples_have_no_deadline_and_are_the_same_in_every_run() -> None:
    for name in chance.EXAMPLES:
        profile = settings.get_profile(name)
        decided = (profile.deadline, profile.derandomize, profile.print_blob, profile.database)
        assert decided == (None, True, True, None), name


def test_the_profile_was_loaded_before_any_test_module() -> None:
    assert settings.get_current_profile_name() in chance.EXAMPLES


def own_decisions(path: Path) -> Iterator[str]:
    """Yield the places where a module passes hypothesis something that the profile decides."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] == "settings":
            named = {keyword.arg for keyword in node.keywords} & DECIDED
            if named:
                yield f"{path.relative_to(TESTS)}:{node.lineno} {', '.join(sorted(str(name) for name in named))}"


def test_no_test_decides_for_itself() -> None:
    modules = [path for path in sorted(TESTS.rglob("test_*.py")) if "settings" in path.read_text("utf-8")]
    assert any("@given" in path.read_text("utf-8") for path in modules)
    assert [place for path in modules for place in own_decisions(path)] == []


# The first compares the processor time of its own thread for two lengths of a line; the second stops waiting for a site
# that does not become ready, and fails then.
MAY_LOOK = {"evalweb/test_logs.py", "evalweb/test_serve.py"}


def test_no_test_looks_at_a_clock_of_its_own() -> None:
    looks = [
        f"{path.relative_to(TESTS)}: {found[0]}"
        for path in sorted(TESTS.rglob("test_*.py"))
        if str(path.relative_to(TESTS)) not in MAY_LOOK and (found := CLOCKS.search(path.read_text("utf-8")))
    ]
    assert looks == []
