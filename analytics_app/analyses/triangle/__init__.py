"""The triangle test: exact verdicts, the share of people who can tell, and effects of order and position."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from django.utils.translation import gettext_lazy as _
from numpy.typing import NDArray

from analytics_app.analyses.base import Rows, Sample
from analytics_app.analyses.registry import register
from analytics_app.analyses.shared.filtered import FilteredAnalysis
from analytics_app.analyses.triangle.pairs import Aim, Counted, counted, rows_of_pairs
from analytics_app.analyses.triangle.triads import CHOICE, CORRECT, SURENESS, Trials, trials_of, trials_of_pairs
from analytics_app.ratings.extras.orders import ORDERS, Orders
from analytics_app.results import Row
from analytics_app.stats.comparison.drawn_tables import higher, homogeneity
from analytics_app.stats.discrimination.triangle_test import share_limits
from analytics_app.stats.values import Estimate
from tasks_app.task_types.base import Scale


@register
class Triangle(FilteredAnalysis):
    """The exact test whether people can tell two systems apart, with the risks that were fixed beforehand.

    One judge is one trial. A family of tests is all pairs of systems of the task.
    """

    label = _("Triangle test")
    summary = _("Right choices against one in three by exact tests; share of people who can tell, d′, order effects.")
    source = (
        "ISO 4120:2021. González Corbelle, Alonso Moral and Bugarín Diz (2020). A proof of concept on triangular test "
        "evaluation for Natural Language Generation. EvalNLGEval."
    )
    scales = frozenset({Scale.NOMINAL})
    task_types = frozenset({"triangle"})
    whole_task = True
    needs = frozenset({Orders})
    statistics = {
        "triangle_correct": _("Right choices"),
        "triangle_share": _("Share of right choices"),
        "triangle_critical": _("Critical number of right choices"),
        "triangle_power": _("Power with this number of judges"),
        "triangle_judges": _("Judges needed by the plan"),
        "discriminators": _("Share of people who can tell"),
        "discriminators_upper": _("Upper limit of people who can tell"),
        "discriminators_normal": _("Limit by the paper's approximation"),
        "d_prime": _("d′"),
        "replicated_discriminators": _("Share of triads that judges can tell"),
        "overdispersion": _("How much judges differ (0 to 1)"),
        "triad_share": _("Share of right choices by triad"),
        "order_share": _("Share of right choices by order"),
        "order_effect": _("Difference between orders"),
        "odd_position_share": _("Share of right choices by position of the odd text"),
        "odd_position_effect": _("Difference between positions"),
        "position_chosen": _("Position chosen"),
        "sureness_share": _("Share of right choices by sureness"),
        "sureness_median": _("Median sureness"),
        "sureness_right_above_wrong": _("Surer when right than when wrong"),
    }

    def of_pairs(self, sample: Sample) -> dict[str, Any]:
        """Return the columns that identify the leading row of a pair of systems."""
        return {"statistic": "triangle_share", "criterion": CORRECT}

    def compute(self, sample: Sample) -> Iterator[Row]:
        """Yield the rows of each pair of systems, then those of triads, orders, positions and sureness."""
        trials = trials_of(sample)
        pairs = trials_of_pairs(sample, trials)
        if not pairs:
            return
        params = sample.question.params
        risks = {name: float(params[name]) for name in ("alpha", "beta", "pd")}
        aim = Aim(similarity=params["goal"] == "similarity", **risks)
        make, names = Rows(self.name, sample), sample.table.names.systems
        of_pairs = [
            counted({"system": names[a], "system_b": names[b]}, pair_trials, aim)
            for (a, b), pair_trials in pairs.items()
        ]
        units = np.concatenate([pair_trials.unit for pair_trials in pairs.values()])
        compared = trials.where(np.isin(trials.unit, units))
        yield from rows_of_pairs(make, of_pairs, aim)
        yield from _triads(make, compared)
        for pair in of_pairs:
            yield from _orders(make, pair)
        yield from _positions(make, compared)
        yield from _sureness(make, compared)


def _triads(make: Rows, trials: Trials) -> Iterator[Row]:
    """Yield the share of right choices of each triad."""
    for unit in np.unique(trials.unit).tolist():
        name = make.sample.table.names.units[unit]
        yield _share(make, "triad_share", trials.right[trials.unit == unit], label=name)


def _orders(make: Rows, pair: Counted) -> Iterator[Row]:
    """Yield right choices by order and by position of the odd text, each with a test of a difference."""
    known = pair.trials.where(pair.trials.order >= 0)
    if not len(known):
        return
    about = {name: pair.about[name] for name in ("system", "system_b")}
    kinds = (
        ("order", known.order, ORDERS),
        ("odd_position", known.order % 3, ("1", "2", "3")),
    )
    for kind, codes, labels in kinds:
        for code, label in enumerate(labels):
            if (codes == code).any():
                yield _share(make, f"{kind}_share", known.right[codes == code], label=label, **about)
        test = _differs(make, codes, known.right, _purpose(kind, about), len(labels))
        yield make.row(f"{kind}_effect", test, **pair.about, settings=_drawn(make, "chi-square", _purpose(kind, about)))


def _positions(make: Rows, trials: Trials) -> Iterator[Row]:
    """Yield the share of each chosen position, right or not."""
    chosen = trials.chosen[trials.chosen > 0]
    for position in (1, 2, 3) if len(chosen) else ():
        yield _share(
            make, "position_chosen", chosen == position, label=str(position), criterion=CHOICE, by_system=False
        )


def _sureness(make: Rows, trials: Trials) -> Iterator[Row]:
    """Yield right choices by sureness of judges, and a test whether judges were surer when right."""
    sure_trials = trials.where(~np.isnan(trials.sure))
    if not len(sure_trials):
        return
    for step in np.unique(sure_trials.sure).tolist():
        right = sure_trials.right[sure_trials.sure == step]
        yield _share(make, "sureness_share", right, label=f"{step:g}", criterion=SURENESS)
    about: dict[str, Any] = {"criterion": SURENESS, "by_system": True}
    for label, group in (
        ("right", sure_trials.sure[sure_trials.right]),
        ("wrong", sure_trials.sure[~sure_trials.right]),
    ):
        if len(group):
            yield make.row("sureness_median", value=float(np.median(group)), label=label, n_ratings=len(group), **about)
    steps = np.unique(sure_trials.sure)
    right_of, wrong_of = (
        np.array([int((sure_trials.sure[group] == step).sum()) for step in steps])
        for group in (sure_trials.right, ~sure_trials.right)
    )
    test = higher(right_of, wrong_of, n_permutations=make.sample.common.n_permutations, rng=make.sample.rng("sureness"))
    yield make.row("sureness_right_above_wrong", test, **about, settings=_drawn(make, "Mann-Whitney", "sureness"))


def _share(make: Rows, statistic: str, right: NDArray[np.bool_], **about: Any) -> Row:
    """Return the row of a share of answers with its exact interval."""
    n, hits = len(right), int(right.sum())
    low, high = share_limits(hits, n, confidence=make.sample.common.confidence)
    columns: dict[str, Any] = {"criterion": CORRECT, "by_system": True, "n_ratings": n, **about}
    return make.row(
        statistic, Estimate(hits / n, low=low, high=high), **columns, settings={"interval": "Clopper-Pearson"}
    )


def _differs(make: Rows, codes: NDArray[Any], right: NDArray[np.bool_], purpose: str, kinds: int) -> Estimate:
    totals = np.bincount(codes, minlength=kinds)
    hits = np.bincount(codes[right], minlength=kinds)
    common = make.sample.common
    return homogeneity(hits, totals, n_permutations=common.n_permutations, rng=make.sample.rng(purpose))


def _purpose(kind: str, about: Mapping[str, str]) -> str:
    return f"{kind} of {' and '.join(about.values())}"


def _drawn(make: Rows, test: str, purpose: str) -> dict[str, Any]:
    description = f"{test}, p from {make.sample.common.n_permutations} tables drawn with the same margins"
    return {"test": description, "seed": make.sample.seed(purpose)}
