"""A test of many figures names each one that deviates, and asks for no fixture but its own."""

from collections.abc import Mapping
from typing import Any

import pytest

from tests.reproduction.published import Figures, every


def test_every_deviation_is_listed() -> None:
    @every(Figures({"mean.a": {"value": 1}, "mean.b": {"value": 2}, "mean.c": {"value": 3}}))
    def compare(name: str, figure: Mapping[str, Any]) -> None:
        assert figure["value"] == 1, f"{figure['value']} in {name}"

    with pytest.raises(AssertionError, match=r"(?s)2 of 3 deviate\nmean.b: 2 in mean.b.*\nmean.c: 3 in mean.c"):
        compare()


@every(Figures({"a": {"value": 1}}))
def test_other_fixtures_are_handed_on(name: str, figure: Mapping[str, Any], request: pytest.FixtureRequest) -> None:
    assert (name, figure["value"]) == ("a", 1)
    assert request.node.name == "test_other_fixtures_are_handed_on"
