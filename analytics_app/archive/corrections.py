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
    is in the database. Without, the correction applies to every run. `recognises`, if there is one, is asked about each
    difference of these statistics: it explains only those of the columns and rows that the correction changes.
    """

    name: str
    since: str
    statistics: Mapping[str, frozenset[str]]
    sentence: str
    applies: Callable[[Run], bool] = lambda _run: True
    facts: frozenset[str] = frozenset()
    recognises: Callable[[Difference], bool] | None = None

    def explains(self, difference: Difference) -> bool:
        """Return whether it changes this number or fact."""
        if difference.fact:
            return difference.fact in self.facts
        statistics = self.statistics.get(difference.analysis)
        if statistics is None or (statistics and difference.statistic not in statistics):
            return False
        return self.recognises is None or self.recognises(difference)

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


def _had_no_width(difference: Difference) -> bool:
    """Return whether the limits of a row coincided, and the difference is about them."""
    archived, computed = difference.archived, difference.computed
    if difference.column not in OF_INTERVAL or archived.get("low", "empty") == "empty":
        return False
    is_exact = '"Clopper-Pearson"' in computed["settings"]
    return archived["low"] == archived["high"] and (computed["low"] == "empty" or is_exact)


def _is_beyond_the_scale(difference: Difference) -> bool:
    """Return whether a limit of a coefficient was beyond -1 or 1, and the difference is about it."""
    archived = difference.archived
    if difference.column not in {"low", "high", "note"} or "empty" in {archived.get("low", "empty"), archived["high"]}:
        return False
    return float(archived["low"]) < -1 or float(archived["high"]) > 1


def _counts_units_that_differ(difference: Difference) -> bool:
    """Return whether the difference is in a statement of a row about the units that differ."""
    settings_about_units = ("n_differing", "cannot_differ_since")
    return difference.column in {"note", "settings"} and any(
        name in difference.computed["settings"] for name in settings_about_units
    )


def _counts_rows_of_the_file(difference: Difference) -> bool:
    """Return whether the difference is about how many rows of ratings.csv the compared ratings are."""
    computed = difference.computed
    says_rows = "rows of ratings.csv" in computed.get("note", "") or '"n_file_rows"' in computed.get("settings", "")
    return difference.column in {"note", "settings"} and says_rows


# What the corrected notes say, and the count that settings gained.
CORRECTED_WORDS = (
    "z is undefined here", "the same score", "Chains of wins and ties", "All comparisons are ties",
    "label that more raters chose", "no interval", "No interval", '"ties": ',
)  # fmt: skip


def _is_in_words(difference: Difference) -> bool:
    """Return whether a note, or settings, have become those that the correction makes of them."""
    return difference.column in {"note", "settings"} and any(
        words in difference.computed[difference.column] for words in CORRECTED_WORDS
    )


# What changes in a row whose interval is replaced.
OF_INTERVAL = frozenset({"low", "high", "se", "df", "note", "settings"})
# Statistics whose notes, and counts in settings, said something that was not so: of raters without z, of ties.
OF_Z = ("mean_z", "mean_z_over_raters", "difference_z", "effect_size_z")
NOTES: Mapping[str, frozenset[str]] = {
    "systems": frozenset(OF_Z),
    "magnitude": frozenset({"log_mean_z", "log_mean_z_over_raters"}),
    "error_spans": frozenset({"mqm_score_z"}),
    "metrics": frozenset({"metric_tau_like_by_item", "metric_tau_like_pooled", "metric_tau_b_by_item"}),
    "metrics_of_errors": frozenset({"metric_tau_like_by_item", "metric_tau_like_pooled", "metric_tau_b_by_item"}),
    "pairwise": frozenset({"bt_placed"}),
    "ranking": frozenset({"pl_placed"}),
    "labels": frozenset({"majority_share"}),
    "kappa": frozenset(),
    "agreement": frozenset({"gwet_ac1", "gwet_ac2"}),
}

OF_EVERY_ANALYSIS: Mapping[str, frozenset[str]] = dict.fromkeys(analyses.registry, frozenset())

CORRECTIONS: tuple[Correction, ...] = (
    Correction(
        name="order-of-pairs",
        since="0.3.0",
        statistics={**OF_EVERY_ANALYSIS, rules.ANALYSIS: frozenset()},
        sentence=(
            "A pair of texts that was judged in both orders counted as two texts, and the question how much better one "
            "of them is counted as a third (decision 88)."
        ),
        applies=lambda run: bool(concerned_tasks(run)),
        facts=frozenset({"tasks", PAIR_ORDER}),
    ),
    Correction(
        name="intervals-without-width",
        since="0.3.0",
        statistics=OF_EVERY_ANALYSIS,
        sentence=(
            "Where all resamples had one value, such as 12 wins of 12, the interval had a width of zero (decision 104)."
        ),
        recognises=_had_no_width,
    ),
    Correction(
        name="limits-beyond-the-scale",
        since="0.3.0",
        statistics={"kappa": frozenset(), "agreement": frozenset({"gwet_ac1", "gwet_ac2"})},
        sentence="Limits of a coefficient of agreement were not cut at -1 and 1 (decision 104).",
        recognises=_is_beyond_the_scale,
    ),
    Correction(
        name="units-that-differ",
        since="0.3.0",
        statistics=OF_EVERY_ANALYSIS,
        sentence=(
            "That no test could be significant was put down to the number of texts, and not to the number of those on "
            "which systems differ (decision 104), or not said, of McNemar's test."
        ),
        recognises=_counts_units_that_differ,
    ),
    Correction(
        name="notes",
        since="0.3.0",
        statistics=NOTES,
        sentence="Notes on ratings without z and on ties said something that was not so (decision 104).",
        recognises=_is_in_words,
    ),
    Correction(
        name="rows-of-the-file",
        since="0.3.0",
        statistics=OF_EVERY_ANALYSIS,
        sentence="Agreement over texts that systems share did not say how many rows of ratings.csv it rests on.",
        recognises=_counts_rows_of_the_file,
    ),
    Correction(
        name="right-joint-labels",
        since="0.3.0",
        statistics={"known_truth": frozenset({"majority_right_share", "ds_right_share"})},
        sentence="Joint labels were not compared with the truth.",
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
