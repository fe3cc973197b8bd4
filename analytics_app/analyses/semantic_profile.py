"""The profile of systems over pairs of words: the published form of a semantic differential."""

from collections.abc import Iterator, Sequence

import numpy as np
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from analytics_app.analyses.base import Rows, Sample
from analytics_app.analyses.registry import register
from analytics_app.analyses.shared.bootstrap import bootstrap
from analytics_app.analyses.shared.filtered import FilteredAnalysis
from analytics_app.analyses.shared.outputs import Outputs
from analytics_app.charts import words
from analytics_app.charts.drawing import Sketch, chart
from analytics_app.charts.lines import MOST_LINES
from analytics_app.charts.picking import INTERVAL, Material, by_mean, counted, setting, value_of
from analytics_app.charts.profile import profile_chart
from analytics_app.results import Row
from analytics_app.show.formats import digits, interval
from analytics_app.show.shown import Shown, StoredRows, lines_of, named, table_of, tables_of
from analytics_app.show.table import Table
from analytics_app.stats.comparison.means import group_means
from tasks_app.task_types.base import Scale


@register
class SemanticProfile(FilteredAnalysis):
    """Mean of each system on each pair, with an interval over items, as in the analysis of systems.

    These means are repeated here because a profile needs all pairs together.
    """

    label = _("Profile of systems")
    summary = _("Where each system stands between the words of every pair, with intervals over items.")
    source = "Osgood, Suci and Tannenbaum (1957). The measurement of meaning. University of Illinois Press."
    scales = frozenset({Scale.ORDINAL})
    task_types = frozenset({"semantic_differential"})
    whole_task = True
    statistics = {"profile_mean": _("Mean of a pair")}

    def compute(self, sample: Sample) -> Iterator[Row]:
        """Yield one row for each pair and system, in the order in which the pairs were asked."""
        make = Rows(self.name, sample)
        for pair in sample.question.criteria:
            ratings = sample.where(sample.table.criterion == pair.code)
            outputs = Outputs.of(ratings, by_document=sample.question.by_document)
            # The same draws for every pair, so that pairs of a profile can be compared.
            drawn = bootstrap(sample, "profile", outputs.unit)
            means = group_means(
                outputs.value,
                outputs.system,
                outputs.cluster,
                n_groups=len(outputs.systems),
                **drawn.options,
            )
            low, high = pair.limits or (float(np.min(pair.domain or 0)), float(np.max(pair.domain or 0)))
            for code, estimate in enumerate(means):
                yield make.row(
                    "profile_mean",
                    estimate,
                    label=pair.key,
                    system=outputs.systems[code],
                    **outputs.counts(code),
                    settings={
                        "pair": pair.name,
                        "limits": [low, high],
                        **drawn.settings,
                    },
                )


# The table of a profile, with a row for each pair of words and a column for each system.


@tables_of("semantic_profile")
def profile_table(rows: StoredRows, limit: float) -> Iterator[Table]:
    """Yield the means of systems on each pair with their intervals; parts of the data are in the file."""
    whole = rows.whole
    columns = [named(gettext("Pair"), lambda row: (row.settings or {}).get("pair") or row.label)]
    for system in whole.values("system", "profile_mean"):
        cells, before = {"system": system}, gettext("%(system)s before rules") % {"system": system}
        columns += [
            Shown(system, "profile_mean", digits(2), cells),
            Shown(gettext("Interval"), "profile_mean", interval(2), cells),
            Shown(before, "profile_mean", digits(2), cells, before=True),
        ]
    lines = lines_of(whole.of("profile_mean"), "label")
    yield from table_of(whole, gettext("Profile of systems, steps taken as equal"), columns, lines, by=("label",))


# The chart of a semantic differential: the profile of systems.


@chart(order=11)
def profile(material: Material) -> Iterator[Sketch]:
    """Draw the mean of each system between the words of every pair, one line for each system."""
    rows = [row for row in material.of("profile_mean") if row.system and row.label]
    if not rows:
        return
    pairs = list(dict.fromkeys(str(row.label) for row in rows))
    systems = by_mean(rows)
    shown_systems = systems[:MOST_LINES]
    points = []
    for row in rows:
        if row.system in shown_systems:
            name = str((row.settings or {}).get("pair") or row.label)
            left, dash, right = name.partition(" – ")
            points.append(
                {
                    "row": pairs.index(str(row.label)),
                    "label": name,
                    "left": left if dash else name,
                    "right": right,
                    "name": str(row.system),
                    "value": value_of(row),
                    "low": row.low,
                    "high": row.high,
                }
            )
    limits = setting(rows, "limits") or [-3, 3]
    more = f", the {len(shown_systems)} highest of {len(systems)} systems" if len(systems) > len(shown_systems) else ""
    yield Sketch(
        kind="profile",
        title=_apart(rows, pairs),
        subtitle=(
            f"Mean rating of each pair of words{more}, steps taken as equal; {material.basis(rows)}. "
            f"Lines at points: {material.interval(rows, 'items')}.{counted(rows)}"
        ),
        by_system=True,
        chart=profile_chart(points, shown_systems, (limits[0], limits[1]), measure="Mean"),
        columns=(("label", "Pair"), ("name", "System"), ("value", "Mean"), *INTERVAL),
    )


def _apart(rows: Sequence[Row], pairs: Sequence[str]) -> str:
    """Return a title that names the pairs on which the intervals of lowest and highest system do not overlap."""
    apart = []
    for pair in pairs:
        of_pair = sorted((row for row in rows if row.label == pair), key=value_of)
        if len(of_pair) < 2 or of_pair[0].high is None or of_pair[-1].low is None:
            continue
        if of_pair[-1].low > of_pair[0].high:
            apart.append((value_of(of_pair[-1]) - value_of(of_pair[0]), pair))
    if not apart:
        return f"Profile of systems over {len(pairs)} pairs of words"
    names = [pair for _distance, pair in sorted(apart, reverse=True)]
    return f"Systems lie furthest apart on {words.names(names[:3])}"
