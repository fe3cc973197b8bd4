"""Inviting a colleague to a study: the link, who may accept it and how, and what ends it; and accounts in the admin."""

import re
from datetime import timedelta
from smtplib import SMTPServerDisconnected

import pytest
from django.contrib.auth.models import User
from django.core import mail
from django.core.cache import cache
from django.core.mail import EmailMessage
from django.http import HttpResponse
from django.test import Client
from pytest_django import Settings

from tasks_app.models import ColleagueInvitation, Membership, Study
from tasks_app.services.study import colleagues, drafts
from tests.builders import build_study

pytestmark = pytest.mark.django_db

PAGE = "/admin/studies/shared/members/"
PASSWORD = "a long enough passphrase"
ACCOUNT = {"way": "account", "username": "dana", "password1": PASSWORD, "password2": PASSWORD}


@pytest.fixture
def shared(rosa: User) -> Study:
    return build_study(rosa, slug="shared")


def html(answer: HttpResponse) -> str:
    return answer.content.decode()


def roles(study: Study) -> dict[str, str]:
    return dict(study.memberships.values_list("user__username", "role"))


def link_of(browser: Client, role: str = "editor", whom: str = "Dana") -> str:
    """Return the path of a link that an owner makes on the page of members."""
    page = html(browser.post(f"{PAGE}invite/", {"whom": whom, "role": role}))
    found = re.search(r"https?://[^/]+(/admin/join/[^<]+)", page)
    assert found, page
    return found[1]


def test_a_colleague_makes_an_account_and_works_on_the_study(
    shared: Study, rosas_browser: Client, somebody: Client
) -> None:
    link = link_of(rosas_browser)
    assert "Dana" in html(rosas_browser.get(PAGE))
    page = html(somebody.get(link))
    assert "rosa invites you to work on the study" in page
    assert "as editor" in page
    assert roles(shared) == {"rosa": "owner"}, "looking at the page accepts nothing"
    assert somebody.post(link, ACCOUNT | {"first_name": "Dana Doe"})["Location"] == "/admin/studies/shared/"
    assert "You work on this study now, as editor." in html(somebody.get("/admin/studies/shared/"))
    assert roles(shared) == {"rosa": "owner", "dana": "editor"}
    dana = User.objects.get(username="dana")
    assert (dana.is_staff, dana.is_superuser, dana.get_full_name()) == (True, False, "Dana Doe")
    assert ColleagueInvitation.objects.get().whom == "", "the account says who it was"
    assert "Dana" not in html(rosas_browser.get(PAGE)).split("<tbody>")[-1]
    logged = shared.events.filter(verb__in=("invited a colleague", "accepted an invitation"))
    assert set(logged.values_list("verb", "actor__username")) == {
        ("invited a colleague", "rosa"),
        ("accepted an invitation", "dana"),
    }
    # It works once.
    assert Client().get(link).status_code == 404
    assert Client().post(link, ACCOUNT | {"username": "eve"}).status_code == 404
    assert not User.objects.filter(username="eve").exists()


def test_a_colleague_with_an_account_signs_in_or_is_signed_in(
    shared: Study, rosas_browser: Client, mallorys_browser: Client, somebody: Client
) -> None:
    cache.clear()
    link = link_of(rosas_browser, "viewer")
    wrong = somebody.post(link, {"way": "sign_in", "username": "mallory", "password": "wrong"})
    assert wrong.status_code == 422
    assert roles(shared) == {"rosa": "owner"}
    right = somebody.post(link, {"way": "sign_in", "username": "mallory", "password": "another password"})
    assert right["Location"] == "/admin/studies/shared/"
    assert somebody.get("/admin/studies/shared/").status_code == 200
    assert roles(shared) == {"rosa": "owner", "mallory": "viewer"}
    link = link_of(rosas_browser, "owner")
    assert "Accept as mallory" in html(mallorys_browser.get(link))
    assert mallorys_browser.post(link, {"way": "accept"}).status_code == 302
    assert roles(shared)["mallory"] == "owner"
    # A role that somebody has is not lowered by a link for a lower one.
    assert mallorys_browser.post(link_of(rosas_browser, "viewer"), {"way": "accept"}).status_code == 302
    assert roles(shared)["mallory"] == "owner"


def test_an_account_for_raters_cannot_accept(shared: Study, rosas_browser: Client, somebody: Client) -> None:
    cache.clear()
    User.objects.create_user("ada", password=PASSWORD)
    link = link_of(rosas_browser)
    assert somebody.post(link, {"way": "sign_in", "username": "ada", "password": PASSWORD}).status_code == 422
    somebody.login(username="ada", password=PASSWORD)
    assert "an account for raters" in html(somebody.get(link))
    somebody.post(link, {"way": "accept"})
    assert roles(shared) == {"rosa": "owner"}
    assert somebody.post(link, {"way": "leave"})["Location"] == link
    assert "Make an account" in html(somebody.get(link))


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        ({"username": ""}, "This field is required."),
        ({"username": "ROSA"}, "Somebody signs in with this name already."),
        ({"username": "da na"}, "Enter a valid username."),
        ({"password2": "something else"}, "match"),
        ({"password1": "12345", "password2": "12345"}, "too short"),
        ({"username": "nul\0"}, "Null characters are not allowed."),
    ],
)
def test_a_faulty_account_is_not_made(
    shared: Study, rosas_browser: Client, somebody: Client, sent: dict[str, str], said: str
) -> None:
    link = link_of(rosas_browser)
    answer = somebody.post(link, ACCOUNT | sent)
    assert answer.status_code == 422
    assert said in html(answer)
    assert User.objects.count() == 1
    assert somebody.get(link).status_code == 200, "the invitation can still be accepted"


