"""Messages to raters, and raters who are paused: what they see, what is kept and what is written down."""

import json
import re

import pytest
from django.test import Client

from tasks_app.models import Event, Judgment, Rater, Study
from tasks_app.services import contact, erasure
from tests import pages, walk
from tests.analytics_app.views.reading import page, text

pytestmark = pytest.mark.django_db

MESSAGE = "Please <b>reload</b> the page.\n\nThank you! \N{HEBREW LETTER SHIN}"


@pytest.fixture
def ada(study: Study, somebody: Client) -> tuple[Rater, str]:
    """A rater who has begun, with the address of her pages."""
    token = pages.join(study)
    pages.unit(somebody, token)
    return Rater.objects.get(), f"/r/{token}/"


def act(browser: Client, study: Study, rest: str, **sent: str) -> str:
    """Post a form about a rater, and return what the page that follows says."""
    answer = browser.post(f"/admin/studies/{study.slug}/people/{rest}/", sent, follow=True)
    return text(answer.content.decode())


def test_a_message_is_read_before_the_next_unit_once(
    rosas_browser: Client, somebody: Client, study: Study, ada: tuple[Rater, str]
) -> None:
    rater, own = ada
    said = act(rosas_browser, study, "message", rater=str(rater), text=f"  {MESSAGE}\r\n")
    assert f"{rater} reads your message on their next page." in said
    assert "rosa wrote: Please &lt;b&gt;reload&lt;/b&gt; the page." in said
    assert "1 message is not read yet." in said
    answer = somebody.get(own, follow=True)
    assert answer.redirect_chain[-1][0] == f"{own}messages/"
    shown = answer.content.decode()
    assert "A message from the researchers" in shown
    assert "<p>Please &lt;b&gt;reload&lt;/b&gt; the page.</p>" in shown
    assert somebody.get(f"{own}judge/").url == f"{own}messages/"
    # A second one that comes while the first is read is not taken as read.
    contact.write(rater=rater, by=None, text="And another.")
    assert somebody.post(f"{own}messages/", pages.hidden(answer)).url == own
    second = somebody.get(own, follow=True)
    assert "And another." in second.content.decode()
    assert "reload" not in second.content.decode()
    assert somebody.post(f"{own}messages/", {"form_token": "forged"}).status_code == 403
    after = somebody.post(f"{own}messages/", pages.hidden(second), follow=True)
    assert after.redirect_chain[-1][0] == f"{own}judge/"
    assert [event.verb for event in study.events.filter(object=str(rater)).order_by("id")] == [
        "wrote to a rater", "wrote to a rater", "read a message", "read a message",
    ]  # fmt: skip
    said = text(page(rosas_browser, f"/admin/studies/{study.slug}/raters/{rater}/timeline/"))
    assert "The rater read the message." in said
    assert "not read yet" not in said
    mine = json.loads(somebody.get(f"{own}stored/mine.json").content)
    assert [one["text"] for one in mine["messages_to_you"]] == [MESSAGE, "And another."]
    assert "2 messages from the researchers." in text(somebody.get(f"{own}stored/").content.decode())


def test_who_has_ended_reads_a_message_at_the_end(
    rosas_browser: Client, somebody: Client, study: Study, ada: tuple[Rater, str]
) -> None:
    rater, own = ada
    somebody.post(f"{own}stop/", pages.hidden(somebody.get(f"{own}stop/")))
    act(rosas_browser, study, "message", rater=str(rater), text="Your bonus is on its way.")
    shown = somebody.get(f"{own}end/", follow=True)
    assert "Your bonus is on its way." in shown.content.decode()
    end = somebody.post(f"{own}messages/", pages.hidden(shown), follow=True)
    assert end.redirect_chain[-1][0] == f"{own}end/"


