"""Change the product in small ways, one at a time, and see whether tests notice: a seeded sample, part by part.

    .venv/bin/python scripts/mutate.py                         12 mutations of every stratum
    .venv/bin/python scripts/mutate.py --strata views roles --number 30 --seed 7
    .venv/bin/python scripts/mutate.py --only tasks_app/views/rater/stages.py:58
    .venv/bin/python scripts/mutate.py --again var/mutations.json

docs/testing.md says how to read the answer and what to do about a survivor.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import cache
from itertools import takewhile
from pathlib import Path
from random import Random
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from scripts.mutations import (  # noqa: E402  found once the folder of the project is on the path
    SETS_UP,
    STRATA,
    Mutation,
    mutations_of,
    mutations_of_stratum,
    one_a_function,
)

EQUIVALENT = ROOT / "scripts" / "mutations_equivalent.txt"
SEED, NUMBER, MOST_FILES = 20_261_122, 12, 20
# A test that takes so much processor time never ends: the mutation made it loop.
HANGS = 60
PACKAGES = ("tasks_app", "analytics_app", "evalweb")
# The table of every address, method and role.
PERMISSIONS = "tests/tasks_app/views/test_permission_table.py"
# What counts as noticed: a test fails, or never ends.
NOTICED = {"caught", "hung"}

Result = dict[str, Any]


def main() -> None:
    """Draw, try, report; ends with 1 where a stratum is below the share that is asked for."""
    arguments = _arguments()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    os.chdir(ROOT)
    chosen = again(arguments.again) if arguments.again else draw(arguments)
    sys.stdout.write(f"Seed {arguments.seed}: {len(chosen)} mutations\n")
    results = run(chosen, jobs=arguments.jobs, cpu_seconds=arguments.seconds, tests=arguments.tests)
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    arguments.out.write_text(json.dumps(results, indent=1), encoding="utf-8")
    known = equivalents()
    for line in report(results, known):
        sys.stdout.write(f"{line}\n")
    sys.exit(any(share < arguments.least for share in shares(results, known).values()))


def _arguments() -> argparse.Namespace:
    about = (__doc__ or "").splitlines()
    parser = argparse.ArgumentParser(description=about[0])
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--number", type=int, default=NUMBER, help="mutations of each stratum")
    parser.add_argument("--strata", nargs="+", choices=list(STRATA), default=list(STRATA))
    parser.add_argument("--only", nargs="+", metavar="PATH[:LINE]", help="every mutation of a file, or of one line")
    parser.add_argument("--again", type=Path, help="the mutations of a former answer that no test noticed")
    parser.add_argument("--tests", nargs="+", help="test files to run instead of those that are chosen")
    parser.add_argument("--jobs", type=int, default=2, help="pytest processes at once")
    parser.add_argument("--seconds", type=float, default=60, help="processor time of the tests of one mutation")
    parser.add_argument("--least", type=float, default=0.9, help="share of each stratum that tests have to notice")
    parser.add_argument("--out", type=Path, default=Path("var/mutations.json"))
    return parser.parse_args()


# Which mutations ------------------------------------------------------------------------------------------


def draw(arguments: argparse.Namespace) -> list[tuple[str, Mutation]]:
    """Draw the sample of each stratum, or take what was named."""
    if arguments.only:
        return [("named", one) for named in arguments.only for one in _named(named)]
    chosen = []
    for stratum in arguments.strata:
        found = mutations_of_stratum(stratum, ROOT)
        Random(f"{arguments.seed}/{stratum}").shuffle(found)  # noqa: S311
        # Every call that names a role is a place of its own.
        listed = found if stratum == "roles" else list(one_a_function(found))
        chosen += [(stratum, one) for one in listed[: arguments.number]]
    return chosen


def _named(named: str) -> list[Mutation]:
    path, _colon, line = named.partition(":")
    found = mutations_of((ROOT / path).read_text(encoding="utf-8"), path)
    return [one for one in found if not line or one.line == int(line)]


def again(answer: Path) -> list[tuple[str, Mutation]]:
    """Find the mutations of a former answer that nobody noticed, where they stand now."""
    former = [one for one in json.loads(answer.read_text(encoding="utf-8")) if one["outcome"] not in NOTICED]
    here = {path: _named(path) for path in {one["mutation"]["path"] for one in former}}
    wanted = [(one["stratum"], Mutation(**one["mutation"]).key) for one in former]
    return [
        (stratum, next(one for one in here[key.split(" | ")[0]] if one.key == key))
        for stratum, key in wanted
        if any(one.key == key for one in here[key.split(" | ")[0]])
    ]


def equivalents() -> dict[str, str]:
    """Return what was judged to change nothing that anybody could notice, with the reason."""
    lines = EQUIVALENT.read_text(encoding="utf-8").splitlines() if EQUIVALENT.exists() else []
    rows = [line.rpartition(" # ") for line in lines if line and not line.startswith("#")]
    return {key.strip(): reason.strip() for key, _sign, reason in rows}


# Which tests ----------------------------------------------------------------------------------------------


def tests_of(path: str, kind: str) -> list[str]:
    """Return the test files that ought to notice a change of a module, the likeliest first.

    These are named after the module, import it, import what imports it, or ask for an address that its views answer. A
    lowered role is a matter of the permission table before all others.
    """
    module, stem = _dotted(path), Path(path).stem.strip("_")
    # A folder of views names its subject, as views/planning/.
    words = {*stem.split("_"), *(word for folder in Path(path).parts[2:-1] for word in folder.split("_"))}
    near = {other for other, names in _imports_of_product().items() if module in names}
    pages = _pages_of(module) if "/views/" in path or "/api/" in path else set()
    scores: Counter[str] = Counter()
    for test, (text, names) in _tests().items():
        name = Path(test).stem.removeprefix("test_")
        scores[test] += 8 * (name == stem) + 3 * len({*name.split("_")} & words)
        scores[test] += 5 * (module in names) + 2 * bool(near & names)
        scores[test] += min(sum(text.count(page) for page in pages), 30) // 3
        folders = zip(Path(path).parts[:-1], Path(test).parts[1:-1], strict=False)
        scores[test] += len(list(takewhile(lambda pair: pair[0] == pair[1], folders)))
    if kind == "role":
        scores[PERMISSIONS] += 1_000
    ranked = sorted((one for one in scores if scores[one]), key=lambda one: (-scores[one], one))
    return ranked[:MOST_FILES]


def _pages_of(module: str) -> set[str]:
    """Return the addresses of a module of views, and of those that import it, as tests write them."""
    importers, last = {module}, 0
    while len(importers) > last:
        last = len(importers)
        found = {other for other, names in _imports_of_product().items() if importers & names}
        importers |= {one for one in found if ".views" in one or ".api" in one}
    return {page for one in importers for page in _addresses().get(one.rpartition(".")[2], set())}


def _dotted(path: str) -> str:
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


@cache
def _tests() -> dict[str, tuple[str, frozenset[str]]]:
    """Return text and imports of every test file but those of a browser."""
    every = sorted((ROOT / "tests").rglob("test_*.py"))
    files = [path for path in every if not {"browser", "js", "look"} & {*path.parts}]
    texts = {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in files}
    return {name: (text, _imported(text)) for name, text in texts.items()}


@cache
def _imports_of_product() -> dict[str, frozenset[str]]:
    files = [path for package in PACKAGES for path in (ROOT / package).rglob("*.py")]
    return {_dotted(path.relative_to(ROOT).as_posix()): _imported(path.read_text("utf-8")) for path in files}


def _imported(text: str) -> frozenset[str]:
    """Return the modules that a file imports, and the names that it takes from them, with dots."""
    found = set(re.findall(r"^\s*import ([\w.]+)", text, re.MULTILINE))
    for source, several, few in re.findall(r"^\s*from ([\w.]+) import (?:\(([^)]*)\)|(.*))", text, re.MULTILINE):
        found |= {source, *(f"{source}.{name}" for name in re.findall(r"\b([a-z_]\w*)\b", several or few))}
    return frozenset(found)


@cache
def _addresses() -> Mapping[str, set[str]]:
    """Return for each module of views the names of its addresses, and their ends, as tests write them."""
    found: dict[str, set[str]] = {}
    for urls in (ROOT / "tasks_app" / "urls.py", ROOT / "analytics_app" / "urls.py"):
        pattern = r"path\(\s*\"([^\"]*)\",\s*(\w+)\.[\w.()]+,\s*name=\"(\w+)\""
        for address, module, name in re.findall(pattern, urls.read_text(encoding="utf-8")):
            end = re.sub(r"^.*>", "", address)
            found.setdefault(module, set()).update({f':{name}"', f'"{name}"', *([end] if len(end) > 2 else [])})
    return found


# Trying ---------------------------------------------------------------------------------------------------


def run(
    chosen: Sequence[tuple[str, Mutation]], *, jobs: int, cpu_seconds: float, tests: Sequence[str] | None = None
) -> list[Result]:
    """Try every mutation, in so many processes at once, and return how each went."""
    todo = [
        {
            "number": number,
            "stratum": stratum,
            "mutation": asdict(one),
            "tests": list(tests or tests_of(one.path, one.kind)),
        }
        for number, (stratum, one) in enumerate(chosen)
    ]
    done: dict[int, Result] = {}
    with tempfile.TemporaryDirectory(prefix="evalweb-mutations-") as name:
        while left := [one for one in todo if one["number"] not in done]:
            # What shares tests goes to the same process, which then imports fewer of them.
            left.sort(key=lambda one: str(one["tests"]))
            size = -(-len(left) // jobs)
            portions = [left[start : start + size] for start in range(0, len(left), size)]
            started = [_start(Path(name), number, portion, cpu_seconds) for number, portion in enumerate(portions)]
            before = len(done)
            logs, stopped = _wait([process for process, _results in started])
            for _process, results in started:
                for line in results.read_text(encoding="utf-8").splitlines() if results.exists() else ():
                    done[json.loads(line)["number"]] = json.loads(line)
                results.unlink(missing_ok=True)
            if stopped:
                sys.stdout.write(f"Stopped after {len(done)} of {len(todo)} mutations\n")
                break
            if len(done) == before:
                sys.exit("\n".join(["No mutation was tried:", *logs]))
    return [{**one, **done[int(str(one["number"]))]} for one in todo if one["number"] in done]


def _wait(processes: Sequence[subprocess.Popen[str]]) -> tuple[list[str], bool]:
    """Wait for processes and return what they printed, and whether this one was stopped, which stops them all."""
    try:
        return [process.communicate()[0] for process in processes], False
    except KeyboardInterrupt:
        for process in processes:
            process.terminate()
        for process in processes:
            process.wait()
        return [], True


def _start(folder: Path, number: int, share: Sequence[Result], cpu_seconds: float) -> tuple[Any, Path]:
    jobs, results = folder / f"jobs-{number}.json", folder / f"results-{number}.jsonl"
    jobs.write_text(json.dumps(list(share)), encoding="utf-8")
    files = sorted({SETS_UP, *(test for one in share for test in one["tests"])})
    environment = os.environ | {
        # A process with threads of its own cannot be forked safely.
        "OPENBLAS_NUM_THREADS": "1",
        "EVALWEB_MUTATIONS": os.pathsep.join([str(jobs), str(results), str(cpu_seconds), str(HANGS)]),
    }
    options = ["-q", "-p", "scripts.mutating", "-p", "no:cacheprovider", "-m", "not browser and not whole"]
    command = [sys.executable, "-m", "pytest", *options, *files]
    process = subprocess.Popen(
        command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    return process, results


# Reporting ------------------------------------------------------------------------------------------------


def _state(one: Result, known: Mapping[str, str]) -> str:
    if one["outcome"] in {"survived", "cut off"} and Mutation(**one["mutation"]).key in known:
        return "equivalent"
    return str(one["outcome"])


def shares(results: Sequence[Result], known: Mapping[str, str]) -> dict[str, float]:
    """Return the share of each stratum's mutations that tests noticed, apart from equivalent ones."""
    found = {}
    for stratum in dict.fromkeys(one["stratum"] for one in results):
        states = [_state(one, known) for one in results if one["stratum"] == stratum]
        counted = [one for one in states if one not in {"equivalent", "not applicable"}]
        found[stratum] = sum(one in NOTICED for one in counted) / len(counted) if counted else 1.0
    return found


def report(results: Sequence[Result], known: Mapping[str, str]) -> list[str]:
    """Return the table of strata, and below it every mutation that no test noticed."""
    states = ("caught", "hung", "survived", "cut off", "equivalent", "not applicable")
    lines = [f"{'stratum':<20}{'mutations':>10}" + "".join(f"{state:>16}" for state in states) + f"{'noticed':>10}"]
    for stratum, share in shares(results, known).items():
        counts = Counter(_state(one, known) for one in results if one["stratum"] == stratum)
        numbers = "".join(f"{counts[state]:>16}" for state in states)
        lines.append(f"{stratum:<20}{counts.total():>10}{numbers}{share:>10.0%}")
    for one in results:
        mutation, state = Mutation(**one["mutation"]), _state(one, known)
        if state not in NOTICED:
            lines += [
                "",
                f"{state}: {mutation.path}:{mutation.line} ({mutation.kind}, in {mutation.function or 'the module'})",
                f"  {mutation.change}",
                f"  {known[mutation.key]}" if state == "equivalent" else f"  {one['n_tests']} tests of {_list(one)}",
            ]
    return lines


def _list(one: Result) -> str:
    return ", ".join(one["tests"]) or "no file: name one with --tests"


if __name__ == "__main__":
    main()
