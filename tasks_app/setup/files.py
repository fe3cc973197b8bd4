"""The set-up of a study as the files of a study file, so that it is checked and loaded as an uploaded one is."""

import json
import zipfile
from typing import IO

from django.utils.translation import gettext as _

from tasks_app.models import Media, Setup
from tasks_app.models.statements import rows
from tasks_app.services.study.cleaned import content_for_raters
from tasks_app.studyfile.columns import TABLES
from tasks_app.studyfile.files.source import STUDY_YAML, refusal
from tasks_app.studyfile.files.writing import media_name, table_bytes
from tasks_app.studyfile.files.yaml_text import dump_stored
from tasks_app.studyfile.problems import StudyFileError

# Most rows that an item is expected to have at the beginning of a table.
MOST_ROWS_OF_AN_ITEM = 60


class SetupFiles:
    """study.yaml, tables and media of a set-up; with `items`, only the rows of the first so many items.

    Row n of a table is line n + 1 of its file. Files are read once: those of media are replaced when the study is
    stored anew.
    """

    # Its media were cleaned where they were uploaded, or raters get cleaned copies of them.
    is_stored = True

    def __init__(self, setup: Setup, items: int | None = None) -> None:
        self.label = setup.study.slug
        self.notes: list[str] = []
        self._given = setup.given
        self._contents: dict[str, bytes] = {}
        cells_of = _all(setup) if items is None else {"items": _first(setup, items)}
        for table in TABLES:
            if cells := cells_of.get(table.stem):
                self._contents[f"{table.stem}.csv"] = table_bytes(table, cells)
        self._media = {media_name(row.sha256, row.kind): row for row in Media.objects.filter(study=setup.study)}
        self.names = [STUDY_YAML, *self._contents, *self._media]

    def write(self, name: str, content: bytes) -> None:
        """Put other content in place of a file, such as an edited study.yaml."""
        self._contents[name] = content

    def size(self, name: str) -> int:
        """Return the size of a file in bytes."""
        return self._media[name].bytes if name in self._media else len(self.read(name))

    def read(self, name: str) -> bytes:
        """Return the content of a file. Raises StudyFileError where it is gone."""
        if name == STUDY_YAML and name not in self._contents:
            self._contents[name] = dump_stored(self._given).encode()
        if name not in self._contents:
            try:
                with self._media[name].file.open("rb") as stream:
                    self._contents[name] = bytes(stream.read())
            except OSError as error:
                raise _unreadable(name, error) from error
        return self._contents[name]

    def pack(self, target: IO[bytes]) -> None:
        """Write the files as the zip of a study file, even if parts are still missing. Raises StudyFileError.

        Media are those that raters get, as in the study file of a frozen study.
        """
        with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
            for name in self.names:
                content = self._for_raters(name) if name in self._media else self.read(name)
                if content is not None:
                    archive.writestr(name, content)

    def _for_raters(self, name: str) -> bytes | None:
        """Return the content of a media file that raters get; None where they do not get it. Raises StudyFileError."""
        try:
            return content_for_raters(self._media[name])
        except OSError as error:
            raise _unreadable(name, error) from error


def _unreadable(name: str, error: OSError) -> StudyFileError:
    return refusal(name, _("cannot be read: %(reason)s.") % {"reason": error.strerror or error})


def _all(setup: Setup) -> dict[str, list[dict[str, str]]]:
    """Return the rows of every table, by its stem."""
    cells_of: dict[str, list[dict[str, str]]] = {}
    ordered = setup.rows.filter(table__in=[table.stem for table in TABLES]).order_by("table", "number")
    for table, cells in ordered.values_list("table", "cells"):
        cells_of.setdefault(table, []).append(cells)
    return cells_of


# The rows of the first items, then the first row of each system that wrote none of them.
_FIRST = """
WITH beginning AS (
    SELECT cells ->> 'item' AS item, number FROM tasks_app_setuprow
    WHERE setup_id = %(setup)s AND "table" = 'items' ORDER BY number LIMIT %(rows)s),
keys AS (SELECT item FROM beginning GROUP BY item ORDER BY min(number) LIMIT %(items)s),
first AS MATERIALIZED (
    SELECT number, cells FROM tasks_app_setuprow
    WHERE setup_id = %(setup)s AND "table" = 'items' AND cells ->> 'item' IN (SELECT item FROM keys)),
others AS (
    SELECT DISTINCT ON (cells ->> 'system') number, cells FROM tasks_app_setuprow
    WHERE setup_id = %(setup)s AND "table" = 'items'
      AND cells ->> 'system' NOT IN (SELECT COALESCE(cells ->> 'system', '') FROM first)
    ORDER BY cells ->> 'system', number)
SELECT cells::text, false AS is_other, number FROM first
UNION ALL
SELECT cells::text, true, number FROM others
ORDER BY is_other, number
"""


def _first(setup: Setup, items: int) -> list[dict[str, str]]:
    """Return the rows of the first items, and one of each system that wrote none of them; one query.

    Other tables are left out, since they name units that may be missing.
    """
    first_rows = rows(_FIRST, {"setup": setup.pk, "rows": items * MOST_ROWS_OF_AN_ITEM, "items": items})
    return [json.loads(cells) for cells, _is_other, _number in first_rows]
