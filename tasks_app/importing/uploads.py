"""Uploaded files between two steps of a page: in the study's own private storage, for a day at most."""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import PurePath
from typing import IO, Any, cast

from django.core.files.storage import default_storage
from django.core.files.uploadedfile import UploadedFile
from django.utils import timezone
from django.utils.translation import gettext as _

from tasks_app.importing.source import RatingsFile
from tasks_app.models import Study
from tasks_app.studyfile.files.limits import limits, megabytes
from tasks_app.studyfile.problems import Problem, StudyFileError

# Long enough to mend a mapping, and to go home in between.
KEPT = timedelta(days=1)

_TOKEN = re.compile(r"[A-Za-z0-9_-]{22}")
_LONGEST_NAME = 80


def keep(study: Study, upload: UploadedFile[Any], check: Callable[[RatingsFile], None] = RatingsFile.check_name) -> str:
    """Keep an upload and return the token that finds it again; `check` refuses formats that are not read.

    Raises
    ------
    StudyFileError
        Where it is too large, or of a format that is not read.
    """
    name = _safe(upload.name or "")
    most = limits().upload_bytes
    if (upload.size or 0) > most:
        sentence = _(
            "This file has %(size)s; at most %(most)s can be uploaded. Pack it with gzip (.csv.gz), or use a "
            "command of manage.py: import_ratings, import_scores, upload_outcomes."
        )
        sizes = {"size": megabytes(upload.size or 0), "most": megabytes(most)}
        raise StudyFileError([Problem(name, 0, 0, sentence % sizes)])
    check(RatingsFile(name, lambda: cast("IO[bytes]", upload)))
    sweep(study)
    token = secrets.token_urlsafe(16)
    default_storage.save(f"{_folder(study)}/{token}/{name}", upload)
    return token


def find(study: Study, token: str) -> RatingsFile | None:
    """Return a file that was kept, or None where it is gone."""
    if not _TOKEN.fullmatch(token):
        return None
    folder = f"{_folder(study)}/{token}"
    name = next(_names(folder), None)
    if name is None:
        return None
    return RatingsFile(
        name, lambda: cast("IO[bytes]", default_storage.open(f"{folder}/{name}", "rb")), limits().table_bytes
    )


def forget(study: Study, token: str) -> None:
    """Delete a file that was kept."""
    folder = f"{_folder(study)}/{token}"
    if _TOKEN.fullmatch(token) and default_storage.exists(folder):
        for name in _names(folder):
            default_storage.delete(f"{folder}/{name}")
        default_storage.delete(folder)


def sweep(study: Study) -> None:
    """Delete files that nobody came back for."""
    if not default_storage.exists(_folder(study)):
        return
    for token in default_storage.listdir(_folder(study))[0]:
        paths = [f"{_folder(study)}/{token}/{name}" for name in _names(f"{_folder(study)}/{token}")]
        if all(default_storage.get_modified_time(path) < timezone.now() - KEPT for path in paths):
            forget(study, token)


def _names(folder: str) -> Iterator[str]:
    if default_storage.exists(folder):
        yield from default_storage.listdir(folder)[1]


def _folder(study: Study) -> str:
    return f"studies/{study.pk}/imports"


def _safe(name: str) -> str:
    """Return the file name that is shown and stored: its last part, short, with its suffixes."""
    last = default_storage.get_valid_name(PurePath(name.replace("\\", "/")).name or "ratings")
    return last[-_LONGEST_NAME:].lstrip(".") or "ratings"
