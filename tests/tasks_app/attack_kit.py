"""What attackers try with, and how it is seen that nothing changed."""

import json
import re
from collections.abc import Mapping
from typing import Any

from django.apps import apps
from django.core import signing
from django.db import connection
from django.test import Client

from tasks_app.links.credentials import hash_token
from tasks_app.models import Rater, Study
from tests import pages
from tests.permissions.world import digest, written

# What Django keeps about a browser that signed in; it is no part of a study.
NOT_OURS = {"django_session"}

HIDDEN = re.compile(r'name="form_token" value="([^"]+)"')


# Of the newest transaction: what was written to each table when it was digested, and the digest.
_newest: dict[int, dict[str, tuple[int, str]]] = {}


def tables() -> dict[str, str]:
    """Digest every table of the database, so that a changed cell of any row is seen.

    The digest of a table holds as long as the same transaction has written no further row of it.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT txid_current()")
        (moment,) = cursor.fetchone()
    if moment not in _newest:
        _newest.clear()
    known, rows = _newest.setdefault(moment, {}), written()
    names = {model._meta.db_table for model in apps.get_models()} - NOT_OURS
    stale = [name for name in names if name not in known or known[name][0] != rows[name]]
    known |= {name: (rows[name], now) for name, now in digest(stale).items()}
    return {name: known[name][1] for name in sorted(names)}


def changed(before: Mapping[str, str]) -> set[str]:
    """Name the tables that differ from what they were, without the app's name."""
    now = tables()
    return {name.removeprefix("tasks_app_") for name in now if now[name] != before.get(name)}


def everything() -> str:
    """Return every cell of every table, to search in."""
    found = []
    with connection.cursor() as cursor:
        for model in apps.get_models():
            cursor.execute(f"SELECT t::text FROM {model._meta.db_table} t")
            found += [row[0] for row in cursor.fetchall()]
    return "\n".join(found)


def read_tokens(page: str) -> list[dict[str, Any]]:
    """Read what the signed tokens of a page say, as anybody can without a key."""
    return [json.loads(signing.b64_decode(one.split(":")[0].encode())) for one in HIDDEN.findall(page)]


def token_of(browser: Client, path: str) -> str:
    """Return the token of the first form on a page."""
    return pages.hidden(browser.get(path))["form_token"]


def rater_of(token: str) -> Rater:
    """Return the rater of an address."""
    return Rater.objects.select_related("study").get(token_hash=hash_token(token))


def set_settings(study: Study, **blocks: Mapping[str, object]) -> None:
    """Change blocks of a study's settings, as another study file would."""
    for name, block in blocks.items():
        study.settings = {**study.settings, name: {**study.settings.get(name, {}), **block}}
    Study.objects.filter(pk=study.pk).update(settings=study.settings)
