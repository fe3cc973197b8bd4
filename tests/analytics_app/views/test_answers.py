"""A look at a rater's answers on the rater's own screen."""

import pytest
from django.test import Client

from tasks_app.models import Judgment, Rater, Study
from tests import pages
from tests.analytics_app.views.reading import page, text
from tests.analytics_app.working import finish
from tests.tasks_app.views.test_odd_input import form_to
from tests.walk import arrive

pytestmark = pytest.mark.django_db


def test_the_screen_shows_the_answer_and_changes_nothing(rosas_browser: Client, somebody: Client, study: Study) -> None:
    token = pages.join(study)
    form = pages.unit(somebody, token)
    somebody.post(f"/r/{token}/judge/", {**form, "p1-fluency": "2", "comment": "Odd <word>."})
    skip = form_to(somebody.get(f"/r/{token}/judge/").content.decode(), f"/r/{token}/skip/")
    somebody.post(f"/r/{token}/skip/", {**skip, "reason": "other"})
    rater = Rater.objects.get()
    base = f"/admin/studies/{study.slug}/raters/{rater}/"
    assert f'href="{base}answers/"' in page(rosas_browser, f"{base}timeline/")
    html = page(rosas_browser, f"{base}answers/")
    assert f"{rater}, answer 1 of 2" in text(html)
    second = html.partition('rel="next"')[0].rpartition('href="')[2].partition('"')[0]
    assert "Skipped: Another reason." in text(page(rosas_browser, second))
    assert "Odd &lt;word&gt;." in text(html)
    chosen = [part for part in html.split("<input")[1:] if " checked" in part.split(">")[0]]
    assert ['value="2"' in part for part in chosen] == [True]
    assert "<fieldset disabled" in html
    assert "form_token" not in html
    assert 'type="submit"' not in html
    assert not any(system in html for system in ("alpha-mt", "beta-mt", study.title))
    before = Judgment.objects.count()
    assert rosas_browser.post(f"{base}answers/", {"p1-fluency": "5"}).status_code == 405
    assert Judgment.objects.count() == before
    assert rosas_browser.get(f"{base}answers/99/").status_code == 404
    # A look is logged once per hour and rater.
    assert list(study.events.filter(verb="looked at answers").values_list("object", flat=True)) == [str(rater)]


def test_only_who_may_read_ratings_looks_at_answers(rosas_browser: Client, study: Study) -> None:
    rater = finish(study)
    base = f"/admin/studies/{study.slug}/raters/{rater}/"
    study.memberships.update(role="editor")
    assert "/answers/" not in page(rosas_browser, f"{base}timeline/")
    page(rosas_browser, f"{base}answers/", 404)
    Study.objects.update(state="closed")
    assert f'href="{base}answers/"' in page(rosas_browser, f"{base}timeline/")
    page(rosas_browser, f"{base}answers/")


def test_who_has_answered_nothing_has_nothing_to_look_at(rosas_browser: Client, study: Study) -> None:
    base = f"/admin/studies/{study.slug}/raters/{arrive(study)}/"
    assert "/answers/" not in page(rosas_browser, f"{base}timeline/")
    page(rosas_browser, f"{base}answers/", 404)
