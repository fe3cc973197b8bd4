"""Refusals of files that a worker was to read, as they stand in the row of its work."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tasks_app.services.background import Refused
from tasks_app.studyfile.problems import Problem, StudyFileError


@contextmanager
def written_into_row() -> Iterator[None]:
    """Have the problems of a file that the block refuses written into the columns `problems` and `n_more`."""
    try:
        yield
    except StudyFileError as refusal:
        problems = [
            [problem.file, problem.line, problem.column, problem.message, problem.count, problem.places]
            for problem in refusal.problems
        ]
        raise Refused(problems=problems, n_more=refusal.more) from None


def refusal_of(row: Any) -> StudyFileError | None:
    """Return the problems of refused work, from the columns `problems` and `n_more` of its row; None without any."""
    problems = [
        Problem(file, line, column, message, count, tuple((place[0], place[1]) for place in places))
        for file, line, column, message, count, places in row.problems
    ]
    return StudyFileError(problems, row.n_more) if problems else None
