"""A study that is shared for comment: what somebody with the link sees, what they may do, and when the link ends."""

import re
from datetime import timedelta
from html import unescape
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.cache import cache
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from tasks_app import studyfile
from tasks_app.links.credentials import hash_token
from tasks_app.models import Comment, CommentLink, Event, Membership, Setup, Study
from tasks_app.services.study import commenting, drafts
from tasks_app.services.study.lifecycle import move
from tasks_app.setup import changes
from tasks_app.views.public import commenting as public_pages
from tasks_app.views.public.commenting import MOST_IN_AN_HOUR
from tests import pages

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _uncounted() -> None:
    cache.clear()


@pytest.fixture
def draft(setup: Setup) -> Study:
    return setup.study


def share(browser: Client, study: Study, **chosen: str) -> str:
    """Create a link on the page and return its address."""
    answer = browser.post(reverse("researcher:share_comment", args=[study.slug]), {"days": "14", **chosen})
    assert answer.status_code == 200
    found = re.search(r"data-copy-source>http://testserver(/comment/[\w-]+/)<", answer.content.decode())
    assert found
    return found[1]


def send(browser: Client, address: str, **values: str) -> Any:
    """Send a comment as a browser does."""
    form = pages.hidden(browser.get(address), "write")
    return browser.post(address, {**form, "name": "Cleo", "step": "questions", "text": "Too long.", **values})


def read(page: Any) -> str:
    """Return the words of a page without its tags."""
    return unescape(re.sub(r"<[^>]+>", " ", page.content.decode()))


def review(browser: Client, study: Study) -> str:
    return unescape(browser.get(reverse("researcher:review", args=[study.slug])).content.decode())


def test_a_colleague_without_an_account_reads_the_draft(draft: Study, rosas_browser: Client, client: Client) -> None:
    address = share(rosas_browser, draft)
    response = client.get(address)
    page = unescape(response.content.decode())
    assert response.status_code == 200
    for criterion in draft.criteria.all():
        assert criterion.name in page
        assert not criterion.question or criterion.question in page
    assert draft.public_title in page
    consent = draft.consent_texts.get().body
    assert max(re.findall(r"[\w ,]+", consent), key=len).strip() in page
    assert re.search(r"\d+ units × 3 judgments each = \d+ judgments", page)
    assert "Analysis plan" in page
    assert "No comments yet." in page
    assert draft.title not in page, "the title is the researchers' own"
    assert draft.slug not in page


def test_the_page_is_kept_from_robots_and_frames_and_tells_nobody_its_address(
    draft: Study, rosas_browser: Client, client: Client
) -> None:
    address = share(rosas_browser, draft)
    response = client.get(address)
    assert '<meta name="robots" content="noindex, nofollow">' in response.content.decode()
    assert response["Referrer-Policy"] == "no-referrer"
    assert "frame-ancestors 'none'" in response["Content-Security-Policy"]
    assert "frame-src 'self'" in response["Content-Security-Policy"]
    assert "unsafe" not in response["Content-Security-Policy"]
    preview = client.get(f"{address}preview/")
    assert preview.status_code == 200
    assert "frame-ancestors 'self'" in preview["Content-Security-Policy"]
    assert not client.cookies


def test_systems_are_named_only_if_wanted(draft: Study, rosa: User, rosas_browser: Client, client: Client) -> None:
    setup = changes.begin(draft)
    names = [system["name"] or system["key"] for system in setup.given["systems"]]
    keys = [system["key"] for system in setup.given["systems"]]
    pair = [keys[:2]]
    changes.change(setup=setup, values={("analysis", "comparisons"): pair}, base=setup.revision, by=rosa)
    hidden = read(client.get(share(rosas_browser, draft)))
    shown = read(client.get(share(rosas_browser, draft, shows_systems="on")))
    for criterion in draft.criteria.all():
        hidden = hidden.replace(criterion.definition, "")  # which speaks of a careful writer, as raters read it
    for name in {*names, *keys}:
        assert not re.search(rf"(?<!\w){re.escape(name)}(?!\w)", hidden), hidden
    assert "names systems, which are hidden here" in hidden
    assert all(name in shown for name in names)


