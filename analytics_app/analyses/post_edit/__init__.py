"""Post-edits: the choice of suggestions, distances of the edited text from each, and time and keystrokes."""

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

import numpy as np
from django.utils.translation import gettext_lazy as _
from numpy.typing import NDArray

from analytics_app.analyses.base import Rows, Sample, Words, count, of_one_system
from analytics_app.analyses.post_edit.edits import CHOICE, TEXT, Edited, Suggested, edits_of
from analytics_app.analyses.post_edit.suggestions import choices
from analytics_app.analyses.registry import register
from analytics_app.analyses.shared.bootstrap import bootstrap
from analytics_app.analyses.shared.filtered import FilteredAnalysis
from analytics_app.analyses.shared.pairs import unit_of
from analytics_app.ratings import Extra, Floats
from analytics_app.ratings.extras.same_texts import SameTexts
from analytics_app.ratings.extras.shown import Shown
from analytics_app.ratings.extras.texts import Texts
from analytics_app.results import Row
from analytics_app.stats.comparison.ratios import group_ratios
from analytics_app.stats.errors.edits import MOST_WORDS, Ter
from analytics_app.stats.values import Estimate, joined
from tasks_app.settings.fields import YesNoField
from tasks_app.task_types.base import Scale

DRAWN_TOWARDS = "Whoever chooses a suggestion writes a text near to it, so the distance to one not chosen is too large."
EDITORS = "Editors differ more than systems do: read it beside the figures of each editor."


@register
class PostEdit(FilteredAnalysis):
    """Choices, distances and work of post-editing.

    Distances are taken from the edited text to every suggestion of its screen: characters (Levenshtein over the length
    of the longer text) and words (HTER: sacrebleu's TER, summed over texts). Rates are sums over sums; intervals are
    bootstraps over items, or documents shown whole. A choice between two suggestions is tested against one half by the
    exact binomial. Where both have the same text nothing can be chosen: these are counted apart.
    """

    label = _("Post-edits")
    summary = _(
        "How often each system's suggestion is chosen, character distance and HTER to every suggestion, "
        "share left unchanged, seconds per word and keystrokes per character, also by editor."
    )
    source = (
        "Snover, Dorr, Schwartz, Micciulla and Makhoul (2006). A study of translation edit rate with targeted human "
        "annotation. AMTA, 223-231."
    )
    scales = frozenset({Scale.NOMINAL})
    task_types = frozenset({"post_edit"})
    whole_task = True
    needs: ClassVar[frozenset[type[Extra]]] = frozenset({Texts, Shown, SameTexts})
    statistics: ClassVar[Mapping[str, Words]] = {
        "suggestion_chosen": _("Share of times the suggestion is chosen"),
        "suggestion_chosen_over": _("Share of times chosen over the other"),
        "identical_suggestions": _("Share of items with the same suggestion by both systems"),
        "first_suggestion_chosen": _("Share of choices for the first suggestion on the screen"),
        "edit_distance": _("Character distance to the edited text"),
        "hter": _("HTER"),
        "unedited_share": _("Share of chosen suggestions left unchanged"),
        "seconds_per_word": _("Seconds per word"),
        "keystrokes_per_character": _("Keystrokes per character"),
        "edit_distance_of_editor": _("Character distance to the chosen suggestion, by editor"),
        "hter_of_editor": _("HTER of the chosen suggestion, by editor"),
        "unedited_of_editor": _("Share left unchanged, by editor"),
        "seconds_per_word_of_editor": _("Seconds per word, by editor"),
        "keystrokes_per_character_of_editor": _("Keystrokes per character, by editor"),
    }

    case_sensitive = YesNoField(
        label=_("HTER is case-sensitive"),
        help_text=_("Leave it off to compare with published tools, which ignore case."),
    )
    asian_support = YesNoField(label=_("HTER counts characters of Chinese and Japanese as words"))

    def compute(self, sample: Sample) -> Iterator[Row]:
        """Yield the rows of one sample."""
        make = Rows(self.name, sample)
        if any(criterion.key == CHOICE for criterion in sample.question.criteria):
            yield from choices(make)
        if not any(criterion.key == TEXT for criterion in sample.question.criteria):
            return
        ter = Ter(case_sensitive=self.case_sensitive, asian_support=self.asian_support)
        edited, suggested, too_long = edits_of(sample, ter)
        if not len(edited.part):
            return
        yield from _distances(make, edited, suggested, ter.signature, too_long)
        yield from _work(make, edited, suggested)
        yield from _editors(make, edited, suggested, ter.signature)


