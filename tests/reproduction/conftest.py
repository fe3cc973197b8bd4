"""Loads a set of published data once, by the commands that a user has, and keeps its results document."""

import gzip
import json
import shutil
from collections.abc import Callable, Sequence
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection, transaction
from pytest_django import DjangoDbBlocker

from tests.leftovers import clear_away
from tests.reproduction.published import OURS, folder_of, missing
from tests.undrawn import undrawn

Reproduce = Callable[..., dict[str, Any]]

# The tables that an import fills.
FILLED = tuple(
    f"tasks_app_{name}"
    for name in (
        "judgment", "rating", "assignment", "unit", "part", "partoutput", "item", "output", "rater", "raterset"
    )
)  # fmt: skip


def command(*arguments: str) -> str:
    """Run a command of manage.py and return what it printed."""
    out = StringIO()
    call_command(*arguments, stdout=out, stderr=out)
    return out.getvalue()


def trust_keys() -> None:
    """Look up no foreign keys in this transaction, which takes half the time of a large import.

    Tests of the import itself, and every other test, look them up.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT format('ALTER TABLE %%s DROP CONSTRAINT %%I', conrelid::regclass, conname) FROM pg_constraint"
            " WHERE contype = 'f' AND conrelid = ANY (%s::regclass[])",
            [list(FILLED)],
        )
        cursor.execute("; ".join(statement for (statement,) in cursor.fetchall()))


@pytest.fixture(scope="module")
def reproduce(
    django_db_setup: None, django_db_blocker: DjangoDbBlocker, tmp_path_factory: pytest.TempPathFactory
) -> Reproduce:
    """Return a function that loads a set, imports its files with their mappings, and analyses it.

    `plans` are other plans beside the study to analyse it by; their documents stand under `plans`. `scores` puts a file
    of metric scores into the folder and returns the arguments of the command that imports it. Nothing stays in the
    database.
    """

    def run(
        name: str,
        slug: str,
        files: Sequence[tuple[str, str]],
        plans: Sequence[str] = (),
        scores: Callable[[Path], Sequence[str]] | None = None,
    ) -> dict[str, Any]:
        if reason := missing(name):
            pytest.skip(reason)
        folder = study_folder(tmp_path_factory.mktemp(name), name)
        document = folder / "results.json"
        with django_db_blocker.unblock(), transaction.atomic(), undrawn():
            trust_keys()
            command("load_study", str(folder))
            said = [
                json.loads(
                    command(
                        "import_ratings",
                        slug,
                        str(folder_of(name) / file),
                        "--map",
                        str(OURS / name / mapping),
                        "--json",
                    )
                )
                for file, mapping in files
            ]
            if scores is not None:
                command("import_scores", slug, *scores(folder))
            with connection.cursor() as cursor:
                # Nothing has gathered statistics of rows that no other transaction sees: without them PostgreSQL may
                # plan to read all judgments again for each of them.
                cursor.execute(f"ANALYZE {', '.join(FILLED)}")
            command("analyse", slug, "--json", str(document))
            for plan in plans:
                command("analyse", slug, "--json", str(folder / f"{plan}.json"), "--plan", str(OURS / name / plan))
            transaction.set_rollback(True)
        clear_away(at_least=1)
        others = {plan: json.loads((folder / f"{plan}.json").read_text()) for plan in plans}
        return {**json.loads(document.read_text()), "imports": said, "plans": others}

    return run


def study_folder(folder: Path, name: str) -> Path:
    """Put our description of a study and its published items into one folder outside of the repository."""
    shutil.copy(OURS / name / "study.yaml", folder)
    items = folder_of(name) / "items.csv"
    if items.is_file():
        shutil.copy(items, folder)
    else:
        (folder / "items.csv").write_bytes(gzip.decompress(items.with_suffix(".csv.gz").read_bytes()))
    return folder
