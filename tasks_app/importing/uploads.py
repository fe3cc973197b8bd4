"""Uploaded files between two steps of a page: in the study's own private storage, for a day at most.

A file is looked through once, when it is uploaded (decision 83). What is kept is text in lines of known length,
whatever was uploaded: a file that cannot be read is not kept, so that no address leads to it.
"""

from __future__ import annotations

import json
import re
import secrets
import shutil
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import asdict
from datetime import timedelta
from pathlib import PurePath
from typing import IO, Any, cast

from django.core.files.base import ContentFile, File
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import UploadedFile
from django.utils import timezone
from django.utils.translation import gettext as _

from tasks_app.importing import plain
from tasks_app.importing.formats.opening import plain_form
from tasks_app.importing.source import PlainForm, RatingsFile
from tasks_app.models import Study
from tasks_app.studyfile.files.limits import limits, megabytes
from tasks_app.studyfile.problems import Problem, StudyFileError

# Long enough to mend a mapping, and to go home in between.
KEPT = timedelta(days=1)

_TOKEN = re.compile(r"[A-Za-z0-9_-]{22}")
_LONGEST_NAME = 80
# What is known of a kept file stands beside it; no name of an upload begins with a full stop.
_FORM = ".form"


def keep(
    study: Study, upload: UploadedFile[Any], plain_form: Callable[[RatingsFile, IO[bytes]], RatingsFile] = plain_form
) -> str:
    """Keep the plain form of an upload, written to a file where it is none yet; return the token that finds it again.

    Raises
    ------
    StudyFileError
        Where it is too large, of a format that is not read, or cannot be read.
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
    with tempfile.TemporaryFile() as content, tempfile.TemporaryFile() as target:
        shutil.copyfileobj(upload, content)
        content.flush()
        file = plain_form(RatingsFile(name, lambda: plain.rewound(content), limits().table_bytes), target)
        assert file.form is not None, "a plain form says what it is"
        sweep(study)
        token = secrets.token_urlsafe(16)
        folder = f"{_folder(study)}/{token}"
        with file.open() as stream:
            default_storage.save(f"{folder}/{file.name}", File(stream))
    default_storage.save(f"{folder}/{_FORM}", ContentFile(json.dumps(asdict(file.form)).encode()))
    return token


def find(study: Study, token: str) -> RatingsFile | None:
    """Return a file that was kept, or None where it is gone."""
    if not _TOKEN.fullmatch(token):
        return None
    folder = f"{_folder(study)}/{token}"
    names = set(_names(folder))
    if _FORM not in names or len(names) < 2:  # an earlier release kept what was uploaded
        return None
    with default_storage.open(f"{folder}/{_FORM}") as stream:
        form = PlainForm.read(json.load(stream))
    path = f"{folder}/{(names - {_FORM}).pop()}"
    return RatingsFile(
        form.name, lambda: cast("IO[bytes]", default_storage.open(path, "rb")), limits().table_bytes, form
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
