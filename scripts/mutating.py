"""A pytest plugin that runs tests once for each mutation, each time in a copy of the process; see scripts/mutate.py.

The process that pytest started imports everything and makes the test database. For each mutation it forks: the child
puts the changed code into the functions in its memory, runs the tests chosen for it up to the first that fails, and
ends. No file is changed, and whatever a mutation breaks ends with its process.
"""

import ast
import gc
import importlib
import inspect
import json
import math
import os
import re
import select
import signal
import sys
import traceback
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import pytest
from _pytest.runner import runtestprotocol
from django.db import connections

from scripts.mutations import SETS_UP, Mutation

# A test that is silent for this long never ends: the mutation made it wait for something.
SILENT_SECONDS = 300
CAUGHT, SURVIVED, HUNG, CUT, UNFIT = "caught", "survived", "hung", "cut off", "not applicable"


class Mutating:
    """Takes the place of pytest's loop over tests."""

    def __init__(self, jobs: Path, results: Path, cpu_seconds: float, seconds_of_a_test: float) -> None:
        self.jobs = json.loads(jobs.read_text(encoding="utf-8"))
        self.results = results
        self.cpu_seconds = cpu_seconds
        self.seconds_of_a_test = seconds_of_a_test
        self.sound: dict[str, bool] = {}

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Try every mutation, and write a line of JSON for each."""
        if session.testsfailed:
            raise session.Interrupted(f"{session.testsfailed} test modules cannot be imported")
        prepare(session)
        for job in self.jobs:
            result = self._try(session, job)
            with self.results.open("a", encoding="utf-8") as file:
                file.write(json.dumps({"number": job["number"], **result}) + "\n")
            if result["outcome"] == HUNG:
                # A killed test may have left rows behind: what is left to do gets a new process and database.
                break
        return True

    def _try(self, session: pytest.Session, job: dict[str, Any]) -> dict[str, object]:
        mutation = Mutation(**job["mutation"])
        items = [item for item in session.items if item.nodeid.partition("::")[0] in job["tests"]]
        items = [item for item in items if self.sound.get(item.nodeid, True)]
        items = likeliest_first(items, mutation, Path(session.config.rootpath), job["tests"])
        while True:
            result = self._fork(session, mutation, items)
            failed = str(result.get("test", ""))
            if result["outcome"] not in {CAUGHT, HUNG} or self._is_sound(session, failed):
                return result
            # A test that also fails without the mutation has caught nothing, and is left out from now on.
            items = [item for item in items if self.sound.get(item.nodeid, True)]

    def _is_sound(self, session: pytest.Session, test: str) -> bool:
        if test not in self.sound:
            items = [item for item in session.items if item.nodeid == test]
            self.sound[test] = self._fork(session, None, items)["outcome"] == SURVIVED
        return self.sound[test]

    def _fork(self, session: pytest.Session, mutation: Mutation | None, items: list[pytest.Item]) -> dict[str, object]:
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reader)
            os.setsid()
            try:
                outcome = self._in_child(session, mutation, items, writer)
                os.write(writer, f"= {outcome}\n".encode())
            except BaseException:
                traceback.print_exc(file=sys.__stderr__)
            finally:
                os._exit(0)
        os.close(writer)
        try:
            return watch(child, reader)
        except BaseException:
            os.killpg(child, signal.SIGKILL)
            raise
        finally:
            os.close(reader)

    def _in_child(
        self, session: pytest.Session, mutation: Mutation | None, items: Sequence[pytest.Item], writer: int
    ) -> str:
        """Run the tests up to the first that fails; tells each before it begins."""
        if mutation is not None and not put_in(mutation, Path(session.config.rootpath)):
            return UNFIT
        if items:
            session._setupstate.teardown_exact(items[0])
        for place, item in enumerate(items):
            os.write(writer, f"+ {item.nodeid}\n".encode())
            signal.setitimer(signal.ITIMER_PROF, self.seconds_of_a_test)
            # After the last test comes another one, or the end of the session would drop the database that others need.
            following = next(
                (candidate for candidate in (*items[place + 1 :], *session.items) if candidate is not item), None
            )
            reports = runtestprotocol(item, log=False, nextitem=following)
            signal.setitimer(signal.ITIMER_PROF, 0)
            if any(report.failed for report in reports):
                return CAUGHT
            if sum(os.times()[:2]) > self.cpu_seconds and place + 1 < len(items):
                return CUT
        return SURVIVED


def likeliest_first(
    items: Sequence[pytest.Item], mutation: Mutation, root: Path, files: Sequence[str]
) -> list[pytest.Item]:
    """Sort tests by the words that they share with the changed function, rare words first."""
    lines = (root / mutation.path).read_text(encoding="utf-8").splitlines()
    changed = _words("\n".join(lines[mutation.line - 15 : mutation.line + 10]) + mutation.function)
    words = {item: _words(f"{item.name} {_source(item)}") for item in items}
    frequency = Counter(word for of_test in words.values() for word in of_test)
    place = {path: number for number, path in enumerate(files)}

    def score(item: pytest.Item) -> float:
        shared = sum(1 / math.sqrt(frequency[word]) for word in words[item] & changed)
        return shared / math.sqrt(10 + len(words[item])) / (3 + place[item.nodeid.partition("::")[0]])

    return sorted(items, key=score, reverse=True)


def _words(text: str) -> set[str]:
    return set(re.findall(r"[a-z]{3,}", text.lower()))


def _source(item: pytest.Item) -> str:
    try:
        return inspect.getsource(getattr(item, "function", type(item)))
    except (OSError, TypeError):
        return ""


def prepare(session: pytest.Session) -> None:
    """Make the database that children find, and close the connections they must not share.

    The first test of `SETS_UP` is set up for that and not run: what a test starts, such as the library that draws
    charts, may have threads, and a process with threads cannot be forked safely.
    """
    first_item = next((item for item in session.items if item.nodeid.startswith(f"{SETS_UP}::")), None)
    other_item = next((item for item in session.items if not item.nodeid.startswith(f"{SETS_UP}::")), None)
    if first_item is not None and other_item is not None:
        first_item.ihook.pytest_runtest_setup(item=first_item)
        first_item.ihook.pytest_runtest_teardown(item=first_item, nextitem=other_item)
    connections.close_all()
    # Modules that the product imports on first use: imported once here instead of once in every child.
    for library in ("scipy.stats", "pandas", "statsmodels.api"):
        importlib.import_module(library)


def watch(child: int, reader: int) -> dict[str, object]:
    """Read the output of a child until it ends; kill a child that is silent for too long."""
    received, n_tests, test, outcome = b"", 0, "", ""
    while True:
        ready, _writable, _failed = select.select([reader], [], [], SILENT_SECONDS)
        news = os.read(reader, 65_536) if ready else b""
        if not news:
            break
        received += news
        *lines, received = received.split(b"\n")
        for line in lines:
            sign, _space, words = line.decode().partition(" ")
            if sign == "+":
                n_tests, test = n_tests + 1, words
            else:
                outcome = words
    if not ready:
        os.killpg(child, signal.SIGKILL)
    _pid, status = os.waitpid(child, 0)
    if not outcome:
        outcome = HUNG if not ready or os.WIFSIGNALED(status) else UNFIT
    return {"outcome": outcome, "n_tests": n_tests, "test": test if outcome in {CAUGHT, HUNG} else ""}


def put_in(mutation: Mutation, root: Path) -> bool:
    """Put changed code into this process; False where the interpreter does not take it."""
    path = root / mutation.path
    module = importlib.import_module(mutation.path.removesuffix(".py").removesuffix("/__init__").replace("/", "."))
    source = mutation.source(path.read_text(encoding="utf-8"))
    if not mutation.function:
        return _assign_again(module.__dict__, source, mutation.line, str(path))
    changed = {
        (code.co_qualname, code.co_firstlineno): code
        for code in _codes(compile(source, str(path), "exec", dont_inherit=True))
        if f"{code.co_qualname}.".startswith(f"{mutation.function}.")
    }
    n_changed = 0
    # Tests set their modules aside (tests/garbage.py), where gc does not list them.
    gc.unfreeze()
    for function in gc.get_objects():
        if type(function) is FunctionType and function.__code__.co_filename == str(path):
            code = changed.get((function.__code__.co_qualname, function.__code__.co_firstlineno))
            if code is not None and len(code.co_freevars) == len(function.__code__.co_freevars):
                function.__code__ = code
                n_changed += 1
    return n_changed > 0


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


def _assign_again(names: dict[str, object], source: str, line: int, path: str) -> bool:
    """Repeat a changed assignment of a module, also for modules that have imported the name."""
    tree = ast.parse(source)
    statement = next(node for node in tree.body if node.lineno <= line <= (node.end_lineno or node.lineno))
    before = dict(names)
    exec(compile(ast.Module([statement], []), path, "exec", dont_inherit=True), names)  # noqa: S102
    new = {name: value for name, value in names.items() if name in before and before[name] is not value}
    for module in list(sys.modules.values()):
        of_module = getattr(module, "__dict__", {})
        for name, value in new.items():
            if name in of_module and of_module[name] is before[name]:
                of_module[name] = value
    return bool(new)


def pytest_configure(config: pytest.Config) -> None:
    """Take over where scripts/mutate.py asks for it."""
    if "EVALWEB_MUTATIONS" in os.environ:
        jobs, results, *seconds = os.environ["EVALWEB_MUTATIONS"].split(os.pathsep)
        loop = Mutating(Path(jobs), Path(results), *map(float, seconds))
        config.pluginmanager.register(loop, "loop over mutations")
