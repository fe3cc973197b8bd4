"""The sources of a datasheet: the rows of a study, one query for each kind, and the proposals made of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.db.models import Min

from analytics_app import analyses, plan
from analytics_app.heds.answers import Answer
from analytics_app.heds.filling.texts import FrozenVersion, UnitSizes, counts_of
from analytics_app.models import Plan, ResultRow, Run
from analytics_app.selectors.runs import best_run
from tasks_app.hooks.sections import Json
from tasks_app.models import Extension, Membership, Study, Task, Withdrawal
from tasks_app.selectors.screens import Frame, read_frames
from tasks_app.settings.checks import CheckSettings, checks_of
from tasks_app.task_types.base import Criterion as AskedCriterion

REPEATS = ("repeats_alpha", "repeats_equal", "repeats_difference")
OF_METRICS = ("metric_marks_f1", "people_marks_f1_shared")
# What metrics are compared with; the methods text defines it.
CEILING = ("people_pearson_texts",)
FIELDWORK = (
    "raters_recruited", "raters_finished", "raters_ended", "raters_analysed", "raters_excluded", "judgments_analysed",
    "judgments_per_rater", "judgments_per_unit", "minutes", "hourly_pay", "hourly_minimum", "hourly_below",
    "control_accuracy", "attention_accuracy", "repeats_asked",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class CriterionFacts:
    """A judged criterion, the task that asks it first, and the answers in its own row by question number."""

    key: str
    name: str
    criterion: AskedCriterion
    frame: Frame
    heds: Mapping[str, str]


@dataclass(frozen=True)
class Facts:
    """The parts of a study, the work of its raters, and the results of the reported run."""

    study: Study
    frames: Sequence[Frame]
    criteria: Sequence[CriterionFacts]
    sizes: Mapping[int, UnitSizes]
    outputs: Mapping[str, int]
    source_languages: Sequence[str]
    output_languages: Sequence[str]
    n_sources: int
    media: Sequence[str]
    output_kinds: Sequence[str]
    gold: Mapping[tuple[int, str], int]
    drawing: Mapping[str, Json] | None
    version: FrozenVersion | None
    evaluators: Mapping[str, int]
    groups: Sequence[str]
    run: Run | None
    rows: Sequence[ResultRow]
    plan: Mapping[str, Json]

    @cached_property
    def owner(self) -> AbstractBaseUser | None:
        """Return the owner of the study."""
        owner = Membership.objects.filter(study=self.study, role=Membership.Role.OWNER).select_related("user").first()
        return owner.user if owner is not None else None

    @cached_property
    def extensions(self) -> Mapping[int, Sequence[Extension]]:
        """Return the additions to the plan of each task while the study was open, by task id."""
        added: dict[int, list[Extension]] = {}
        for extension in self.study.extensions.order_by("number"):
            added.setdefault(extension.task_id, []).append(extension)
        return added

    @cached_property
    def withdrawn(self) -> Sequence[Withdrawal]:
        """Return the withdrawals of texts that are in force."""
        return list(Withdrawal.objects.filter(Withdrawal.IN_FORCE, study=self.study).order_by("pk"))

    @cached_property
    def scores(self) -> Mapping[tuple[str, str], Sequence[str]]:
        """Return the statistics of single systems that the run computed, by task and criterion."""
        return _scores(self.run)

    @cached_property
    def names(self) -> Mapping[str, str]:
        """Return the names of the tasks, by key."""
        return Task.names(frame.task for frame in self.frames)

    def called(self, frame: Frame) -> str:
        """Return the name of a task."""
        return self.names[frame.task.key]

    @cached_property
    def main(self) -> Sequence[Frame]:
        """Return the judged tasks."""
        return [frame for frame in self.frames if frame.task.stage == Task.Stage.MAIN]

    @cached_property
    def checks(self) -> Mapping[int, CheckSettings]:
        """Return the checks of the judged tasks, by task id."""
        return {frame.task.pk: checks_of(frame.task.checks) for frame in self.main}

    def of_main(self, statistic: str) -> list[ResultRow]:
        """Return the rows of a statistic, one for each judged task, without undefined ones."""
        keys = {frame.task.key for frame in self.main}
        return [row for row in self.rows if row.statistic == statistic and row.task in keys and row.value is not None]

    def of_task(self, frame: Frame, statistic: str) -> list[ResultRow]:
        """Return the rows of a statistic about one task, without undefined ones."""
        return [row for row in self.of_main(statistic) if row.task == frame.task.key]

    def first_of_main(self, statistic: str, label: str | None = None) -> ResultRow | None:
        """Return a row about the whole study, which is the same in every task."""
        return next((row for row in self.of_main(statistic) if row.label == label), None)

    @property
    def settings(self) -> Mapping[str, Any]:
        """Return the settings of the reported run, else those of the plan."""
        return self.run.settings if self.run is not None else self.plan

    @property
    def of_the_run(self) -> str:
        """Return the source of answers about the analysis, in words."""
        return f"from run {self.run.number}" if self.run is not None else "from the analysis plan"

    def known_answers(self, frame: Frame, purpose: str) -> int:
        """Return the number of units of a task that have a known answer for a purpose."""
        return self.gold.get((frame.task.pk, purpose), 0)


def facts_of(study: Study, run: Run | None = None) -> Facts:
    """Read the facts of a study for its datasheet; without a run, the reported run is used."""
    frames = read_frames(Task.objects.filter(study=study, until=None).order_by("order", "id"))
    run = run or best_run(study)
    main = [frame for frame in frames if frame.task.stage == Task.Stage.MAIN]
    counts = counts_of(study, {frame.task.pk: frame.kind.shown_only() for frame in main})
    return Facts(
        study=study,
        frames=frames,
        criteria=_criteria(frames),
        sizes=counts.sizes,
        outputs=counts.outputs,
        source_languages=[language or study.language for language, _n in counts.sources],
        output_languages=[language or study.language for language in counts.languages],
        n_sources=sum(n for _language, n in counts.sources),
        media=counts.media,
        output_kinds=counts.kinds,
        gold=counts.gold,
        drawing=counts.drawing,
        version=counts.version,
        evaluators=counts.evaluators,
        groups=counts.groups,
        run=run,
        rows=_rows(run, systems_hidden=study.state in Study.State.UNDER_WAY),
        # A run has its own settings.
        plan={} if run is not None else _plan(study),
    )


def _criteria(frames: Sequence[Frame]) -> list[CriterionFacts]:
    criteria: dict[str, CriterionFacts] = {}
    for frame in frames:
        if frame.task.stage == Task.Stage.MAIN:
            # These rows were read together with the task.
            heds = {row.criterion.key: row.criterion.heds for row in frame.task.task_criteria.all()}
            for criterion in frame.criteria:
                about = CriterionFacts(criterion.key, criterion.name, criterion, frame, heds.get(criterion.key, {}))
                criteria.setdefault(criterion.key, about)
    return list(criteria.values())


def _plan(study: Study) -> dict[str, Json]:
    """Return the plan that was frozen with the open version, else the newest in preparation, else the default."""
    plans = list(Plan.objects.filter(study=study).order_by("-version"))
    frozen = [row for row in plans if row.version == study.current_version and row.frozen_at is not None]
    document: dict[str, Json] = next((row.document for row in [*frozen, *plans]), {})
    return {**plan.default_document(), **document}


def _rows(run: Run | None, *, systems_hidden: bool) -> list[ResultRow]:
    """Return the rows of a run about agreement, fieldwork, comparisons, wordings, times and marks of metrics.

    There are none of slices and raters. Those of wordings name systems, so they are missing while a study is open.
    """
    if run is None:
        return []
    rows = ResultRow.objects.filter(run=run, basis="kept", slice=None, group=None, wave=None, rater=None)
    # Of differences of systems those by people's ratings: metrics are no evaluation by humans.
    compared = rows.filter(metric=None).exclude(system_b=None)
    named = rows.filter(statistic__in=(*analyses.measures_of_agreement(), *REPEATS, *FIELDWORK, *CEILING)) | compared
    named |= rows.filter(analysis="predicted_marks", statistic__in=OF_METRICS, system=None, label=None)
    if not systems_hidden:
        named |= rows.filter(analysis="wordings")
    named |= rows.filter(analysis="set_time", system=None)
    return list(named.order_by("order"))


def _scores(run: Run | None) -> dict[tuple[str, str], list[str]]:
    """Return the statistics of single systems that a run computed, by task and criterion, without their values."""
    scores: dict[tuple[str, str], list[str]] = {}
    rows = ResultRow.objects.filter(run=run, basis="kept", slice=None, system_b=None).exclude(system=None)
    if run is not None:
        named = rows.values_list("task", "criterion", "statistic").annotate(first=Min("order")).order_by("first")
        for task, criterion, statistic, _first in named:
            scores.setdefault((task or "", criterion or ""), []).append(statistic)
    return scores


STUDY = "from the study"
TEXTS = "from the texts"
TASKS = "from the tasks"
RATERS = "from the raters"
LIBRARY = "from the criteria"


@dataclass(frozen=True, slots=True)
class Proposal:
    """An answer that the study proposes, and its source, such as "from run 3"."""

    answer: Answer
    source: str


def proposal(source: str, text: object = "", *options: int) -> Proposal:
    """Return a proposal of a text, of options, or of both."""
    return Proposal(Answer(str(text).strip(), tuple(sorted(options))), source)


def counted(n: int, singular: str, plural: str = "") -> str:
    """Return a number with its noun."""
    return f"{n:,} {singular if n == 1 else plural or singular + 's'}"


def were(n: int) -> str:
    """Return "was" or "were", as a number of things needs it."""
    return "was" if n == 1 else "were"


def extension_in_words(facts: Facts, frame: Frame) -> str:
    """Return the additions to the plan of a task while the study was open, as a sentence without its full stop."""
    added = facts.extensions.get(frame.task.pk, ())
    if not added:
        return ""
    places = counted(sum(extension.places for extension in added), "place")
    judgments, raters = (sum(getattr(extension, name) for extension in added) for name in ("judgments", "raters"))
    extensions = [
        *([f"{counted(judgments, 'further judgment')} of each unit"] if judgments else []),
        *([counted(raters, "further rater")] if raters else []),
    ]
    declared = plan.declared_judgments(facts.study)
    standing = (
        f"the analysis plan had declared up to {counted(declared, 'judgment')} of each unit"
        if declared
        else "the analysis plan had not declared this, so the planned analysis leaves their judgments out"
    )
    return f"While the study was open, the plan was extended by {' and '.join(extensions)} ({places}); {standing}"


def withdrawn_in_words(facts: Facts) -> str:
    """Return which texts were withdrawn while the study was open and why, "" where none was."""
    if not facts.withdrawn:
        return ""
    items = sum(row.output_id is None for row in facts.withdrawn)
    outputs = len(facts.withdrawn) - items
    what = [*([counted(items, "item")] if items else []), *([counted(outputs, "output")] if outputs else [])]
    reasons = "; ".join(dict.fromkeys(row.reason.strip().rstrip(".") for row in facts.withdrawn))
    n = len(facts.withdrawn)
    it = "it" if n == 1 else "them"
    return (
        f"While the study was open, {' and '.join(what)} {were(n)} withdrawn ({reasons}): evaluators were no longer "
        f"given {it}, and the analysis leaves out the judgments of units that showed {it}."
    )
