"""How often somebody may enrol or send a consent: counted by network, and never by keeping others waiting."""

from collections.abc import Mapping

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from tasks_app.models import Rater
from tasks_app.services.arrival import invitations
from tasks_app.views.rater import arriving
from tests import pages
from tests.clock import set_clock
from tests.tasks_app.statements import statements
from tests.tasks_app.views.test_arriving import open_study, prolific

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("first", "second", "refused"),
    [
        ("2001:db8:1:2::5", "2001:db8:1:2:ffff:ffff:ffff:ffff", True),
        ("2001:db8:1:2::5", "2001:db8:1:3::5", False),
        ("192.0.2.7", "192.0.2.8", False),
        ("192.0.2.7", "::ffff:192.0.2.7", True),
        ("fe80::1%eth0", "fe80::2", True),
        ("unix:", "unix:", True),
    ],
)
def test_raters_of_one_network_are_counted_together(
    first: str, second: str, refused: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever has one IPv6 address has the 64 bits of its network."""
    set_clock(monkeypatch, timezone.now())  # each day counts for itself
    study = open_study(k=4, enrolments_per_address=1)
    path = f"/join/{study.link_code}/link/"

    def consent(address: str) -> int:
        browser = Client(REMOTE_ADDR=address)
        return browser.post(path, pages.hidden(browser.get(path))).status_code

    assert consent(first) == 302
    assert consent(second) == (429 if refused else 302)


@pytest.mark.parametrize("channel", ["link", "prolific", "invited"])
def test_a_consent_sent_again_waits_for_nobody_and_is_answered_only_so_often(
    somebody: Client, rosa: User, channel: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_clock(monkeypatch, timezone.now())  # each day counts for itself
    study = open_study(k=8, enrolments_per_address=1)
    query: Mapping[str, str] = prolific() if channel == "prolific" else {}
    if channel == "invited":
        made = invitations.invite(study=study, people=[invitations.Person("Bo")], by=rosa)
        query = {"key": made[0].secret}
    path = f"/join/{study.link_code}/{channel}/"
    form = pages.hidden(somebody.get(path, query))
    first = somebody.post(path, form)
    assert first.status_code == 302
    for _time in range(arriving.MOST_CONSENTS - 1):
        with statements() as asked:
            again = somebody.post(path, form)
        assert (again.status_code, again["Location"]) == (302, first["Location"])
        assert not [one for one in asked if "_lock(" in one or " FOR " in one or not one.startswith("SELECT")]
    refused = somebody.post(path, form)
    assert (refused.status_code, refused["Retry-After"]) == (429, "600")
    assert "Nothing is lost." in refused.content.decode()
    assert Rater.objects.count() == 1
    if channel == "link":
        # In another browser: this one is asked whether to continue.
        newcomer = Client()
        with statements() as asked:
            other = newcomer.post(path, pages.hidden(newcomer.get(path, query)))
        assert other.status_code == 429, "too many from this network"
        assert not [one for one in asked if "_lock(" in one]
