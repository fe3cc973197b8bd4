"""Error-free texts: their share by system, and how far raters agree on them."""

from collections.abc import Callable, Iterator

import numpy as np

from analytics_app.analyses.base import Rows
from analytics_app.analyses.error_spans.profiles import WEIGHTING, looks_by_system
from analytics_app.analyses.error_spans.systems import segment_means
from analytics_app.analyses.predicted_marks.judged import Judged
from analytics_app.analyses.shared.bootstrap import bootstrap
from analytics_app.analyses.shared.outputs import interval_note
from analytics_app.results import Row
from analytics_app.stats.agreement.krippendorff import krippendorff_alpha
from analytics_app.stats.agreement.percent import percent_agreement
from analytics_app.stats.comparison.paired import item_means
from analytics_app.stats.values import Estimate, joined

NO_SCORE = "{n:,} answers without a score are left out."


def free_of_errors(make: Rows, judged: Judged) -> Iterator[Row]:
    """Yield the share of error-free texts by system, of people and of each metric, and the agreement of raters."""
    yield from _shares(make, judged)
    for metric in judged.metrics:
        row, system = judged.systems_of(metric.text)
        if not len(row):
            continue
        n = len(judged.systems)
        means, _items = item_means(metric.error_free[row], system, judged.item[metric.text[row]], n)
        for code, key in enumerate(judged.systems):
            of_system = means[:, code][~np.isnan(means[:, code])]
            if of_system.size:
                yield make.row(
                    "error_free_share", value=float(of_system.mean()), metric=metric.name, system=key,
                    n_items=of_system.size, n_ratings=int(np.count_nonzero(system == code)),
                    settings={**WEIGHTING, **judged.definition},
                )  # fmt: skip
    yield from _agreement(make, judged)


def _shares(make: Rows, judged: Judged) -> Iterator[Row]:
    """Yield the share of each system: the mean over segments of the mean over raters."""
    known = ~np.isnan(judged.all_error_free)
    if not known.any():
        return
    lacking = int(np.count_nonzero(~known))
    note = NO_SCORE.format(n=lacking) if lacking else None
    scored = judged.looks.where(known)
    sample = make.sample
    is_look = (sample.table.number == 0) & (sample.table.id < 0)
    counted = sample.where(is_look & np.isin(sample.table.id, scored.id))
    outputs = looks_by_system(counted, len(scored), by_document=judged.over == "documents")
    values = judged.all_error_free[known][outputs.value.astype(np.int64)]
    means, drawn = segment_means(make, outputs, values, f"error_free_share over {outputs.unit}")
    settings = {**WEIGHTING, **drawn, **judged.definition}
    for code, mean in enumerate(means):
        about = joined(mean.note, interval_note(mean, outputs.unit), note)
        yield make.row(
            "error_free_share",
            mean,
            system=outputs.systems[code],
            note=about,
            settings=settings,
            **outputs.counts(code),
        )


def _agreement(make: Rows, judged: Judged) -> Iterator[Row]:
    """Yield percent agreement and nominal alpha of error-free texts."""
    known = ~np.isnan(judged.error_free)
    text, rater = judged.people.text[known], judged.people.rater[known]
    if not text.size or np.bincount(text).max() < 2:
        return
    whole = make.sample.question.by_document
    over = "documents" if whole else "texts"
    coefficients: tuple[tuple[str, Callable[..., Estimate], dict[str, str]], ...] = (
        ("error_free_agreement", percent_agreement, {}),
        ("error_free_alpha", krippendorff_alpha, {"level": "nominal"}),
    )
    for statistic, compute, more in coefficients:
        drawn = bootstrap(make.sample, statistic, over, of="agreement")
        clusters = judged.document[text] if whole else None
        estimate = compute(judged.error_free[known], text, raters=rater, clusters=clusters, **more, **drawn.options)
        yield make.row(statistic, estimate, settings={**drawn.settings, **more, **judged.definition})
