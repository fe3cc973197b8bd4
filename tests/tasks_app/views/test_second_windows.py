"""A text in two windows: the second one says what became of it in the first."""

import pytest
from django.test import Client

from tests import invariants, pages
from tests.builders import build_study
from tests.tasks_app.views.test_rater import draft

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("allow_back", [True, False])
def test_a_second_window_says_what_became_of_the_text(somebody: Client, allow_back: bool) -> None:
    study = build_study(None, slug="windows", items=2, k=1, allow_back=allow_back)
    token = pages.join(study)
    form = pages.unit(somebody, token)
    somebody.post(f"/r/{token}/judge/", {**form, "p1-fluency": "2"})
    status, said = draft(somebody, token, form["form_token"], 1, {"p1-fluency": "3"})
    assert (status, said["over"]) == (410, "answered" if allow_back else "settled")
    form = pages.unit(somebody, token)
    page = somebody.get(f"/r/{token}/judge/").content.decode()
    skip = pages.hidden_fields(page[page.rindex("<form", 0, page.index(f'action="/r/{token}/skip/"')) :])
    assert somebody.post(f"/r/{token}/skip/", {**skip, "reason": "upsetting"}).status_code == 302
    status, said = draft(somebody, token, form["form_token"], 1, {"p1-fluency": "3"})
    assert (status, said["over"]) == (410, "skipped" if allow_back else "settled")
    # Sent all the same, both are shown; only where answers may be changed is there a choice.
    both = somebody.post(f"/r/{token}/judge/", {**form, "p1-fluency": "3"})
    assert both.status_code == 409
    assert ("Use the new answer" in both.content.decode()) == allow_back
    invariants.check(study)
