"""Verdicts of a triangle test for each pair of systems: exact test, power, and proportion of discriminators."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from analytics_app.analyses.base import Rows, in_words
from analytics_app.analyses.triangle.triads import CORRECT, Trials
from analytics_app.results import Row
from analytics_app.stats.comparison.corrections import adjust
from analytics_app.stats.discrimination import triangle_test as exact
from analytics_app.stats.discrimination.beta_binomial import beta_binomial
from analytics_app.stats.discrimination.sensitivity import d_prime
from analytics_app.stats.estimate import Estimate
from analytics_app.stats.planning.discrimination_power import judges_needed, power_of_difference, power_of_similarity

PAPER = "The limit by the paper's approximation is shown to compare only; the exact limit counts."
NOT_ALIKE = "No difference was shown, which is not the same as showing that there is none."


@dataclass(frozen=True, slots=True)
class Aim:
    """What was fixed before the first answer."""

    similarity: bool
    alpha: float
    beta: float
    pd: float

    @property
    def said(self) -> dict[str, Any]:
        """The settings of a row."""
        goal = "similarity" if self.similarity else "difference"
        return {"goal": goal, "alpha": self.alpha, "beta": self.beta, "pd": self.pd}


@dataclass(frozen=True, slots=True)
class Counted:
    """The answers about two systems. For similarity only the first answer of a judge counts."""

    about: Mapping[str, Any]
    trials: Trials
    several: int
    left: int

    @property
    def n(self) -> int:
        """How many answers count."""
        return len(self.trials)

    @property
    def right(self) -> int:
        """How many of them are right."""
        return int(self.trials.right.sum())

    @property
    def note(self) -> str | None:
        """What is to be known of judges with several answers."""
        who = in_words(self.several, "judge", "judges")
        if self.left:
            return (
                f"{who} judged several triads; only the first answer of each counts, since similarity needs one each."
            )
        if self.several:
            return f"{who} judged several triads: limits are too narrow, see the beta-binomial."
        return None


def counted(about: Mapping[str, Any], trials: Trials, aim: Aim) -> Counted:
    """Take the answers about two systems."""
    several = int((trials.per_judge()[1] > 1).sum())
    kept = trials.first_of_each() if aim.similarity and several else trials
    return Counted({**about, "by_system": True, "criterion": CORRECT}, kept, several, len(trials) - len(kept))


def rows_of_pairs(make: Rows, of_pairs: Sequence[Counted], aim: Aim) -> Iterator[Row]:
    """Yield what was planned and found for each pair of systems."""
    common = make.sample.common
    p_values = [
        exact.similarity_p(one.right, one.n, aim.pd) if aim.similarity else exact.difference_p(one.right, one.n)
        for one in of_pairs
    ]
    needed = judges_needed(alpha=aim.alpha, beta=aim.beta, pd=aim.pd)
    for one, p, adjusted in zip(of_pairs, p_values, adjust(p_values, common.correction), strict=True):
        n = {
            "n_raters": len(np.unique(one.trials.rater)),
            "n_ratings": one.n,
            "n_items": len(np.unique(one.trials.unit)),
        }
        about = {**one.about, **n}
        family = {"correction": common.correction, "family": f"{len(of_pairs)} pairs of the task"}
        low, high = exact.share_limits(one.right, one.n, confidence=common.confidence)
        yield make.row("triangle_correct", value=float(one.right), **about, note=one.note)
        yield make.row(
            "triangle_share",
            Estimate(one.right / one.n, low=low, high=high, p=p),
            p_adjusted=adjusted,
            **about,
            note=_verdict(one, aim, p, adjusted),
            settings={**aim.said, **family, "test": _TESTS[aim.similarity], "interval": "Clopper-Pearson"},
        )
        yield _critical(make, one, aim, about)
        yield _power(make, one, aim, about)
        yield make.row(
            "triangle_judges",
            value=float(needed.smallest),
            **one.about,
            note=f"From {needed.stable} judges on the power never falls below what was planned again.",
            settings=aim.said,
        )
        yield from _can_tell(make, one, aim, about)
        if one.several and not aim.similarity:
            yield from _replicated(make, one, about)


_TESTS = {
    False: "exact binomial, one-sided: so many right choices or more by guessing",
    True: "exact binomial, one-sided: so few right choices or fewer if the allowed share can tell",
}


def _verdict(one: Counted, aim: Aim, p: float, adjusted: float | None) -> str:
    """Say what was shown, in the words of the norm; several pairs are corrected for being several."""
    shown = p <= (aim.beta if aim.similarity else aim.alpha)
    if shown and adjusted is not None and adjusted > (aim.beta if aim.similarity else aim.alpha):
        what = "Similar" if aim.similarity else "Different"
        return f"{what} if it were the only pair, but not after correction for all pairs (adjusted p {adjusted:.3g})."
    if aim.similarity:
        allowed = f"{aim.pd * 100:g} %"
        limit = exact.upper_limit(one.right, one.n, risk=aim.beta, pd=aim.pd).value or 0.0
        if shown:
            return f"Similar: at most {limit * 100:.1f} % can tell (risk {aim.beta:g}); {allowed} were allowed."
        said = f"Similarity was not shown: up to {limit * 100:.1f} % may be able to tell (risk {aim.beta:g})"
        return f"{said}; {allowed} were allowed."
    found = exact.evidence(p)
    if shown:
        return f"Different: people can tell the two apart ({found}, alpha {aim.alpha:g})."
    return f"{NOT_ALIKE} {found[:1].upper()}{found[1:]} of a difference (alpha {aim.alpha:g})."


def _critical(make: Rows, one: Counted, aim: Aim, about: Mapping[str, Any]) -> Row:
    if aim.similarity:
        most = int(exact.most_correct(one.n, aim.beta, aim.pd))
        note = "Similarity needs at most so many." if most >= 0 else f"{one.n} judges cannot show similarity at all."
        found = float(most) if most >= 0 else None
    else:
        least = int(exact.least_correct(one.n, aim.alpha))
        note = "A difference needs at least so many." if least <= one.n else f"{one.n} judges cannot show a difference."
        found = float(least) if least <= one.n else None
    return make.row("triangle_critical", value=found, **about, note=note, settings=aim.said)


def _power(make: Rows, one: Counted, aim: Aim, about: Mapping[str, Any]) -> Row:
    if aim.similarity:
        found = float(power_of_similarity(one.n, beta=aim.beta, pd=aim.pd))
        note = "Probability to show similarity if nobody can tell."
    else:
        found = float(power_of_difference(one.n, alpha=aim.alpha, pd=aim.pd))
        note = f"Probability to show a difference if {aim.pd * 100:g} % can tell; {(1 - aim.beta):g} was planned."
    return make.row("triangle_power", value=found, **about, note=note, settings=aim.said)


def _can_tell(make: Rows, one: Counted, aim: Aim, about: Mapping[str, Any]) -> Iterator[Row]:
    """Yield the share of people who can tell and d', with limits."""
    confidence = make.sample.common.confidence
    clopper = {"interval": "Clopper-Pearson", "test": _TESTS[aim.similarity]}
    share = exact.discriminators(one.right, one.n, confidence=confidence)
    yield make.row("discriminators", share, **about, settings=clopper)
    yield make.row("d_prime", d_prime(one.right, one.n, confidence=confidence), **about, settings=clopper)
    normal = exact.normal_limits(one.right, one.n, alpha=aim.alpha, beta=aim.beta)
    if aim.similarity:
        upper = exact.upper_limit(one.right, one.n, risk=aim.beta, pd=aim.pd)
        one_sided = {**aim.said, "interval": "Clopper-Pearson, one-sided"}
        yield make.row("discriminators_upper", upper, **about, settings=one_sided)
    limit = normal.high if aim.similarity else normal.low
    side = "upper, one-sided" if aim.similarity else "lower, one-sided"
    yield make.row(
        "discriminators_normal", value=limit, **about, note=PAPER, settings={**aim.said, "interval": f"normal, {side}"}
    )


def _replicated(make: Rows, one: Counted, about: Mapping[str, Any]) -> Iterator[Row]:
    found = beta_binomial(*one.trials.per_judge(), confidence=make.sample.common.confidence)
    said = {"model": "chance-corrected beta-binomial", "interval": "profile likelihood"}
    for statistic, estimate in (
        ("replicated_discriminators", found.discriminators),
        ("overdispersion", found.overdispersion),
    ):
        yield make.row(statistic, estimate, **about, settings=said)