@pytest.mark.parametrize("ended_by", ["revoked", "expired", "no owner", "inactive"])
def test_what_ends_an_invitation(
    shared: Study, rosa: User, mallory: User, rosas_browser: Client, somebody: Client, ended_by: str
) -> None:
    link = link_of(rosas_browser)
    invitation = ColleagueInvitation.objects.get()
    drafts.set_member(study=shared, user=mallory, role=Membership.Role.OWNER, by=rosa)
    assert somebody.get(link).status_code == 200
    if ended_by == "revoked":
        told = rosas_browser.post(f"{PAGE}invitations/{invitation.pk}/", follow=True)
        assert "Its link no longer works." in html(told)
    elif ended_by == "expired":
        ColleagueInvitation.objects.update(expires=invitation.expires - timedelta(days=colleagues.DAYS + 1))
    elif ended_by == "no owner":
        drafts.set_member(study=shared, user=rosa, role=Membership.Role.EDITOR, by=mallory)
    else:
        User.objects.filter(pk=rosa.pk).update(is_active=False)
    assert somebody.get(link).status_code == 404
    assert somebody.post(link, ACCOUNT).status_code == 404
    assert not User.objects.filter(username="dana").exists()
    with pytest.raises(colleagues.InvitationRefused, match="no longer valid"):
        colleagues.accept_with_new_account(invitation=invitation, username="dana", password=PASSWORD)
    assert not User.objects.filter(username="dana").exists(), "refused meanwhile, the account is not made either"


def test_the_link_is_mailed_with_the_address_of_the_site(
    shared: Study, rosas_browser: Client, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.EVALWEB_URL = "https://eval.example.org"
    settings.EVALWEB_SITE_NAME = "Rating lab"
    Study.objects.filter(pk=shared.pk).update(title="One\nline")
    page = html(rosas_browser.post(f"{PAGE}invite/", {"whom": "dana@example.org", "role": "viewer"}))
    assert "The link was sent to dana@example.org." in page
    (sent,) = mail.outbox
    assert sent.to == ["dana@example.org"]
    assert sent.subject == "rosa invites you to the study “One line”"
    token = re.search(r"/admin/join/([^/]+)/", page)
    assert token
    assert f"\nhttps://eval.example.org/admin/join/{token[1]}/\n" in sent.body
    assert "on Rating lab" in sent.body
    settings.EVALWEB_URL = ""
    page = html(rosas_browser.post(f"{PAGE}invite/", {"whom": "dana@example.org", "role": "viewer"}))
    assert "This site sends no mail." in page
    settings.EVALWEB_URL = "https://eval.example.org"

    def refuse(self: EmailMessage) -> int:
        raise SMTPServerDisconnected

    monkeypatch.setattr(EmailMessage, "send", refuse)
    page = html(rosas_browser.post(f"{PAGE}invite/", {"whom": "dana@example.org", "role": "viewer"}))
    assert "could not be sent" in page
    assert len(mail.outbox) == 1


def test_a_study_has_so_many_open_invitations_at_most(
    shared: Study, rosas_browser: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(colleagues, "MOST_OPEN", 2)
    for _number in range(2):
        link_of(rosas_browser)
    refused = rosas_browser.post(f"{PAGE}invite/", {"whom": "Dana", "role": "viewer"})
    assert refused.status_code == 422
    assert "2 open invitations. Revoke one first." in html(refused)
    assert ColleagueInvitation.objects.count() == 2


@pytest.mark.parametrize("sent", [{"whom": ""}, {"whom": "nul\0"}, {"role": "king"}, {"whom": "x" * 255}])
def test_a_faulty_invitation_is_not_made(shared: Study, rosas_browser: Client, sent: dict[str, str]) -> None:
    assert rosas_browser.post(f"{PAGE}invite/", {"whom": "Dana", "role": "viewer"} | sent).status_code == 422
    assert not ColleagueInvitation.objects.exists()


def test_sign_in_pages_carry_the_name_of_the_site(somebody: Client) -> None:
    for address in ("/sign-in/", "/admin/login/"):
        assert "evalweb" in html(somebody.get(address)).split("</head>")[1]


@pytest.mark.parametrize(("ticked", "is_researcher"), [("on", True), (None, False)])
def test_an_administrator_makes_a_researcher_or_a_rater(
    somebody: Client, ticked: str | None, is_researcher: bool
) -> None:
    somebody.force_login(User.objects.create_superuser("root"))
    page = html(somebody.get("/admin/auth/user/add/"))
    assert "Sets up studies and works on those" in page
    sent = {"username": "dana", "password1": PASSWORD, "password2": PASSWORD, "usable_password": "true"}
    answer = somebody.post("/admin/auth/user/add/", sent | ({"is_staff": ticked} if ticked else {}))
    assert answer.status_code == 302, html(answer)
    dana = User.objects.get(username="dana")
    assert (dana.is_staff, dana.check_password(PASSWORD)) == (is_researcher, True)
    assert "May do everything in every study" in html(somebody.get(f"/admin/auth/user/{dana.pk}/change/"))
