"""Recognise and read files of named formats, in a process of their own (see `tasks_app.uploads.limited`)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import IO

from django.utils.translation import gettext as _

from tasks_app.importing.named import readers  # noqa: F401  fills the registry
from tasks_app.importing.named.base import Converted, Recognised, in_order
from tasks_app.importing.named.collected import Collected
from tasks_app.importing.named.files import Files, refused
from tasks_app.importing.named.registry import format_called, registry


def recognise(source: IO[bytes], _target: IO[bytes] | None = None, *, name: str) -> tuple[Recognised, ...]:
    """Return the formats that an upload may be of, the surest first. Raises StudyFileError for a damaged upload."""
    files = Files(source, name)
    signs = []
    for reader in registry.values():
        sign = reader.recognise(files)
        if sign is not None:
            signs.append(Recognised(reader.name, sign.sure, sign.why))
    return tuple(in_order(signs))


def convert(
    source: IO[bytes],
    target: IO[bytes],
    *,
    name: str,
    format: str,
    options: Mapping[str, str],
    slug: str,
    title: str = "",
    public_title: str = "",
) -> Converted:
    """Read an upload of a format and write it as a study file with its ratings, in a zip.

    Raises
    ------
    StudyFileError
        Where it is damaged, not of this format, or has no ratings.
    """
    files = Files(source, name)
    study = Collected(title or PurePosixPath(name).name.partition(".")[0] or name, public_title)
    reader = format_called(format)
    reader.read(files, study, options)
    if not study.counts["ratings"]:
        sentence = _("There are no ratings in it that can be read as %(format)s.") % {"format": reader.label}
        raise refused(name, 0, " ".join([sentence, *study.all_notes()]))
    study.write(target, slug)
    tasks = tuple((task.key, task.type) for task in study.tasks.values())
    return Converted(study.summary(), tuple(study.all_notes()), tasks, tuple(study.samples))
