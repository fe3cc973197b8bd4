"""Apply the quality rules of a run to one task, and record the ratings that each rule excludes, with reasons."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from django.utils.translation import gettext as _
from numpy.typing import NDArray

from analytics_app import quality
from analytics_app.models import Exclusion, Run, RunPart
from analytics_app.quality.base import Asking, ByHand, Removal, Rule, RuleSample
from analytics_app.ratings import WITHIN, Floats, LeftOut, Mask, Table, left_out, load, load_extras, seen_by
from analytics_app.results import REPLACED, Row
from analytics_app.selectors.questions import asking_of, common_of, repeated_answers

ANALYSIS = "funnel"


def apply(part: RunPart) -> Funnel:
    """Apply the rules of a run in their order to all ratings of a task."""
    run, task = part.run, part.task
    loaded = load(run, task.key)
    again = repeated_answers(task, loaded)
    table = loaded.where(~again)
    asking = asking_of(task, table)
    rules = [_rule(entry) for entry in run.settings["rules"]]
    extras = load_extras(run, task.key, table, (need for rule in rules for need in rule.needs))
    of_z, by_hand = common_of(run).of_z, _by_hand(run)
    funnel = Funnel(part, table, asking, [*left_out(seen_by(run, task.key)), *_within(loaded.where(again))])
    for rule in rules:
        if rule.on_z:
            funnel.renew_z(**of_z)
        sample = RuleSample(funnel.kept, funnel.z_of_kept, by_hand, extras, asking, funnel.unrated)
        funnel.take(rule.name, rule.remove(sample), on_z=rule.on_z)
    if (replaced := _replaced(run, funnel.kept)) is not None:
        funnel.take(REPLACED, replaced)
    return funnel


def _rule(entry: Mapping[str, Any]) -> Rule:
    """Return a rule of a run with its settings."""
    return quality.registry[entry["rule"]]({name: value for name, value in entry.items() if name != "rule"})


def _by_hand(run: Run) -> tuple[ByHand, ...]:
    """Return the manual exclusions that applied when the run was started."""
    exclusions = Exclusion.objects.filter(pk__in=run.facts.get("manual_exclusions", ()))
    return tuple(
        ByHand("rater", exclusion.rater_id, exclusion.reason)
        if exclusion.rater_id is not None
        else ByHand("judgment", exclusion.judgment_id, exclusion.reason)
        if exclusion.judgment_id is not None
        else ByHand("rating", exclusion.rating_id or 0, exclusion.reason)
        for exclusion in exclusions.order_by("pk")
    )


def _within(again: Table) -> list[LeftOut]:
    """Return the counts of repeated answers to a question within one judgment; empty if there are none."""
    return [LeftOut(WITHIN, len(again), again.n_raters, again.n_texts)] if len(again) else []


def _replaced(run: Run, table: Table) -> Removal | None:
    """Remove the remaining ratings of judgments that were reassigned to another rater: the new answers count."""
    ids = table.judgments.id[table.judgment]
    mask = np.isin(ids, run.facts.get("replaced", []))
    if not mask.any():
        return None
    judgments = np.unique(ids[mask])
    return Removal(
        mask, "judgment", judgments, (_("Reassigned to another rater, whose answer counts."),) * len(judgments)
    )


class Funnel:
    """The ratings of one task on their way through the rules: those kept so far, and the rows and exclusions.

    `collected` are the ratings that count before any rule, `left_out` counts the others. `unrated` are the codes of
    judgments that count and have no rating, such as texts in which a rater found no error: rules exclude them like any
    other.
    """

    def __init__(self, part: RunPart, collected: Table, asking: Asking, left_out: Sequence[LeftOut] = ()) -> None:
        self.collected, self.kept, self.left_out = collected, collected, left_out
        self.all_unrated = self.unrated = _unrated(collected, asking, part.run)
        self.exclusions = Exclusions(part)
        self._part, self._steps = part, list[Row]()
        # z is computed on the ratings that rules not based on z have kept; it is not recomputed after z-based rules,
        # which would undo them.
        self._z, self._counts_for_z = np.full(len(collected), np.nan), np.ones(len(collected), dtype=bool)
        self._place_of_kept, self._is_z_stale = np.arange(len(collected)), True

    @property
    def z_of_kept(self) -> Floats:
        """Return judge-wise z of the kept ratings, as last computed; NaN before that."""
        return self._z[self._place_of_kept]

    def renew_z(self, **settings: Any) -> None:
        """Compute z again if rules not based on z have excluded ratings since the last time."""
        if self._is_z_stale:
            self._z[self._counts_for_z] = self.collected.where(self._counts_for_z).z(**settings)
            self._is_z_stale = False

    def take(self, rule: str, removal: Removal, *, on_z: bool = False) -> None:
        """Exclude the ratings that a rule removes, and record them with the reasons."""
        self._note(rule, removal)
        self.exclusions.add(rule, removal)
        if not on_z and removal.mask.any():
            self._counts_for_z[self._place_of_kept[removal.mask]], self._is_z_stale = False, True
        self.kept = self.kept.where(~removal.mask)
        self._place_of_kept = self._place_of_kept[~removal.mask]
        self.unrated = self.unrated[~_is_taken(self.collected, self.unrated, removal)]
        self._steps.append(self._row("left", self.kept, label=rule, value=self._share(self.kept)))

    def _note(self, rule: str, removal: Removal) -> None:
        removed = self.kept.where(removal.mask)
        note = " ".join(removal.notes) or None
        of_raters = len(removal.ids) if removal.target == "rater" else 0
        n_raters = max(removed.n_raters, of_raters)
        share = self._share(removed)
        self._steps.append(self._row("removed", removed, label=rule, value=share, note=note, n_raters=n_raters))
        if removal.side is not None:
            for statistic, side in (("removed_low", -1), ("removed_high", 1)):
                some = removed.where(removal.side == side)
                self._steps.append(self._row(statistic, some, label=rule, value=self._share(some)))
        self._steps += self._by_system(rule, removal.mask)

    def _by_system(self, rule: str, mask: Mask) -> Iterator[Row]:
        """Yield the share of each system's ratings that a rule removed: a fair rule has similar shares for all."""
        if not mask.any():
            return
        names = self.kept.names
        row, system, _item = self.kept.by_system()
        n_before = np.bincount(system, minlength=len(names.systems))
        lost = np.bincount(system[mask[row]], minlength=len(names.systems))
        for code, key in enumerate(names.systems):
            if n_before[code]:
                yield Row(
                    analysis=ANALYSIS,
                    statistic="removed_by_system",
                    task=self._part.task.key,
                    label=rule,
                    system=key,
                    value=float(lost[code] / n_before[code]),
                    n_ratings=int(lost[code]),
                    basis="all",
                    by_system=True,
                )

    def rows(self) -> Iterator[Row]:
        """Yield the steps from stored to kept ratings; `collected` are those that count before any rule."""
        yield from self._before()
        yield self._row("collected", self.collected, value=1.0 if len(self.collected) else None)
        yield from self._steps
        yield self._row("kept", self.kept, value=self._share(self.kept))

    def _before(self) -> Iterator[Row]:
        """Yield the counts of stored ratings, and of those left out before any rule, if there are any."""
        if not self.left_out:
            return
        stored = len(self.collected) + sum(entry.n_ratings for entry in self.left_out)
        about: dict[str, Any] = {"analysis": ANALYSIS, "task": self._part.task.key, "basis": "all"}
        yield Row(statistic="stored", n_ratings=stored, **about)
        for entry in self.left_out:
            counts = {"n_ratings": entry.n_ratings, "n_raters": entry.n_raters, "n_items": entry.n_texts}
            yield Row(statistic="left_out", label=entry.reason, **{**about, **counts})

    def _row(self, statistic: str, table: Table, **columns: Any) -> Row:
        return Row(
            analysis=ANALYSIS,
            statistic=statistic,
            task=self._part.task.key,
            basis="all",
            **{"n_ratings": len(table), "n_items": table.n_texts, "n_raters": table.n_raters, **columns},
        )

    def _share(self, some: Table) -> float | None:
        return len(some) / len(self.collected) if len(self.collected) else None

    def facts(self) -> dict[str, int]:
        """Return counts of the task, which pages show with its results."""
        table = self.collected
        raters = np.union1d(table.rater, table.judgments.rater[self.all_unrated])
        simulated = np.unique(table.judgments.rater[table.judgments.simulated])
        row, _system, _item = table.by_system()
        several = np.bincount(row, minlength=len(table)) > 1
        return {
            "ratings": len(table),
            "kept": len(self.kept),
            "raters": len(raters),
            "simulated_raters": len(np.intersect1d(raters, simulated)),
            "judgments": len(np.unique(table.judgment)) + len(self.all_unrated),
            "shared_texts": int(several.sum()),
        }


