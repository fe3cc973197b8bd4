"""Work for which no page should wait: a row holds the request of a person, and a worker does it and writes the outcome.

A worker holds a lock of its connection while it works on a row, so that nobody else does the same. It stores the result
and that it is stored in one transaction: a worker that dies leaves nothing, and the next one begins anew.
"""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Generic, TypeVar

from celery.exceptions import SoftTimeLimitExceeded
from django.db import InterfaceError, OperationalError, models
from django.db.models import QuerySet
from django.db.models.functions import Now
from django.http import Http404
from django.utils import translation
from django.utils.functional import Promise
from django.utils.translation import gettext as _

from tasks_app import access
from tasks_app.models import Study
from tasks_app.services import broker
from tasks_app.services.database import atomically, held_alone, is_free, is_timeout
from tasks_app.services.study.lifecycle import NotPossible

# Seconds after which workers are notified again of a row, and after which one that no worker does is given up.
AGAIN, GIVEN_UP = 60, 3_600

DONE, REFUSED = "done", "refused"

Row = TypeVar("Row", bound=models.Model)

log = logging.getLogger(__name__)


class Busy(Exception):
    """A worker is doing something else with the study."""


class Refused(Exception):
    """The work was refused for the problems of a file: values for columns of its row, such as `problems`."""

    def __init__(self, **values: Any) -> None:
        super().__init__()
        self.values = values


class Superseded(Exception):
    """The work was given up meanwhile, and may have been asked for anew: this worker must store nothing."""


@dataclass(frozen=True)
class BackgroundWork(Generic[Row]):
    """A kind of work that is left to workers.

    `model` has the rows, with the columns `state`, `by`, `asked_at` and `notes`, `progress` where it `tells` of it, and
    those that a `Refused` names. `related` leads to the rows that the work reads beside its own, and `begins` is the
    state of a row that a worker has taken. `job` is the name of the Celery task, `lock` the lock of
    `services.database`. `study` returns the study of a row. `do` does the work of a row, in English; it may raise
    `Superseded`, `Refused`, or a refusal whose sentence is written down: NotPossible or one of `refusals`. `role` is
    the role that the person who asked has to hold. `not_allowed` is written down where they no longer hold it,
    `too_long` where a worker's time was over.
    """

    model: type[Row]
    related: tuple[str, ...]
    job: str
    lock: int
    begins: str
    study: Callable[[Row], Study]
    do: Callable[[Row], None]
    role: Callable[[Row], str]
    not_allowed: str | Promise
    too_long: str | Promise
    refusals: tuple[type[Exception], ...] = ()
    tells: bool = True

    def send(self, row: Row) -> None:
        """Notify the workers of a row."""
        broker.send(self.job, [row.pk])

    def under_way(self) -> QuerySet[Row]:
        """Select the rows that a worker is doing, or will."""
        return self.model._default_manager.exclude(state__in=(DONE, REFUSED))

    def notify_again(self) -> None:
        """Notify workers of rows that have been waiting for a while: nobody heard of them, or a process died.

        Those that no worker is doing after an hour are given up, so that they can be asked for again.
        """
        waiting = self.under_way().filter(asked_at__lt=Now() - timedelta(seconds=AGAIN))
        for row in waiting.filter(asked_at__lt=Now() - timedelta(seconds=GIVEN_UP)):
            self._give_up(row)
        broker.send(self.job, waiting.values_list("pk", flat=True), expires=AGAIN)

    @atomically
    def _give_up(self, row: Row) -> None:
        if is_free(self.lock, row.pk):
            self._refuse(row, _("This could not be done within an hour. Nothing was changed. Try it again."))

    def work(self, row_id: int) -> None:
        """Do the work of a row, unless it is over or another process is doing it."""
        with held_alone(self.lock, row_id) as is_mine:
            row = self.under_way().select_related(*self.related, "by").filter(pk=row_id).first() if is_mine else None
            if row is not None:
                self._work(row)

    def _work(self, row: Row) -> None:
        """Do the work of a row, and write down its outcome."""
        refusals: tuple[type[Exception], ...] = (NotPossible, *self.refusals)
        study, by = self.study(row), row.by  # type: ignore[attr-defined]
        try:
            self.update(row, state=self.begins)
            if by is None:
                raise Http404
            access.study_for_researcher(by, study.slug, self.role(row))
            with translation.override("en"):
                self.do(row)
        except Superseded:
            log.info("%s of %s was given up before it was over", self.model.__name__, study.slug)
        except Http404:
            self._refuse(row, str(self.not_allowed))
        except Refused as refused:
            self._refuse(row, **refused.values)
        except refusals as refusal:
            self._refuse(row, str(refusal))
        except (OperationalError, InterfaceError) as error:
            if not is_timeout(error):
                # Another transaction was in the way, or the server is away: it is still to be done.
                raise
            self._refuse(row, _("A database query took longer than this server allows. Nothing was changed."))
        except SoftTimeLimitExceeded:
            self._refuse(row, str(self.too_long))
        except Exception:
            log.exception("%s of %s failed", self.model.__name__, study.slug)
            self._refuse(row, _("An error occurred on the server. Nothing was changed. Try it again."))

    def update(self, row: Row, **values: Any) -> None:
        """Write values into the row; raise Superseded where it is another request by now, or over."""
        if not self._current(row).update(**values):
            raise Superseded

    def done(self, row: Row, *, notes: Sequence[str], **values: Any) -> None:
        """Mark the work as done, in the transaction that stores its result. Raises Superseded as `update` does."""
        self.update(row, state=DONE, notes=list(notes), **self._no_progress, **values)

    def _refuse(self, row: Row, *sentences: str, **values: Any) -> None:
        """Write down why the work was refused, unless it is over already."""
        self._current(row).update(state=REFUSED, notes=sentences, **self._no_progress, **values)

    def _current(self, row: Row) -> QuerySet[Row]:
        """Select the row as long as it is the request that was read, and not over."""
        return self.under_way().filter(pk=row.pk, asked_at=row.asked_at)  # type: ignore[attr-defined]

    @property
    def _no_progress(self) -> dict[str, str]:
        return {"progress": ""} if self.tells else {}
