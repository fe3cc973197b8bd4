"""Who tries to be somebody else, by forged, guessed, stolen or old tokens: refused, and nothing is changed."""

import json

import pytest
from django.contrib.auth.models import User
from django.core import signing
from django.test import Client
from django.urls import reverse

from tasks_app.forms import ConsentForm
from tasks_app.links import credentials
from tasks_app.models import Identity, Rater, Study
from tasks_app.services import erasure
from tasks_app.services.arrival import invitations, returning
from tests import pages
from tests.builders import build_study
from tests.once import study_made_once
from tests.permissions.table import TOKEN_ROWS
from tests.tasks_app import waves_kit
from tests.tasks_app.attack_kit import HIDDEN, changed, rater_of, set_settings, tables, token_of
from tests.tasks_app.views.test_arriving import arrive, mturk, open_study, prolific
from tests.tasks_app.views.test_steps import RIGHT
from tests.wrong import altered

pytestmark = pytest.mark.django_db

everywhere_once, everywhere = study_made_once("everywhere", lambda _rosa: open_study(slug="everywhere"))

# Where a rater's forms are, and where they are sent.
STEPS = {
    "start": ("instructions/", "instructions/"),
    "stop": ("stop/", "stop/"),
    "link": ("help/", "link/"),
    "withdraw": ("withdraw/", "withdraw/"),
    "mail": ("mail/", "mail/"),
}


def signed_in_form(browser: Client, token: str, step: str) -> dict[str, str]:
    """Return the token of the form of a step."""
    shown = browser.get(f"/r/{token}/{STEPS[step][0]}").content.decode()
    ours = [form for form in _tokens(shown) if credentials.read_signed("step", form).get("step") == step]
    return {"form_token": ours[0]}


def _tokens(page: str) -> list[str]:
    """Return the tokens of the forms with a button alone."""
    return [one for one in HIDDEN.findall(page) if is_of("step", one)]


def is_of(action: str, token: str) -> bool:
    """Say whether a form's token is of a kind of form."""
    try:
        credentials.read_signed(action, token)
    except signing.BadSignature:
        return False
    return True


# Who somebody is ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("step", STEPS)
def test_a_form_of_somebody_elses_or_for_something_else_does_nothing(somebody: Client, step: str) -> None:
    study, other = build_study(None), build_study(None, slug="other")
    # Who has begun has no form for it any more.
    come = pages.agree if step == "start" else pages.join
    ada, ben, cleo = come(study), come(study), come(other)
    address = f"/r/{ada}/{STEPS[step][1]}"
    another_step = "stop" if step != "stop" else "link"
    stolen = {
        "another rater's": signed_in_form(somebody, ben, step),
        "another study's": signed_in_form(somebody, cleo, step),
        "another step's": signed_in_form(somebody, ada, another_step),
        "none": {},
    }
    before = tables()
    for whose, form in stolen.items():
        assert somebody.post(address, form).status_code == 403, whose
        assert changed(before) == set(), whose
    # What ends at a page of its own, and what leads to the next.
    status = 200 if step in {"withdraw", "mail"} else 302
    assert somebody.post(address, signed_in_form(somebody, ada, step)).status_code == status


def test_an_answer_signed_for_another_rater_task_or_study_is_refused(somebody: Client) -> None:
    study, other = build_study(None), build_study(None, slug="other")
    ada, ben, cleo = (pages.join(one) for one in (study, study, other))
    own = pages.unit(somebody, ada)
    for whose in (ben, cleo):
        form = pages.unit(somebody, whose)
        before = tables()
        assert somebody.post(f"/r/{ada}/judge/", {**form, **RIGHT}).status_code == 403
        body = {"form_token": form["form_token"], "counter": 1, "answer": RIGHT}
        assert somebody.post(f"/r/{ada}/draft/", json.dumps(body), "application/json").status_code == 403
        assert somebody.post(f"/r/{ada}/skip/", {**form, "reason": "other"}).status_code == 403
        assert changed(before) == set()
    assert somebody.post(f"/r/{ada}/judge/", {**own, **RIGHT}).status_code == 302


