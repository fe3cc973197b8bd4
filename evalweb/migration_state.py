"""Compare the migrations of this version, on disk, with those the database has seen."""

from collections.abc import Iterable
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pkgutil import iter_modules

from django.apps import apps
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

NAMED = 3


@cache
def names_on_disk() -> frozenset[str]:
    """Return the migrations of this version as `app.name`, by the names of their modules.

    Nothing of them is loaded: every web process asks, and would keep eight MiB of migrations for as long as it runs.
    """
    packages = {app.label: MigrationLoader.migrations_module(app.label)[0] for app in apps.get_app_configs()}
    return frozenset(
        f"{label}.{module.name}"
        for label, package in packages.items()
        if package is not None and _exists(package)
        for module in iter_modules(import_module(package).__path__)
        if not module.ispkg and module.name[0] not in "_~"
    )


def _exists(package: str) -> bool:
    return find_spec(package) is not None


def pending_migrations() -> list[str]:
    """Return the migrations that the database has not seen yet, as `app.name`, sorted."""
    return sorted(names_on_disk() - _applied())


def newer_migrations() -> list[str]:
    """Return the migrations that the database has seen and this version does not have, as `app.name`."""
    return unknown(_applied())


def _applied() -> frozenset[str]:
    return frozenset(f"{app}.{name}" for app, name in MigrationRecorder(connection).applied_migrations())


def unknown(names: Iterable[str]) -> list[str]:
    """Return those of `names` that this version does not have, sorted."""
    return sorted(set(names) - names_on_disk())


def listed(names: list[str]) -> str:
    """Return the first names and how many more there are."""
    n_more = len(names) - NAMED
    return ", ".join(names[:NAMED]) + (f" and {n_more} more" if n_more > 0 else "")
