"""Corrections of evalweb itself: an archive made before one has other numbers, and nobody falsified them.

When a version corrects how a statistic is computed, declare it in CORRECTIONS. Where an archive of an earlier version
differs in nothing but the statistics of a correction that applies to its data, `manage.py verify` names the correction.
Such an archive is never verified: what the correction changes cannot be compared.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from packaging.version import InvalidVersion, Version

from analytics_app import analyses
from analytics_app.archive.comparing import PAIR_ORDER, Difference
from analytics_app.models import Run
from analytics_app.ratings.pair_order import concerned_tasks
from analytics_app.runs import rules


@dataclass(frozen=True, slots=True)
class Correction:
    """A correction: the first version that has it, the numbers that it changes, and the data to which it applies.

    `statistics` has the corrected statistics by the name of their analysis (as in the columns of results.csv); an empty
    set stands for all of them. `facts` are facts of a run that it changes, such as "tasks" with its counts. `sentence`
    says what was wrong. `applies` is asked about the run that was loaded from the archive and computed again; its study
    is in the database.
    """

    name: str
    since: str
    statistics: Mapping[str, frozenset[str]]
    sentence: str
    applies: Callable[[Run], bool]
    facts: frozenset[str] = frozenset()

    def explains(self, difference: Difference) -> bool:
        """Return whether it changes this number or fact."""
        if difference.fact:
            return difference.fact in self.facts
        statistics = self.statistics.get(difference.analysis)
        return statistics is not None and (not statistics or difference.statistic in statistics)

    def is_later_than(self, code_version: str) -> bool:
        """Return whether a version of evalweb, such as 0.2.0+abc, came before it; an unreadable one did not."""
        try:
            return Version(code_version.partition("+")[0]) < Version(self.since)
        except InvalidVersion:
            return False


@dataclass(frozen=True, slots=True)
class Explained:
    """A correction, and the differences that it explains."""

    correction: Correction
    differences: Sequence[Difference]


CORRECTIONS: tuple[Correction, ...] = (
    Correction(
        name="order-of-pairs",
        since="0.3.0",
        statistics=dict.fromkeys((*analyses.registry, rules.ANALYSIS), frozenset[str]()),
        sentence=(
            "A pair of texts that was judged in both orders counted as two texts, and the question how much better one "
            "of them is counted as a third (decision 88)."
        ),
        applies=lambda run: bool(concerned_tasks(run)),
        facts=frozenset({"tasks", PAIR_ORDER}),
    ),
)


def explain(differences: Iterable[Difference], run: Run, code_version: str) -> tuple[list[Difference], list[Explained]]:
    """Return the differences that no correction explains, and the others by their correction.

    `code_version` is the version that computed the run in the archive.
    """
    remaining = list(differences)
    explained = []
    for correction in CORRECTIONS:
        if not (correction.is_later_than(code_version) and correction.applies(run)):
            continue
        if of_correction := [difference for difference in remaining if correction.explains(difference)]:
            explained.append(Explained(correction, of_correction))
            remaining = [difference for difference in remaining if not correction.explains(difference)]
    return remaining, explained