def test_known_answers_are_never_shown(rosa: User, rosas_browser: Client, client: Client) -> None:
    study = studyfile.load("examples/checked", owner=rosa)
    setup = changes.begin(study)
    address = share(rosas_browser, study, shows_systems="on")
    answers = [row.cells for row in setup.rows.filter(table="controls")]
    seen = read(client.get(address))
    for number in range(1, 6):
        seen += read(client.get(f"{address}preview/", {"unit": str(number)}))
    assert answers
    for cells in answers:
        assert not cells.get("explanation") or cells["explanation"] not in seen
        assert not re.search(rf"(?<!\w){re.escape(cells['unit'])}(?!\w)", seen)


def test_a_comment_is_shown_on_review_and_beside_its_step(draft: Study, rosas_browser: Client, client: Client) -> None:
    address = share(rosas_browser, draft)
    answer = send(client, address, text="The second question is too long <b>.")
    assert answer.status_code == 302
    page = client.get(answer["Location"]).content.decode()
    assert "Thank you, your comment was sent" in page
    assert "too long &lt;b&gt;." in page
    for place in (review(rosas_browser, draft), unescape(_step(rosas_browser, draft, "questions"))):
        assert "The second question is too long <b>." in place
        assert "Cleo" in place
    assert "too long" not in _step(rosas_browser, draft, "raters")
    event = Event.objects.get(study=draft, verb="commented")
    assert (event.actor, event.object) == (None, "questions")
    assert "too long" not in str(event.after)


def _step(browser: Client, study: Study, step: str) -> str:
    return browser.get(reverse("researcher:step", args=[study.slug, step])).content.decode()


def test_a_comment_is_replied_to_and_marked_as_done(draft: Study, rosas_browser: Client, client: Client) -> None:
    address = share(rosas_browser, draft)
    send(client, address)
    comment = Comment.objects.get()
    rosas_browser.post(
        reverse("researcher:comments", args=[draft.slug]),
        {"reply_to": str(comment.pk), "text": "Shorter now.", "on": "review"},
    )
    mark = reverse("researcher:mark_comment", args=[draft.slug, comment.pk])
    assert rosas_browser.post(mark, {"done": "yes", "on": "review"}).status_code == 302
    page = client.get(address).content.decode()
    assert "Shorter now." in page
    assert "rosa" not in page, "login names are not for everybody"
    assert "Too long." not in _step(rosas_browser, draft, "questions"), "what is done is not shown beside the step"
    assert "Mark as not done" in review(rosas_browser, draft)
    rosas_browser.post(mark, {"done": "no"})
    assert "Too long." in _step(rosas_browser, draft, "questions")
    # A reply is a part of its comment.
    assert rosas_browser.post(reverse("researcher:mark_comment", args=[draft.slug, comment.pk + 1])).status_code == 404


def test_colleagues_with_a_link_reply_to_each_other(draft: Study, rosas_browser: Client, client: Client) -> None:
    address, other = share(rosas_browser, draft), share(rosas_browser, draft)
    send(client, address)
    rosas_browser.post(reverse("researcher:comments", args=[draft.slug]), {"text": "For members.", "step": "checks"})
    first, of_members = Comment.objects.order_by("id")
    form = pages.hidden(client.get(other), f"reply-{first.pk}")
    answer = client.post(other, {**form, "name": "Dora", "text": "I think it is fine.", "step": "texts"})
    assert answer.status_code == 302
    reply = Comment.objects.get(reply_to=first)
    assert (reply.name, reply.step, reply.link_id != first.link_id) == ("Dora", "questions", True)
    for place in (read(client.get(address)), review(rosas_browser, draft)):
        assert "I think it is fine." in place
        assert "Dora" in place
    refused = client.post(other, {**form, "name": "", "text": "Again."})
    assert refused.status_code == 422
    threads, _write, own = refused.content.decode().partition('id="write"')
    assert '<details class="disclosure" open>' in threads
    assert "Again." in threads, "what was typed stands where it was"
    assert "Again." not in own
    foreign = {**form, "name": "Dora", "text": "x"}
    assert client.post(other, {**foreign, "reply_to": str(of_members.pk)}).status_code == 404
    assert client.post(other, {**foreign, "reply_to": str(reply.pk)}).status_code == 404, "a reply takes none"
    assert client.post(address, foreign).status_code == 422, "the form of another link"
    assert client.post(other, {**foreign, "reply_to": "x"}).status_code == 404
    assert Comment.objects.count() == 3
    answers = [client.post(other, foreign).status_code for _n in range(MOST_IN_AN_HOUR)]
    assert answers[-1] == 429, "replies are counted as comments are"


