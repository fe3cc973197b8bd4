"""Describe a run in words: its standing as planned or exploratory, and the exclusions of its rules."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from zoneinfo import ZoneInfo

from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from analytics_app import quality
from analytics_app.models import ResultRow, Run
from analytics_app.plan import PlanBlock
from analytics_app.selectors.departures import LIFTED, Departure
from analytics_app.selectors.newer_data import Changes
from analytics_app.show import cells, formats
from analytics_app.show.index import RowIndex
from analytics_app.show.shown import named, own, table_of
from analytics_app.show.table import Column, Table
from analytics_app.views import words
from analytics_app.views.figures import Figure
from tasks_app.models import Study
from tasks_app.selectors.progress import Collected


@dataclass(frozen=True, slots=True)
class Step:
    """A step of the funnel. `rule` is the rule's key, so that the run can be repeated without it; "" for none.

    `subtracted` is true if its ratings are subtracted from those of earlier steps. `removed` is the key under which the
    exclusions of a rule are listed with reasons.
    """

    label: str
    rule: str
    subtracted: bool
    ratings: int
    share: float | None
    raters: int | None
    items: int | None
    low: int | None = None
    high: int | None = None
    note: str = ""
    removed: str = ""


@dataclass(slots=True)
class Funnel:
    """The funnel of one task, from collected to kept ratings. `key` is the task's key, `task` its title."""

    key: str
    task: str
    steps: list[Step] = field(default_factory=list)
    counted: int = 0
    by_system: Table | None = None
    figure: Figure | None = None

    @property
    def table(self) -> Table:
        """Return the steps as a table."""
        return steps_table(self)

    @property
    def nothing_kept(self) -> bool:
        """Return whether the rules excluded all counted ratings."""
        return len(self.steps) > 1 and self.counted > 0 == self.steps[-1].ratings


def funnels(
    rows: Iterable[ResultRow], names: Mapping[str, str], figures: Mapping[str, Figure] | None = None
) -> list[Funnel]:
    """Return the funnel of each task with its plot; `names` and `figures` are by task."""
    rows_of_task: dict[str, list[ResultRow]] = {}
    for row in rows:
        if row.analysis == "funnel":
            rows_of_task.setdefault(row.task or "", []).append(row)
    return [
        Funnel(
            task,
            names.get(task, task),
            list(_steps(steps)),
            _counted(steps),
            _taken(task, steps),
            (figures or {}).get(task),
        )
        for task, steps in rows_of_task.items()
    ]


def steps_table(funnel: Funnel) -> Table:
    """Return the steps of a funnel as a table, with a minus before subtracted numbers."""
    heads = [_("Step"), _("Ratings"), _("Share"), _("Raters"), _("Texts")]
    rows = [
        [
            cells.Cell(f"− {step.label}" if step.subtracted else step.label, strong=not step.subtracted),
            cells.whole(step.ratings),
            cells.percent(step.share),
            cells.whole(step.raters),
            cells.whole(step.items),
        ]
        for step in funnel.steps
    ]
    columns = [Column(head, number=place > 0) for place, head in enumerate(heads)]
    notes = [step.note for step in funnel.steps if step.note]
    return Table(_("What was excluded"), columns, rows, notes, key=f"excluded-{funnel.key}")


def _counted(rows: Sequence[ResultRow]) -> int:
    return next((row.n_ratings or 0 for row in rows if row.statistic == "collected"), 0)


def _steps(rows: Sequence[ResultRow]) -> Iterator[Step]:
    sides = {(row.statistic, row.label): row.n_ratings for row in rows}
    labels = {"stored": _("Collected"), "collected": _("Collected"), "kept": _("Kept for the results")}
    if any(row.statistic == "stored" for row in rows):
        labels["collected"] = _("Counted")
    for row in rows:
        if row.statistic not in {*labels, "left_out", "removed"}:
            continue
        named = words.left_out if row.statistic == "left_out" else quality.rule_name
        yield Step(
            label=labels.get(row.statistic) or named(row.label or ""),
            subtracted=row.statistic in {"left_out", "removed"},
            rule=(row.label or "") if row.statistic == "removed" and row.label in quality.registry else "",
            ratings=row.n_ratings or 0,
            share=row.value,
            raters=row.n_raters,
            items=row.n_items,
            low=sides.get(("removed_low", row.label)),
            high=sides.get(("removed_high", row.label)),
            note=row.note or "",
            removed=(row.label or "") if row.statistic == "removed" else "",
        )


def _taken(task: str, rows: Sequence[ResultRow]) -> Table | None:
    """Return the table of exclusions by rule and system: a fair rule has about the same share for all systems."""
    columns = [
        named(_("System"), lambda row: row.system),
        named(_("Rule"), lambda row: quality.rule_name(row.label or "")),
        own(_("Ratings removed"), formats.ratings),
        own(_("Share of the system's ratings"), formats.percent(1)),
    ]
    lines = [row for row in rows if row.statistic == "removed_by_system"]
    tables = table_of(RowIndex(rows), _("Exclusions by system"), columns, lines, notes=[])
    return next((replace(table, key=f"excluded-{task}-by-system") for table in tables), None)


