"""Problems of the study file that was made of a table, at their places in the table."""

from __future__ import annotations

from dataclasses import replace

from tasks_app.importing.whole.reading import Reading
from tasks_app.studyfile.problems import Problem, StudyFileError

# The file of items that is written for a table: a line for each output, in the order in which these were read.
ITEMS_FILE = "items.jsonl"


def in_table(error: StudyFileError, reading: Reading, file: str) -> StudyFileError:
    """Return a refusal of the study file as one of the table: nobody has seen the files that were made of it."""
    outputs = [(reading.items[item], found) for (item, _system, _variant), found in reading.outputs.items()]

    def place_of(line: int, name: str) -> tuple[int, int]:
        """Return line and column in the table of a cell in a line of the items, by the name of its column."""
        item, output = outputs[line - 1]
        at = output.lines.get(name) or item.lines.get(name) or output.line
        return at, reading.table.number(name, 0)

    def moved(problem: Problem) -> Problem:
        name = problem.message.partition(": ")[0]
        if problem.file != ITEMS_FILE or not 0 < problem.line <= len(outputs):
            return replace(problem, file=file, line=0, column=0, places=())
        line, column = place_of(problem.line, name)
        places = tuple(place_of(number, name) for number, _column in problem.places)
        return replace(problem, file=file, line=line, column=column, places=places)

    return StudyFileError(map(moved, error.problems), error.more)
