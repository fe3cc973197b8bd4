"""TrueSkill: systems ranked by pairwise wins, with rank ranges and clusters."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from analytics_app.analyses.base import Rows, Sample
from analytics_app.analyses.registry import register
from analytics_app.analyses.shared.filtered import FilteredAnalysis
from analytics_app.analyses.shared.pairs import SHARED, Preferences, Together, draws, seed_of_draws
from analytics_app.charts import words
from analytics_app.charts.compared import rank_ranges
from analytics_app.charts.drawing import Sketch, chart
from analytics_app.charts.picking import Material, setting
from analytics_app.ratings import Floats
from analytics_app.results import Row
from analytics_app.show.formats import digits, interval, ranks, ratings, whole
from analytics_app.show.shown import Shown, StoredRows, by_system, subsets, tables_of
from analytics_app.show.table import Table
from analytics_app.stats.ranking.pairs_within import pair_totals
from analytics_app.stats.ranking.trueskill_wmt import Ranked, wmt_trueskill
from analytics_app.stats.values import joined
from tasks_app.settings.fields import YesNoField, choice_field, whole_field
from tasks_app.task_types.base import Scale

# Rating scales have analyses of their own; TrueSkill on them is for comparison with papers, so a plan must request it.
ON_REQUEST = frozenset({"likert", "slider"})

CUT = "Each run drew {steps:,} times from {all:,} comparisons, the most it is let; mu depends on that number."
AS_IF = "Runs draw comparisons as if they were independent: other items can move ranks further than this range."
UNSTEADY = "Where clusters begin can change with the seed: read the rank ranges."


@register
class TrueSkill(FilteredAnalysis):
    """TrueSkill by the procedure of WMT, as RankME used it.

    Every two systems judged together are one comparison: higher wins, equal is a draw. "Together" is on one screen, or
    where screens show one text each, by one rater for one item. Answers that both texts are bad are draws.
    """

    label = _("TrueSkill")
    summary = _("Systems ranked by their order within screens or items: score, rank range and cluster over 200 runs.")
    source = (
        "Sakaguchi, Post and Van Durme (2014). Efficient elicitation of annotations for human evaluation of machine "
        "translation. WMT. Novikova, Dušek and Rieser (2018). RankME. NAACL."
    )
    scales = frozenset({Scale.RATIO, Scale.ORDINAL, Scale.INTERVAL, Scale.NOMINAL})
    task_types = frozenset({"magnitude", "ranking", "pairwise", *ON_REQUEST})
    statistics = {
        "trueskill_mu": _("TrueSkill score (mu)"),
        "trueskill_rank": _("TrueSkill rank, with its range"),
        "trueskill_cluster": _("TrueSkill cluster"),
    }

    together = choice_field(
        _("Compare texts"),
        (
            ("auto", _("of one screen, or else of one item by one rater")),
            ("screen", _("of one screen")),
            ("item", _("of one item by one rater")),
        ),
        initial="auto",
    )
    rating_scales = YesNoField(
        label=_("TrueSkill for Likert scales and sliders"),
        help_text=_("Only the order of the ratings counts then."),
    )
    n_runs = whole_field(_("Runs"), within=(40, 2000), initial=200)
    most_steps = whole_field(
        _("Most comparisons drawn in a run"),
        _("Runs draw as often as there are comparisons, up to this number."),
        within=(100, 1_000_000),
        initial=20_000,
    )

    def compute(self, sample: Sample) -> Iterator[Row]:
        """Yield score, rank and cluster of each system."""
        question = sample.question
        if question.task_type in ON_REQUEST and not self.rating_scales:
            return
        systems, wins, ties, row_settings, counts = _compared(sample, self.together)
        if len(systems) < 2:
            return
        ranked = wmt_trueskill(
            wins,
            ties,
            n_runs=self.n_runs,
            most_steps=self.most_steps,
            confidence=sample.common.confidence,
            rng=draws(sample, "trueskill"),
        )
        make = Rows(self.name, sample)
        row_settings |= {"comparisons": ranked.n_comparisons, "steps": ranked.n_steps, "runs": ranked.n_runs}
        row_settings |= {"interval": "range of the runs", "seed": seed_of_draws(sample, "trueskill")}
        note = row_settings.pop("note", None)
        if ranked.n_steps < ranked.n_comparisons:
            note = joined(note, CUT.format(steps=ranked.n_steps, all=ranked.n_comparisons))
        yield from _rows(make, systems, ranked, row_settings, note, counts)


def _compared(
    sample: Sample, together_by: str
) -> tuple[tuple[str, ...], Floats, Floats, dict[str, Any], list[dict[str, Any]]]:
    """Return systems, wins, ties, the settings of the comparison, and the counts of each system."""
    if sample.question.scale is Scale.NOMINAL:
        preferences = Preferences.of(sample)
        wins, ties = preferences.totals()
        counts: list[dict[str, Any]] = []
        for code in range(len(preferences.systems)):
            of_system = (preferences.first == code) | (preferences.second == code)
            counts.append(
                {
                    "n_ratings": int(of_system.sum()),
                    "n_items": len(np.unique(preferences.cluster[of_system])),
                    "n_raters": len(np.unique(preferences.rater[of_system])),
                }
            )
        return preferences.systems, wins, ties, {"compared": "two texts of one screen", "both_bad": "a draw"}, counts
    together = Together.of(sample, by=together_by)
    n = len(together.systems)
    wins, ties = pair_totals(together.value, together.group, together.system, n)
    row_settings: dict[str, Any] = {"compared": together.compared}
    if together.n_shared:
        row_settings["note"] = SHARED.format(n=f"{together.n_shared:,}")
    return together.systems, wins, ties, row_settings, [together.counts(code) for code in range(n)]


def _rows(
    make: Rows,
    systems: tuple[str, ...],
    ranked: Ranked,
    settings: dict[str, Any],
    note: str | None,
    counts: list[dict[str, Any]],
) -> Iterator[Row]:
    for key, skill, about in zip(systems, ranked.skills, counts, strict=True):
        shared: dict[str, Any] = {"system": key, "settings": settings, **about}
        yield make.row("trueskill_mu", skill.mu, **shared, note=joined(skill.mu.note, note))
        yield make.row("trueskill_rank", skill.rank, **shared, note=joined(skill.rank.note, AS_IF))
        if skill.cluster is not None:
            yield make.row("trueskill_cluster", value=float(skill.cluster), **shared, note=UNSTEADY)


# The table of TrueSkill: systems in clusters.


@tables_of("trueskill")
def trueskill(rows: StoredRows, limit: float) -> Iterator[Table]:
    """Yield systems by their score: cluster, rank range, mu."""
    columns = [
        Shown(gettext("Cluster"), "trueskill_cluster", whole),
        Shown(gettext("Rank"), "trueskill_rank", whole),
        Shown(gettext("Rank range"), "trueskill_rank", ranks),
        Shown(gettext("Score (mu)"), "trueskill_mu", digits(2)),
        Shown(gettext("Range of runs"), "trueskill_mu", interval(2)),
        Shown(gettext("Ratings"), "trueskill_mu", ratings),
    ]
    yield from by_system(rows.whole, gettext("TrueSkill"), columns, lead="trueskill_mu")
    yield from subsets(rows, limit, gettext("TrueSkill by subset"))


# The chart of TrueSkill: rank ranges.

# Paired tests of systems, in the order in which they are looked for.
_PAIRED = (
    "magnitude_ratio_crossed", "magnitude_ratio", "win_rate_crossed", "win_rate", "ranked_above_half_crossed",
    "ranked_above_half",
    "difference_crossed", "difference", "range_difference",
)  # fmt: skip


@chart(order=7)
def trueskill_ranks(material: Material) -> Iterator[Sketch]:
    """Draw the rank ranges of TrueSkill."""
    ranges = "trueskill_rank", "trueskill_cluster", "trueskill-ranks"
    yield from rank_ranges(material, _by_trueskill, *ranges, _trueskill)


def _by_trueskill(material: Material, clusters: Mapping[str | None, float]) -> str:
    """Return a title that claims clusters only where tests of the same systems bear out each border between them.

    The ranges of TrueSkill come from drawing the same comparisons again and do not say what other items would change.
    """
    n = len(set(clusters.values()))
    tests = next((rows for name in _PAIRED if (rows := material.of(name))), [])
    significant = [row for row in tests if material.is_significant(row)]
    if tests and (n == 1 or not significant):
        return f"No clear difference between the systems for {material.name} (TrueSkill)"
    borders = sorted(set(clusters.values()))[1:]
    if tests and all(any(_crosses(row, clusters, border) for row in significant) for border in borders):
        return f"TrueSkill separates the systems into {n} clusters for {material.name}"
    return f"Systems by their TrueSkill rank for {material.name}"


def _crosses(row: Row, clusters: Mapping[str | None, float], border: float) -> bool:
    """Return whether a pair has one system above a border between clusters and one below it."""
    places = [clusters[system] for system in (row.system, row.system_b) if system in clusters]
    return len(places) == 2 and min(places) < border <= max(places)


def _trueskill(rows: Sequence[Row]) -> str:
    runs, steps, comparisons = (setting(rows, name) for name in ("runs", "steps", "comparisons"))
    why = ", once more than there are, as at WMT" if steps == comparisons + 1 else ""
    return (
        f"TrueSkill of {comparisons:,} comparisons. Each of {runs} runs draws one of them {steps:,} times, with "
        f"replacement{why}. Line: ranks of the runs without the outer 2.5{words.SPACE}% on each side. Other items may "
        "move ranks further"
    )
