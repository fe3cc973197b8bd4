"""A superuser's looks into a study of others, wherever something is shown or taken away, stand in its log."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from analytics_app.models import Run
from analytics_app.views.superuser_looks import AGAIN_AFTER
from tasks_app.models import Study
from tests.analytics_app.builders import add_plots, build_run, slider_rows

pytestmark = pytest.mark.django_db


@pytest.fixture
def run(study: Study) -> Run:
    """A run of rosa's study with plots."""
    run = build_run(study, slider_rows())
    add_plots(run, "content")
    return run


@pytest.fixture
def root(db: None) -> Client:
    """A superuser who is no member of rosa's study, signed in."""
    client = Client()
    client.force_login(User.objects.create_superuser("root"))
    return client


def look(browser: Client, run: Run, rest: str) -> list[str]:
    """Look at an address of a study and return what the log has more than before."""
    before = run.study.events.count()
    answer = browser.get(f"/admin/studies/{run.study.slug}/{rest}")
    assert answer.status_code == 200
    b"".join(answer)
    new = run.study.events.order_by("id")[before:]
    return [f"{event.actor.username} {event.verb} {event.object}" for event in new]


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("results/1/results.csv", "results of run 1 as csv"),
        ("results/1/results.json", "results of run 1 as json"),
        ("results/1/plots/PLOT.svg", "plot main/content/distribution of run 1"),
        ("monitor/?live=1", "monitor"),
        ("results/1/?live=1", "run 1"),
    ],
)
def test_what_is_shown_or_taken_away_is_logged(
    root: Client, rosas_browser: Client, run: Run, address: str, said: str
) -> None:
    plot = run.plots.get(key="main/content/distribution")
    address = address.replace("PLOT", str(plot.pk))
    assert look(rosas_browser, run, address) == []
    assert look(root, run, address) == [f"root viewed {said}"]


@pytest.mark.parametrize("address", ["monitor/?live=1", "results/1/?live=1"])
def test_of_looks_every_few_seconds_one_an_hour_is(root: Client, run: Run, address: str) -> None:
    assert len(look(root, run, address)) == 1
    assert look(root, run, address) == []
    look(root, run, "results/1/results.csv")
    assert len(look(root, run, "results/1/results.csv")) == 1
    other = Client()
    other.force_login(User.objects.create_superuser("other"))
    assert len(look(other, run, address)) == 1


def test_after_an_hour_it_is_logged_again(root: Client, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    look(root, run, "monitor/?live=1")
    monkeypatch.setattr("analytics_app.views.superuser_looks.AGAIN_AFTER", -AGAIN_AFTER)
    assert look(root, run, "monitor/?live=1") == ["root viewed monitor"]


def test_members_leave_no_line_even_if_they_are_superusers(root: Client, run: Run) -> None:
    run.study.memberships.create(user=User.objects.get(username="root"), role="viewer")
    assert look(root, run, "results/1/results.csv") == []
