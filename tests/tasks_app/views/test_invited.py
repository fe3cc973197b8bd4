"""People who were invited: by personal links and by accounts, in, out and back."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client

from tasks_app.importing import people
from tasks_app.models import Identity, Rater, RaterSet
from tasks_app.services.arrival import invitations
from tasks_app.studyfile import StudyFileError
from tests import pages
from tests.tasks_app.views.test_arriving import arrive, open_study, rows
from tests.wrong import altered

pytestmark = pytest.mark.django_db


def test_an_account_is_invited_to_a_study_once(rosa: User) -> None:
    study = open_study(channels={"link": {}, "account": {}})
    made = invitations.invite_with_accounts(study=study, people=[invitations.Person("Ann")], by=rosa)[0]
    bea = User.objects.create_user("bea")
    accounts = [made.account, bea.username]
    with pytest.raises(StudyFileError, match=r"people\.csv:2:2: .*invited to the study already"):
        people.read(study, "people.csv", f"name,account\nAnn again,{made.account}\n", accounts)
    with pytest.raises(StudyFileError, match=r"people\.csv:3:2: .*or in a line above"):
        people.read(study, "people.csv", "name,account\nBea,bea\nBea again,bea\n", accounts)
    (person,) = people.read(study, "people.csv", "name,account\nBea,bea\n", accounts)
    assert person.account == "bea"


def test_people_with_accounts_find_their_studies_and_come_back(somebody: Client, rosa: User) -> None:
    study = open_study()
    made = invitations.invite_with_accounts(study=study, people=[invitations.Person("Ann Example")], by=rosa)[0]
    path = f"/join/{study.link_code}/account/"
    asked = somebody.get(path)
    assert asked["Location"].startswith("/sign-in/?next=")
    page = somebody.get(asked["Location"])
    assert page["Referrer-Policy"] == "same-origin"
    wrong = somebody.post("/sign-in/", {"username": made.account, "password": "wrong", "next": path})
    assert "do not match" in wrong.content.decode()
    signed_in = somebody.post("/sign-in/", {"username": made.account, "password": made.secret, "next": path})
    assert signed_in["Location"] == path
    listed = somebody.get("/studies/").content.decode()
    assert "Reading short texts" in listed
    assert "10 minutes" in listed, "the time, and the pay, as above the consent"
    token = arrive(somebody, study, "account", {})
    assert somebody.get(path)["Location"] == f"/r/{token}/"
    assert "begun" in somebody.get("/studies/").content.decode()
    assert somebody.get("/admin/studies/").status_code == 404, "an account to rate is no researcher's"
    assert somebody.get("/admin/").status_code == 404


def test_who_is_not_invited_does_not_come_in(somebody: Client, rosa: User) -> None:
    study = open_study()
    stranger = User.objects.create_user("stranger", password="a password")
    somebody.force_login(stranger)
    assert somebody.get(f"/join/{study.link_code}/account/").status_code == 404
    made = invitations.invite(study=study, people=[invitations.Person("Bo", email="bo@example.org")], by=rosa)[0]
    path = f"/join/{study.link_code}/invited/"
    assert somebody.get(path, {"key": altered(made.secret)}).status_code == 404
    form = pages.hidden(Client().get(path, {"key": made.secret}))
    invitations.revoke(invitation=made.invitation, by=rosa)
    assert somebody.get(path, {"key": made.secret}).status_code == 404
    before = rows()
    assert somebody.post(path, form).status_code == 404
    assert rows() == before


def test_a_personal_link_always_leads_to_ones_own_work(somebody: Client, rosa: User) -> None:
    study = open_study()
    made = invitations.invite(study=study, people=[invitations.Person("Bo", email="bo@example.org")], by=rosa)[0]
    token = arrive(somebody, study, "invited", {"key": made.secret})
    again = Client().get(f"/join/{study.link_code}/invited/", {"key": made.secret})
    assert again["Location"] == f"/r/{token}/"
    made.invitation.refresh_from_db()
    rater = Rater.objects.get()
    assert made.invitation.rater == rater
    identity = Identity.objects.get()
    assert (identity.external_id, identity.email) == (str(made.invitation.pk), "bo@example.org")
    assert made.secret not in str(list(Identity.objects.values()))
    with pytest.raises(invitations.HasBegun):
        invitations.revoke(invitation=made.invitation, by=rosa)
    new = invitations.renew(invitation=made.invitation, by=rosa)
    assert Client().get(f"/join/{study.link_code}/invited/", {"key": made.secret}).status_code == 404
    came = Client().get(f"/join/{study.link_code}/invited/", {"key": new.secret})
    assert came["Location"] == f"/r/{token}/"


def test_people_with_accounts_keep_their_sets_for_days(somebody: Client, rosa: User) -> None:
    study = open_study(channels={"link": {}, "account": {"lease_days": 3}})
    made = invitations.invite_with_accounts(study=study, people=[invitations.Person("Ann")], by=rosa)[0]
    somebody.login(username=made.account, password=made.secret)
    token = arrive(somebody, study, "account", {})
    arrive(Client(), study, "link", {})
    somebody.get(f"/r/{token}/instructions/")
    kept = {one.rater.channel: one.lease_until - one.claimed_at for one in RaterSet.objects.select_related("rater")}
    assert timedelta(days=2, hours=23) < kept["account"] <= timedelta(days=3)
    assert kept["link"] < timedelta(hours=1)
