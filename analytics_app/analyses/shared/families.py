"""Families of permutation tests: the number of permutations, and whether any test can be significant."""

from collections.abc import Sequence
from typing import Any

from analytics_app.analyses.base import Common
from analytics_app.stats.comparison.corrections import adjust
from analytics_app.stats.comparison.paired import Paired
from analytics_app.stats.resampling.permutation import permutations_needed

# The plan's default is raised if a family needs more, up to the most that a plan can set.
DEFAULT, MOST = Common().n_permutations, 100_000

TOO_FEW_PERMUTATIONS = (
    "With {n:,} permutations none of the {tests:,} tests of this family can be significant after correction, however "
    "large the differences are: that takes at least {needed:,}."
)
TOO_FEW_UNITS = (
    "With so few {unit} none of the tests of this family can be significant after correction, however large the "
    "differences are."
)


def flips(common: Common, n_tests: int) -> int:
    """Return the number of permutations: the plan's or, if that is the default, as many as the family needs."""
    if common.n_permutations != DEFAULT:
        return common.n_permutations
    return max(DEFAULT, min(MOST, permutations_needed(n_tests, common.correction, _alpha(common))))


def family_of(common: Common, tested: Sequence[Paired], *, unit: str, of: str) -> dict[str, Any]:
    """Return the settings of rows whose p values are corrected together.

    `unit` names what is flipped (items, documents), `of` what the family is, such as "pairs of one criterion". Where
    none of the tests can be significant, `cannot_differ` says why.
    """
    moving = [test.wilcoxon.n_items or 0 if test.permutation_p is not None else None for test in tested]
    n_permutations = flips(common, len(tested))
    settings: dict[str, Any] = {
        "test": f"sign-flip permutation over {unit}, {n_permutations} draws",
        "correction": common.correction,
        "family": f"{len(tested)} {of}",
        **common.scope(unit),
    }
    if (reason := cannot_differ(common, moving, n_permutations, unit=unit)) is not None:
        settings["cannot_differ"] = reason
    return settings


def cannot_differ(common: Common, moving: Sequence[int | None], n_permutations: int, *, unit: str) -> str | None:
    """Return the reason why no test of a family can be significant; None if a test can be, or nothing is tested.

    `moving` counts for each test the units whose difference is not zero, None where a test is undefined.
    """
    least = [None if n is None else min(1.0, 2.0 ** (1 - n)) for n in moving]
    tests = sum(p is not None for p in least)
    drawn = [None if p is None else max(p, 1 / (n_permutations + 1)) for p in least]
    if not tests or not n_permutations or _can(drawn, common):
        return None
    if _can(least, common):
        needed = permutations_needed(tests, common.correction, _alpha(common))
        return TOO_FEW_PERMUTATIONS.format(n=n_permutations, tests=tests, needed=needed)
    return TOO_FEW_UNITS.format(unit=unit)


def _can(least: Sequence[float | None], common: Common) -> bool:
    return any(p is not None and p < _alpha(common) for p in adjust(least, common.correction))


def _alpha(common: Common) -> float:
    return round(1 - common.confidence, 9)
