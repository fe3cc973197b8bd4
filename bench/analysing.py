"""A run over 10^4, 10^5 and 10^6 ratings, beside a copy by `psql` and a plain pandas script.

Printed are ratios of least times of several rounds in one run. The promises: a million ratings loaded and analysed
(default rules, z, agreement with 1,000 bootstrap draws, systems with intervals and comparisons) in at most 8 times
what `psql` needs to copy the same columns out, under 400 MiB, at least 40 times faster than the script; ten times the
ratings cost at most eleven times as much. Every rule and every analysis with plots takes at most 25 copies and 700 MiB.
A run is worked on by two processes, as by a worker on two cores, and its seconds include loading the libraries.
"""

import os
import subprocess
import sys
import time
from itertools import pairwise
from math import isclose
from pathlib import Path

from django.conf import settings

from bench import plain
from bench.collected import study_with
from evalweb.local_services.postgres import program
from tasks_app.models import Criterion, Study, System

SIZES = (10_000, 100_000, 1_000_000)
ROUNDS = 3
# Promised for a million ratings: copies by `psql`, times that the script takes, and MiB; for every analysis, too.
MOST_COPIES, LEAST_FASTER, MOST_MEMORY = 8, 40, 400
MOST_COPIES_OF_EVERYTHING, MOST_MEMORY_OF_EVERYTHING = 25, 700
MOST_GROWTH = 11

# The columns a run reads: a rating, its judgment, and the output it is about.
READ_COLUMNS = """
SELECT r.id, r.judgment_id, r.rater_id, r.unit_id, r.part_id, r.part_b_id, r.criterion_id, r.number, r.value,
       r.shown_value, r.label, a."order", j.seconds_active, j.submitted_at, a.wave, p.group_id, p.kind, o.system_id,
       o.item_id
  FROM tasks_app_rating r
  JOIN tasks_app_task t ON t.id = r.task_id
  JOIN tasks_app_judgment j ON j.id = r.judgment_id
  JOIN tasks_app_assignment a ON a.id = j.assignment_id
  JOIN tasks_app_rater p ON p.id = a.rater_id
  JOIN tasks_app_partoutput po ON po.part_id = r.part_id
  JOIN tasks_app_output o ON o.id = po.output_id
 WHERE t.study_id = {study}
"""

# The columns that the script needs, and no more.
SCRIPT_COLUMNS = """
SELECT r.rater_id AS rater, o.item_id AS item, o.system_id AS system, r.unit_id AS unit, r.criterion_id AS criterion,
       r.value
  FROM tasks_app_rating r
  JOIN tasks_app_task t ON t.id = r.task_id
  JOIN tasks_app_partoutput po ON po.part_id = r.part_id
  JOIN tasks_app_output o ON o.id = po.output_id
 WHERE t.study_id = {study}
"""


def copied(sql: str, *, keep: bool = False) -> tuple[float, bytes]:
    """Return the seconds `psql` needs to copy a SELECT out, and its output."""
    form = "FORMAT csv, HEADER" if keep else "FORMAT text"
    command = [program("psql"), "-X", "-q", "-c", f"COPY ({sql}) TO STDOUT ({form})"]
    began = time.perf_counter()
    answer = subprocess.run(
        [*command, os.environ["DATABASE_URL"]], check=True, stdout=subprocess.PIPE if keep else subprocess.DEVNULL
    )
    return time.perf_counter() - began, answer.stdout or b""


def analysed(study: Study, what: str, *, charts: bool) -> tuple[float, float, float, int]:
    """Compute a run in two fresh processes; returns seconds, processor seconds, peak memory in MiB, number of rows."""
    answer = subprocess.run(
        [sys.executable, "-m", "bench.one_run", study.slug, what, "charts" if charts else "-"],
        cwd=Path(settings.BASE_DIR),
        check=True,
        capture_output=True,
        text=True,
    )
    seconds, used, memory, rows = answer.stdout.split()
    return float(seconds), float(used), float(memory), int(rows)


def same_numbers(study: Study, script: plain.Computed) -> int:
    """Return how many figures both computed; raises SystemExit if any differ, since times cannot be compared then."""
    rows = study.runs.get().rows.filter(criterion=Criterion.objects.get(pk=script.criterion).key, basis="kept")
    keys = dict(System.objects.filter(study=study).values_list("pk", "key"))
    for figure in script.figures:
        a, b = (keys.get(system or 0) for system in (figure.system, figure.system_b))
        row = rows.filter(statistic=figure.statistic, system=a, system_b=b).first()
        if row is None or not isclose(row.value, figure.value, rel_tol=1e-9, abs_tol=1e-9):
            sys.exit(f"{figure.statistic} of {a} and {b}: the script has {figure.value}, the run {row and row.value}.")
        if figure.p is not None and not isclose(row.p, figure.p, rel_tol=1e-6, abs_tol=1e-12):
            sys.exit(f"{figure.statistic} of {a} and {b}: p is {figure.p} in the script and {row.p} in the run.")
    return len(script.figures)


def _promise(words: str, number: int, is_promised: bool) -> str:
    """Return the promise that stands behind a figure; nothing at sizes for which there is none."""
    return f" (promised: {words} {number})" if is_promised else ""


def main() -> None:
    """Print the time and memory of each size."""
    least: dict[int, float] = {}
    for size in SIZES:
        study = study_with(size)
        read, script = (sql.format(study=study.pk) for sql in (READ_COLUMNS, SCRIPT_COLUMNS))
        copies, runs, processor, with_plots, memory, rows = [], [], [], [], 0.0, 0
        for _round in range(ROUNDS):
            copies.append(copied(read)[0])
            seconds, used, peak, rows = analysed(study, "promised", charts=False)
            runs.append(seconds)
            processor.append(used)
            memory = max(memory, peak)
        with_plots.append(analysed(study, "promised", charts=True)[0])
        script_run = plain.compute(copied(script, keep=True)[1])
        n_same, by_script = same_numbers(study, script_run), script_run.seconds
        everything, everything_used, everything_memory, everything_rows = analysed(study, "everything", charts=True)
        least[size] = min(runs)
        run, copy = least[size], min(copies)
        is_promised = size == SIZES[-1]
        at_most, all_at_most = (_promise("at most", n, is_promised) for n in (MOST_COPIES, MOST_COPIES_OF_EVERYTHING))
        under, all_under = (_promise("under", n, is_promised) for n in (MOST_MEMORY, MOST_MEMORY_OF_EVERYTHING))
        at_least = _promise("at least", LEAST_FASTER, is_promised)
        print(f"{size:>9,} ratings: run {run:.2f} s, {rows:,} rows; with plots {min(with_plots):.2f} s")
        print(f"    {run / copy:.1f} copies by psql of {copy:.2f} s{at_most}")
        print(f"    the plain script takes {by_script / run:.0f} times as long, {by_script:.0f} s{at_least}")
        print(f"    {n_same} figures of the script and of the run are the same numbers")
        print(f"    {min(processor):.1f} processor seconds, peak {memory:.0f} MiB{under}")
        print(
            f"    every rule and every analysis, with plots: {everything:.2f} s = {everything / copy:.1f} copies"
            f"{all_at_most}, {everything_used:.1f} processor seconds, peak {everything_memory:.0f} MiB{all_under}, "
            f"{everything_rows:,} rows"
        )
    for small, large in pairwise(SIZES):
        growth = least[large] / least[small]
        print(f"{large:,} ratings cost {growth:.1f} times {small:,} (promised: at most {MOST_GROWTH})")
