"""Texts and ratings stored by the commands, beside INSERTs of the same rows by somebody who knows that they are right.

Printed are the CPU seconds of the command and of the database, the command's peak memory, and how many times that of
the INSERTs both are together. These fill tables with the same keys, indexes and foreign keys from the stored rows, so
that they are what the database needs at least. `python -m bench importing` imports 100,000 ratings, `python -m bench
importing 1000000` as many as it says. A million ratings are promised to be imported in at most 60 CPU seconds.
"""

from __future__ import annotations

import csv
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from random import Random

import psutil
from django.conf import settings
from django.db import connection, transaction

from tasks_app.models import Study

# A text is rated by five raters on two criteria; an item has ten texts.
RATERS, CRITERIA, SYSTEMS, PEOPLE = 5, ("fluency", "adequacy"), 10, 200
RATINGS_A_TEXT = RATERS * len(CRITERIA)
SIZE = 100_000
# CPU seconds that are promised for the import of a million ratings.
PROMISED_SIZE, MOST_SECONDS = 1_000_000, 60

STUDY = """
evalweb: 1
study: {{slug: {slug}, title: Bench, public_title: Reading}}
flow: {{imported: true}}
criteria: [{{key: fluency, name: Fluency}}, {{key: adequacy, name: Adequacy}}]
tasks: [{{key: main, type: likert, criteria: [fluency, adequacy], k: 1, params: {{points: 5}}}}]
"""

WORDS = ("alpha", "river", "stone", "window", "letter", "garden", "morning", "silver", "quiet", "paper", "market")

# The tables that each command fills most of, with the foreign keys that are looked up for each row.
OF_TEXTS = ("item", "output", "unit", "part", "partoutput")
OF_RATINGS = ("assignment", "judgment", "rating")
OWN = {
    "item": "study_id = %(study)s",
    "output": "item_id IN (SELECT id FROM tasks_app_item WHERE study_id = %(study)s)",
    "unit": "task_id IN (SELECT id FROM tasks_app_task WHERE study_id = %(study)s)",
    "part": "unit_id IN (SELECT u.id FROM tasks_app_unit u JOIN tasks_app_task t ON t.id = u.task_id"
    " WHERE t.study_id = %(study)s)",
    "partoutput": "part_id IN (SELECT p.id FROM tasks_app_part p JOIN tasks_app_unit u ON u.id = p.unit_id"
    " JOIN tasks_app_task t ON t.id = u.task_id WHERE t.study_id = %(study)s)",
    "assignment": "rater_id IN (SELECT id FROM tasks_app_rater WHERE study_id = %(study)s)",
    "judgment": "assignment_id IN (SELECT a.id FROM tasks_app_assignment a JOIN tasks_app_rater r ON r.id = a.rater_id"
    " WHERE r.study_id = %(study)s)",
    "rating": "task_id IN (SELECT id FROM tasks_app_task WHERE study_id = %(study)s)",
}
KEYS = """
SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint WHERE contype = 'f' AND conrelid = %s::regclass
"""


@dataclass(frozen=True)
class Used:
    """CPU seconds of a command and of the database, and the command's peak memory in MiB."""

    command: float
    database: float
    memory: float


def write_files(folder: Path, slug: str, ratings: int) -> Path:
    """Write a study file with its texts, and a file of about so many ratings of them; return the path of the second."""
    rng = Random(1)
    items = max(1, ratings // (RATINGS_A_TEXT * SYSTEMS))
    folder.mkdir()
    (folder / "study.yaml").write_text(STUDY.format(slug=slug), encoding="utf-8")
    file = folder.with_suffix(".csv")
    with (folder / "items.csv").open("w", newline="") as of_texts, file.open("w", newline="") as of_ratings:
        texts, rows = csv.writer(of_texts), csv.writer(of_ratings)
        texts.writerow(["item", "system", "output", "source"])
        rows.writerow(["rater", "item", "system", "criterion", "value"])
        for item in range(items):
            source = " ".join(rng.choices(WORDS, k=12))
            for system in range(SYSTEMS):
                text = " ".join(rng.choices(WORDS, k=14))
                texts.writerow([f"item-{item}", f"system-{system}", f"{text} {item}.{system}", source])
                for rater in rng.sample(range(PEOPLE), RATERS):
                    for criterion in CRITERIA:
                        rows.writerow(
                            [f"r{rater:03}", f"item-{item}", f"system-{system}", criterion, rng.randint(1, 5)]
                        )
    return file


def run(*arguments: str) -> Used:
    """Run a command of manage.py in a process of its own."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        server = psutil.Process(cursor.fetchone()[0]).parent()
    assert server is not None, "the server of a connection is its parent"
    before = _ended(server)
    process = subprocess.Popen(
        [sys.executable, "manage.py", *arguments], cwd=Path(settings.BASE_DIR), stdout=subprocess.DEVNULL
    )
    _pid, status, used = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"manage.py {' '.join(arguments)} ended with {status}")
    return Used(used.ru_utime + used.ru_stime, _ended(server) - before, used.ru_maxrss / 1024)


def _ended(server: psutil.Process) -> float:
    """Return the CPU seconds of all processes of a database server that have ended, as those of a command have."""
    times = server.cpu_times()
    return float(times.children_user + times.children_system)


def inserted(study: Study, tables: tuple[str, ...]) -> float:
    """Return the CPU seconds in which the database stores the rows of a study in tables like its own."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        server = psutil.Process(cursor.fetchone()[0])
        for table in tables:
            cursor.execute(f"CREATE TABLE bench_{table} (LIKE tasks_app_{table} INCLUDING ALL)")
            cursor.execute(KEYS, [f"tasks_app_{table}"])
            for name, definition in cursor.fetchall():
                cursor.execute(f"ALTER TABLE bench_{table} ADD CONSTRAINT {name} {definition}")
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        began = sum(server.cpu_times()[:2])
        for table in tables:
            cursor.execute(
                f"INSERT INTO bench_{table} OVERRIDING SYSTEM VALUE SELECT * FROM tasks_app_{table}"
                f" WHERE {OWN[table]} ORDER BY id",
                {"study": study.pk},
            )
        took: float = sum(server.cpu_times()[:2]) - began
        transaction.set_rollback(True)
    return took


def main() -> None:
    """Print the figures of loading the texts and of importing the ratings."""
    given = [word for word in sys.argv[1:] if word.isdigit()]
    size = int(given[0]) if given else SIZE
    with tempfile.TemporaryDirectory() as name:
        slug = f"importing-{size}-{Study.objects.count()}"
        folder = Path(name) / slug
        file = write_files(folder, slug, size)
        loaded = run("load_study", str(folder))
        imported = run("import_ratings", slug, str(file))
        study = Study.objects.get(slug=slug)
        for n, what, used, tables in (
            (size // RATINGS_A_TEXT, "outputs loaded", loaded, OF_TEXTS),
            (size, "ratings imported", imported, OF_RATINGS),
        ):
            least = inserted(study, tables)
            times = (used.command + used.database) / least
            promised = f" (promised: at most {MOST_SECONDS} s of CPU)" if n == PROMISED_SIZE else ""
            print(
                f"{n:>9,} {what}: command {used.command:.1f} s and database {used.database:.1f} s of CPU, "
                f"{used.memory:.0f} MiB = {times:.1f} times the INSERTs ({least:.1f} s){promised}"
            )
