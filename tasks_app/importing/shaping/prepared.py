"""A file as a mapping reads it: unchanged where it is a plain table, else reshaped."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import IO

from tasks_app.hooks.sections import Json
from tasks_app.importing.formats.opening import readable
from tasks_app.importing.guessing import peek
from tasks_app.importing.plain import rewound
from tasks_app.importing.shaping import apart
from tasks_app.importing.shaping.declared import Shape
from tasks_app.importing.shaping.paths import is_path
from tasks_app.importing.shaping.reshaping import Wanted, reshape
from tasks_app.importing.source import RatingsFile, Reshaped
from tasks_app.studyfile.files.apart import read_apart
from tasks_app.studyfile.problems import Problems


@contextmanager
def prepared(file: RatingsFile, document: Mapping[str, Json], limit: int | None = None) -> Iterator[RatingsFile]:
    """Give a file with the columns of a mapping in its rows; of the first lines only, where there is a `limit`.

    An upload is reshaped in a process of its own. A file of this machine is reshaped by whoever started the command, so
    that it can be read with the files in its folder.

    Raises
    ------
    StudyFileError
        With every problem of the file's shape.
    """
    with readable(file) as opened:
        if not _has_shape(opened, document):
            yield opened
            return
        with tempfile.TemporaryFile() as target:
            reshaped = _reshaped(opened, document, target, limit)
            yield replace(opened, open=lambda: rewound(target), most=None, reshaped=reshaped)


def _has_shape(file: RatingsFile, document: Mapping[str, Json]) -> bool:
    """Return whether more than columns has to be read."""
    if not Shape.read(document).is_plain or (file.form is not None and file.form.sheets):
        return True
    wanted = Wanted.read(document)
    paths = [name for name in [*(wanted.columns or {}).values(), *wanted.where] if is_path(name)]
    return bool(paths) and not set(paths) <= set(peek(file, document.get("quoting", "")).columns)


def _reshaped(file: RatingsFile, document: Mapping[str, Json], target: IO[bytes], limit: int | None) -> Reshaped | None:
    if file.folder:
        problems = Problems()
        folder = Path(file.folder)
        result = reshape(file, document, lambda name: RatingsFile.at(str(folder / name)), target, problems, limit)
        problems.raise_if_any()
        return result
    with file.open() as stream:
        form = {} if file.form is None else asdict(file.form)
        return read_apart(
            apart.reshaped, stream, target, name=file.name, classes=(Reshaped,), form=form, document=document,
            limit=limit,
        )  # fmt: skip
