"""Answers to one criterion that choose options, and the label of each text by vote or by Dawid and Skene's model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analytics_app.ratings import Floats, Mask, Names, Table
from analytics_app.stats.errors.dawid_skene import DawidSkene, dawid_skene
from analytics_app.stats.errors.votes import TIE, first_of
from analytics_app.stats.values import compressed

# With more options than this, the rarest are left out: the list would be unreadable.
MOST_OPTIONS = 60

ITEMS_DIFFER = "The options differ from item to item, so raters cannot be compared by what they confuse."
NOTHING = "Nothing was labelled."


@dataclass(frozen=True, slots=True)
class Answers:
    """The first answer of each rater on each text: `chosen[i, k]` is true if answer i chose option k.

    `several` is true if an answer may choose several options. `left_out` counts options too rare to be listed.
    """

    text: NDArray[np.int64]
    rater: NDArray[np.integer[Any]]
    chosen: NDArray[np.bool_]
    options: tuple[str, ...]
    several: bool
    left_out: int = 0

    @classmethod
    def of(cls, table: Table, declared: Sequence[str] = (), *, several: bool = False) -> Answers:
        """Return the answers of a table, with the options in the order of the study, then others."""
        is_labelled = table.label >= 0
        table = table if is_labelled.all() else table.where(is_labelled)
        words = table.names.labels
        counts = np.bincount(table.label, minlength=len(words))
        options, left_out = listed({words[code]: int(counts[code]) for code in np.flatnonzero(counts)}, declared)
        codes = recoded(words, options)[table.label]
        several = several or bool((table.number > 1).any())
        columns = (codes, table.text, table.rater, table.judgment)
        return replace(cls.made(*columns, options, several=several), left_out=left_out)

    @classmethod
    def made(
        cls,
        label: NDArray[np.int64],
        text: NDArray[np.int64],
        rater: NDArray[np.integer[Any]],
        judgment: NDArray[np.integer[Any]],
        options: tuple[str, ...],
        *,
        several: bool,
    ) -> Answers:
        """Return answers made from labels (-1 for no option); of a rater's judgments of one text the first counts."""
        keys = text * (int(rater.max(initial=0)) + 1) + rater
        order = np.lexsort((judgment, keys))
        begins, answer = _begins(keys[order])
        del keys
        label, judgment = label[order], judgment[order]
        known = (judgment == judgment[begins][answer]) & (label >= 0)
        chosen = np.zeros((len(begins), len(options)), dtype=bool)
        chosen[answer[known], label[known]] = True
        order = order[begins]
        return cls(text[order], rater[order], chosen, options, several)

    def __len__(self) -> int:
        return len(self.text)

    def where(self, mask: Mask) -> Answers:
        """Return the answers in a mask."""
        return replace(self, text=self.text[mask], rater=self.rater[mask], chosen=self.chosen[mask])


def _begins(keys: NDArray[np.int64]) -> tuple[NDArray[np.intp], NDArray[np.int32]]:
    """Return the place where each of the sorted keys begins, and the number of each entry's key."""
    new = np.r_[True, keys[1:] != keys[:-1]] if len(keys) else np.empty(0, dtype=bool)
    return np.flatnonzero(new), np.cumsum(new, dtype=np.int32) - np.int32(1)


def listed(counts: Mapping[str, int], declared: Sequence[str]) -> tuple[tuple[str, ...], int]:
    """Return the options to list, and the number of options that are too rare."""
    others = sorted(name for name in counts if name not in set(declared))
    all_options = [*declared, *others]
    often = sorted(all_options, key=lambda name: (-counts.get(name, 0), all_options.index(name)))[:MOST_OPTIONS]
    return tuple(name for name in all_options if name in set(often)), len(all_options) - len(often)


def recoded(words: Sequence[str], options: Sequence[str]) -> NDArray[np.int64]:
    """Return the place of each word among the options, -1 if it is not an option."""
    place = {name: code for code, name in enumerate(options)}
    return np.array([place.get(word, -1) for word in words] or [-1], dtype=np.int64)


