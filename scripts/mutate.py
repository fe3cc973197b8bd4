"""Change the product in small ways, one at a time, and see whether tests notice: a seeded sample, part by part.

    .venv/bin/python scripts/mutate.py                         12 mutations of every stratum
    .venv/bin/python scripts/mutate.py --strata views roles --number 30 --seed 7
    .venv/bin/python scripts/mutate.py --only tasks_app/views/rater/stages.py:58
    .venv/bin/python scripts/mutate.py --again var/mutations.json

docs/testing.md says how to read the answer and what to do about a survivor.
"""

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
    one_per_function,
)

EQUIVALENT = ROOT / "scripts" / "mutations_equivalent.txt"
SEED, NUMBER, MOST_FILES = 20_261_122, 12, 20
# A test that takes more processor time is taken for an endless loop.
HANGS = 60
PACKAGES = ("tasks_app", "analytics_app", "evalweb")
# The table of every address, method and role.
PERMISSIONS = "tests/tasks_app/views/test_permission_table.py"
# Results of a mutation that the tests noticed: one failed, or never ended.
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
    equivalent = equivalents()
    for line in report(results, equivalent):
        sys.stdout.write(f"{line}\n")
    sys.exit(any(share < arguments.least for share in shares(results, equivalent).values()))


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
    """Draw the sample of each stratum, or take the places that were named."""
    if arguments.only:
        return [("named", mutation) for named in arguments.only for mutation in _named(named)]
    chosen = []
    for stratum in arguments.strata:
        mutations = mutations_of_stratum(stratum, ROOT)
        Random(f"{arguments.seed}/{stratum}").shuffle(mutations)  # noqa: S311
        # Every call that names a role is a place of its own.
        listed = mutations if stratum == "roles" else list(one_per_function(mutations))
        chosen += [(stratum, mutation) for mutation in listed[: arguments.number]]
    return chosen


def _named(place: str) -> list[Mutation]:
    path, _colon, line = place.partition(":")
    mutations = mutations_of((ROOT / path).read_text(encoding="utf-8"), path)
    return [mutation for mutation in mutations if not line or mutation.line == int(line)]


def again(answer: Path) -> list[tuple[str, Mutation]]:
    """Find the mutations of a former answer that nobody noticed, where they stand now."""
    former = [result for result in json.loads(answer.read_text(encoding="utf-8")) if result["outcome"] not in NOTICED]
    mutations_in = {path: _named(path) for path in {result["mutation"]["path"] for result in former}}
    keys = [(result["stratum"], Mutation(**result["mutation"]).key) for result in former]
    return [
        (stratum, next(mutation for mutation in mutations_in[key.split(" | ")[0]] if mutation.key == key))
        for stratum, key in keys
        if any(mutation.key == key for mutation in mutations_in[key.split(" | ")[0]])
    ]


def equivalents() -> dict[str, str]:
    """Return the mutations that were judged to be unnoticeable, with the reason."""
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
    importers = {importer for importer, names in _imports_of_product().items() if module in names}
    pages = _pages_of(module) if "/views/" in path or "/api/" in path else set()
    scores: Counter[str] = Counter()
    for test, (text, names) in _tests().items():
        name = Path(test).stem.removeprefix("test_")
        scores[test] += 8 * (name == stem) + 3 * len({*name.split("_")} & words)
        scores[test] += 5 * (module in names) + 2 * bool(importers & names)
        scores[test] += min(sum(text.count(page) for page in pages), 30) // 3
        folders = zip(Path(path).parts[:-1], Path(test).parts[1:-1], strict=False)
        scores[test] += len(list(takewhile(lambda pair: pair[0] == pair[1], folders)))
    if kind == "role":
        scores[PERMISSIONS] += 1_000
    ranked = sorted((test for test in scores if scores[test]), key=lambda test: (-scores[test], test))
    return ranked[:MOST_FILES]


def _pages_of(module: str) -> set[str]:
    """Return the addresses of a module of views, and of those that import it, as tests write them."""
    importers, n_before = {module}, 0
    while len(importers) > n_before:
        n_before = len(importers)
        users = {importer for importer, names in _imports_of_product().items() if importers & names}
        importers |= {name for name in users if ".views" in name or ".api" in name}
    return {page for name in importers for page in _addresses().get(name.rpartition(".")[2], set())}


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
    names = set(re.findall(r"^\s*import ([\w.]+)", text, re.MULTILINE))
    for source, in_parentheses, on_one_line in re.findall(
        r"^\s*from ([\w.]+) import (?:\(([^)]*)\)|(.*))", text, re.MULTILINE
    ):
        names |= {
            source,
            *(f"{source}.{name}" for name in re.findall(r"\b([a-z_]\w*)\b", in_parentheses or on_one_line)),
        }
    return frozenset(names)


