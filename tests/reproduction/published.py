"""Published ratings and what was computed from them: where they are, and what to compare.

The data may not be redistributed, so nothing of them is in this repository. They are looked for in the folder that the
environment variable EVALWEB_SHARED_DATA names, else in `shared/data` beside the repository. Each set is a folder with
`items.csv`, `ratings.csv` or `ratings.csv.gz`, and `expected.json`: by name a value, its tolerance, how it was
computed, and what the paper printed.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial, wraps
from inspect import signature
from pathlib import Path
from typing import Any

import pytest

from evalweb.local_services.folder import BASE_DIR
from tests.deviations import assert_each

# Figures that some test compares, by set: whatever is asked for by `expected`.
_COMPARED: dict[str, set[str]] = {}

VARIABLE = "EVALWEB_SHARED_DATA"
# How the reason of a test that lacks its data begins. tests/absent_data.py reports all of them in one line.
NOT_REPRODUCED = "NOT REPRODUCED"
OURS = Path(__file__).parent


def root_of_all() -> Path:
    """Return the folder of all published data, whether it exists or not."""
    return Path(os.environ[VARIABLE]) if os.environ.get(VARIABLE) else BASE_DIR.parent / "shared" / "data"


def folder_of(name: str) -> Path:
    """Return where a set of published data is, or should be."""
    return root_of_all() / name


def missing(name: str) -> str:
    """Name the files that a set of published data lacks; empty where it has all."""
    folder = folder_of(name)
    if (folder / "expected.json").is_file():
        return ""
    return (
        f"{NOT_REPRODUCED}: there are no published data in {folder}. Set {VARIABLE} to the folder that holds {name}/."
    )


@dataclass(frozen=True)
class Figures:
    """Published figures by their names, or what is missing of them."""

    found: Mapping[str, Mapping[str, Any]]
    reason: str = ""

    def __add__(self, other: Figures) -> Figures:
        """Return the figures of both."""
        return Figures({**self.found, **other.found}, self.reason or other.reason)


def expected(name: str, wanted: Callable[[str], bool]) -> Figures:
    """Return the published figures whose name is wanted."""
    if reason := missing(name):
        return Figures({}, reason)
    figures: Mapping[str, Any] = json.loads((folder_of(name) / "expected.json").read_text())
    found = {key: figure for key, figure in figures.items() if wanted(key)}
    assert found, f"{folder_of(name)} holds none of the figures that are to be reproduced"
    _COMPARED.setdefault(name, set()).update(found)
    return Figures(found)


def every(figures: Figures) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Make a test of one figure, which takes its `name` and `figure`, a test of all that lists every deviation."""

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        @wraps(test)
        def of_all(**fixtures: Any) -> None:
            cases = ((name, {"name": name, "figure": figure}) for name, figure in figures.found.items())
            assert_each(partial(test, **fixtures), cases)

        whole = signature(test)
        rest = [one for one in whole.parameters.values() if one.name not in {"name", "figure"}]
        vars(of_all)["__signature__"] = whole.replace(parameters=rest)  # fixtures alone
        return pytest.mark.skip(reason=figures.reason)(of_all) if figures.reason else of_all

    return decorate


def left_out(name: str) -> set[str]:
    """Return the published figures of a set that no test of this process has asked for. Skips where there are none."""
    if reason := missing(name):
        pytest.skip(reason)
    return set(json.loads((folder_of(name) / "expected.json").read_text())) - _COMPARED.get(name, set())


def row_of(document: Mapping[str, Any], **columns: Any) -> Mapping[str, Any]:
    """Return the one row of a results document that has these values; columns that are not given count as null."""
    about = ("analysis", "statistic", "task", "criterion", "system", "system_b", "label", "rater", "slice")
    settings = columns.pop("settings", {})
    wanted = {name: columns.get(name) for name in about}
    found: list[Mapping[str, Any]] = [
        row
        for row in document["rows"]
        if all(row[name] == value for name, value in wanted.items())
        and row["basis"] == "kept"
        and all((row["settings"] or {}).get(name) == value for name, value in settings.items())
    ]
    assert len(found) == 1, f"{len(found)} rows of {columns}"
    return found[0]