@dataclass(frozen=True, slots=True)
class Decided:
    """The label of each text on one criterion, decided from the answers of all its raters.

    `chance[i, k]` is the share of votes for, or the probability of, option k; `yes[i, k]` is 1 where it is the label
    of the text, 0 if not, NaN in the whole row if there is no clear label.
    """

    texts: NDArray[np.int64]
    chance: Floats
    yes: Floats
    options: tuple[str, ...]
    several: bool

    @property
    def confidence(self) -> Floats:
        """Return the probability that the label of a text is right; of several options, that of the least certain."""
        if not self.chance.size:
            return np.empty(0)
        if self.several:
            least: Floats = np.maximum(self.chance, 1 - self.chance).min(axis=1)
            return least
        most: Floats = self.chance.max(axis=1)
        return most

    @property
    def clear(self) -> Mask:
        """Return a mask of the texts that have a label."""
        clear: Mask = np.asarray(~np.isnan(self.yes).any(axis=1))
        return clear

    def words(self, place: int) -> str:
        """Return the label of a text; empty if there is no clear label."""
        chosen = [name for name, yes in zip(self.options, self.yes[place], strict=True) if yes == 1]
        return " + ".join(chosen)


def by_vote(answers: Answers) -> Decided:
    """Return the labels by the majority of the answers; a tie gives no label."""
    texts, place = compressed(answers.text)
    votes = np.bincount(place, minlength=len(texts)).astype(float)[:, np.newaxis]
    counts = np.column_stack(
        [np.bincount(place, weights=answers.chosen[:, k], minlength=len(texts)) for k in range(len(answers.options))]
    )
    return _decided(answers, texts, counts / votes)


def _decided(answers: Answers, texts: NDArray[np.int64], chance: Floats) -> Decided:
    if answers.several:
        yes = (chance > 0.5).astype(float)
        yes[(np.abs(chance - 0.5) < 1e-9).any(axis=1)] = np.nan
    else:
        first = first_of(chance)
        yes = np.zeros(chance.shape)
        yes[np.arange(len(first)), np.maximum(first, 0)] = 1.0
        yes[first == TIE] = np.nan
    return Decided(texts, chance, yes, answers.options, answers.several)


@dataclass(frozen=True, slots=True)
class Model:
    """The result of the model of Dawid and Skene: one fit of all options, or one of each if several may be chosen."""

    decided: Decided
    fits: tuple[DawidSkene, ...]

    @property
    def note(self) -> str | None:
        """Return the note about a weakness of the fit, if there is one."""
        return next((fit.note for fit in self.fits if fit.note), None)


def by_model(answers: Answers, smoothing: float) -> Model | str:
    """Fit the model, or return a sentence that explains why it cannot be fitted."""
    if not len(answers):
        return NOTHING
    if answers.several:
        columns = [answers.chosen[:, k].astype(np.int64) for k in range(len(answers.options))]
        fits = [dawid_skene(column, answers.text, answers.rater, n_labels=2, smoothing=smoothing) for column in columns]
    else:
        labelled: Mask = np.asarray(answers.chosen.any(axis=1))
        answers = answers if labelled.all() else answers.where(labelled)
        label = answers.chosen.argmax(axis=1)
        n_labels = len(answers.options)
        fits = [dawid_skene(label, answers.text, answers.rater, n_labels=n_labels, smoothing=smoothing)]
    if not fits[0].defined:
        return fits[0].note or NOTHING
    chance = np.column_stack([fit.posterior[:, 1] for fit in fits]) if answers.several else fits[0].posterior
    return Model(_decided(answers, fits[0].texts.astype(np.int64), chance), tuple(fits))


def systems_of(
    names: Names, texts: NDArray[np.int64], without: frozenset[int] = frozenset()
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]:
    """Return (place, system, item) for every output that a text shows; a text without a part shows none."""
    # Where each part begins among the outputs shown; texts without a part come after all parts.
    begins = np.searchsorted(names.shown_part, np.arange(len(names.part_ids) + 1)).astype(np.int32)
    part = np.minimum(texts, len(names.part_ids)).astype(np.int32)
    begin = begins[part]
    times = np.append(np.diff(begins), np.int32(0))[part]
    place = np.repeat(np.arange(len(texts), dtype=np.int32), times)
    ahead = np.cumsum(times, dtype=np.int32)
    ahead -= times
    begin -= ahead
    shown = np.repeat(begin, times)
    shown += np.arange(len(place), dtype=np.int32)
    system, item = names.shown_system[shown], names.shown_item[shown]
    if not without:
        return place, system, item
    keep = ~np.isin(system, sorted(without))
    return place[keep], system[keep], item[keep]
