"""Tables of best-worst scaling: systems, then reliability and balance."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from django.utils.translation import gettext as _

from analytics_app.models import ResultRow
from analytics_app.views.result_tables._comparisons import Parts, Shown, digits, interval, ranks, whole
from analytics_app.views.result_tables.registry import tables_of
from analytics_app.views.tables import Table


@tables_of("best_worst")
def best_worst(rows: Sequence[ResultRow], limit: float) -> Iterator[Table]:
    """Yield systems by their score, then how well halves agree and how evenly texts were shown."""
    parts = Parts(rows)
    columns = [
        Shown(_("Score"), "bw_score", digits(2)),
        Shown(_("Interval"), "bw_score", interval(2)),
        Shown(_("Rank"), "bw_rank", whole),
        Shown(_("Rank range"), "bw_rank", ranks),
        Shown(_("Times best"), "bw_best", whole),
        Shown(_("Times worst"), "bw_worst", whole),
        Shown(_("Times shown"), "bw_shown", whole),
    ]
    yield from parts.by_system(_("Best-worst scores"), columns, lead="bw_score")
    facts = {"bw_split_half": digits(2), "bw_split_half_spearman": digits(2)}
    yield from parts.facts(_("Reliability and balance"), {**facts, "bw_least_shown": whole, "bw_most_shown": whole})
    yield from parts.others(_("Best-worst scores of texts"), ("bw_text_score",), limit)
    yield from parts.part_by_part(_("Best-worst scores by subset"), limit)