def _unrated(table: Table, asking: Asking, run: Run) -> NDArray[np.int64]:
    """Return the codes of the judgments that count and have no rating; none if the task does not mark errors.

    In other tasks, an answer without a rating left out every question.
    """
    judgments = table.judgments
    if not asking.marked:
        return np.empty(0, dtype=np.int64)
    counts = (judgments.unit >= 0) & ~np.isin(judgments.id, run.facts.get("replaced", []))
    counts[table.judgment] = False
    return np.flatnonzero(counts).astype(np.int64)


def _is_taken(table: Table, unrated: NDArray[np.int64], removal: Removal) -> Mask:
    """Return a mask of the judgments without ratings that a rule removed, by rater or by judgment."""
    mask = np.zeros(len(unrated), dtype=bool)
    keys = {"rater": table.names.rater_ids[table.judgments.rater[unrated]], "judgment": table.judgments.id[unrated]}
    for part in (removal, *removal.more):
        if part.target in keys:
            mask |= np.isin(keys[part.target], part.ids)
    return mask


class Exclusions:
    """Rows of the exclusions of a run, made when they are iterated over: of a million ratings, rules may exclude most.

    A row has the cells of `COLUMNS`. An instance of the model takes a kilobyte, what a rule returned a hundred bytes.
    """

    COLUMNS = (
        "study_id", "run_id", "task_id", "rule", "rater_id", "judgment_id", "rating_id", "reason", "value", "limit",
    )  # fmt: skip

    def __init__(self, part: RunPart) -> None:
        self._part, self._removals = part, list[tuple[str, Removal]]()

    def add(self, rule: str, removal: Removal) -> None:
        """Add the removals of a rule, without the masks of ratings that were kept at that time."""
        nothing = np.empty(0, dtype=bool)
        self._removals += [(rule, replace(some, mask=nothing, side=None)) for some in (removal, *removal.more)]

    def __iter__(self) -> Iterator[tuple[object, ...]]:
        part = self._part
        for rule, some in self._removals:
            about = (part.run.study_id, part.run_id, part.task_id, rule)
            nobody = (None,) * len(some.ids)
            values = nobody if some.values is None else some.values.tolist()
            limits = nobody if some.limits is None else some.limits.tolist()
            for pk, reason, value, limit in zip(some.ids.tolist(), some.reasons, values, limits, strict=True):
                ids = (pk if some.target == target else None for target in ("rater", "judgment", "rating"))
                yield *about, *ids, reason, value, limit