def since_in_words(since: Changes) -> list[str]:
    """Return a sentence for each thing beside the ratings that has changed since a run."""
    sentences = []
    if since.excluded:
        words = ngettext(
            "%(n)d exclusion by hand came after this run.",
            "%(n)d exclusions by hand came after this run.",
            since.excluded,
        )
        sentences.append(words % {"n": since.excluded})
    if since.lifted:
        words = ngettext(
            "%(n)d exclusion was lifted after this run.", "%(n)d exclusions were lifted after this run.", since.lifted
        )
        sentences.append(words % {"n": since.lifted})
    if since.withdrawn:
        sentences.append(_("Texts were withdrawn, or withdrawals taken back, after this run."))
    if since.scores:
        sentences.append(_("Scores of metrics have changed since this run."))
    if since.outcomes:
        sentences.append(_("Outcomes measured elsewhere have changed since this run."))
    return sentences


def incomplete(study: Study, counts: Collected) -> str:
    """Return how many of the planned judgments there are while some are missing; "" if the study has all of them."""
    if counts.is_complete:
        return ""
    yet, over = _("not complete yet: %(n)s of %(all)s judgments"), _("not complete: %(n)s of %(all)s judgments")
    sentence = yet if study.state in study.State.UNDER_WAY else over
    return sentence % {"n": cells.whole(counts.answered).text, "all": cells.whole(counts.places).text}


def taken_over(run: Run) -> str:
    """Return a sentence about parts taken over from earlier runs, since nothing had changed; "" if there are none."""
    origins = sorted({int(number) for number in run.facts.get("taken_over", {}).values()})
    if not origins:
        return ""
    sentence = ngettext(
        "%(n)s part had not changed and was taken from an earlier run (%(runs)s).",
        "%(n)s parts had not changed and were taken from earlier runs (%(runs)s).",
        len(run.facts["taken_over"]),
    )
    return sentence % {"n": len(run.facts["taken_over"]), "runs": ", ".join(map(str, origins))}


def differences(settings: Mapping[str, Any], plan: Mapping[str, Any]) -> list[str]:
    """Return the names of the settings that differ from those of a plan."""
    labels = {"rules": _("quality rules"), "analyses": _("analyses"), "comparisons": _("comparisons")}
    labels |= {name: str(field.label).lower() for name, field in PlanBlock.base_fields.items()}
    return [label for name, label in labels.items() if name in plan and settings.get(name) != plan[name]]


def simulated(run: Run) -> tuple[int, int]:
    """Return the number of simulated raters of a run, and the number of all raters.

    Runs of earlier versions have only the raters of each task; then the task with most simulated raters counts.
    """
    if "raters" in run.facts:
        return run.facts["simulated_raters"], run.facts["raters"]
    tasks = run.facts.get("tasks", {}).values()
    return max(((task.get("simulated_raters", 0), task.get("raters", 0)) for task in tasks), default=(0, 0))


def shared_texts(run: Run) -> int:
    """Return the number of ratings that count for several systems, since their equal texts were shown once."""
    return sum(task.get("shared_texts", 0) for task in run.facts.get("tasks", {}).values())


def simulated_in_words(simulated: int, raters: int) -> str:
    """Return a sentence about the simulated raters of a run; "" if there are none."""
    if not simulated:
        return ""
    if simulated == raters == 1:
        return _("The only rater is simulated; these are not human results.")
    if simulated == raters:
        return _("All %(all)s raters are simulated; these are not human results.") % {"all": cells.whole(raters).text}
    sentence = ngettext(
        "%(n)s of the %(all)s raters is simulated; these are not human results.",
        "%(n)s of the %(all)s raters are simulated; these are not human results.",
        simulated,
    )
    return sentence % {"n": simulated, "all": cells.whole(raters).text}


def erased_in_words(ratings: int) -> str:
    """Return a sentence about the ratings that were erased since a run."""
    sentence = ngettext(
        "%(n)s rating was erased at a rater's request since this run, so it cannot be reproduced exactly.",
        "%(n)s ratings were erased at raters' request since this run, so it cannot be reproduced exactly.",
        ratings,
    )
    return sentence % {"n": ratings}


def departure_in_words(departure: Departure, study: Study, *, named: bool = True) -> str:
    """Return a sentence about an early view of results by system, or a reopening: when, by whom and why.

    For readers outside the team, not `named`: without the account and the reason.
    """
    if departure.kind == LIFTED:
        sentence = _("Results by system were made visible on %(when)s by %(who)s, before the study was closed.")
    else:
        sentence = _("The study was opened again on %(when)s by %(who)s.")
    when = date_format(timezone.localtime(departure.at, ZoneInfo(study.timezone)), "j M Y, H:i")
    who = (departure.who or "–") if named else _("an owner of the study")
    reason = _("Reason: %(reason)s") % {"reason": departure.reason} if departure.reason and named else ""
    return " ".join(filter(None, (sentence % {"when": when, "who": who}, reason)))
