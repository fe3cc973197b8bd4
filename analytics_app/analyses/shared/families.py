"""Families of permutation tests: the number of permutations, and the least p that the units that differ allow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from analytics_app.analyses.base import Common
from analytics_app.results import CannotDiffer
from analytics_app.stats.comparison.corrections import adjust
from analytics_app.stats.comparison.paired import Paired
from analytics_app.stats.comparison.win_rates import WinRate
from analytics_app.stats.resampling.permutation import permutations_needed

# The plan's default is raised if a family needs more, up to the most that a plan can set.
DEFAULT, MOST = Common().n_permutations, 100_000

TOO_FEW_PERMUTATIONS = (
    "With {n:,} permutations none of the {tests:,} tests of this family can be significant after correction, however "
    "large the differences are: that takes at least {needed:,}."
)
TOO_FEW_UNITS = (
    "With {n} {unit} none of the tests of this family can be significant after correction, however large the "
    "differences are: p is at least {p} before it."
)
TOO_FEW_DIFFER = (
    "None of the tests of this family can be significant after correction: at most {moving} of {n} {unit} differ "
    "between two systems, so p is at least {p} before it."
)
ALL_EQUAL = "On every {unit} the two have the same value, so there is nothing to test: p is 1."
FEW_UNITS = "With only {n} {unit} the smallest possible p is {p}."
FEW_DIFFER = "Only {moving} of {n} {unit} differ, so the smallest possible p is {p}."
FEW_WON = "On {moving} of {n} {unit} one of the two is preferred, so the smallest possible p is {p}."
NONE_WON = "On none of {n} {unit} one of the two is preferred, so p is 1."
ONE_DIFFERS = "Only 1 of {n} {unit} differs, so the smallest possible p is 1."


@dataclass(frozen=True, slots=True)
class Differing:
    """The units of a test, such as items: how many there are, and on how many the two systems differ."""

    n: int
    moving: int

    @classmethod
    def of(cls, test: Paired) -> Differing | None:
        """Return the units of a test; None if it is undefined."""
        return cls(test.n_units, test.n_differing) if test.n_units > 1 else None

    @property
    def least_p(self) -> float:
        """Return the smallest p that flips of the signs of the differences can give."""
        return float(min(1.0, 2.0 ** (1 - self.moving)))

    def reason(self, common: Common, unit: str) -> str | None:
        """Return the reason why the test cannot be significant even before correction; None if it can be.

        `unit` names the units, in the plural.
        """
        if self.least_p < _alpha(common):
            return None
        about = {"n": self.n, "moving": self.moving, "unit": unit, "p": f"{self.least_p:.3g}"}
        if not self.moving:
            return ALL_EQUAL.format(unit=unit.removesuffix("s"))
        if self.moving == self.n:
            return FEW_UNITS.format(**about)
        return (ONE_DIFFERS if self.moving == 1 else FEW_DIFFER).format(**about)

    def settings(self, common: Common) -> dict[str, int]:
        """Return the numbers of a test that cannot be significant, for the settings of its row."""
        few = self.least_p >= _alpha(common)
        return {"n_units": self.n, "n_differing": self.moving} if few else {}


def sign_test_notes(common: Common, result: WinRate, unit: str) -> tuple[str | None, dict[str, int]]:
    """Return the reason why a sign test cannot be significant even before correction, with its numbers as settings."""
    n = result.rate_half.n_items or 0
    test = Differing(n, result.items_won + result.items_lost)
    settings = test.settings(common)
    if not settings or result.rate.value is None:
        return None, settings
    about = {"n": n, "moving": test.moving, "unit": unit if n > 1 else unit.removesuffix("s")}
    about["p"] = f"{test.least_p:.3g}"
    if test.moving == n:
        return FEW_UNITS.format(**about), settings
    return (FEW_WON if test.moving else NONE_WON).format(**about), settings


def flips(common: Common, n_tests: int) -> int:
    """Return the number of permutations: the plan's or, if that is the default, as many as the family needs."""
    if common.n_permutations != DEFAULT:
        return common.n_permutations
    return max(DEFAULT, min(MOST, permutations_needed(n_tests, common.correction, _alpha(common))))


def family_of(common: Common, tested: Sequence[Paired], *, unit: str, of: str) -> dict[str, Any]:
    """Return the settings of rows with p values that are corrected together.

    `unit` names what is flipped (items, documents), `of` what the family is, such as "pairs of one criterion". Where
    none of the tests can be significant, `cannot_differ` says why, and `cannot_differ_since` names the kind of reason.
    """
    n_permutations = flips(common, len(tested))
    return {
        "test": f"sign-flip permutation over {unit}, {n_permutations} draws",
        "correction": common.correction,
        "family": f"{len(tested)} {of}",
        **cannot_differ(common, [Differing.of(test) for test in tested], n_permutations, unit=unit),
        **common.scope(unit),
    }


def cannot_differ(
    common: Common, tests: Sequence[Differing | None], n_permutations: int, *, unit: str
) -> Mapping[str, str]:
    """Return the reason why no test of a family can be significant, as settings of its rows.

    They are empty if a test can be, or nothing is tested. `tests` has None where a test is undefined.
    """
    least = [None if test is None else test.least_p for test in tests]
    drawn = [None if p is None else max(p, 1 / (n_permutations + 1)) for p in least]
    defined = [test for test in tests if test is not None]
    if not defined or not n_permutations or _can(drawn, common):
        return {}
    if _can(least, common):
        needed = permutations_needed(len(defined), common.correction, _alpha(common))
        sentence = TOO_FEW_PERMUTATIONS.format(n=n_permutations, tests=len(defined), needed=needed)
        return _because(CannotDiffer.PERMUTATIONS, sentence)
    most = max(defined, key=lambda test: test.moving)
    kind = CannotDiffer.DIFFERING if most.moving < most.n else CannotDiffer.UNITS
    if not most.moving:
        kind = CannotDiffer.EQUAL
    own = most.reason(common, unit)
    if own is not None and (len(defined) == 1 or kind is CannotDiffer.EQUAL):
        return _because(kind, own)
    sentence = TOO_FEW_DIFFER if kind is CannotDiffer.DIFFERING else TOO_FEW_UNITS
    return _because(kind, sentence.format(n=most.n, moving=most.moving, unit=unit, p=f"{most.least_p:.3g}"))


def _because(kind: CannotDiffer, sentence: str) -> dict[str, str]:
    return {"cannot_differ": sentence, "cannot_differ_since": kind.value}


def _can(least: Sequence[float | None], common: Common) -> bool:
    return any(p is not None and p < _alpha(common) for p in adjust(least, common.correction))


def _alpha(common: Common) -> float:
    return round(1 - common.confidence, 9)