def test_no_address_of_an_erased_rater_is_left(everywhere: Study, somebody: Client) -> None:
    study = everywhere
    token = arrive(somebody, study, "prolific", prolific())
    erasure.erase(rater=rater_of(token))
    before = tables()
    for row in TOKEN_ROWS:
        takes = {**row.path, "token": token, **({"name": "x"} if "name" in row.path else {})}
        assert somebody.generic(row.method, reverse(row.name, kwargs=takes)).status_code == 404, row
    assert changed(before) == set()


def test_nobody_erases_what_they_did_to_do_it_again(everywhere: Study, somebody: Client) -> None:
    """A second try would begin with the answers of the exam, and be paid twice."""
    study = everywhere
    ada, ben = prolific(), mturk()
    for channel, query in (("prolific", ada), ("mturk", ben)):
        erasure.erase(rater=rater_of(arrive(somebody, study, channel, query)))
    assert not Identity.objects.exists()
    path = f"/join/{study.link_code}/"
    for query in (ada, {**ada, "SESSION_ID": "5" * 24}):
        page = somebody.get(f"{path}prolific/", query)
        assert (page.status_code, "taken part already" in page.content.decode()) == (409, True)
    assert somebody.get(f"{path}mturk/", {**ben, "assignmentId": "3NEXT"}).status_code == 409
    other = open_study(slug="other")
    assert somebody.get(f"/join/{other.link_code}/prolific/", ada).status_code == 200, "another study knows nobody"
    arrive(somebody, study, "prolific", prolific())


def test_a_consent_form_of_before_the_erasure_makes_nobody_again(everywhere: Study, somebody: Client) -> None:
    study = everywhere
    query = prolific()
    path = f"/join/{study.link_code}/prolific/"
    form = pages.hidden(somebody.get(path, query))
    token = somebody.post(path, form)["Location"].strip("/").split("/")[1]
    erasure.erase(rater=rater_of(token))
    before = tables()
    assert somebody.post(path, form).status_code == 409
    assert changed(before) == set()


def test_a_page_opened_by_a_link_that_was_replaced_makes_nobody(
    everywhere: Study, somebody: Client, rosa: User
) -> None:
    study = everywhere
    path = f"/join/{study.link_code}/invited/"
    made = invitations.invite(study=study, people=[invitations.Person("Bo")], by=rosa)[0]
    leaked = pages.hidden(somebody.get(path, {"key": made.secret}))
    again = invitations.renew(invitation=made.invitation, by=rosa)
    before = tables()
    assert somebody.get(path, {"key": made.secret}).status_code == 404
    assert somebody.post(path, leaked).status_code == 404
    assert changed(before) == set()
    assert arrive(somebody, study, "invited", {"key": again.secret})


def test_an_invitation_is_good_for_its_person_and_study(somebody: Client, rosa: User) -> None:
    study, other = open_study(), open_study(slug="other")
    link = invitations.invite(study=study, people=[invitations.Person("Bo")], by=rosa)[0]
    account = invitations.invite_with_accounts(study=study, people=[invitations.Person("Ann")], by=rosa)[0]
    form = pages.hidden(somebody.get(f"/join/{study.link_code}/invited/", {"key": link.secret}))
    before = tables()
    wrong = altered(link.secret)
    for code, key in ((study.link_code, wrong), (other.link_code, link.secret), (study.link_code, account.secret)):
        assert somebody.get(f"/join/{code}/invited/", {"key": key}).status_code == 404
    assert somebody.post(f"/join/{other.link_code}/invited/", form).status_code == 403
    assert somebody.post(f"/join/{study.link_code}/account/", form).status_code == 403
    signed_in = Client()
    signed_in.force_login(account.invitation.user)
    mine = pages.hidden(signed_in.get(f"/join/{study.link_code}/account/"))
    before = tables()
    # Signed out again, or signed in as somebody else: the form is good for its person alone.
    assert somebody.post(f"/join/{study.link_code}/account/", mine).status_code == 404
    assert changed(before) == set()
    assert signed_in.post(f"/join/{study.link_code}/account/", mine).status_code == 302


