"""Measure the table of sizes in docs/operations.md: `python -m bench sizing [RATERS [MINUTES [RATINGS]]]`.

Raters answer without a pause for some minutes, which says how many processor milliseconds of the web server and of the
database an answer costs, how many connections and MiB the processes take, and how the database grows. Then a run over
RATINGS ratings says what a worker needs. Processor seconds hardly depend on what else the machine does; answers per
second do, and are printed for comparison.
"""

import sys

from django.db import connection

from bench import analysing
from bench.collected import study_with
from bench.judging import CRITERIA
from bench.running import running_site, sample
from bench.soak import Soak, load, soaked, tell

RATERS, MINUTES, RATINGS = 50, 3, 100_000
# A processor that is busier than this makes raters wait whenever several answer at the same moment.
BUSY = 0.6
# Seconds that a rater takes for a text.
SECONDS_A_TEXT = (10, 20, 40)
MILLION, MB = 1_000_000, 1_000_000

# What is stored of raters and their answers, with indexes; results of runs are not among it.
COLLECTED = """
SELECT sum(pg_total_relation_size(oid)) FROM pg_class WHERE relkind = 'r' AND relname LIKE 'tasks\\_app\\_%'
"""


def main() -> None:
    """Measure, and print rows for the table."""
    given = [int(word) for word in sys.argv[2:]]
    raters, minutes, ratings = [*given, *[RATERS, MINUTES, RATINGS][len(given) :]]
    study = load("sizing", raters, minutes)
    before = _collected_bytes()
    with running_site() as site:
        at_rest = sample(site, 0.0)
        soak = soaked(site, study, raters=raters, minutes=minutes, pause=0)
        under_load = soak.samples[-1]
    grown = _collected_bytes() - before
    tell(soak)
    print("\n| what | measured |\n|---|---|")
    for name, n in sorted(under_load.n_processes.items()):
        rest, loaded = (one.proportional[name] / one.n_processes[name] for one in (at_rest, under_load))
        print(f"| {name}: processes, MiB of each at rest, MiB of each under load | {n}, {rest:.0f}, {loaded:.0f} |")
    print(f"| connections to the database, at most | {max(one.connections for one in soak.samples)} |")
    _tell_raters(soak)
    n_ratings = len(soak.stored) * CRITERIA
    print(f"| database, MB per million ratings ({CRITERIA} a text) | {grown / MB / n_ratings * MILLION:.0f} |")
    _tell_worker(ratings)
    if soak.faults:
        sys.exit("\n".join(["FAILED", *soak.faults]))


def _collected_bytes() -> int:
    with connection.cursor() as cursor:
        cursor.execute(COLLECTED)
        return int(cursor.fetchone()[0])


def _tell_raters(soak: Soak) -> None:
    web, database = soak.cpu_ms("web"), soak.cpu_ms("postgres")
    print(f"| processor milliseconds an answer and its next page: web, database | {web:.1f}, {database:.1f} |")
    per_second = BUSY * 1000 / (web + database)
    print(f"| answers per second per core that is {100 * BUSY:.0f} % busy | {per_second:.1f} |")
    for seconds in SECONDS_A_TEXT:
        print(f"| raters at once per core, {seconds} s a text | {per_second * seconds:.0f} |")


def _tell_worker(ratings: int) -> None:
    study = study_with(ratings)
    for what, name in (("promised", "the usual run"), ("everything", "every rule, analysis and chart")):
        _seconds, cpu, memory, _rows = analysing.analysed(study, what, charts=what == "everything")
        figures = f"{cpu:.1f}, {cpu / ratings * MILLION:.0f}, {memory:.0f}"
        print(f"| worker, {name}, {ratings:,} ratings: processor seconds, per million ratings, MiB | {figures} |")
