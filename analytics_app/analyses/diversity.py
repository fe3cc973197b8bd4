"""Diversity of the texts of each system: different words, repeated sequences of words, and how alike the texts are."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from analytics_app.analyses.base import Question, Rows, Sample, in_words
from analytics_app.analyses.registry import register
from analytics_app.analyses.shared.filtered import FilteredAnalysis
from analytics_app.analyses.shared.pairs import chosen_pairs, draws, seed_of_draws
from analytics_app.models import ResultRow
from analytics_app.ratings.extras.shown_texts import ShownTexts
from analytics_app.results import Row
from analytics_app.show import formats
from analytics_app.show.formats import digits, interval, items, p_adjusted
from analytics_app.show.shown import Shown, StoredRows, named, own, subsets, table_of, tables_of
from analytics_app.show.table import Table
from analytics_app.stats.comparison.corrections import adjust
from analytics_app.stats.comparison.diversity import Jackknifed, Tokens, distinct, self_bleu, within_texts
from analytics_app.stats.values import Estimate
from tasks_app import task_types
from tasks_app.settings.fields import whole_field
from tasks_app.task_types.base import Scale
from tasks_app.texts.words import words_of

LENGTHS = (1, 2, 3)
# Ends the statistics of pairs of systems, one for each measure.
DIFFERENCE = "_difference"
FEW_ITEMS = "Diversity needs two items or more for which all systems have a text with words."
NO_SEQUENCE = "No text is this long."

MEASURES: Mapping[str, Callable[[Tokens], Jackknifed | None]] = {
    "text_type_token_ratio": within_texts,
    **{f"distinct_{n}": (lambda tokens, n=n: distinct(tokens, n)) for n in LENGTHS},  # type: ignore[misc]
    "self_bleu": self_bleu,
}
# Of one system: where texts share little, a few sequences decide, and intervals hold 86 to 93 of 100 true values
# (docs/decisions/0151). Differences of two systems keep what they promise.
WITHOUT_INTERVAL = {"self_bleu"}
SETTINGS = {"interval": "jackknife over items", "test": "t, jackknife over items"}


@dataclass(frozen=True, slots=True)
class _Texts:
    """The words of the texts of each system for the same items, and the number of items that all systems have."""

    systems: tuple[str, ...]
    words: tuple[list[list[str]], ...]
    n_items: int

    @classmethod
    def of(cls, sample: Sample, most: int) -> _Texts:
        """Return the texts of rated items that all systems have a text for; of more than `most`, as many at random."""
        shown = sample.extras[ShownTexts]
        # One text for each system and item, the first of several.
        texts: dict[int, dict[int, int]] = {}
        table = sample.table
        for parts in (table.part, table.part_b):
            rows, systems, items_of = replace(table, part=parts).by_system()
            columns = np.unique(np.column_stack((systems, items_of, parts[rows])), axis=0)
            for system, item, part in columns.tolist():
                if item >= 0 and system not in sample.without and part not in shown.files:
                    mine = texts.setdefault(system, {})
                    mine[item] = min(part, mine.get(item, part))
        words = {
            system: {item: found for item, part in of_item.items() if (found := words_of(shown.text[part]))}
            for system, of_item in sorted(texts.items())
        }
        common = sorted(set.intersection(*(set(of_item) for of_item in words.values()))) if words else []
        drawn = common
        if len(common) > most:
            places = np.sort(draws(sample, "diversity").permutation(len(common))[:most])
            drawn = [common[place] for place in places.tolist()]
        return cls(
            tuple(table.names.systems[system] for system in words),
            tuple([of_item[item] for item in drawn] for of_item in words.values()),
            len(common),
        )


@register
class Diversity(FilteredAnalysis):
    """How diverse the texts of each system are, on the items that all systems have a text for.

    `text_type_token_ratio` is the mean share of different words of a text, `distinct_1` to `distinct_3` the share of
    different words, pairs and triples of words in all texts of a system, and `self_bleu` the mean BLEU of a text with
    the other texts of its system as references: high means alike. `distinct_1_difference` and the like compare
    two systems in one measure. Intervals and tests leave out one item at a time.
    """

    label = _("Diversity of texts")
    summary = _("How many different words and sequences of words each system uses, and how alike its texts are.")
    source = (
        "Li et al. (2016). A diversity-promoting objective function for neural conversation models. NAACL, 110-119. "
        "Zhu et al. (2018). Texygen: a benchmarking platform for text generation models. SIGIR, 1097-1100. Efron and "
        "Stein (1981). The jackknife estimate of variance. Annals of Statistics 9(3), 586-596."
    )
    scales = frozenset(Scale)
    statistics = {
        "text_type_token_ratio": _("Type-token ratio within a text"),
        "distinct_1": _("Different words (distinct-1)"),
        "distinct_2": _("Different pairs of words (distinct-2)"),
        "distinct_3": _("Different triples of words (distinct-3)"),
        "self_bleu": _("Self-BLEU (high: the texts are alike)"),
        "text_type_token_ratio_difference": _("Difference in the type-token ratio within a text"),
        "distinct_1_difference": _("Difference in distinct-1"),
        "distinct_2_difference": _("Difference in distinct-2"),
        "distinct_3_difference": _("Difference in distinct-3"),
        "self_bleu_difference": _("Difference in Self-BLEU"),
    }
    needs = frozenset({ShownTexts})
    whole_task = True
    splits = False
    leads = False

    most_items = whole_field(
        _("Most items that are compared"),
        help_text=_("With more items, as many are drawn at random, the same for all systems."),
        within=(10, 5000),
        initial=500,
    )

    @classmethod
    def fits(cls, question: Question) -> bool:
        """Return whether the task is about texts."""
        return super().fits(question) and task_types.registry[question.task_type].needs_items

    def compute(self, sample: Sample) -> Iterator[Row]:
        """Yield the measures of each system, then the differences of pairs."""
        texts = _Texts.of(sample, self.most_items)
        if not texts.systems:
            return
        make = Rows(self.name, sample)
        n = len(texts.words[0])
        if n < 2:
            yield make.row("distinct_1", Estimate(None, n_items=n, note=FEW_ITEMS), by_system=True)
            return
        drawn = {"n_drawn": n, "of": texts.n_items, "seed": seed_of_draws(sample, "diversity")}
        settings = {
            "items": "those that all systems have a text for",
            **(drawn if n < texts.n_items else {}),
            **SETTINGS,
            **sample.common.scope("items"),
        }
        tokens = [Tokens.of(words) for words in texts.words]
        for statistic, measure in MEASURES.items():
            values = [measure(of_system) for of_system in tokens]
            for system, value in zip(texts.systems, values, strict=True):
                yield _of_system(make, statistic, system, value, settings)
            yield from _differences(make, statistic, texts.systems, values, settings)


def _of_system(make: Rows, statistic: str, system: str, value: Jackknifed | None, settings: Mapping[str, Any]) -> Row:
    if value is None:
        return make.row(statistic, Estimate(None, note=NO_SEQUENCE), system=system)
    estimate = value.share(make.sample.common.confidence)
    if statistic in WITHOUT_INTERVAL:
        estimate = replace(estimate, low=None, high=None, se=None)
    given = {name: word for name, word in settings.items() if name != "test"} | {"scale": "log odds"}
    return make.row(statistic, estimate, system=system, settings=given if estimate.low is not None else None)


def _differences(
    make: Rows,
    statistic: str,
    systems: Sequence[str],
    values: Sequence[Jackknifed | None],
    settings: Mapping[str, Any],
) -> Iterator[Row]:
    """Yield the difference of each pair of systems in one measure, with p adjusted over the pairs."""
    common = make.sample.common
    differences = [
        (a, b, (first - second).estimate(common.confidence))
        for a, b in chosen_pairs(systems, common.pairs)
        if (first := values[a]) is not None and (second := values[b]) is not None
    ]
    adjusted = adjust([difference.p for _a, _b, difference in differences], common.correction)
    n_pairs = in_words(len(differences), "pair", "pairs")
    family = {"correction": common.correction, "family": f"{n_pairs} of one measure"}
    for (a, b, difference), p in zip(differences, adjusted, strict=True):
        yield make.row(
            f"{statistic}{DIFFERENCE}",
            difference,
            system=systems[a],
            system_b=systems[b],
            p_adjusted=p,
            settings={**settings, **family} if difference.low is not None else None,
        )


# Tables: systems, then pairs of systems in each measure.


@tables_of("diversity")
def diversity_tables(rows: StoredRows, limit: float) -> Iterator[Table]:
    """Yield the table of measures of each system, then that of differences between systems."""
    heads = {
        "text_type_token_ratio": gettext("Type-token ratio"),
        "distinct_1": gettext("Distinct-1"),
        "distinct_2": gettext("Distinct-2"),
        "distinct_3": gettext("Distinct-3"),
        "self_bleu": gettext("Self-BLEU"),
    }
    columns = [
        named(gettext("System"), lambda row: row.system),
        named(gettext("Measure"), lambda row: heads.get(row.statistic, row.statistic)),
        own(gettext("Value"), digits(3)),
        own(gettext("Interval"), interval(3)),
        own(gettext("Items"), items),
        Shown(gettext("Before rules"), "", digits(3), before=True),
    ]
    of_systems = rows.whole.of(*heads)
    more = gettext("Further rows in the file of results: %(n)s.")
    caption = gettext("Diversity of the texts of each system")
    yield from table_of(rows.whole, caption, columns, of_systems, by=("system",), most=200, more=more)
    pairs = [
        named(gettext("Pair"), formats.pair("−")),
        named(gettext("Measure"), lambda row: heads.get(row.statistic.removesuffix(DIFFERENCE), row.statistic)),
        own(gettext("Difference"), digits(3)),
        own(gettext("Interval"), interval(3)),
        own(gettext("Adjusted p"), p_adjusted(limit)),
        own(gettext("Items"), items),
    ]
    lines: list[ResultRow] = rows.whole.of(*(f"{measure}{DIFFERENCE}" for measure in heads))
    yield from table_of(
        rows.whole, gettext("Differences in diversity"), pairs, lines, by=("system", "system_b"), most=200,
        more=more,
    )  # fmt: skip
    yield from subsets(rows, limit, gettext("Diversity by subset"))
