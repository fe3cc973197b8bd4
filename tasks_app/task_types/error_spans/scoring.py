"""What marked errors weigh, and the score of a segment: MQM as Freitag et al. (2021) count it, or weights of one's own.

Pure, so that analyses can use it on stored ratings as well as on published data.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Rule:
    """What an error weighs that has this category and this severity; None stands for any."""

    weight: float
    category: str | None = None
    severity: str | None = None


def as_key(name: str | None) -> str:
    """Write a category or severity as our keys are, so that published names are known: Fluency/Punctuation."""
    return re.sub(r"[^\w/]+", "-", (name or "").strip().casefold()).strip("-")


def rules_of(given: Iterable[Mapping[str, object]]) -> tuple[Rule, ...]:
    """Read rules from plain data: weight, and category or severity where they matter."""
    return tuple(
        Rule(
            weight=float(str(one["weight"])),
            category=as_key(str(one["category"])) if one.get("category") else None,
            severity=as_key(str(one["severity"])) if one.get("severity") else None,
        )
        for one in given
    )


def weight_of(category: str | None, severity: str | None, rules: Sequence[Rule]) -> float:
    """Return what an error weighs: the first rule that fits decides; without one it weighs nothing.

    A rule about a category holds for what lies below it too: `fluency` for `fluency/punctuation`.
    """
    key, degree = as_key(category), as_key(severity)
    for rule in rules:
        fits = rule.category is None or key == rule.category or key.startswith(f"{rule.category}/")
        if fits and rule.severity in (None, degree):
            return rule.weight
    return 0.0


def mqm_score(spans: Iterable[tuple[str | None, str | None]], rules: Sequence[Rule]) -> float:
    """Return the penalty of a segment: the sum over its errors, given as (category, severity).

    0 is a segment without errors, and more is worse. The score of a system is the mean over its segments, those
    without errors included.
    """
    return sum(weight_of(category, severity, rules) for category, severity in spans)
