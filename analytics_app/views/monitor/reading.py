"""The data of the Monitor page about a study, read once for all of its parts."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property
from zoneinfo import ZoneInfo

from django.db.models import Exists, OuterRef

from analytics_app.models import Exclusion, Run
from analytics_app.selectors.carefulness import Carefulness, carefulness_of
from analytics_app.selectors.failing import Failing, failing_in
from tasks_app import pay
from tasks_app.models import Rater, Study
from tasks_app.selectors.fieldwork.forecast import Forecast, forecast
from tasks_app.selectors.fieldwork.funnel import FunnelStep, funnel
from tasks_app.selectors.fieldwork.pace import Pace, pace_of
from tasks_app.selectors.fieldwork.raters import Fieldwork, fieldwork_of
from tasks_app.selectors.fieldwork.tasks import StudyProgress, study_progress
from tasks_app.settings.study import StudySettings


@dataclass(frozen=True)
class Reading:
    """The state of the fieldwork of a study."""

    study: Study
    progress: StudyProgress
    pace: Pace
    fieldwork: Fieldwork
    careful: Carefulness = field(default_factory=Carefulness)
    excluded: Collection[int] = frozenset()  # ids of raters who are excluded by hand
    failing: Failing | None = None  # the consequence of failed checks; None before the first answer to a check

    @cached_property
    def options(self) -> StudySettings:
        """Return the settings of the study."""
        return self.study.options

    @cached_property
    def zone(self) -> ZoneInfo:
        """Return the time zone of the study."""
        return ZoneInfo(self.study.timezone)

    @property
    def is_imported(self) -> bool:
        """Return whether the study has raters, and all of them are from imported ratings."""
        raters = self.fieldwork.raters
        return bool(raters) and all(work.rater.kind == Rater.Kind.IMPORTED for work in raters)

    @property
    def has_begun(self) -> bool:
        """Return whether any rater has come."""
        return bool(self.fieldwork.counted)

    @cached_property
    def simulated(self) -> int:
        """Return the number of simulated raters."""
        return sum(work.rater.kind == Rater.Kind.SIMULATED for work in self.fieldwork.counted)

    @cached_property
    def forecast(self) -> Forecast:
        """Return the forecast of the end of the study."""
        later = sum(task.places - task.submitted for task in self.progress.later)
        left = self.progress.places - self.progress.submitted - later
        return forecast(self.study.state, left, later, self.pace)

    @cached_property
    def steps(self) -> Sequence[FunnelStep]:
        """Return the steps of raters' progress."""
        return funnel(self.progress, self.pace, self.fieldwork, list(self.options.channels))

    @cached_property
    def cost_to_come(self) -> Decimal:
        """Return the cost of the open places at the pay for a full set, without bonuses and fees of platforms.

        A place costs the pay for a set divided by the units of that set. Where groups are given different tasks, their
        sets differ in size; a place that several groups can take costs the mean over these groups, weighted by their
        shares.
        """
        sets = {entry.task: entry for entry in self.progress.full_sets if entry.until is None}
        shares = self.progress.group_shares or {None: 1}
        units = {group: sum(entry.units for entry in sets.values() if entry.is_for_group(group)) for group in shares}
        cost = pay.NOTHING
        for task in self.progress.tasks:
            left = task.places - task.submitted
            full_set = sets.get(task.task.pk)
            takers = [group for group in shares if full_set is not None and full_set.is_for_group(group)]
            if left > 0 and takers:
                weights = sum(shares[group] for group in takers)
                prices = (self.options.amount * shares[group] / units[group] for group in takers)
                cost += left * sum(prices, pay.NOTHING) / weights
        return cost.quantize(pay.CENT)


def read(study: Study, run: Run | None) -> Reading:
    """Read the state of the fieldwork in nine queries at most: the last is about checks, where any is answered.

    `run` is the newest run that is done: it says how carefully raters judge.
    """
    progress = study_progress(study)
    by_hand = Exclusion.objects.filter(rater=OuterRef("pk"), study=study, run=None, lifted_at=None)
    fieldwork = fieldwork_of(
        study, progress.full_sets, progress.checks, annotations={"is_excluded_by_hand": Exists(by_hand)}
    )
    return Reading(
        study=study,
        progress=progress,
        pace=pace_of(study),
        fieldwork=fieldwork,
        careful=carefulness_of(run, [task.task for task in progress.tasks]),
        excluded=frozenset(work.rater.pk for work in fieldwork.raters if vars(work.rater)["is_excluded_by_hand"]),
        failing=failing_in(study) if any(work.controls.answered for work in fieldwork.counted) else None,
    )
