"""The exclusions funnel: how many ratings were collected, what each rule removed, and what was kept."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analytics_app.quality.base import Removal
from analytics_app.ratings import LeftOut, Mask, Table
from analytics_app.results import Row

ANALYSIS = "funnel"


class Funnel:
    """The rows of the funnel of one task, gathered rule by rule."""

    def __init__(
        self, collected: Table, task: str, unrated: NDArray[np.int64], left_out: Sequence[LeftOut] = ()
    ) -> None:
        self.collected, self.task, self.unrated, self.left_out = collected, task, unrated, left_out
        self._steps: list[Row] = []

    def step(self, rule: str, before: Table, removal: Removal) -> None:
        """Note what a rule took from what the rules before it left."""
        gone = before.where(removal.mask)
        share = len(gone) / len(self.collected) if len(self.collected) else None
        note = " ".join(removal.notes) or None
        of_raters = len(removal.ids) if removal.target == "rater" else 0
        n_raters = max(gone.n_raters, of_raters)
        self._steps.append(self._row("removed", gone, label=rule, value=share, note=note, n_raters=n_raters))
        if removal.side is not None:
            for statistic, side in (("removed_low", -1), ("removed_high", 1)):
                some = gone.where(removal.side == side)
                share = len(some) / len(self.collected) if len(self.collected) else None
                self._steps.append(self._row(statistic, some, label=rule, value=share))
        self._steps += self._by_system(rule, before, removal.mask)

    def _by_system(self, rule: str, before: Table, mask: Mask) -> Iterator[Row]:
        """Yield of each system what share of its ratings a rule took: a fair rule takes about the same of all."""
        if not mask.any():
            return
        names = before.names
        row, system, _item = before.by_system()
        had = np.bincount(system, minlength=len(names.systems))
        lost = np.bincount(system[mask[row]], minlength=len(names.systems))
        for code, key in enumerate(names.systems):
            if had[code]:
                yield Row(
                    analysis=ANALYSIS,
                    statistic="removed_by_system",
                    task=self.task,
                    label=rule,
                    system=key,
                    value=float(lost[code] / had[code]),
                    n_ratings=int(lost[code]),
                    basis="all",
                    by_system=True,
                )

    def _row(self, statistic: str, table: Table, **columns: Any) -> Row:
        return Row(
            analysis=ANALYSIS,
            statistic=statistic,
            task=self.task,
            basis="all",
            **{"n_ratings": len(table), "n_items": table.n_texts, "n_raters": table.n_raters, **columns},
        )

    def rows(self, kept: Table) -> Iterator[Row]:
        """Yield the steps from what is stored to what was kept; `collected` is what counts before any rule."""
        yield from self._before()
        yield self._row("collected", self.collected, value=1.0 if len(self.collected) else None)
        yield from self._steps
        share = len(kept) / len(self.collected) if len(self.collected) else None
        yield self._row("kept", kept, value=share)

    def _before(self) -> Iterator[Row]:
        """Yield what is stored and what is left out before any rule, where anything is."""
        if not self.left_out:
            return
        stored = len(self.collected) + sum(one.n_ratings for one in self.left_out)
        about: dict[str, Any] = {"analysis": ANALYSIS, "task": self.task, "basis": "all"}
        yield Row(statistic="stored", n_ratings=stored, **about)
        for one in self.left_out:
            counts = {"n_ratings": one.n_ratings, "n_raters": one.n_raters, "n_items": one.n_texts}
            yield Row(statistic="left_out", label=one.reason, **{**about, **counts})

    def facts(self, kept: Table) -> dict[str, int]:
        """Return what is said about a task beside its results."""
        table = self.collected
        raters = np.union1d(table.rater, table.judgments.rater[self.unrated])
        simulated = np.unique(table.judgments.rater[table.judgments.simulated])
        row, _system, _item = table.by_system()
        several = np.bincount(row, minlength=len(table)) > 1
        return {
            "ratings": len(table),
            "kept": len(kept),
            "raters": len(raters),
            "simulated_raters": len(np.intersect1d(raters, simulated)),
            "judgments": len(np.unique(table.judgment)) + len(self.unrated),
            "shared_texts": int(several.sum()),
        }