def test_nobody_gets_into_anothers_study_by_a_new_password(
    rosa: User, mallory: User, rosas_browser: Client, mallorys_browser: Client
) -> None:
    """Mallory edits a study together with Rosa; an account of it takes part in one that is Rosa's alone."""
    shared, own = open_study(slug="shared"), open_study(slug="own")
    for study, people in ((shared, (rosa, mallory)), (own, (rosa,))):
        for person in people:
            study.memberships.create(user=person, role="owner" if person == rosa else "editor")
    made = invitations.invite_with_accounts(study=shared, people=[invitations.Person("Ann")], by=rosa)[0]
    again = invitations.Person("Ann", account=made.account)
    invitations.invite_with_accounts(study=own, people=[again], by=rosa)
    address = f"/admin/studies/shared/recruit/people/{made.invitation.pk}/"
    before = tables()
    assert mallorys_browser.post(address, {"action": "renew"}).status_code == 302
    assert changed(before) == set()
    assert made.invitation.user.check_password(made.secret)
    assert rosas_browser.post(address, {"action": "renew"})["Content-Type"].startswith("text/csv")


def test_the_address_of_a_wave_is_good_for_its_study_channel_and_wave(somebody: Client) -> None:
    study = waves_kit.opened()
    set_settings(study, channels={"prolific": {}, "mturk": {}})
    query = prolific()
    ada = rater_of(arrive(somebody, study, "prolific", query))
    waves_kit.do_what_is_open(study, ada)
    waves_kit.days_pass(ada, 7.5)
    path, second = f"/join/{study.link_code}/prolific/", {**query, "SESSION_ID": "5" * 24}
    good = returning.sign(study, "prolific", 2)
    wrong = {
        "another wave": returning.sign(study, "prolific", 3),
        "another channel": returning.sign(study, "mturk", 2),
        "another study": returning.sign(open_study(slug="other"), "prolific", 2),
        "altered": altered(good),
        "made up": "WzEsInByb2xpZmljIiwyXQ:x",
        "nothing": "",
    }
    before = tables()
    for what, wave in wrong.items():
        assert somebody.get(path, {**second, "wave": wave}).status_code == 409, what
    assert somebody.get(path, {**prolific(), "wave": good}).status_code == 409, "somebody who takes no part"
    assert changed(before) == set()
    assert somebody.get(path, {**second, "wave": good}).status_code == 302
    assert somebody.get(path, {**second, "SESSION_ID": "6" * 24, "wave": good}).status_code == 409


def test_somebody_who_tries_out_cannot_be_made_by_hand(everywhere: Study, somebody: Client) -> None:
    """The kind of a rater stands in the signature: a plain field of that name changes nothing."""
    study = everywhere
    path = f"/join/{study.link_code}/"
    form = {**pages.hidden(somebody.get(path)), "kind": "sandbox", "channel": "account", "study": "9"}
    assert somebody.post(path, form).status_code == 302
    assert Rater.objects.get().kind == Rater.Kind.REAL
    unsigned = {**form, "form_token": json.dumps({"study": study.pk, "nonce": "a", "kind": "simulated"})}
    assert somebody.post(path, unsigned).status_code == 403
    assert Rater.objects.count() == 1


def test_an_unsigned_consent_makes_nobody(somebody: Client) -> None:
    study, other = open_study(), open_study(slug="other")
    forged = {
        "another study's": credentials.sign(ConsentForm.action, study=other.pk, nonce="a", channel="link"),
        "another action's": credentials.sign("step", study=study.pk, nonce="a", channel="link"),
        "cut": credentials.sign(ConsentForm.action, study=study.pk, nonce="a", channel="link")[:-1],
    }
    before = tables()
    for what, token in forged.items():
        answer = somebody.post(f"/join/{study.link_code}/", {"form_token": token})
        assert answer.status_code == 403, what
    assert changed(before) == set()
    assert token_of(somebody, f"/join/{study.link_code}/")


def test_a_language_leads_back_to_ones_own_pages_alone(study: Study, somebody: Client) -> None:
    token = pages.join(study)
    own = f"/r/{token}/"
    page = somebody.get(f"{own}help/").content.decode()
    form = next(one for one in HIDDEN.findall(page) if is_of("language", one))
    for back in (
        "//evil.example/",
        "https://evil.example/",
        f"/r/{token[:-1]}/",
        "\\\\evil.example",
        "javascript:x",
        "",
    ):
        sent = somebody.post(f"{own}language/", {"form_token": form, "language": "de", "back": back})
        assert sent["Location"] == own, back
    for back in (f"{own}help/\r\nX-Evil: 1", f"{own}é\u2028"):
        sent = somebody.post(f"{own}language/", {"form_token": form, "language": "de", "back": back})
        assert "X-Evil" not in sent.headers
        assert sent.status_code == 302