@cache
def _addresses() -> Mapping[str, set[str]]:
    """Return for each module of views the names of its addresses, and their ends, as tests write them."""
    texts_of_module: dict[str, set[str]] = {}
    for urls in (ROOT / "tasks_app" / "urls.py", ROOT / "analytics_app" / "urls.py"):
        pattern = r"path\(\s*\"([^\"]*)\",\s*(\w+)\.[\w.()]+,\s*name=\"(\w+)\""
        for address, module, name in re.findall(pattern, urls.read_text(encoding="utf-8")):
            end = re.sub(r"^.*>", "", address)
            texts_of_module.setdefault(module, set()).update(
                {f':{name}"', f'"{name}"', *([end] if len(end) > 2 else [])}
            )
    return texts_of_module


# Trying ---------------------------------------------------------------------------------------------------


def run(
    chosen: Sequence[tuple[str, Mutation]], *, jobs: int, cpu_seconds: float, tests: Sequence[str] | None = None
) -> list[Result]:
    """Try every mutation, in so many processes at once, and return how each went."""
    all_jobs = [
        {
            "number": number,
            "stratum": stratum,
            "mutation": asdict(mutation),
            "tests": list(tests or tests_of(mutation.path, mutation.kind)),
        }
        for number, (stratum, mutation) in enumerate(chosen)
    ]
    results_by_number: dict[int, Result] = {}
    with tempfile.TemporaryDirectory(prefix="evalweb-mutations-") as name:
        while untried := [job for job in all_jobs if job["number"] not in results_by_number]:
            # Mutations that share tests go to the same process, which then imports fewer test modules.
            untried.sort(key=lambda job: str(job["tests"]))
            size = -(-len(untried) // jobs)
            portions = [untried[start : start + size] for start in range(0, len(untried), size)]
            started = [_start(Path(name), number, portion, cpu_seconds) for number, portion in enumerate(portions)]
            before = len(results_by_number)
            logs, stopped = _wait([process for process, _results in started])
            for _process, results in started:
                for line in results.read_text(encoding="utf-8").splitlines() if results.exists() else ():
                    results_by_number[json.loads(line)["number"]] = json.loads(line)
                results.unlink(missing_ok=True)
            if stopped:
                sys.stdout.write(f"Stopped after {len(results_by_number)} of {len(all_jobs)} mutations\n")
                break
            if len(results_by_number) == before:
                sys.exit("\n".join(["No mutation was tried:", *logs]))
    return [
        {**job, **results_by_number[int(str(job["number"]))]} for job in all_jobs if job["number"] in results_by_number
    ]


def _wait(processes: Sequence[subprocess.Popen[str]]) -> tuple[list[str], bool]:
    """Wait for processes and return their output, and whether this one was stopped, which stops them all."""
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
    files = sorted({SETS_UP, *(test for job in share for test in job["tests"])})
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


def _state(result: Result, equivalent: Mapping[str, str]) -> str:
    if result["outcome"] in {"survived", "cut off"} and Mutation(**result["mutation"]).key in equivalent:
        return "equivalent"
    return str(result["outcome"])


def shares(results: Sequence[Result], equivalent: Mapping[str, str]) -> dict[str, float]:
    """Return the share of each stratum's mutations that tests noticed, apart from equivalent ones.

    It is 0 if Python could apply none of them: then nothing was tried.
    """
    shares_by_stratum = {}
    for stratum in dict.fromkeys(result["stratum"] for result in results):
        states = [_state(result, equivalent) for result in results if result["stratum"] == stratum]
        counted = [state for state in states if state not in {"equivalent", "not applicable"}]
        n_noticed = sum(state in NOTICED for state in counted)
        shares_by_stratum[stratum] = n_noticed / len(counted) if counted else float("equivalent" in states)
    return shares_by_stratum


def report(results: Sequence[Result], equivalent: Mapping[str, str]) -> list[str]:
    """Return the table of strata, and below it every mutation that no test noticed."""
    states = ("caught", "hung", "survived", "cut off", "equivalent", "not applicable")
    lines = [f"{'stratum':<20}{'mutations':>10}" + "".join(f"{state:>16}" for state in states) + f"{'noticed':>10}"]
    for stratum, share in shares(results, equivalent).items():
        counts = Counter(_state(result, equivalent) for result in results if result["stratum"] == stratum)
        numbers = "".join(f"{counts[state]:>16}" for state in states)
        lines.append(f"{stratum:<20}{counts.total():>10}{numbers}{share:>10.0%}")
    for result in results:
        mutation, state = Mutation(**result["mutation"]), _state(result, equivalent)
        if state not in NOTICED:
            lines += [
                "",
                f"{state}: {mutation.path}:{mutation.line} ({mutation.kind}, in {mutation.function or 'the module'})",
                f"  {mutation.change}",
                f"  {equivalent[mutation.key]}"
                if state == "equivalent"
                else f"  {result['n_tests']} tests of {_list(result)}",
            ]
    return lines


def _list(result: Result) -> str:
    return ", ".join(result["tests"]) or "no file: name one with --tests"


if __name__ == "__main__":
    main()
