"""Right and wrong answers: each answer compared with the label that is true of its item."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analytics_app.analyses.base import Sample, in_words
from analytics_app.analyses.labels.shares import ByOutput
from analytics_app.analyses.shared.labels_of_texts import Answers
from analytics_app.analyses.shared.pairs import OfSystems
from analytics_app.ratings import Floats, Mask
from analytics_app.ratings.extras.own_options import OwnOptions
from analytics_app.stats.values import joined

# The truth is the system itself, for raters who guess which system, or which author, wrote a text.
SYSTEM = "system"

OWN_OPTIONS = "It is not known how many options each item offered, so there is no chance level."
SEVERAL = "Several options may be chosen, so there is no chance level."


@dataclass(frozen=True, slots=True)
class Right(OfSystems):
    """Answers with a known truth, once for each output they count for: arrays of shape (n,).

    `right` is 1 where the truth and nothing else was chosen, `category` a code into `categories`, the labels that are
    true of some item; `once` keeps one row of each answer, where a text of several systems counts for each of them;
    `chosen` has a column for each option. `answers` are all answers, also those whose truth is not known, and `text` is
    the text of each row. `chance` is one over the number of options that were offered with each
    output, None where there is no such chance; `own_options` says that items bring options of their own.
    """

    truth: str
    answers: Answers
    text: NDArray[np.int64]
    right: Floats
    once: Mask
    rater: NDArray[np.int64]
    system: NDArray[np.intp]
    item: NDArray[np.int64]
    cluster: NDArray[np.int64]
    category: NDArray[np.int64]
    chosen: NDArray[np.bool_]
    options: tuple[str, ...]
    categories: tuple[str, ...]
    chance: Floats | None
    own_options: bool
    note: str | None

    @property
    def is_system(self) -> bool:
        """Return whether the truth names the system, so that rows by true label distinguish systems."""
        return self.truth == SYSTEM

    def mean_chance(self, mask: Mask) -> float | None:
        """Return the mean chance of the answers in a mask, None if there is no chance."""
        if self.chance is None or not mask.any():
            return None
        chances = self.chance[mask]
        return float(chances[0] if np.all(chances == chances[0]) else chances.mean())


def right_answers(sample: Sample, truth: str) -> Right | str:
    """Return the answers with their truth, or a sentence that explains why there are none."""
    features = sample.table.names.features
    if truth != SYSTEM and truth not in features:
        return f"The items have no feature “{truth}”. Their features: {', '.join(sorted(features)) or 'none'}."
    offered = _own_options(sample)
    answers = Answers.of(sample.table, (*sample.question.labels, *_unchosen_truths(sample, truth, offered)))
    outputs = ByOutput.of(sample, answers.text)
    if not len(outputs.entry):
        return "Nothing was answered."
    words = _true_words(sample, outputs, truth)
    place = {option: code for code, option in enumerate(answers.options)}
    # If items have their own options, only an option that was offered with the item can be true of it.
    items = outputs.item.tolist()
    true_option = np.array(
        [place[word] if word in offered.get(item, place) else -1 for item, word in zip(items, words, strict=True)]
    )
    is_option = true_option >= 0
    if not is_option.any():
        # Names of systems stay hidden: an example is given only for other truths.
        example = next((word for word in words if word and truth != SYSTEM), "")
        such_as = f", such as “{example}”," if example else ""
        return f"No value of “{truth}”{such_as} is one of the options: {', '.join(answers.options)}."
    is_shared = (
        np.bincount(outputs.entry)[outputs.entry] > 1 if truth == SYSTEM else np.zeros(len(true_option), dtype=bool)
    )
    if not (is_option & ~is_shared).any():
        return "Several systems wrote each text, so none of them is the right answer."
    return _compared(sample, answers, outputs, truth, true_option, is_shared)


def _true_words(sample: Sample, outputs: ByOutput, truth: str) -> list[str]:
    """Return the truth of the output of each row, in the words of the study."""
    if truth == SYSTEM:
        return [outputs.systems[code] for code in outputs.system.tolist()]
    of_items = sample.table.names.features[truth]
    return [str(of_items[item]) for item in outputs.item.tolist()]


def _compared(
    sample: Sample,
    answers: Answers,
    outputs: ByOutput,
    truth: str,
    true_option: NDArray[np.int64],
    is_shared: Mask,
) -> Right:
    """Compare answers with the true options, without answers that have none and texts of several systems."""
    is_option = true_option >= 0
    known = is_option & ~is_shared
    entry, true_option = outputs.entry[known], true_option[known]
    chosen = answers.chosen[entry]
    is_right = chosen[np.arange(len(entry)), true_option] & (chosen.sum(axis=1) == 1)
    codes, category = np.unique(true_option, return_inverse=True)
    systems, system = np.unique(outputs.system[known], return_inverse=True)
    once = np.zeros(len(entry), dtype=bool)
    once[np.unique(entry, return_index=True)[1]] = True
    item, cluster = (column[known].astype(np.int64) for column in (outputs.item, outputs.cluster))
    chance, without_chance = _chance(sample, answers, item)
    return Right(
        truth=truth,
        answers=answers,
        text=answers.text[entry],
        right=is_right.astype(float),
        once=once,
        rater=answers.rater[entry].astype(np.int64),
        system=system.astype(np.intp),
        item=item,
        cluster=cluster,
        category=category.astype(np.int64),
        chosen=chosen,
        options=answers.options,
        categories=tuple(answers.options[code] for code in codes),
        systems=tuple(outputs.systems[code] for code in systems),
        unit=outputs.unit,
        cluster_of_item=outputs.cluster_of_item,
        chance=chance,
        own_options=sample.question.items_bring_options,
        note=joined(
            _left_out(outputs.entry[~is_option], "no option is true of the item"),
            _left_out(outputs.entry[is_option & is_shared], "several systems wrote the text"),
            without_chance,
        ),
    )


def _left_out(entries: NDArray[np.integer[Any]], reason: str) -> str | None:
    """Return a note with the number of answers left out and the reason; None if there are none."""
    n = len(np.unique(entries))
    return f"{in_words(n, 'answer is', 'answers are')} left out: {reason}." if n else None


def _own_options(sample: Sample) -> dict[int, tuple[str, ...]]:
    """Return the options of each item that brings its own, by the code of the item."""
    return sample.extras[OwnOptions].of(sample.question.criterion) if sample.question.items_bring_options else {}


def _unchosen_truths(sample: Sample, truth: str, offered: dict[int, tuple[str, ...]]) -> list[str]:
    """Return the true options that were offered but that no rater chose."""
    of_items = sample.table.names.features.get(truth)
    if of_items is None:
        return []
    return sorted({str(of_items[item]) for item, options in offered.items() if str(of_items[item]) in options})


def _chance(sample: Sample, answers: Answers, item: NDArray[np.int64]) -> tuple[Floats | None, str | None]:
    """Return the probability that a random choice of one option is right, for the item of each row.

    None, and the reason, if there is no such chance.
    """
    question = sample.question
    if answers.several or question.params.get("multiple"):
        return None, SEVERAL
    none_of_these = question.criterion in question.params.get("none_of_these", ())
    if not sample.question.items_bring_options:
        return np.full(len(item), 1 / (len(question.labels) + none_of_these)), None
    lists = _own_options(sample)
    n_offered = np.array([len(lists.get(code, ())) for code in item.tolist()], dtype=np.int64)
    if not n_offered.all():
        return None, OWN_OPTIONS
    return 1 / (n_offered + none_of_these), None
