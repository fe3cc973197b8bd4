"""How many rows there are, asked of the database once for all tables."""

from collections.abc import Iterable

from django.db import connection
from django.db.models import Model


def rows_of(models: Iterable[type[Model]]) -> dict[type[Model], int]:
    """Return the number of rows in the table of each model."""
    chosen = list(models)
    counted = " UNION ALL ".join(
        f"SELECT {place}, count(*) FROM {connection.ops.quote_name(model._meta.db_table)}"
        for place, model in enumerate(chosen)
    )
    with connection.cursor() as cursor:
        cursor.execute(counted)
        found = dict(cursor.fetchall())
    return {model: found[place] for place, model in enumerate(chosen)}
