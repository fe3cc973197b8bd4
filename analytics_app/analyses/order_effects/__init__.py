"""Order effects: effects of the place on the screen and in the sitting on ratings, choices and times."""

from collections.abc import Iterator
from dataclasses import replace
from math import exp
from typing import Any

import numpy as np
from django.utils.translation import gettext_lazy as _
from numpy.typing import NDArray

from analytics_app.analyses.base import Rows, Sample
from analytics_app.analyses.order_effects.preceding import preceding
from analytics_app.analyses.order_effects.sittings import LOGS, Answers, answers, fitted, sittings
from analytics_app.analyses.registry import register
from analytics_app.analyses.shared.bootstrap import bootstrap
from analytics_app.analyses.shared.filtered import FilteredAnalysis
from analytics_app.analyses.shared.over_raters import with_limits
from analytics_app.ratings import Floats
from analytics_app.ratings.extras.screens import Screens
from analytics_app.results import Row
from analytics_app.stats.comparison.within import NO_VARIATION, effects_within, position_effects
from analytics_app.stats.ranking.places import choices_by_place
from analytics_app.stats.values import Estimate, joined
from tasks_app.task_types.base import ORDERED_SCALES, Scale

# The number of equal parts of a sitting.
FIFTHS = 5
# The fewest units of a rater that make a sitting.
FEWEST_UNITS = 4
INDEPENDENT = "The test takes the choices of one rater as independent: read the intervals, which are over raters."
# The number of places in one step of the trend.
PLACES = 10
# The settings for interval and p of an effect.
BY_T = {"interval": "t", "test": "t"}


@register
class OrderEffects(FilteredAnalysis):
    """Effects of the place of a text on the screen, and of the time of the judgment.

    On the screen: `place_effect`, what each place adds to a rating, by least squares with a constant for each text and
    each rater, errors clustered by rater, `place_mean` and `place_test` (F) beside it; `label_place_share` and
    `label_place_test` for labels; `chosen_place_share` and `chosen_place_test` for the place that was chosen (exact
    binomial test for two places, else chi-square); `criterion_place_effect` and `criterion_place_test` for when a
    criterion was asked. In the sitting: `second_half` (second half minus first) and `sitting_trend` (for 10 places).
    `label` says the place, or the label that was given. Carry-over: `preceding_text`, what an answer gains where the
    text before is one point better, and `preceding_answer`, what it gains where the rater's own answer to the text
    before is one point higher; positive = assimilation, negative = contrast. Times: `seconds_a_unit`, the median in
    each fifth of the sitting, and `seconds_trend`, what 10 places multiply them by.
    """

    label = _("Order effects")
    summary = _(
        "Whether ratings depend on the position of a text on the screen, on the time in the session, and on the text "
        "and answer before."
    )
    source = (
        "Schuman and Presser (1981). Questions and Answers in Attitude Surveys, chapter 2. Academic Press. Cameron and "
        "Miller (2015). A practitioner's guide to cluster-robust inference. Journal of Human Resources 50(2), 317-372. "
        "Nickell (1981). Biases in dynamic models with fixed effects. Econometrica 49(6), 1417-1426."
    )
    scales = ORDERED_SCALES | {Scale.NOMINAL}
    statistics = {
        "place_effect": _("Effect of the position on the screen"),
        "place_mean": _("Mean at a position on the screen"),
        "place_test": _("Difference between positions on the screen (F)"),
        "label_place_share": _("Share of a label at a position"),
        "label_place_test": _("Uneven use of a label over positions (chi-square)"),
        "chosen_place_share": _("Share of choices at a position"),
        "chosen_place_test": _("Uneven choice of positions (chi-square)"),
        "criterion_place_effect": _("Effect of the order of criteria"),
        "criterion_place_test": _("Difference between orders of criteria (F)"),
        "second_half": _("Second half of the session minus first"),
        "sitting_trend": _("Change over 10 units of the session"),
        "preceding_text": _("Effect of a better preceding text (carry-over)"),
        "preceding_answer": _("Effect of the rater's own preceding answer (carry-over)"),
        "seconds_a_unit": _("Median seconds per unit"),
        "seconds_trend": _("Ratio of seconds per unit after 10 units"),
    }
    needs = frozenset({Screens})
    whole_task = True
    splits = False

    def compute(self, sample: Sample) -> Iterator[Row]:
        """Yield the rows of each criterion, then those of times."""
        make = Rows(self.name, sample)
        for ratings in answers(sample):
            yield from _on_the_screen(make, ratings)
            yield from _chosen_places(make, ratings)
            yield from _criteria_in_turn(make, ratings)
            yield from _in_the_sitting(make, ratings)
            yield from preceding(make, ratings)
        yield from _times(make)


