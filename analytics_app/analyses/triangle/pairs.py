"""Verdicts of a triangle test for each pair of systems: exact test, power, and proportion of discriminators."""

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
from analytics_app.stats.planning.discrimination_power import judges_needed, power_of_difference, power_of_similarity
from analytics_app.stats.values import Estimate

PAPER = "The limit by the paper's approximation is shown to compare only; the exact limit counts."
NOT_ALIKE = "No difference was shown, which is not the same as showing that there is none."


@dataclass(frozen=True, slots=True)
class Aim:
    """The goal and the risks, which were fixed before the first answer."""

    similarity: bool
    alpha: float
    beta: float
    pd: float

    @property
    def settings(self) -> dict[str, Any]:
        """Return the settings of a row."""
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
        """Return the number of answers that count."""
        return len(self.trials)

    @property
    def right(self) -> int:
        """Return the number of right answers."""
        return int(self.trials.right.sum())

    @property
    def note(self) -> str | None:
        """Return a note about judges with several answers, if there are any."""
        judges = in_words(self.several, "judge", "judges")
        if self.left:
            only_first = "only the first answer of each counts, since similarity needs one each."
            return f"{judges} judged several triads; {only_first}"
        if self.several:
            return f"{judges} judged several triads: limits are too narrow, see the beta-binomial."
        return None


def counted(about: Mapping[str, Any], trials: Trials, aim: Aim) -> Counted:
    """Return the answers about two systems that count."""
    several = int((trials.per_judge()[1] > 1).sum())
    used = trials.first_of_each() if aim.similarity and several else trials
    return Counted({**about, "by_system": True, "criterion": CORRECT}, used, several, len(trials) - len(used))


def rows_of_pairs(make: Rows, of_pairs: Sequence[Counted], aim: Aim) -> Iterator[Row]:
    """Yield the rows of each pair of systems: plan, test and estimates."""
    common = make.sample.common
    p_values = [
        exact.similarity_p(pair.right, pair.n, aim.pd) if aim.similarity else exact.difference_p(pair.right, pair.n)
        for pair in of_pairs
    ]
    needed = judges_needed(alpha=aim.alpha, beta=aim.beta, pd=aim.pd)
    for pair, p, adjusted in zip(of_pairs, p_values, adjust(p_values, common.correction), strict=True):
        n = {
            "n_raters": len(np.unique(pair.trials.rater)),
            "n_ratings": pair.n,
            "n_items": len(np.unique(pair.trials.unit)),
        }
        about = {**pair.about, **n}
        family = {"correction": common.correction, "family": f"{len(of_pairs)} pairs of the task"}
        low, high = exact.share_limits(pair.right, pair.n, confidence=common.confidence)
        yield make.row("triangle_correct", value=float(pair.right), **about, note=pair.note)
        yield make.row(
            "triangle_share",
            Estimate(pair.right / pair.n, low=low, high=high, p=p),
            p_adjusted=adjusted,
            **about,
            note=_verdict(pair, aim, p, adjusted),
            settings={**aim.settings, **family, "test": _TESTS[aim.similarity], "interval": "Clopper-Pearson"},
        )
        yield _critical(make, pair, aim, about)
        yield _power(make, pair, aim, about)
        yield make.row(
            "triangle_judges",
            value=float(needed.smallest),
            **pair.about,
            note=f"From {needed.stable} judges on the power never falls below what was planned again.",
            settings=aim.settings,
        )
        yield from _can_tell(make, pair, aim, about)
        if pair.several and not aim.similarity:
            yield from _replicated(make, pair, about)


_TESTS = {
    False: "exact binomial, one-sided: so many right choices or more by guessing",
    True: "exact binomial, one-sided: so few right choices or fewer if the allowed share can tell",
}