def test_what_members_write_is_not_shown_to_colleagues_with_a_link(
    draft: Study, rosas_browser: Client, client: Client
) -> None:
    """Members may speak of known answers and of systems; a reply to a colleague is meant for the colleague."""
    address = share(rosas_browser, draft)
    path = reverse("researcher:comments", args=[draft.slug])
    rosas_browser.post(path, {"text": "The known answer of café 5 is 3.", "step": "checks"})
    send(client, address)
    shown = client.get(address).content.decode()
    assert "Too long." in shown
    assert "known answer of café 5" not in shown
    assert "known answer of café 5" in review(rosas_browser, draft)


def test_members_comment_as_themselves_on_the_same_list(draft: Study, rosas_browser: Client, client: Client) -> None:
    viewer = User.objects.create_user("vera", is_staff=True)
    drafts.set_member(study=draft, user=viewer, role=Membership.Role.VIEWER, by=None)
    client.force_login(viewer)
    path = reverse("researcher:comments", args=[draft.slug])
    assert client.post(path, {"text": "Which systems?", "step": "texts", "name": "rosa"}).status_code == 302
    page = client.get(path).content.decode()
    assert "vera" in page
    assert "Mark as done" not in page, "that is for those who set it up"
    assert "Create a link" not in page
    assert "Which systems?" in review(rosas_browser, draft)
    assert Comment.objects.get().user == viewer
    assert client.post(path, {"text": " "}).status_code == 422
    assert client.post(path, {"text": "x", "reply_to": "99999"}).status_code == 404


def test_only_the_hash_of_the_token_is_stored(draft: Study, rosas_browser: Client) -> None:
    token = share(rosas_browser, draft).strip("/").split("/")[1]
    assert len(token) >= 22, "128 bits"
    assert CommentLink.objects.get().token_hash == hash_token(token)
    assert token not in review(rosas_browser, draft)
    assert token not in str(list(Event.objects.values_list("object", "after")))


def test_a_link_ends_and_is_renewed(draft: Study, rosas_browser: Client, client: Client) -> None:
    address = share(rosas_browser, draft, days="7")
    link = CommentLink.objects.get()
    assert timedelta(days=6) < link.expires - timezone.now() < timedelta(days=8)
    change = reverse("researcher:comment_link", args=[draft.slug, link.pk])
    parts = (address, f"{address}preview/", f"{address}media/x")
    assert [client.get(part).status_code for part in parts] == [200, 200, 404]
    assert rosas_browser.post(change, {"action": "end"})["Location"].endswith("/review/#share")
    assert [client.get(part).status_code for part in parts] == [404, 404, 404]
    rosas_browser.post(change, {"action": "renew"})
    assert client.get(address).status_code == 200
    CommentLink.objects.update(expires=timezone.now())
    assert client.get(address).status_code == 404
    assert "expired" in review(rosas_browser, draft)
    assert rosas_browser.post(change, {"action": "no"}).status_code == 404


def test_opening_the_study_ends_the_link_unless_it_is_renewed(
    draft: Study, rosa: User, rosas_browser: Client, client: Client
) -> None:
    address = share(rosas_browser, draft)
    form = pages.hidden(client.get(address), "write")
    move(study_id=draft.pk, action="open", by=rosa)
    assert client.get(address).status_code == 404
    assert client.post(address, {**form, "name": "Cleo", "text": "Late."}).status_code == 404
    assert "ended when the study was opened" in review(rosas_browser, draft)
    rosas_browser.post(
        reverse("researcher:comment_link", args=[draft.slug, CommentLink.objects.get().pk]), {"action": "renew"}
    )
    page = client.get(address)
    assert page.status_code == 200
    assert "This is the study as it was opened." in page.content.decode()