def _on_the_screen(make: Rows, ratings: Answers) -> Iterator[Row]:
    """Yield the effects of places on numbers, or the distribution of labels over places."""
    known = ratings.place >= 0
    n_places = int(ratings.place.max(initial=-1)) + 1
    if n_places < 2 or (ratings.chosen >= 0).any():
        return
    if not np.isnan(ratings.values).all():
        yield from _places_of_numbers(make, ratings, n_places)
        return
    for word, was_given in ratings.outcomes():
        mine = known & (was_given == 1)
        yield from _shares(make, ratings, ratings.place[mine].astype(np.int64), ratings.rater[mine], n_places, word)


def _places_of_numbers(make: Rows, ratings: Answers, n_places: int) -> Iterator[Row]:
    known = ratings.place >= 0
    values, place = ratings.values[known], ratings.place[known].astype(np.int64)
    text, rater = ratings.text[known], ratings.rater[known]
    for within, groupings in (("texts and raters", (text, rater)), ("raters", (rater,))):
        fit = position_effects(
            values, place, groupings, rater, n_positions=n_places, confidence=make.sample.common.confidence
        )
        if fit is not None:
            yield from _effects(make, ratings, fit, values, place, within)
            return
    yield make.row("place_test", Estimate(None, note=NO_VARIATION), criterion=ratings.key)


def _effects(
    make: Rows,
    ratings: Answers,
    fit: tuple[list[Estimate], Estimate],
    values: Floats,
    place: NDArray[np.int64],
    within: str,
) -> Iterator[Row]:
    """Yield the effect of each place, its mean, and the test."""
    about: dict[str, Any] = {"criterion": ratings.key}
    effects, test = fit
    settings = {"within": within, "errors": "clustered by rater"}
    if ratings.note == LOGS:
        settings["of"] = "logarithms"
    for number, effect in enumerate(effects):
        at_place = values[(place == number) & ~np.isnan(values)]
        mean = _mean(at_place, logs=ratings.note == LOGS)
        yield make.row(
            "place_effect",
            effect,
            label=_place(number),
            note=joined(effect.note, ratings.note),
            settings={**settings, **BY_T},
            **about,
        )
        yield make.row("place_mean", mean, label=_place(number), **about)
    yield make.row("place_test", test, criterion=ratings.key, settings={**settings, "test": "Wald"})


def _mean(values: Floats, *, logs: bool) -> Estimate:
    """Return the mean of values, or the geometric mean if they are logarithms."""
    if not len(values):
        return Estimate(None, n_ratings=0, note="No rating.")
    mean = float(values.mean())
    return (
        Estimate(exp(mean), n_ratings=len(values), note="Geometric mean.")
        if logs
        else Estimate(mean, n_ratings=len(values))
    )


def _shares(
    make: Rows,
    ratings: Answers,
    chosen: NDArray[np.int64],
    rater: NDArray[np.int64],
    n_places: int,
    word: str | None = None,
) -> Iterator[Row]:
    """Yield the share of each place and a test."""
    drawn = bootstrap(make.sample, f"places {ratings.key} {word}", "raters")
    shares, test = choices_by_place(
        chosen,
        rater,
        n_places=n_places,
        **drawn.options,
    )
    name = "chosen_place" if word is None else "label_place"
    for number, drawn_share in enumerate(shares):
        mine = (chosen == number).astype(np.float64)
        share, over = with_limits(make.sample, drawn_share, mine, rater, drawn.settings, share=True)
        over = {"expected": f"1 of {n_places}", **over}
        label = _place(number) if word is None else f"{word}: {_place(number)}"
        yield make.row(f"{name}_share", share, label=label, criterion=ratings.key, settings=over)
    kind = {"test": "exact binomial" if n_places == 2 else "chi-square"}
    several = (test.n_ratings or 0) > (test.n_raters or 0) and test.p is not None
    note = joined(test.note, INDEPENDENT if several else None)
    yield make.row(f"{name}_test", test, label=word, criterion=ratings.key, note=note, settings=kind)