def _verdict(pair: Counted, aim: Aim, p: float, adjusted: float | None) -> str:
    """Return the verdict in the words of the norm; the p values of several pairs are corrected."""
    shown = p <= (aim.beta if aim.similarity else aim.alpha)
    if shown and adjusted is not None and adjusted > (aim.beta if aim.similarity else aim.alpha):
        verdict = "Similar" if aim.similarity else "Different"
        return (
            f"{verdict} if it were the only pair, but not after correction for all pairs (adjusted p {adjusted:.3g})."
        )
    if aim.similarity:
        allowed = f"{aim.pd * 100:g} %"
        limit = exact.upper_limit(pair.right, pair.n, risk=aim.beta, pd=aim.pd).value or 0.0
        if shown:
            return f"Similar: at most {limit * 100:.1f} % can tell (risk {aim.beta:g}); {allowed} were allowed."
        sentence = f"Similarity was not shown: up to {limit * 100:.1f} % may be able to tell (risk {aim.beta:g})"
        return f"{sentence}; {allowed} were allowed."
    evidence = exact.evidence(p)
    if shown:
        return f"Different: people can tell the two apart ({evidence}, alpha {aim.alpha:g})."
    return f"{NOT_ALIKE} {evidence[:1].upper()}{evidence[1:]} of a difference (alpha {aim.alpha:g})."


def _critical(make: Rows, pair: Counted, aim: Aim, about: Mapping[str, Any]) -> Row:
    if aim.similarity:
        most = int(exact.most_correct(pair.n, aim.beta, aim.pd))
        note = "Similarity needs at most so many." if most >= 0 else f"{pair.n} judges cannot show similarity at all."
        critical = float(most) if most >= 0 else None
    else:
        least = int(exact.least_correct(pair.n, aim.alpha))
        note = (
            "A difference needs at least so many." if least <= pair.n else f"{pair.n} judges cannot show a difference."
        )
        critical = float(least) if least <= pair.n else None
    return make.row("triangle_critical", value=critical, **about, note=note, settings=aim.settings)


def _power(make: Rows, pair: Counted, aim: Aim, about: Mapping[str, Any]) -> Row:
    if aim.similarity:
        power = float(power_of_similarity(pair.n, beta=aim.beta, pd=aim.pd))
        note = "Probability to show similarity if nobody can tell."
    else:
        power = float(power_of_difference(pair.n, alpha=aim.alpha, pd=aim.pd))
        note = f"Probability to show a difference if {aim.pd * 100:g} % can tell; {(1 - aim.beta):g} was planned."
    return make.row("triangle_power", value=power, **about, note=note, settings=aim.settings)


def _can_tell(make: Rows, pair: Counted, aim: Aim, about: Mapping[str, Any]) -> Iterator[Row]:
    """Yield the share of people who can tell, and d', with limits."""
    confidence = make.sample.common.confidence
    clopper = {"interval": "Clopper-Pearson", "test": _TESTS[aim.similarity]}
    share = exact.discriminators(pair.right, pair.n, confidence=confidence)
    yield make.row("discriminators", share, **about, settings=clopper)
    yield make.row("d_prime", d_prime(pair.right, pair.n, confidence=confidence), **about, settings=clopper)
    normal = exact.normal_limits(pair.right, pair.n, alpha=aim.alpha, beta=aim.beta)
    if aim.similarity:
        upper = exact.upper_limit(pair.right, pair.n, risk=aim.beta, pd=aim.pd)
        one_sided = {**aim.settings, "interval": "Clopper-Pearson, one-sided"}
        yield make.row("discriminators_upper", upper, **about, settings=one_sided)
    limit = normal.high if aim.similarity else normal.low
    side = "upper, one-sided" if aim.similarity else "lower, one-sided"
    yield make.row(
        "discriminators_normal",
        value=limit,
        **about,
        note=PAPER,
        settings={**aim.settings, "interval": f"normal, {side}"},
    )


def _replicated(make: Rows, pair: Counted, about: Mapping[str, Any]) -> Iterator[Row]:
    model = beta_binomial(*pair.trials.per_judge(), confidence=make.sample.common.confidence)
    settings = {"model": "chance-corrected beta-binomial", "interval": "profile likelihood"}
    for statistic, estimate in (
        ("replicated_discriminators", model.discriminators),
        ("overdispersion", model.overdispersion),
    ):
        yield make.row(statistic, estimate, **about, settings=settings)
