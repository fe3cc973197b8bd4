"""Compare the migrations of this version, on disk, with those the database has seen."""

from collections.abc import Iterable
from functools import cache

from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

NAMED = 3


@cache
def names_on_disk() -> frozenset[str]:
    """Return the migrations of this version as `app.name`."""
    return frozenset(f"{app}.{name}" for app, name in MigrationLoader(None).disk_migrations or {})


def pending_migrations() -> list[str]:
    """Return the migrations that the database has not seen yet, as `app.name`."""
    executor = MigrationExecutor(connection)
    plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
    return [f"{migration.app_label}.{migration.name}" for migration, _backwards in plan]


def newer_migrations() -> list[str]:
    """Return the migrations that the database has seen and this version does not have, as `app.name`."""
    return unknown(f"{app}.{name}" for app, name in MigrationRecorder(connection).applied_migrations())


def unknown(names: Iterable[str]) -> list[str]:
    """Return those of `names` that this version does not have, sorted."""
    return sorted(set(names) - names_on_disk())


def listed(names: list[str]) -> str:
    """Return the first names and how many more there are."""
    n_more = len(names) - NAMED
    return ", ".join(names[:NAMED]) + (f" and {n_more} more" if n_more > 0 else "")
