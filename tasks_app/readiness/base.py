"""The facts that are checked before a study opens, the point to settle, and the checks, which other apps add to."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

from tasks_app.hooks.sections import Json, Path
from tasks_app.settings.workload import Workload
from tasks_app.texts.findings import TextFinding


class Level(IntEnum):
    """The effect of a point on opening the study.

    FINAL keeps the study a draft. PROBLEM does so until somebody gives a reason, which the log keeps. NOTE is said and
    keeps nobody from anything.
    """

    FINAL = 0
    PROBLEM = 1
    NOTE = 2


@dataclass(frozen=True, slots=True)
class Point:
    """One thing that a careful colleague would point out; `path` names the setting where it is put right."""

    kind: str
    sentence: str
    path: Path
    level: Level = Level.PROBLEM


@dataclass(frozen=True, slots=True)
class Facts:
    """A study as its checked document has it, with facts that its document does not hold.

    `workload` is what a rater is given, as counted from the screens; None where nothing could be counted. `known`
    counts the known answers by the key of their task and by purpose. `texts` is what was noticed when all texts were
    read.
    """

    document: Mapping[str, Json]
    workload: Workload | None = None
    known: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    texts: Sequence[TextFinding] = ()

    def section(self, name: str) -> Mapping[str, Json]:
        """Return a section that is a group of settings; empty where there is none."""
        section = self.document.get(name)
        return section if isinstance(section, Mapping) else {}

    @property
    def tasks(self) -> list[tuple[int, Mapping[str, Any]]]:
        """The tasks, each with its place in the list."""
        tasks = self.document.get("tasks")
        numbered = enumerate(tasks if isinstance(tasks, list) else ())
        return [(place, task) for place, task in numbered if isinstance(task, Mapping)]

    @property
    def main_tasks(self) -> list[tuple[int, Mapping[str, Any]]]:
        """The tasks that raters are given once they have passed the screening."""
        return [(place, task) for place, task in self.tasks if task["stage"] == "main"]

    @property
    def consent(self) -> Mapping[str, str]:
        """The consent texts by language."""
        return self.section("consent")

    def criteria_of(self, task: Mapping[str, Any]) -> list[tuple[int, Mapping[str, Any]]]:
        """Return the criteria of a task in its order, each with its place among those of the study."""
        criteria = self.document.get("criteria")
        numbered = enumerate(criteria if isinstance(criteria, list) else ())
        by_key = {str(row["key"]): (place, row) for place, row in numbered if isinstance(row, Mapping)}
        return [by_key[str(key)] for key in task["criteria"] if str(key) in by_key]

    def words_of(self, place: int, task: Mapping[str, Any]) -> list[tuple[str, Path]]:
        """Return the instructions of a task, its questions and their definitions, with the paths of their settings."""
        words: list[tuple[str, Path]] = [(str(task["instructions"] or ""), ("tasks", place, "instructions"))]
        for number, row in self.criteria_of(task):
            words += [(str(row[name] or ""), ("criteria", number, name)) for name in ("question", "definition")]
        return words

    def counts(self, task: Mapping[str, Any], *purposes: str) -> int:
        """Return the number of known answers of a task for some purposes."""
        return sum(self.known.get(str(task["key"]), {}).get(purpose, 0) for purpose in purposes)


Check = Callable[[Facts], Iterator[Point]]

_checks: list[Check] = []


def register(check: Check) -> Check:
    """Add a check; the same one twice is one."""
    if check not in _checks:
        _checks.append(check)
    return check


def points(facts: Facts) -> list[Point]:
    """Return everything that is to be settled before raters come, the gravest first.

    Ratings that come from elsewhere are not asked of raters here, so nothing is to be settled for them.
    """
    if facts.section("flow").get("imported"):
        return []
    points = [point for check in _checks for point in check(facts)]
    return sorted(dict.fromkeys(points), key=lambda point: point.level)
