"""Signatures of metrics that were computed here: the settings and version of the program, which papers report."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from django.utils.translation import gettext as _

from analytics_app.models import ResultRow
from analytics_app.show.table import Table


def signatures_of(rows: Iterable[ResultRow]) -> Mapping[str, str]:
    """Return the signature of each metric of the rows that was computed here, by its name, in alphabetical order."""
    signatures: dict[str, str] = {}
    for row in rows:
        for name, end in ((row.metric, ""), (row.metric_b, "_b")):
            if name and (signature := (row.settings or {}).get(f"signature{end}")):
                signatures[name] = signature
    return dict(sorted(signatures.items()))


def with_signatures(tables: Iterable[Table], rows: Iterable[ResultRow]) -> Iterator[Table]:
    """Yield tables with the signatures of the metrics that they show and that were computed here, also as notes."""
    signatures = signatures_of(rows)
    for table in tables:
        own = {name: signatures[name] for name in _shown(table, signatures)}
        notes = [
            _("%(name)s was computed here: %(signature)s") % {"name": name, "signature": signature}
            for name, signature in own.items()
        ]
        yield replace(table, notes=[*table.notes, *notes], signatures=own) if own else table


def _shown(table: Table, names: Iterable[str]) -> list[str]:
    """Return the names that cells or heads of a table have; where none has one by itself, those within longer words."""
    words = {cell.text for row in table.rows for cell in row} | {str(column.label) for column in table.columns}
    alone = [name for name in names if name in words]
    return alone or [name for name in names if any(name in text for text in words)]
