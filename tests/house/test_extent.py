"""What an ordinary run leaves out repeats what it does not leave out."""

from collections.abc import Iterator
from typing import Any

import yaml

from tests.house.examples import COVERING, FOLDERS


def settings_of(value: Any, path: str = "") -> Iterator[str]:
    """Yield the path of every setting, without the numbers of entries and what a task type calls its parameters."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield f"{path}.{name}"
            if name != "params":
                yield from settings_of(inner, f"{path}.{name}")
    elif isinstance(value, list):
        for entry in value:
            yield from settings_of(entry, path)


def test_the_covering_examples_have_every_setting_that_any_example_has() -> None:
    by_example = {
        name: set(settings_of(yaml.safe_load((folder / "study.yaml").read_text(encoding="utf-8"))))
        for name, folder in FOLDERS.items()
    }
    covered = set().union(*(by_example[name] for name in COVERING))
    assert set().union(*by_example.values()) - covered == set()
