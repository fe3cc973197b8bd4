"""Continue where you were: a cookie remembers, in one browser, who began by the open link; it is never needed."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from django.http import HttpResponse
from django.test import Client

from tasks_app.links.credentials import hash_token
from tasks_app.models import Consent, ConsentText, Rater, Study
from tasks_app.services import erasure
from tasks_app.services.arrival import remembering
from tasks_app.services.study import lifecycle
from tasks_app.setup.consent import consent_draft
from tasks_app.texts import richtext
from tests import pages
from tests.builders import build_study
from tests.house.examples import load, opened
from tests.once import study_made_once
from tests.tasks_app.views.test_arriving import arrive, mturk, open_study, prolific
from tests.wrong import altered

pytestmark = pytest.mark.django_db

COOKIE = "evalweb_begun"
ELSEWHERE = "If you have already begun, open your personal link: your answers and pay are kept."

study_once, study = study_made_once("study", lambda _rosa: open_study(slug="begun"))


def link(study: Study) -> str:
    return f"/join/{study.link_code}/"


def words(answer: HttpResponse, status: int = 200) -> str:
    assert answer.status_code == status, answer.content.decode()
    return answer.content.decode()


def begin(browser: Client, study: Study) -> str:
    """Agree at the open link, and return the token."""
    answer = browser.post(link(study), pages.hidden(browser.get(link(study))))
    return answer["Location"].strip("/").split("/")[1]


def press(browser: Client, study: Study, button: str, path: str = "", query: Mapping[str, str] = {}) -> HttpResponse:
    """Press a button of the page that offers to continue."""
    path = path or link(study)
    answer: HttpResponse = browser.post(path, {**pages.hidden(browser.get(path, query)), "begun": button})
    return answer


def with_value(value: str) -> Client:
    """Return a browser that has this cookie."""
    browser = Client()
    browser.cookies[COOKIE] = value
    return browser


def test_who_loses_the_tab_goes_on_in_the_same_browser(study: Study, somebody: Client) -> None:
    token = begin(somebody, study)
    offer = words(somebody.get(link(study)))
    assert "Continue as the earlier rater" in offer
    assert "I am someone else" in offer
    assert "I agree, begin" not in offer
    rater = Rater.objects.get()
    for secret in (token, rater.pseudonym, rater.token_hash, rater.completion_code or "no code yet"):
        assert secret not in offer
    assert press(somebody, study, "earlier")["Location"] == f"/r/{token}/"
    assert Rater.objects.count() == Consent.objects.count() == 1
    assert "I agree, begin" in words(Client().get(link(study))), "another browser knows nothing"


def test_somebody_else_at_the_same_computer_begins_anew_and_takes_nothing_away(study: Study, somebody: Client) -> None:
    first = begin(somebody, study)
    answer = press(somebody, study, "other")
    assert answer["Location"] == link(study)
    assert not somebody.cookies[COOKIE].value
    assert "I agree, begin" in words(somebody.get(link(study)))
    second = begin(somebody, study)
    assert first != second
    assert Rater.objects.count() == 2
    assert press(somebody, study, "earlier")["Location"] == f"/r/{second}/", "the browser knows the last one"
    assert somebody.get(f"/r/{first}/", follow=True).status_code == 200


CONTINUE, AGREE = "Continue as the earlier rater", "I agree, begin"


def test_a_consent_page_in_another_tab_makes_no_second_rater(study: Study, somebody: Client) -> None:
    tabs = [pages.hidden(somebody.get(link(study))) for _tab in range(3)]
    token = somebody.post(link(study), tabs[0])["Location"]
    assert CONTINUE in words(somebody.post(link(study), tabs[1]))
    assert somebody.post(link(study), tabs[0])["Location"] == token, "a second press is no second person"
    assert Rater.objects.count() == 1
    assert not press(somebody, study, "other").cookies[COOKIE].value
    assert somebody.post(link(study), tabs[2])["Location"] != token, "who says that they are somebody else begins"
    assert Rater.objects.count() == 2


def test_the_form_of_the_page_that_offers_to_continue_agrees_to_nothing(study: Study, somebody: Client) -> None:
    """It showed no consent text, and holds for the rater of whom it asked alone."""
    begin(somebody, study)
    form = pages.hidden(somebody.get(link(study)))
    for browser, shown in ((somebody, CONTINUE), (Client(), AGREE)):
        for more in ({}, {"begun": ""}, {"begun": "x"}):
            answer = browser.post(link(study), {**form, **more})
            assert shown in words(answer), more
            assert COOKIE not in answer.cookies
    chosen = somebody.post(link(study), {**form, "page_language": "de"})
    assert CONTINUE in words(somebody.post(link(study), pages.hidden(chosen)))
    assert Rater.objects.count() == Consent.objects.count() == 1


def test_an_old_tab_neither_continues_as_the_next_rater_nor_forgets_them(study: Study, somebody: Client) -> None:
    begin(somebody, study)
    old = pages.hidden(somebody.get(link(study)))
    press(somebody, study, "other")
    second = begin(somebody, study)
    value = somebody.cookies[COOKIE].value
    for button in ("earlier", "other"):
        answer = somebody.post(link(study), {**old, "begun": button})
        assert CONTINUE in words(answer), button
        assert COOKIE not in answer.cookies
        asked_again = with_value(value).post(link(study), {**pages.hidden(answer), "begun": "earlier"})
        assert asked_again["Location"] == f"/r/{second}/"


def test_a_form_without_the_cookie_or_without_the_button_deletes_nothing(study: Study, somebody: Client) -> None:
    """A form on another site is sent without the cookie."""
    begin(somebody, study)
    form = pages.hidden(somebody.get(link(study)))
    for button in ("earlier", "other", "x"):
        for sent in (form, pages.hidden(Client().get(link(study)))):
            answer = Client().post(link(study), {**sent, "begun": button})
            assert AGREE in words(answer)
            assert COOKIE not in answer.cookies
    browser, visit = Client(), prolific()
    arrive(browser, study, "prolific", visit)
    path, again = f"/join/{study.link_code}/prolific/", {**visit, "SESSION_ID": "f" * 24}
    answer = browser.post(path, {**pages.hidden(browser.get(path, again)), "begun": "other"})
    assert "Go on" in words(answer), "the platform says who comes, and there is no such button"
    assert COOKIE not in answer.cookies
    assert "I am someone else" not in words(answer)


def test_nobody_is_told_that_they_have_not_begun(study: Study, somebody: Client) -> None:
    """The server cannot know: a browser without the cookie may be that of somebody who holds a place."""
    offer = words(somebody.get(link(study)))
    assert "Already begun? Open your personal link; your answers and pay are kept." in offer
    assert "Already finished? Please do not take part twice." in offer
    token = begin(somebody, study)
    full = begin(Client(), study)
    assert token != full
    for action, status in (("pause", 503), ("close", 410)):
        lifecycle.move(study_id=study.pk, action=action, by=None)
        shut = words(Client().get(link(study)), status)
        assert ELSEWHERE in shut
        assert "have not begun" not in shut
        assert "Nothing about you" not in shut
        assert "Continue as the earlier rater" in words(somebody.get(link(study)))


def test_who_holds_a_place_of_a_full_study_goes_on(somebody: Client) -> None:
    study = build_study(None, slug="two-places", k=1, items=2, set_size=2)
    tokens = [begin(browser, study) for browser in (somebody, Client())]
    full = words(Client().get(link(study)), 409)
    assert "All places are taken" in full
    assert ELSEWHERE in full
    assert press(somebody, study, "earlier")["Location"] == f"/r/{tokens[0]}/"


def test_the_cookie_goes_to_the_studys_own_address_alone_and_says_nothing(study: Study, somebody: Client) -> None:
    token = begin(somebody, study)
    cookie = somebody.cookies[COOKIE]
    assert (cookie["path"], cookie["samesite"], cookie["httponly"]) == (link(study), "Lax", True)
    assert cookie["max-age"] == 7 * 24 * 3600
    assert set(somebody.cookies) == {COOKIE}
    rater = Rater.objects.get()
    for secret in (token, rater.pseudonym, hash_token(token), f":{rater.pk}"):
        assert secret not in cookie.value
    for page in ("", "judge/", "help/", "stop/"):
        assert COOKIE not in Client().get(f"/r/{token}/{page}", follow=True).cookies


def test_the_cookie_ends_with_the_way_of_its_rater(study: Study, somebody: Client) -> None:
    """At the end, on withdrawal and with a new link the browser forgets; the old value is good for nothing then."""
    for action in ("stop", "withdraw", "link"):
        browser = Client()
        token = begin(browser, study)
        value = browser.cookies[COOKIE].value
        assert "Continue as" in words(with_value(value).get(link(study)))
        form = pages.hidden(browser.get(f"/r/{token}/{action}/")) if action != "link" else None
        if form is None:
            help_page = browser.get(f"/r/{token}/help/").content.decode()
            form = pages.hidden_fields(help_page[help_page.index(f'action="/r/{token}/link/"') - 40 :])
        answer = browser.post(f"/r/{token}/{action}/", form)
        if action == "stop":
            answer = browser.get(answer["Location"])
        gone = answer.cookies[COOKIE]
        assert (gone.value, gone["max-age"], gone["path"]) == ("", 0, link(study)), action
        assert "I agree, begin" in words(with_value(value).get(link(study))), action
        kept = with_value(value)
        kept_answer = kept.post(link(study), {**pages.hidden(kept.get(link(study))), "begun": "earlier"})
        assert "I agree, begin" in words(kept_answer), "a page that was open before leads nowhere"


@pytest.mark.parametrize("action", ["link", "withdraw"])
def test_a_consent_form_sent_again_lets_no_ended_link_live(study: Study, somebody: Client, action: str) -> None:
    """A browser's Back and Reload send it. Who has the link that ended, or a copy of the cookie, finds nobody there."""
    form = pages.hidden(somebody.get(link(study)))
    old = somebody.post(link(study), form)["Location"]
    value = somebody.cookies[COOKIE].value
    source = somebody.get(f"{old}{'help' if action == 'link' else action}/").content.decode()
    own = pages.hidden_fields(source[source.index(f'action="{old}{action}/"') - 40 :] if action == "link" else source)
    assert somebody.post(f"{old}{action}/", own).status_code in {200, 302}
    assert somebody.get(old).status_code == 404
    for _again in range(2):
        refused = words(Client().post(link(study), form), 409)
        assert "You have taken part already" in refused
        assert Client().get(old).status_code == 404
        assert AGREE in words(with_value(value).get(link(study)))
        if action == "link":
            erasure.erase(rater=Rater.objects.get())
    assert Rater.objects.count() == 1
    assert hash_token(old.strip("/").split("/")[1]) not in str(Rater.objects.values().get())
    assert begin(Client(), study), "another form makes another rater"


