"""The pairs of time points that somebody lists: what is accepted, and a wrong list that once was tried in 3^n ways."""

import pytest
from django.core.exceptions import ValidationError

from analytics_app.analyses.shared.changes import ChangeAnalysis

FIELD = ChangeAnalysis.Settings.base_fields["only_times"]


@pytest.mark.parametrize("written", ["", "week-1 to week-2", "a to b; b to c", "back to to to school", "x to  to "])
def test_pairs_are_accepted(written: str) -> None:
    assert FIELD.clean(written) == written.strip()


@pytest.mark.parametrize(
    "written", ["week-1", "a to b;", "a to ;b", "to b", ";", "a tob", "a to b to c to d;" * 28 + "x"]
)
def test_a_wrong_list_is_refused_at_once(written: str) -> None:
    with pytest.raises(ValidationError, match="Write “week-1 to week-2”"):
        FIELD.clean(written)
