"""The results document of a run, streamed as JSON or CSV with the same rows and columns."""

import csv
import io
import json
import math
from collections.abc import Generator, Iterable, Iterator, Mapping
from typing import Any, Literal

from django.core.serializers.json import DjangoJSONEncoder

from analytics_app.exports.columns import RESULTS, Kind
from analytics_app.models import Run
from analytics_app.results import COLUMNS, FORMAT, UNCORRECTED_NOTE, outdated_note
from analytics_app.selectors.results import rows_of, systems_shown
from tasks_app.models import Study
from tasks_app.texts.plaintext import without_formula

Format = Literal["json", "csv"]

CONTENT_TYPES: Mapping[Format, str] = {"json": "application/json", "csv": "text/csv; charset=utf-8"}

# The number of rows read from the database at once.
ROWS = 1_000

# The column of settings, and the setting that quotes a text.
SETTINGS, WORDS = COLUMNS.index("settings"), "words"
TASK, NOTE, STATISTIC, LOW, HIGH = (COLUMNS.index(name) for name in ("task", "note", "statistic", "low", "high"))

_KINDS = {column.name: column.kind for column in RESULTS}


def stream(
    run: Run, *, format: Format = "json", systems: bool | None = None, texts: bool = True
) -> Generator[bytes, None, None]:
    """Return the results document of a run as chunks of a UTF-8 file.

    Before the study is closed, rows that distinguish systems are left out; `systems` overrides this. Without `texts`,
    the words that raters marked are left out.
    """
    rows = _rows(run, systems := systems_shown(run.study) if systems is None else systems)
    rows = rows if texts else map(_without_words, rows)
    return _json(run, rows, systems=systems) if format == "json" else _csv(rows)


def head(run: Run, *, systems: bool) -> dict[str, Any]:
    """Return the document without its rows; `systems_hidden` says that rows by system are left out."""
    return {
        "evalweb": FORMAT,
        "study": run.study.slug,
        "version": run.version,
        "systems_hidden": not systems,
        "run": facts_of(run),
    }


def facts_of(run: Run) -> dict[str, Any]:
    """Return the facts of a run: how to repeat it, and the facts that it recorded while computing."""
    columns = ("number", "state", "planned", "trigger", "finished", "seed", "high_water", "n_seen", "digest")
    return {
        **{name: getattr(run, name) for name in columns},
        "created": run.created_at,
        **{name: getattr(run, name) for name in ("code_version", "settings", "facts")},
    }


def file_name(study: Study, run: Run, format: Format) -> str:
    """Return the name of the file of a results document."""
    return f"{study.slug}-results-{run.number}.{format}"


def _json(run: Run, rows: Iterable[tuple[Any, ...]], *, systems: bool) -> Generator[bytes, None, None]:
    opening = _dumps(head(run, systems=systems)).removesuffix("}")
    yield f'{opening}, "rows": ['.encode()
    separator = "\n"
    for row in rows:
        yield f"{separator}{_dumps(dict(zip(COLUMNS, row, strict=True)))}".encode()
        separator = ",\n"
    yield b"\n]}\n"


def _csv(rows: Iterable[tuple[Any, ...]]) -> Generator[bytes, None, None]:
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(COLUMNS)
    for number, row in enumerate(rows, start=1):
        writer.writerow([_cell(_KINDS[name], value) for name, value in zip(COLUMNS, row, strict=True)])
        if number % ROWS == 0:
            yield _taken(text)
    yield _taken(text)


def _taken(text: io.StringIO) -> bytes:
    data = text.getvalue().encode()
    text.seek(0)
    text.truncate()
    return data


def _rows(run: Run, systems: bool) -> Iterator[tuple[Any, ...]]:
    uncorrected = set(run.uncorrected_tasks)
    for row in rows_of(run, systems=systems).values_list(*COLUMNS).iterator(chunk_size=ROWS):
        cells = tuple(None if isinstance(value, float) and not math.isfinite(value) else value for value in row)
        if (outdated := outdated_note(str(cells[STATISTIC]), cells[LOW], cells[HIGH], cells[SETTINGS])) is not None:
            cells = _with_note(cells, outdated)
        yield _with_note(cells, UNCORRECTED_NOTE) if cells[TASK] in uncorrected else cells


def _with_note(row: tuple[Any, ...], note: str) -> tuple[Any, ...]:
    """Return a row with one more note."""
    return (*row[:NOTE], " ".join(filter(None, (row[NOTE], note))), *row[NOTE + 1 :])


def _without_words(row: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return a row without the quotations of texts in its settings."""
    settings = row[SETTINGS]
    if not settings or WORDS not in settings:
        return row
    remaining = {name: value for name, value in settings.items() if name != WORDS}
    return (*row[:SETTINGS], remaining, *row[SETTINGS + 1 :])


def _cell(kind: Kind, value: Any) -> Any:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if kind == Kind.JSON:
        return _dumps(value)
    return without_formula(value) if kind == Kind.TEXT else value


def _dumps(value: Any) -> str:
    return json.dumps(value, cls=DjangoJSONEncoder, ensure_ascii=False, allow_nan=False)