@pytest.mark.parametrize(
    "values",
    [{"name": ""}, {"text": ""}, {"text": "x" * 4_001}, {"name": "x" * 101}, {"step": "none"}, {"text": "a\0b"}],
    ids=["no name", "no text", "long text", "long name", "no such step", "nul"],
)
def test_what_does_not_fit_is_refused_with_a_reason(
    draft: Study, rosas_browser: Client, client: Client, values: dict[str, str]
) -> None:
    answer = send(client, share(rosas_browser, draft), **values)
    assert answer.status_code == 422
    assert b"field-error" in answer.content
    assert not Comment.objects.exists()


def test_a_form_of_another_link_is_refused(draft: Study, rosas_browser: Client, client: Client) -> None:
    first, second = share(rosas_browser, draft), share(rosas_browser, draft)
    form = pages.hidden(client.get(first), "write")
    assert client.post(second, {**form, "name": "Cleo", "text": "x"}).status_code == 422
    assert client.post(second, {"name": "Cleo", "text": "x"}).status_code == 422
    assert not Comment.objects.exists()


def test_comments_are_throttled_and_limited_in_number(
    draft: Study, rosas_browser: Client, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    address, most = share(rosas_browser, draft), 4
    monkeypatch.setattr(public_pages, "MOST_IN_AN_HOUR", most)
    answers = [send(client, address).status_code for _time in range(most + 1)]
    assert answers == [302] * most + [429]
    cache.clear()
    monkeypatch.setattr(commenting, "MOST_COMMENTS", most)
    refused = send(client, address)
    assert refused.status_code == 429
    assert b"This study takes no more comments" in refused.content
    by_member = rosas_browser.post(reverse("researcher:comments", args=[draft.slug]), {"text": "x"})
    assert by_member.status_code == 422
    assert Comment.objects.count() == most


def test_comments_are_erased_with_the_study_and_no_part_of_its_file(
    draft: Study, rosas_browser: Client, client: Client
) -> None:
    send(client, share(rosas_browser, draft), text="Not in the file.")
    answer = rosas_browser.get(reverse("researcher:setup_zip", args=[draft.slug]))
    assert b"Not in the file." not in b"".join(answer.streaming_content)
    copied = rosas_browser.post("/admin/studies/new/", {"study": draft.slug, "title": "Copy", "public_title": "Copy"})
    assert copied.status_code == 302
    assert Comment.objects.count() == CommentLink.objects.count() == 1, "a copy has none of them"
    CommentLink.objects.update(study=(bare := Study.objects.create(slug="bare", title="Bare", public_title="Bare")))
    Comment.objects.update(study=bare)
    bare.delete()
    assert not Comment.objects.exists()
    assert not CommentLink.objects.exists()


def test_a_draft_with_gaps_is_shared_as_it_is(draft: Study, rosa: User, rosas_browser: Client, client: Client) -> None:
    setup = changes.begin(draft)
    odd = {"criteria": [None, {"name": 3}], "consent": 4, "analysis": "all", "tasks": [], "systems": [7]}
    changes.replace_given(setup=setup, given={**setup.given, **odd}, base=setup.revision, by=rosa)
    address = share(rosas_browser, draft)
    assert client.get(address).status_code == 200
    assert client.get(f"{address}preview/").status_code == 200


def test_only_those_who_set_it_up_share_it(draft: Study, client: Client) -> None:
    viewer = User.objects.create_user("vera", is_staff=True)
    drafts.set_member(study=draft, user=viewer, role=Membership.Role.VIEWER, by=None)
    client.force_login(viewer)
    assert client.post(reverse("researcher:share_comment", args=[draft.slug]), {"days": "14"}).status_code == 404
    assert not CommentLink.objects.exists()


@pytest.mark.parametrize("days", ["0", "1000", "", "x"])
def test_a_link_works_for_the_days_that_are_offered(draft: Study, rosas_browser: Client, days: str) -> None:
    answer = rosas_browser.post(reverse("researcher:share_comment", args=[draft.slug]), {"days": days})
    assert answer.status_code == 302
    assert not CommentLink.objects.exists()
