"""Delete every row and file of a study, and the rehearsals of drafts, of which nothing stays."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import timedelta
from functools import cache
from typing import Any

from django.apps import apps
from django.core.files.storage import default_storage
from django.db import connection, models, transaction
from django.db.models.functions import Now

from tasks_app.models import DeletedLink, DeletedStudy, Event, KeptPayment, Study
from tasks_app.services import events
from tasks_app.services.database import atomically, lock_claims, lock_submissions
from tasks_app.services.study.items import remove_files

# How long a rehearsal is kept.
REHEARSAL_KEPT = timedelta(days=1)

# Rows that no study is deleted with: they are what is kept of it.
_KEPT = (DeletedStudy, DeletedLink, KeptPayment, Event)


@atomically
def delete_rehearsals(*, of: Study, by: events.Actor = None) -> None:
    """Delete the rehearsals of a draft, or only those that somebody began; nothing is kept or logged of them."""
    begun = Study.with_rehearsals.filter(rehearses=of)
    if by is not None:
        begun = begun.filter(memberships__user_id=by.pk or 0)
    for pk in list(begun.order_by("pk").values_list("pk", flat=True)):
        _delete_rehearsal(pk)


def delete_old_rehearsals() -> int:
    """Delete the rehearsals that began more than a day ago, each in a transaction of its own; return how many."""
    old = Study.with_rehearsals.filter(rehearses__isnull=False, created_at__lt=Now() - REHEARSAL_KEPT)
    ids = list(old.order_by("pk").values_list("pk", flat=True))
    for pk in ids:
        _delete_rehearsal(pk)
    return len(ids)


@atomically
def _delete_rehearsal(study_id: int) -> None:
    lock_claims(study_id)
    lock_submissions(study_id)
    # Another process may have deleted it while this one waited for the locks.
    for study in Study.with_rehearsals.select_for_update().filter(pk=study_id, rehearses__isnull=False):
        remove(study)


def remove(study: Study) -> None:
    """Delete the rows of a study, and after the commit its files."""
    number = study.pk
    _let_go(study)
    with connection.cursor() as cursor:
        # The triggers of append-only tables and of frozen designs allow the change only with these settings.
        cursor.execute("SET LOCAL evalweb.erasing = 'on'")
        cursor.execute("SET LOCAL evalweb.deleting = 'on'")
        for model, path in _belonging():
            model._base_manager.filter(**{path: study.pk})._raw_delete(connection.alias)
        Study._base_manager.filter(pk=study.pk)._raw_delete(connection.alias)
        cursor.execute("SET LOCAL evalweb.deleting = 'off'")
        cursor.execute("SET LOCAL evalweb.erasing = 'off'")
    transaction.on_commit(lambda: _remove_folder(f"studies/{number}"), robust=True)


def _let_go(study: Study) -> None:
    """Empty the columns by which rows of other studies lead to rows of this one, such as a version that follows it."""
    paths: dict[type[models.Model], str] = {Study: "pk", **dict(_belonging())}
    for model in _ours():
        for field in _foreign_keys(model, models.SET_NULL):
            path = paths.get(field.related_model)
            if path is None or (model is Study and field.related_model is Study):
                continue
            leading = model._base_manager.filter(**{f"{field.name}__{path}": study.pk})
            own = paths.get(model)
            if own is not None:
                leading = leading.exclude(**{own: study.pk})
            keys = list(leading.values_list("pk", flat=True))
            if keys:
                model._base_manager.filter(pk__in=keys).update(**{field.attname: None})


@cache
def _belonging() -> Sequence[tuple[type[models.Model], str]]:
    """Return every table with rows of a study, and the way from a row to the study; dependent tables come first.

    A row belongs to a study where a foreign key leads there that may not simply be emptied. Tables that are added later
    are found as well.
    """
    ways: dict[type[models.Model], str] = {Study: ""}
    steps: list[type[models.Model]] = [Study]
    for target in steps:
        for model in _ours():
            for field in _foreign_keys(model, models.CASCADE, models.PROTECT):
                if field.related_model is target and model not in ways and model not in _KEPT:
                    ways[model] = "__".join(filter(None, [field.name, ways[target]]))
                    steps.append(model)
    del ways[Study]
    ordered: list[type[models.Model]] = []

    def put(model: type[models.Model]) -> None:
        if model in ordered:
            return
        for other in ways:
            keys = _foreign_keys(other, models.CASCADE, models.PROTECT)
            if other is not model and any(field.related_model is model for field in keys):
                put(other)
        ordered.append(model)

    for model in ways:
        put(model)
    return [(model, ways[model]) for model in ordered]


def _ours() -> Iterator[type[models.Model]]:
    """Yield the models of this project's apps, with the tables behind many-to-many fields."""
    for config in apps.get_app_configs():
        if config.label.endswith("_app"):
            yield from config.get_models(include_auto_created=True)


def _foreign_keys(model: type[models.Model], *rules: object) -> "Iterator[models.ForeignKey[Any, Any]]":
    """Yield the foreign keys of a model with one of these rules on the deletion of the target row."""
    for field in model._meta.concrete_fields:
        if isinstance(field, models.ForeignKey) and field.remote_field.on_delete in rules:
            yield field


def _remove_folder(folder: str) -> None:
    """Delete all files of a study: each study has copies of its own."""
    if not default_storage.exists(folder):
        return
    folders, files = default_storage.listdir(folder)
    remove_files(f"{folder}/{name}" for name in files)
    for name in folders:
        _remove_folder(f"{folder}/{name}")
    with suppress(FileNotFoundError):
        default_storage.delete(folder)
