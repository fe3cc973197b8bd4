"""No test depends on chance, on the speed of a machine, or on the day it runs."""

import ast
import re
import secrets
import uuid
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from django.utils.crypto import get_random_string
from hypothesis import settings

from tests import chance, draws
from tests.wrong import altered

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


def hoped(source: str) -> list[int]:
    """Return the lines that put fixed characters in place of a text's last ones, which may have been the same.

    Read are `token[:-2] + "AA"` and `f"{token[:-2]}AA"`; an ending such as `.csv`, which no token has, is allowed.
    """

    def is_cut(node: ast.AST) -> bool:
        cut = node.slice if isinstance(node, ast.Subscript) else None
        return isinstance(cut, ast.Slice) and cut.lower is None and isinstance(cut.upper, ast.UnaryOp)

    def is_fixed(node: ast.AST) -> bool:
        return isinstance(node, ast.Constant) and bool(re.match(r"[\w-]", str(node.value)))

    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            pairs = [(node.left, node.right)]
        elif isinstance(node, ast.JoinedStr):
            cuts = [one.value if isinstance(one, ast.FormattedValue) else one for one in node.values]
            pairs = list(pairwise(cuts))
        else:
            continue
        found += [node.lineno for left, right in pairs if is_cut(left) and is_fixed(right)]
    return found


def test_no_test_hopes_that_a_drawn_value_ends_otherwise() -> None:
    assert hoped('a = token[:-2] + "AA"\nb = f"/r/{token[:-2]}AA/"\nc = f"{path[:-1]}.csv"\n') == [1, 2]
    found = {str(path.relative_to(TESTS)): hoped(path.read_text("utf-8")) for path in sorted(TESTS.rglob("*.py"))}
    assert {name: lines for name, lines in found.items() if lines} == {}, "Use tests.wrong.altered."


def test_an_altered_token_stands_for_other_bytes() -> None:
    tokens = [drawn.to_bytes(16, "big") for drawn in (*range(64), *(2**128 - n for n in range(1, 65)))]
    for read, shown in ((urlsafe_b64decode, urlsafe_b64encode), (bytes.fromhex, bytes.hex)):
        for drawn in tokens:
            text = shown(drawn)
            token = text.decode().rstrip("=") if isinstance(text, bytes) else text
            wrong = altered(token)
            assert len(wrong) == len(token)
            assert read(wrong + "=" * (len(text) - len(token))) != drawn, token


def test_what_is_drawn_depends_on_the_test_alone(request: pytest.FixtureRequest) -> None:
    name = f"{request.config.getoption(draws.OPTION)} {request.node.nodeid}"
    draws.begin(name)
    first = (secrets.token_urlsafe(16), uuid.uuid4(), secrets.randbelow(10**9), get_random_string(8))
    draws.begin(name)
    assert first == (secrets.token_urlsafe(16), uuid.uuid4(), secrets.randbelow(10**9), get_random_string(8))
    draws.begin(f"{name} otherwise")
    assert secrets.token_urlsafe(16) != first[0]
