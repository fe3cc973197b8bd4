"""Reshape a file in a process of its own (see `tasks_app.uploads.limited`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import IO

from django.utils.translation import gettext as _

from tasks_app.hooks.sections import Json
from tasks_app.importing.plain import rewound
from tasks_app.importing.shaping.reshaping import reshape
from tasks_app.importing.source import PlainForm, RatingsFile, Reshaped
from tasks_app.studyfile.files.limits import limits
from tasks_app.studyfile.problems import Problem, Problems, StudyFileError


def reshaped(
    source: IO[bytes], target: IO[bytes], *, name: str, form: Mapping[str, Json], document: Mapping[str, Json],
    limit: int | None,
) -> Reshaped | None:  # fmt: skip
    """Write the rows of an upload that was looked through. Raises StudyFileError with every problem."""
    problems = Problems()
    file = RatingsFile(name, lambda: rewound(source), limits().table_bytes, PlainForm.read(form))
    result = reshape(file, document, _refuse, target, problems, limit)
    problems.raise_if_any()
    return result


def _refuse(name: str) -> RatingsFile:
    sentence = _(
        "The mapping needs this file as well. Upload both in one zip, or use the command, with both in one folder."
    )
    raise StudyFileError([Problem(name, 0, 0, sentence)])
