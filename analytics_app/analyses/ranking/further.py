"""Rankings with raters and texts both random: pairs of systems, and mean ranks."""

from collections.abc import Iterator

import numpy as np

from analytics_app.analyses.base import Rows
from analytics_app.analyses.shared.crossed_shares import Answered, Columns, crossed_columns
from analytics_app.analyses.shared.pairs import Together, chosen_pairs
from analytics_app.analyses.shared.preferred import Preferred, preferred_rows
from analytics_app.ratings import Floats
from analytics_app.results import Row
from analytics_app.stats.ranking.pairs_within import pairs_within


def further_raters(make: Rows, together: Together, ranks: Floats, note: str | None) -> Iterator[Row]:
    """Yield mean ranks, and shares of rankings of pairs, for further raters and texts, if the plan asks for them.

    The share of a pair has a model of its own, as a preference has; a mean rank is that of the model of ranks. `note`
    is said beside mean ranks.
    """
    if make.sample.common.generalise_to != "raters_and_texts":
        return
    document = together.cluster if together.unit == "documents" else None
    answered = Answered(
        ranks[:, np.newaxis], together.system, together.item, together.rater, document, together.systems
    )
    columns = Columns(
        level="rank_mean_crossed",
        difference="ranked_above_half_crossed",
        labels=[None],
        of="pairs of one criterion",
        settings=[{"ties": "mid-ranks"}],
        shares=False,
        note=note,
    )
    yield from crossed_columns(make, answered, columns, [])
    steps = list(pairs_within(together.group))
    if not steps:
        return
    first, second = (np.concatenate(column) for column in zip(*steps, strict=True))
    preferred = Preferred(
        preference=(np.sign(together.value[first] - together.value[second]) + 1) / 2,
        first=together.system[first],
        second=together.system[second],
        item=together.item[first],
        rater=together.rater[first],
        document=None if document is None else document[first],
        systems=together.systems,
    )
    both = {frozenset(pair) for pair in zip(preferred.first.tolist(), preferred.second.tolist(), strict=True)}
    pairs = [pair for pair in chosen_pairs(together.systems, make.sample.common.pairs) if frozenset(pair) in both]
    yield from preferred_rows(make, preferred, pairs, "ranked_above_half_crossed", settings={"ties": "one half"})
