"""Weights of marked errors, and the score of a segment: MQM as Freitag et al. (2021) count it, or own weights.

Pure, so that analyses can use it on stored ratings as well as on published data.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Rule:
    """The weight of errors of a category and a severity; None stands for any."""

    weight: float
    category: str | None = None
    severity: str | None = None


def as_key(name: str | None) -> str:
    """Return a category or severity in the form of our keys, so that published names match: Fluency/Punctuation."""
    return re.sub(r"[^\w/]+", "-", (name or "").strip().casefold()).strip("-")


def rules_of(given: Iterable[Mapping[str, object]]) -> tuple[Rule, ...]:
    """Read rules from plain data: weight, and category or severity where they matter."""
    return tuple(
        Rule(
            weight=float(str(entry["weight"])),
            category=as_key(str(entry["category"])) if entry.get("category") else None,
            severity=as_key(str(entry["severity"])) if entry.get("severity") else None,
        )
        for entry in given
    )


def weight_of(category: str | None, severity: str | None, rules: Sequence[Rule]) -> float:
    """Return the weight of an error: that of the first rule that fits, else 0.

    A rule about a category holds for what lies below it too: `fluency` for `fluency/punctuation`.
    """
    key, degree = as_key(category), as_key(severity)
    for rule in rules:
        fits = rule.category is None or key == rule.category or key.startswith(f"{rule.category}/")
        if fits and rule.severity in (None, degree):
            return rule.weight
    return 0.0
