"""Load the rows of an archive into an empty database, and compute its run again."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.management import call_command
from django.db import DatabaseError, connection, transaction

from analytics_app import plan
from analytics_app.archive import writing
from analytics_app.archive.reading import Archive, BadArchive
from analytics_app.archive.rows import OF_PLANS, OF_RUN, TABLES, ArchivedTable, instance, path_of
from analytics_app.models import Plan, Run, RunPart, RunState, RunTrigger
from analytics_app.plan import BadPlan
from analytics_app.runs import start
from tasks_app.models import Study

# Rows that are stored at once.
BATCH = 2_000


@dataclass(frozen=True, slots=True)
class Loaded:
    """A run to be computed, the version that computed it before, and columns of rows that no table has."""

    run: Run
    code_version: str
    further: Sequence[str]


def prepare() -> None:
    """Make the tables of the database that this process works on.

    Raises
    ------
    BadArchive
        Where the database is in use: rows of an archive keep their ids, which others may have there.
    """
    if Study._meta.db_table in connection.introspection.table_names() and Study.objects.exists():
        raise BadArchive("This database has studies. Run `python manage.py verify`, which makes an empty one.")
    call_command("migrate", interactive=False, verbosity=0)


def load(archive: Archive) -> Loaded:
    """Store the rows of an archive with their ids, and its run as one that is to be computed.

    Raises
    ------
    BadArchive
        Where a row does not fit its table.
    """
    try:
        with transaction.atomic():
            for table in TABLES:
                _lift_guards(table)
            further: set[str] = set()
            for table in TABLES:
                if path_of(table) in archive.zip.namelist():
                    further |= _store(archive, table)
            for frozen in Plan.objects.all():
                _refuse_unknown(f"{path_of(OF_PLANS)}: document", frozen.document)
            run, code_version = _store_run(archive)
            return Loaded(run, code_version, sorted(further))
    except DatabaseError as error:
        raise BadArchive(f"The rows do not fit together: {error}".strip()) from None


def _lift_guards(table: ArchivedTable) -> None:
    """Let rows be stored as they are: triggers refuse those of a frozen design, and would count counted rows again."""
    name = connection.ops.quote_name(table.model._meta.db_table)
    with connection.cursor() as cursor:
        cursor.execute(f"ALTER TABLE {name} DISABLE TRIGGER USER")


def _store(archive: Archive, table: ArchivedTable) -> set[str]:
    """Store the rows of a table; return the columns of its file that it does not have."""
    path, further, columns = path_of(table), set[str](), set(table.columns)
    lines = enumerate(archive.lines(path), start=1)
    while batch := list(islice(lines, BATCH)):
        instances = []
        for number, row in batch:
            try:
                instances.append(instance(table, row))
                further |= {f"{path}: {name}" for name in row.keys() - columns}
            except (LookupError, ValidationError, ValueError, TypeError) as error:
                raise BadArchive(f"{path}, line {number}: {error}") from None
        table.model._default_manager.bulk_create(instances)
    return further


def _refuse_unknown(place: str, document: Any) -> None:
    """Raise BadArchive for settings, rules or analyses that this version does not know: it would compute without."""
    if not isinstance(document, dict):
        raise BadArchive(f"{place}: not a JSON object.")
    unknown = BadPlan(list(plan.unknown_names(document)))
    if unknown.problems:
        raise BadArchive(f"{place}: {unknown}")


def _store_run(archive: Archive) -> tuple[Run, str]:
    """Store the run as one that is to be computed; return it with the version that computed it before."""
    row = next(archive.lines(writing.RUN), None)
    if row is None:
        raise BadArchive(f"{writing.RUN} is empty.")
    try:
        run = instance(OF_RUN, row)
    except (LookupError, ValidationError) as error:
        raise BadArchive(f"{writing.RUN}: {error}") from None
    assert isinstance(run, Run)
    _refuse_unknown(f"{writing.RUN}: settings", run.settings)
    code_version = run.code_version
    facts = {name: value for name, value in run.facts.items() if name not in {"tasks", "taken_over"}}
    Run.objects.bulk_create([run])
    # Workers refuse runs of another release; which release it was is compared apart.
    changed = {"code_version": settings.EVALWEB_CODE_VERSION, "trigger": RunTrigger.COMMAND}
    Run.objects.filter(pk=run.pk).update(state=RunState.QUEUED, finished=None, error="", facts=facts, **changed)
    run.refresh_from_db()
    RunPart.objects.bulk_create(start.parts_of(run))
    return run, code_version


def compute(run: Run) -> Run:
    """Compute a run that was loaded, in this process, without its charts: numbers are compared.

    Raises
    ------
    BadArchive
        Where it fails.
    """
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    done = start.compute_here(run=run, drawn=False)
    if done.state != RunState.DONE:
        raise BadArchive(f"The run could not be computed again: {done.error}")
    return done
