"""Waves: when each task of a rater opens, in calendar days from their enrolment.

Tasks that open on the same day form a wave, numbered from 1 through the whole study, so that a wave is the same one in
every group. "n days after enrolment" is a day in the study's time zone; daylight saving moves no opening.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from typing import cast
from zoneinfo import ZoneInfo

from django.db.models import QuerySet

from tasks_app.models import Rater, Study, Task
from tasks_app.models.statements import rows


@dataclass(frozen=True, slots=True)
class Times:
    """The times of a task for a rater. Without an opening it is open at once; `lease_until` is that of a sitting."""

    wave: int
    opens_at: datetime | None = None
    closes_at: datetime | None = None
    lease_until: datetime | None = None


@dataclass(frozen=True, slots=True)
class Scheduled:
    """A task of a rater, the days after enrolment between which it is shown, and its wave."""

    task: Task
    wave: int
    opens: int
    closes: int | None

    def times(self, study: Study, enrolled_at: datetime) -> Times:
        """Turn days into moments."""
        closes_at = None if self.closes is None else moment(study, enrolled_at, self.closes + 1, 0)
        if not self.opens:
            return Times(self.wave, closes_at=closes_at)
        opens_at = moment(study, enrolled_at, self.opens, study.options.opens_hour)
        lease = timedelta(days=study.options.wave_lease_days)
        return Times(self.wave, opens_at, closes_at, closes_at or opens_at + lease)


def moment(study: Study, enrolled_at: datetime, days: int, hour: int) -> datetime:
    """Return an hour of the day that is so many calendar days after enrolment, in the study's time zone.

    An hour that the clock leaves out on that day is the one after it.
    """
    zone = ZoneInfo(study.timezone)
    day = enrolled_at.astimezone(zone).date() + timedelta(days=days)
    return datetime.combine(day, time(hour), tzinfo=zone).astimezone(ZoneInfo("UTC"))


def tasks_in_order(study_id: int) -> QuerySet[Task]:
    """Return the tasks of a study with the groups that they are for."""
    return Task.objects.filter(study=study_id, until=None).prefetch_related("task_groups").order_by("order", "id")


def schedule(rater: Rater, every: Sequence[Task] | None = None) -> list[Scheduled]:
    """Return the tasks of a rater in the order they come: wave by wave, in each by stage.

    `every` are the tasks of the study by `tasks_in_order`, where they have been read.
    """
    every = list(tasks_in_order(rater.study_id)) if every is None else every
    numbers = {days: number for number, days in enumerate(_days(every), start=1)}
    tasks = [task for task in every if _is_for(task, rater)]
    last = max(_days(tasks))
    scheduled = []
    for task in tasks:
        opens = last if _comes_last(task) else _opens(task)
        closes = _last_closing(tasks, last) if _comes_last(task) and task.closes_after_days is None else None
        closes_after = task.closes_after_days
        scheduled.append(Scheduled(task, numbers[opens], opens, closes_after if closes_after is not None else closes))
    return sorted(scheduled, key=lambda entry: (entry.wave, Task.Stage.values.index(entry.task.stage)))


def tasks_of(rater: Rater) -> list[Task]:
    """Return the tasks a rater is given, those of later waves included, in the order they come."""
    return [entry.task for entry in schedule(rater)]


def times_of(rater: Rater, task: Task) -> Times:
    """Return the times between which a rater is shown a task."""
    scheduled = next((entry for entry in schedule(rater) if entry.task.pk == task.pk), None)
    return scheduled.times(rater.study, rater.enrolled_at) if scheduled else Times(1)


def not_over(rater: Rater) -> list[Task]:
    """Return the tasks of a rater that have not closed for them, in the order they come."""
    ((now,),) = rows("SELECT now()", [])
    timed = [(entry.task, entry.times(rater.study, rater.enrolled_at).closes_at) for entry in schedule(rater)]
    return [task for task, closes_at in timed if closes_at is None or closes_at > cast("datetime", now)]


def count(study: Study) -> int:
    """Count the waves of a study."""
    return len(_days(Task.objects.filter(study=study, until=None)))


def numbers(study: Study) -> dict[str, int]:
    """Return the wave of each task by the task's key; questions at the end of a study are in the last wave."""
    tasks = list(Task.objects.filter(study=study, until=None))
    by_day = {day: number for number, day in enumerate(_days(tasks), start=1)}
    return {task.key: len(by_day) if _comes_last(task) else by_day[_opens(task)] for task in tasks}


def _comes_last(task: Task) -> bool:
    return task.stage == Task.Stage.EXIT and task.opens_after_days is None


def _opens(task: Task) -> int:
    """Return the day a task opens; a screening opens at once."""
    return 0 if task.stage == Task.Stage.SCREENING else task.opens_after_days or 0


def _days(tasks: Iterable[Task]) -> list[int]:
    """Return the days on which tasks open, in order: one a wave."""
    return sorted({_opens(task) for task in tasks if not _comes_last(task)}) or [0]


def _last_closing(tasks: Iterable[Task], day: int) -> int | None:
    """Return the day by which all of a wave has closed; None where a part of it stays open."""
    closes = [task.closes_after_days for task in tasks if not _comes_last(task) and _opens(task) == day]
    days = [closing for closing in closes if closing is not None]
    return max(days) if days and len(days) == len(closes) else None


def _is_for(task: Task, rater: Rater) -> bool:
    groups = [task_group.group_id for task_group in task.task_groups.all()]
    return not groups or rater.group_id in groups
