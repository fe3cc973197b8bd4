"""Corrections of intervals and notes: what they explain in an archive of an earlier version, and what not."""

from collections.abc import Mapping

import pytest

from analytics_app.archive import comparing, corrections
from analytics_app.results import COLUMNS

Cells = Mapping[str, str]
EMPTY = dict.fromkeys(COLUMNS, "")
OLD = EMPTY | {"analysis": "pairwise", "statistic": "win_rate", "system": "a", "system_b": "b", "value": "1.0"}
BOOTSTRAP = '{"interval": "bootstrap over items", "method": "expanded percentiles"}'
EXACT = '{"interval": "exact over items", "method": "Clopper-Pearson"}'
NO_WIDTH = OLD | {"low": "1.0", "high": "1.0", "se": "0.0", "settings": BOOTSTRAP}
FEW = OLD | {"note": "With so few items none …", "settings": '{"cannot_differ": "With so few items none …"}'}
KAPPA = EMPTY | {"analysis": "kappa", "statistic": "cohen_kappa", "value": "0.87", "low": "0.63", "high": "1.11"}
TAU = EMPTY | {"analysis": "metrics", "statistic": "metric_tau_like_pooled", "value": "-1.0", "settings": "{}"}

CHANGED: dict[str, tuple[Cells, Cells, set[str]]] = {
    "an exact interval": (
        NO_WIDTH,
        OLD | {"low": "0.735", "high": "1.0", "note": "…", "settings": EXACT},
        {"intervals-without-width"},
    ),
    "no interval": (NO_WIDTH, OLD | {"note": "No interval: …", "settings": BOOTSTRAP}, {"intervals-without-width"}),
    "units that differ": (
        FEW,
        OLD | {"note": "Only 4 of 40 …", "settings": '{"cannot_differ_since": "differing"}'},
        {"units-that-differ"},
    ),
    "a limit that is cut": (KAPPA, KAPPA | {"high": "1.0", "note": "…"}, {"limits-beyond-the-scale"}),
    "ties of a metric": (
        TAU,
        TAU | {"note": "The metric gives … the same score.", "settings": '{"ties": 12}'},
        {"notes"},
    ),
    "rows of the file": (
        OLD,
        OLD | {"note": "210 ratings are 216 rows of ratings.csv", "settings": '{"n_file_rows": 216}'},
        {"rows-of-the-file"},
    ),
    # What nobody corrected stays a difference.
    "another value": (NO_WIDTH, OLD | {"value": "0.9", "note": "No interval: …", "settings": BOOTSTRAP}, {""}),
    "an interval made of none": (OLD | {"low": "0.4", "high": "0.6"}, OLD, {""}),
    "another p": (FEW, FEW | {"p": "0.01"}, {""}),
    "a limit within the scale": (KAPPA | {"high": "0.99"}, KAPPA | {"high": "0.95"}, {""}),
    "a note that nobody corrected": (TAU, TAU | {"note": "It is so."}, {""}),
    "another note": (OLD | {"note": "It was so."}, OLD, {""}),
}


def explaining(before: Cells, after: Cells) -> set[str]:
    """Return the names of the corrections that explain each difference of a row, "" where one has none."""
    found = set()
    for difference in comparing._number_differences([before], [after]):
        own = [one for one in corrections.CORRECTIONS if one.name != "order-of-pairs" and one.explains(difference)]
        # A value that differs beside a corrected interval is not explained, whatever explains the rest of its row.
        found.add(own[0].name if own else "")
    return found


@pytest.mark.parametrize("what", CHANGED)
def test_differences_of_earlier_versions_are_explained(what: str) -> None:
    before, after, expected = CHANGED[what]
    assert expected <= explaining(before, after)
    assert ("" in expected) == ("" in explaining(before, after))


def test_corrections_are_of_versions_before_0_3() -> None:
    assert all(one.is_later_than("0.2.0+abc") and not one.is_later_than("0.3.0") for one in corrections.CORRECTIONS)