def _chosen_places(make: Rows, ratings: Answers) -> Iterator[Row]:
    """Yield the share of each chosen place, if answers name places."""
    has_choice = ratings.chosen >= 0
    if has_choice.any():
        yield from _shares(make, ratings, ratings.chosen[has_choice], ratings.rater[has_choice], ratings.n_places)


def _criteria_in_turn(make: Rows, ratings: Answers) -> Iterator[Row]:
    """Yield the effects of being asked first, second and so on, on a criterion; each rater has one order."""
    known = (ratings.asked_at >= 0) & ~np.isnan(ratings.values)
    places = np.unique(ratings.asked_at[known])
    if len(places) < 2:
        return
    place = np.searchsorted(places, ratings.asked_at[known])
    fit = position_effects(
        ratings.values[known],
        place,
        (ratings.text[known],),
        ratings.rater[known],
        n_positions=len(places),
        confidence=make.sample.common.confidence,
    )
    if fit is None:
        return
    settings = {"within": "texts", "errors": "clustered by rater", **BY_T}
    for number, effect in enumerate(fit[0]):
        yield make.row(
            "criterion_place_effect",
            effect,
            label=_place(int(places[number])),
            criterion=ratings.key,
            note=joined(effect.note, ratings.note),
            settings=settings,
        )
    yield make.row("criterion_place_test", fit[1], criterion=ratings.key, settings={**settings, "test": "Wald"})


def _in_the_sitting(make: Rows, ratings: Answers) -> Iterator[Row]:
    """Yield the second half against the first, and the trend."""
    long = ratings.units >= FEWEST_UNITS
    if not long.any() or ratings.is_held_together or ratings.is_chosen_among:
        return
    second = np.where(long, ratings.sitting >= ratings.units / 2, np.nan)[:, np.newaxis].astype(np.float64)
    trend = np.where(long, ratings.sitting / PLACES, np.nan)[:, np.newaxis]
    for word, values in ratings.outcomes():
        for name, regressor in (("second_half", second), ("sitting_trend", trend)):
            fit = fitted(ratings, values, regressor)
            if fit is None:
                yield make.row(name, Estimate(None, note=NO_VARIATION), label=word, criterion=ratings.key)
                continue
            effect = fit[0].estimate([1.0], confidence=make.sample.common.confidence)
            share = "Of the share of this label." if word is not None else None
            yield make.row(
                name,
                effect,
                label=word,
                criterion=ratings.key,
                note=joined(effect.note, ratings.note if word is None else share),
                settings={"within": fit[1], "errors": "clustered by rater", **BY_T},
            )


def _times(make: Rows) -> Iterator[Row]:
    """Yield the seconds per unit in each fifth of the sitting, and their trend."""
    table = make.sample.table
    sitting, units = sittings(table)
    judged, first = np.unique(table.judgment, return_index=True)
    seconds, rater = table.judgments.seconds[judged], table.judgments.rater[judged].astype(np.int64)
    sitting, units = sitting[first], units[first]
    usable = (seconds > 0) & (units >= FEWEST_UNITS)
    if not usable.any():
        return
    seconds, rater, sitting, units = seconds[usable], rater[usable], sitting[usable], units[usable]
    fifth = sitting * FIFTHS // units
    for number in range(FIFTHS):
        in_fifth = fifth == number
        if in_fifth.any():
            raters = len(np.unique(rater[in_fifth]))
            median = Estimate(float(np.median(seconds[in_fifth])), n_items=int(in_fifth.sum()), n_raters=raters)
            yield make.row("seconds_a_unit", median, label=f"fifth {number + 1}")
    yield _speed(make, np.log(seconds), sitting / PLACES, rater)


def _speed(make: Rows, logs: Floats, places: Floats, rater: NDArray[np.int64]) -> Row:
    """Return the row of the factor by which 10 places multiply the seconds per unit, within raters."""
    settings = {"within": "raters", "errors": "clustered by rater", **BY_T, "of": "logarithms"}
    fit = effects_within(logs, places[:, np.newaxis], (rater,), rater)
    if fit is None:
        return make.row("seconds_trend", Estimate(None, note=NO_VARIATION), settings=settings)
    effect = fit.estimate([1.0], confidence=make.sample.common.confidence)
    low, high = (None if end is None else exp(min(end, 700.0)) for end in (effect.low, effect.high))
    times = replace(effect, value=exp(min(effect.value or 0.0, 700.0)), low=low, high=high, se=None, n_ratings=None)
    return make.row("seconds_trend", times, n_items=len(logs), settings=settings)


def _place(number: int) -> str:
    return f"place {number + 1}"