@pytest.mark.parametrize(
    ("sent", "problem"),
    [(" \n ", "Enter a message."), ("x" * 2001, "at most 2000 characters"), ("a\x00b", "")],
)
def test_what_cannot_be_sent_stays_in_the_form(
    rosas_browser: Client, study: Study, ada: tuple[Rater, str], sent: str, problem: str
) -> None:
    address = f"/admin/studies/{study.slug}/people/message/"
    answer = rosas_browser.post(address, {"rater": str(ada[0]), "text": sent})
    assert answer.status_code == 422
    assert problem in text(answer.content.decode())
    assert re.search(r"<textarea[^>]* aria-invalid", answer.content.decode())
    assert not contact.unread(Rater.objects.get())
    assert not Event.objects.filter(verb="wrote to a rater").exists()


def test_a_paused_rater_sees_why_loses_nothing_and_goes_on_later(
    rosas_browser: Client, somebody: Client, study: Study, ada: tuple[Rater, str]
) -> None:
    rater, own = ada
    form = pages.hidden(somebody.get(f"{own}judge/"), "answer")
    assert f"{rater} is paused." in act(rosas_browser, study, "act", rater=str(rater), action="pause")
    again = act(rosas_browser, study, "act", rater=str(rater), action="pause")
    assert f"{rater} had already ended or been paused, so nothing changed." in again
    # What was on the screen when the pause began is still stored.
    answer = somebody.post(f"{own}judge/", {**form, "p1-fluency": "4"}, follow=True)
    assert Judgment.objects.count() == 1
    for shown in (answer, somebody.get(own, follow=True), somebody.get(f"{own}judge/1/")):
        said = text(shown.content.decode())
        assert "Your part is paused" in said
        assert "Your answers are saved, and you will be paid for them as promised." in said
        assert f"{own}stop/" in shown.content.decode()
    html = page(rosas_browser, f"/admin/studies/{study.slug}/raters/?show=paused")
    assert "paused 1" in text(html)
    assert rater.pseudonym in html
    study.settings["pay"]["amount"] = "0.00"
    study.save()
    said = text(somebody.get(own, follow=True).content.decode())
    assert "Your answers are saved. Please come back later" in said, "nobody is paid"
    resumed, again = (act(rosas_browser, study, "act", rater=str(rater), action="resume") for _time in range(2))
    assert f"{rater} can continue." in resumed
    assert f"{rater} is not paused; nothing has changed." in again
    assert somebody.get(own, follow=True).redirect_chain[-1][0] == f"{own}judge/"
    assert "Your part is paused" not in somebody.get(f"{own}judge/").content.decode()
    assert [event.verb for event in study.events.filter(object=str(rater)).order_by("id")] == [
        "paused a rater", "resumed a rater",
    ]  # fmt: skip
    rater.refresh_from_db()
    assert "paused" not in rater.prefs


def test_erasure_takes_messages_with_it(study: Study, ada: tuple[Rater, str]) -> None:
    rater, _own = ada
    contact.write(rater=rater, by=None, text="A word that names nobody.")
    contact.pause(rater=rater, by=None)
    erasure.erase(rater=rater)
    rater.refresh_from_db()
    assert rater.prefs == {}
    assert not Event.objects.filter(study=study, after__has_key="text").exists()


def test_erasure_takes_the_pseudonym_out_of_messages_to_others(study: Study, ada: tuple[Rater, str]) -> None:
    rater, _own = ada
    other, alike = walk.arrive(study), walk.arrive(study)
    Rater.objects.filter(pk=rater.pk).update(pseudonym='a_"1"')
    rater.refresh_from_db()
    contact.write(rater=rater, by=None, text="A word that names nobody.")
    contact.write(rater=other, by=None, text='You answer as a_"1" does. a_"1" agrees.')
    contact.write(rater=alike, by=None, text='You are not ab"1".')
    erasure.erase(rater=rater)
    other.refresh_from_db()
    alike.refresh_from_db()
    assert contact.unread(other) == ["You answer as […] does. […] agrees."]
    assert contact.unread(alike) == ['You are not ab"1".']
    written = study.events.filter(verb="wrote to a rater").order_by("id")
    assert list(written.values_list("object", "after")) == [
        ("", None),
        (str(other), {"text": "You answer as […] does. […] agrees."}),
        (str(alike), {"text": 'You are not ab"1".'}),
    ]
