"""Times of a study's pages: all in the zone of the study, which is named once."""

import re
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils.formats import date_format

from analytics_app.models import Run
from tasks_app.models import Study, Version
from tasks_app.services import events
from tests.analytics_app.builders import build_run, funnel
from tests.analytics_app.views.reading import page, results, text
from tests.builders import build_study

pytestmark = pytest.mark.django_db

# An hour of the evening before, in UTC.
AT = datetime(2026, 11, 27, 20, 53, tzinfo=UTC)


def test_every_time_of_a_study_is_in_its_zone_which_is_named_once(rosas_browser: Client, closed: Study) -> None:
    run = build_run(closed, list(funnel()))
    Study.objects.filter(pk=closed.pk).update(timezone="Asia/Tokyo")
    Run.objects.filter(pk=run.pk).update(created_at=AT, finished=AT)
    frozen = Version.objects.get(study=closed).frozen_at.astimezone(ZoneInfo("Asia/Tokyo"))
    pages = {
        results(closed): datetime(2026, 11, 28, 5, 53, tzinfo=UTC),
        f"/admin/studies/{closed.slug}/set-up/review/": frozen,
    }
    for address, time in pages.items():
        said = text(page(rosas_browser, address))
        assert date_format(time.replace(tzinfo=None), "j M Y, H:i") in said, address
        assert said.count("times in Asia/Tokyo") == 1, address


def test_the_log_names_the_zone_once_and_beside_each_time_where_studies_differ(
    rosas_browser: Client, rosa: User, closed: Study
) -> None:
    Study.objects.filter(pk=closed.pk).update(timezone="Asia/Tokyo")
    said = text(page(rosas_browser, f"{reverse('log:log')}?study={closed.slug}"))
    assert said.count("times in Asia/Tokyo") == 1
    assert not re.search(r"\d\d:\d\d Asia/Tokyo", said)
    events.log(build_study(rosa, slug="other", opened=False), rosa, "viewed", about="results")
    said = text(page(rosas_browser, reverse("log:log")))
    assert "times in" not in said
    assert re.search(r"\d\d:\d\d Asia/Tokyo", said)
    assert re.search(r"\d\d:\d\d UTC", said)