def test_a_made_up_an_old_and_another_studys_value_are_good_for_nothing(
    study: Study, somebody: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin(somebody, study)
    value = somebody.cookies[COOKIE].value
    other = build_study(None, slug="other")
    form_token = pages.hidden(Client().get(link(study)))["form_token"]
    for wrong in (altered(value), "", "x", "a:b:c", form_token):
        assert "I agree, begin" in words(with_value(wrong).get(link(study))), wrong
    assert "I agree, begin" in words(with_value(value).get(link(other)))
    assert with_value(value).post(link(study), {"form_token": value}).status_code == 403, "it agrees to nothing"
    assert "Continue as" in words(with_value(value).get(link(study)))
    monkeypatch.setattr(remembering, "SECONDS", -1)
    assert "I agree, begin" in words(with_value(value).get(link(study))), "too old"


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_a_form_of_another_site_makes_no_browser_remember_anybody(study: Study, somebody: Client, site: str) -> None:
    """Else a page elsewhere could have its visitors go on as a rater of its own choice."""
    form = pages.hidden(Client().get(link(study)))
    answer = somebody.post(link(study), form, headers={"sec-fetch-site": site})
    assert answer.status_code == 302
    assert not answer.cookies
    again = Client().post(link(study), form, headers={"sec-fetch-site": "same-origin"})
    assert again.cookies[COOKIE].value


def test_channels_that_know_their_raters_or_are_framed_have_no_cookie(study: Study, somebody: Client) -> None:
    arrive(somebody, study, "mturk", mturk())
    assert not somebody.cookies
    offer = words(somebody.get(f"/join/{study.link_code}/mturk/", mturk()))
    assert "A cookie remembers" not in offer
    assert "Your id on the platform is kept apart" in offer
    offer = words(somebody.get(link(study)))
    assert "A cookie remembers for 7 days at most that you have begun" in offer
    token = begin(somebody, study)
    for page in ("help/", "stored/"):
        assert "A cookie remembers" in words(somebody.get(f"/r/{token}/{page}"))


def test_the_offer_says_what_an_hour_pays_and_how_long_a_place_is_kept(somebody: Client) -> None:
    study = build_study(None, opened=False, lease_minutes=30)
    ConsentText.objects.filter(study=study).update(body="In short: you read.\n\n---\n\nAll of it, at length.")
    opened(study)
    offer = words(somebody.get(link(study)))
    order = (
        "3.00 EUR", "(18.00 EUR per hour)",
        "It goes to others if you do nothing for 30 minutes, or for 10 minutes while you have not given an answer yet.",
        "In short: you read.", "I agree, begin", "All of it, at length.",
        "I have read everything: begin",
    )  # fmt: skip
    places = [offer.index(part) for part in order]
    assert places == sorted(places)
    assert offer.count('form="agree"') == offer.count('id="agree"') == 1
    begin(somebody, study)
    assert Consent.objects.get().consent_text.body.startswith("In short"), "one text, which holds both"
    token = begin(Client(), study)
    assert "If you stop now, you are paid nothing" in words(somebody.get(f"/r/{token}/stop/"))


@pytest.mark.parametrize(
    ("text", "summary"),
    [("Short.\n\n---\n\nLong.", "Short."), ("Heading\n---\n\nLong.", ""), ("---\n\nLong.", ""), ("Long.", "")],
)
def test_a_summary_is_what_stands_above_a_rule(text: str, summary: str) -> None:
    above, below = richtext.split_at_rule(text)
    assert above.strip() == summary
    assert "Long." in below


def test_what_is_stored_is_said_in_the_same_words_everywhere(study: Study, somebody: Client) -> None:
    """The offer, the rater's own page and the draft of a consent text name the same."""
    token = arrive(somebody, study, "prolific", prolific())
    shown = [words(somebody.get(f"/join/{study.link_code}/prolific/", prolific()))]
    shown += [words(somebody.get(f"/r/{token}/{page}/")) for page in ("stored", "help")]
    draft = consent_draft({"channels": {"link": {}, "prolific": {}}}, 10)
    for page in shown:
        assert "Your answers and comments, how long you took and which buttons and fields you used" in page
        assert "Your id on the platform is kept apart from your answers" in page
        assert "A cookie remembers" in page
    assert (
        "your answers and comments, how long you took and which buttons and fields you used, under a made-up name"
        in draft
    )
    assert "Your id on Prolific is kept apart from your answers" in draft
    assert "A cookie in your browser remembers" in draft


def test_the_personal_link_is_offered_before_the_first_question(somebody: Client, tmp_path: Path) -> None:
    token = begin(somebody, opened(load("checked", tmp_path, "everything")))
    first = words(somebody.get(f"/r/{token}/judge/"))
    assert "Some questions first" in first
    assert f"http://testserver/r/{token}/" in first
