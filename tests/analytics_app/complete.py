"""What the settings of a row say, so that its numbers can be computed again."""

from collections.abc import Mapping
from typing import Any

# How a p value is named where a test has a name of its own.
TESTS = {"test", "zero_method"}


def missing_settings(row: Mapping[str, Any]) -> list[str]:
    """Return the settings that a row of results lacks: its interval, how that was drawn, its test, its family."""
    said = row["settings"] or {}
    missing = []
    if row["low"] is not None:
        # Ranges of ranks have the limit of their tests.
        missing += [] if {"confidence", "limit"} & said.keys() else ["confidence"]
        missing += [] if "interval" in said else ["interval"]
    if str(said.get("interval")).startswith("bootstrap"):
        missing += [name for name in ("method", "n_resamples", "seed") if name not in said]
    if row["p"] is not None and not TESTS & said.keys():
        missing.append("test")
    if row["p_adjusted"] is not None:
        missing += [name for name in ("correction", "family") if name not in said]
    return missing
