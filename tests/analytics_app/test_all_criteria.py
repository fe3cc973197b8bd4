"""Agreement over all criteria of a task together, where the plan asks for it."""

import pytest
from django.contrib.auth.models import User

from tests.analytics_app.filling import Filler, new_run, work
from tests.builders import build_study

pytestmark = pytest.mark.django_db

OVERALL = {"analysis": "krippendorff", "overall": True}


@pytest.mark.parametrize(("criteria", "rows"), [(("fluency",), 0), (("fluency", "style"), 1)])
def test_there_is_a_row_over_all_criteria_where_there_are_several(
    rosa: User, criteria: tuple[str, ...], rows: int
) -> None:
    study = build_study(rosa, criteria=criteria)
    given = [(who, item, "alpha-mt") for who in ("ada", "bob") for item in ("i0", "i1", "i2")]
    Filler(study).fill((*one, dict.fromkeys(criteria, 1 + number % 5)) for number, one in enumerate(given))
    found = work(new_run(study, rules=[], analyses=[OVERALL])).rows
    over_all = [row for row in found if row.statistic == "alpha" and row.criterion is None and row.basis == "kept"]
    assert len(over_all) == rows
