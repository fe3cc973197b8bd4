"""Right joint labels: the label of each text by the majority, and by Dawid and Skene, compared with the truth."""

from collections.abc import Iterator

import numpy as np

from analytics_app.analyses.base import Rows, in_words
from analytics_app.analyses.known_truth.right import Right
from analytics_app.analyses.shared.bootstrap import bootstrap
from analytics_app.analyses.shared.labels_of_texts import ITEMS_DIFFER, Decided, Model, by_model, by_vote
from analytics_app.analyses.shared.outputs import interval_note
from analytics_app.results import Row
from analytics_app.stats.comparison.means import group_means
from analytics_app.stats.values import joined

MAJORITY, BY_MODEL = "majority_right_share", "ds_right_share"
# Added to each count of a rater's confusions, as the analysis of labels has it.
SMOOTHING = 0.01
NONE_CLEAR = "No text with a known truth has a clear joint label."


def joint_rows(make: Rows, answers: Right) -> Iterator[Row]:
    """Yield the share of texts with a right joint label, over all texts and of each system."""
    yield from _shares(make, MAJORITY, answers, by_vote(answers.answers))
    model = ITEMS_DIFFER if answers.own_options else by_model(answers.answers, SMOOTHING)
    if isinstance(model, Model):
        yield from _shares(make, BY_MODEL, answers, model.decided, note=model.note)
    else:
        yield make.row(BY_MODEL, note=model)


def _shares(make: Rows, statistic: str, answers: Right, decided: Decided, note: str | None = None) -> Iterator[Row]:
    # One row for each text and system; the truth of a text is that of its item or, in each row, of its system.
    keys = answers.text * len(answers.systems) + answers.system
    first = np.unique(keys, return_index=True)[1]
    text, system, cluster = answers.text[first], answers.system[first], answers.cluster[first]
    place = np.minimum(np.searchsorted(decided.texts, text), len(decided.texts) - 1)
    # The model leaves out texts without a label.
    clear = decided.clear[place] & (decided.texts[place] == text)
    options = np.array([answers.options.index(name) for name in answers.categories], dtype=np.int64)
    yes = np.nan_to_num(decided.yes[place])
    right = ((yes[np.arange(len(text)), options[answers.category[first]]] == 1) & (yes.sum(axis=1) == 1)).astype(float)
    once = np.zeros(len(text), dtype=bool)
    once[np.unique(text, return_index=True)[1]] = True
    settings = {"truth": answers.truth, "n_ratings": "texts"}
    for mask, names, of_system in (
        (once, ("",), np.zeros(len(text), dtype=np.int64)),
        (np.ones(len(text), dtype=bool), answers.systems, system),
    ):
        counted = mask & clear
        drawn = bootstrap(make.sample, f"{statistic} {'by system' if names[0] else 'of all'}", answers.unit)
        means = group_means(
            right[counted], of_system[counted], cluster[counted], n_groups=len(names), shares=True, **drawn.options
        )
        for code, (name, mean) in enumerate(zip(names, means, strict=True)):
            mine = mask & (of_system == code)
            unclear = int((mine & ~clear).sum())
            left_out = (
                f"{in_words(unclear, 'text is', 'texts are')} left out: no clear joint label." if unclear else None
            )
            own = mean.note if mean.value is not None else NONE_CLEAR
            yield make.row(
                statistic,
                mean,
                system=name or None,
                n_ratings=int((mine & clear).sum()),
                note=joined(own, left_out, note, interval_note(mean, answers.unit)),
                settings={**drawn.settings, **settings},
            )
