"""Digests of what a part is computed from: equal for equal things, and different for everything else."""

from dataclasses import dataclass
from datetime import date

import numpy as np
import pytest
from django.utils.translation import gettext_lazy

from analytics_app.ratings.digest import Digest


@dataclass
class Named:
    """A name, as a table of ratings brings some along."""

    rater: str


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (gettext_lazy("Pay"), gettext_lazy("Contact")),
        (date(2026, 5, 1), date(2026, 5, 2)),
        (1, True),
        ([1, 2], [[1], 2]),
        ({"a": 1}, {"a": 2}),
        (np.array([1, 2]), np.array([1.0, 2.0])),
        (np.array(["a"], dtype=object), np.array(["b"], dtype=object)),
        (Named("ada"), Named("bob")),
    ],
)
def test_things_that_differ_have_digests_that_differ(first: object, second: object) -> None:
    assert Digest().add(first).hex == Digest().add(first).hex != Digest().add(second).hex
    assert Digest().add(first, second).hex != Digest().add(second, first).hex


def test_an_unknown_thing_has_no_digest() -> None:
    with pytest.raises(TypeError, match="object cannot be part of a digest"):
        Digest().add([object()])