def _distances(make: Rows, edited: Edited, suggested: Suggested, signature: str, too_long: int) -> Iterator[Row]:
    """Yield the distances of each system's suggestions to the edited texts, by whether the suggestion was chosen."""
    long = f"{too_long} comparisons of texts over {MOST_WORDS} words are left out." if too_long else None
    for label in (None, "chosen", "not chosen"):
        mask = np.ones(len(suggested.edit), dtype=bool) if label is None else suggested.chosen == (label == "chosen")
        if label == "not chosen" and not mask.any():
            continue
        ones = np.ones(int(mask.sum()))
        note = DRAWN_TOWARDS if label != "chosen" and not suggested.chosen.all() else None
        settings = {"distance": "Levenshtein over the longer text", "normalised": "NFC"}
        yield from _by_system(
            make,
            "edit_distance",
            edited,
            suggested,
            mask,
            (suggested.distance[mask], ones),
            label=label,
            note=note,
            settings=settings,
        )
        note = joined(note, long)
        yield from _by_system(
            make, "hter", edited, suggested, mask, (suggested.word_edits[mask], suggested.words[mask]), label=label,
            note=note, settings={"ter": signature, "rate": "sum of edits over sum of words"},
        )  # fmt: skip
    chosen = suggested.chosen
    unedited = (suggested.distance[chosen] == 0).astype(np.float64)
    yield from _by_system(
        make, "unedited_share", edited, suggested, chosen, (unedited, np.ones(len(unedited))), label=None, note=None
    )


def _work(make: Rows, edited: Edited, suggested: Suggested) -> Iterator[Row]:
    """Yield time and keystrokes of editing the chosen suggestions of each system."""
    chosen = suggested.chosen
    at = suggested.edit[chosen]
    for statistic, spent, size, per in (
        ("seconds_per_word", edited.seconds, edited.words, "words of the edited text"),
        ("keystrokes_per_character", edited.keys, edited.characters, "characters of the edited text"),
    ):
        if np.isnan(spent).all():
            continue
        rate = (spent[at], size[at])
        yield from _by_system(
            make, statistic, edited, suggested, chosen, rate, label=None, note=EDITORS, settings={"per": per}
        )


def _by_system(
    make: Rows,
    statistic: str,
    edited: Edited,
    suggested: Suggested,
    mask: NDArray[np.bool_],
    rate: tuple[Floats, Floats],
    *,
    label: str | None,
    note: str | None,
    settings: Mapping[str, Any] | None = None,
) -> Iterator[Row]:
    """Yield a rate of each system with its interval over items, or documents."""
    names, drawn = make.sample.table.names, bootstrap(make.sample, f"{statistic} {label}", unit_of(make.sample))
    systems, system = np.unique(suggested.system[mask], return_inverse=True)
    rates = group_ratios(*rate, system, suggested.cluster[mask], n_groups=len(systems), **drawn.options)
    for place, (code, estimate) in enumerate(zip(systems.tolist(), rates, strict=True)):
        yield make.row(
            statistic, estimate, system=names.systems[code], label=label,
            n_raters=count(edited.rater[suggested.edit[mask][system == place]]), note=joined(estimate.note, note),
            settings={**drawn.settings, **(settings or {})},
        )  # fmt: skip


def _editors(make: Rows, edited: Edited, suggested: Suggested, signature: str) -> Iterator[Row]:
    """Yield the figures of each editor, over the suggestions they chose."""
    # A suggestion that several systems produced counts once for its editor.
    first = np.flatnonzero(suggested.chosen)
    first = first[np.unique(suggested.edit[first], return_index=True)[1]]
    at, names, alone = suggested.edit[first], make.sample.table.names, of_one_system(make.sample.table)
    raters, rater = np.unique(edited.rater[at], return_inverse=True)
    ones = np.ones(len(first))
    rates: list[tuple[str, Floats, Floats, dict[str, Any]]] = [
        ("edit_distance_of_editor", suggested.distance[first], ones, {}),
        ("hter_of_editor", suggested.word_edits[first], suggested.words[first], {"ter": signature}),
        ("unedited_of_editor", (suggested.distance[first] == 0) * 1.0, ones, {}),
        ("seconds_per_word_of_editor", edited.seconds[at], edited.words[at], {}),
        ("keystrokes_per_character_of_editor", edited.keys[at], edited.characters[at], {}),
    ]
    for statistic, top, bottom, row_settings in rates:
        if np.isnan(top).all():
            continue
        estimates = group_ratios(
            top, bottom, rater, suggested.cluster[first], n_groups=len(raters), n_resamples=0,
            confidence=make.sample.common.confidence, rng=make.sample.rng(statistic),
        )  # fmt: skip
        for code, result in zip(raters.tolist(), estimates, strict=True):
            estimate = (
                result if result.value is not None else Estimate(None, note="Nothing was recorded for this editor.")
            )
            yield make.row(
                statistic,
                estimate,
                rater=names.raters[code],
                settings=row_settings or None,
                by_system=bool(alone[code]),
            )
