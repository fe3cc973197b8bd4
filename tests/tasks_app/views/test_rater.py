"""A rater's way, through its addresses."""

import json
import uuid
from datetime import timedelta

import pytest
from django.db import IntegrityError, transaction
from django.db.models.functions import Now
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from tasks_app.models import Assignment, Consent, Draft, EnrolmentCount, Judgment, Rater, RaterSet, Rating, Study
from tasks_app.services.judging import judgments
from tasks_app.services.study import lifecycle
from tests import invariants, pages
from tests.builders import build_study
from tests.clock import set_clock
from tests.once import study_made_once
from tests.tasks_app.services.test_sets import two_tasks
from tests.wrong import altered

pytestmark = pytest.mark.django_db


study_once, study = study_made_once("study", build_study)


def test_a_whole_study_without_cookies_or_scripts(study: Study, somebody: Client) -> None:
    token = pages.join_by_pages(somebody, study)
    somebody.cookies.clear()
    assert Consent.objects.get().consent_text.body.startswith("You **agree**")
    for _unit in range(4):
        form = pages.unit(somebody, token)
        answer = somebody.post(f"/r/{token}/judge/", {**form, "p1-fluency": "4"})
        assert answer.status_code == 302
    assert not somebody.cookies, "a rater's page set a cookie"
    assert somebody.get(f"/r/{token}/judge/").headers["Location"].endswith("/end/")
    end = somebody.get(f"/r/{token}/end/").content.decode()
    rater = Rater.objects.get()
    assert rater.outcome == Rater.Outcome.COMPLETED
    assert rater.completion_code in end
    assert list(Rating.objects.values_list("value", flat=True)) == [4.0] * 4
    invariants.check(study)


def test_no_page_names_a_system_or_the_researchers_title(study: Study, somebody: Client) -> None:
    seen = somebody.get(f"/join/{study.link_code}/").content.decode()
    token = pages.join(study)
    for step in ("judge", "help", "stop", "instructions"):
        seen += somebody.get(f"/r/{token}/{step}/").content.decode()
    assert "Text 0 in version" in seen or "Text 1 in version" in seen or "Text 2" in seen or "Text 3" in seen
    for secret in ("alpha-mt", "beta-mt", "Secret title", study.slug, "/i0", "i0/"):
        assert secret not in seen, secret
    assert "Task 1 of" not in seen, "the instructions of the only task have no heading"


def test_instructions_of_several_tasks_have_headings(somebody: Client) -> None:
    both = two_tasks("Judge the style alone.", slug="two-tasks")
    html = somebody.get(f"/r/{pages.join(both)}/help/").content.decode()
    first, second = (html.index(f'<h2 lang="en">Task {number} of 2</h2>') for number in (1, 2))
    assert first < second < html.index("Judge the style alone.")


def test_the_second_task_is_announced_where_it_begins_with_its_instructions(somebody: Client) -> None:
    """It begins with a text to practise; texts of the first task, and later ones of the second, say nothing."""
    token = pages.join(two_tasks("Judge the style alone.", slug="two-tasks"))
    path, seen = f"/r/{token}/judge/", []
    while "Practice 2 of 2" not in (html := somebody.get(path).content.decode()):
        seen.append(html)
        sent = somebody.post(path, {**pages.hidden(somebody.get(path), "answer"), "p1-fluency": "3"})
        if "/feedback/" in sent["Location"]:
            somebody.post(sent["Location"], pages.hidden(somebody.get(sent["Location"])))
    *before, announced = seen
    assert len(before) >= 4
    assert not any("new-task" in other for other in (*before, html))
    assert "<title>Task 2 of 2 · Practice 1 of 2" in announced
    assert 'data-place="Task 2 of 2 · Practice 1 of 2"' in announced, "said aloud, and in the heading that is focused"
    section = announced.partition('aria-labelledby="new-task"')[2].partition("</section>")[0]
    assert '<h2 id="new-task">Task 2 of 2</h2>' in section
    assert "A new task begins here, with other questions. Your answers so far are saved." in section
    assert "Judge the style alone." in section


def test_consent_is_needed_and_twice_is_once(study: Study, somebody: Client) -> None:
    path = f"/join/{study.link_code}/"
    asked = somebody.get(path)
    assert "and I agree to take part." in asked.content.decode()
    form = pages.hidden(asked)
    assert somebody.post(path, {**form, "form_token": ""}).status_code == 403
    assert not Rater.objects.exists()
    first = somebody.post(path, form)
    second = somebody.post(path, form)
    assert first["Location"] == second["Location"]
    assert Rater.objects.count() == 1


def test_an_incomplete_answer_is_shown_again_with_what_is_missing(study: Study, somebody: Client) -> None:
    token = pages.join(study)
    form = pages.unit(somebody, token)
    answer = somebody.post(f"/r/{token}/judge/", form)
    assert answer.status_code == 422
    assert "Answer “How good is the fluency?”." in answer.content.decode()
    assert not Judgment.objects.exists()
    again = pages.hidden(answer, "answer")
    assert again["submission"] == form["submission"]
    assert somebody.post(f"/r/{token}/judge/", {**again, "p1-fluency": "2"}).status_code == 302


def test_a_double_post_stores_once_and_a_second_tab_gets_409(study: Study, somebody: Client) -> None:
    token = pages.join(study)
    first_tab = pages.unit(somebody, token)
    second_tab = pages.unit(somebody, token)
    path = f"/r/{token}/judge/"
    assert somebody.post(path, {**first_tab, "p1-fluency": "4"}).status_code == 302
    assert somebody.post(path, {**first_tab, "p1-fluency": "4"}).status_code == 302
    assert somebody.post(path, {**second_tab, "p1-fluency": "4"}).status_code == 302, "the same answer is no conflict"
    refused = somebody.post(path, {**second_tab, "p1-fluency": "1"})
    assert refused.status_code == 409
    assert Judgment.objects.count() == Rating.objects.count() == 1
    change = next(
        form
        for form in [pages.hidden(refused)]
        if form.get("replaces") == str(Judgment.objects.get().pk) and form["p1-fluency"] == "1"
    )
    assert somebody.post(path, change).status_code == 302
    assert list(Judgment.objects.order_by("id").values_list("answer", flat=True)) == [
        {"p1-fluency": 4},
        {"p1-fluency": 1},
    ]
    assert Judgment.objects.get(replaces__isnull=False).replaces == Judgment.objects.get(replaces=None)


def test_going_back_changes_an_answer_by_a_new_judgment(study: Study, somebody: Client) -> None:
    token = pages.join(study)
    somebody.post(f"/r/{token}/judge/", {**pages.unit(somebody, token), "p1-fluency": "4"})
    page = somebody.get(f"/r/{token}/judge/1/")
    assert 'value="4"' in page.content.decode()
    form = pages.hidden(page, "answer")
    assert somebody.post(f"/r/{token}/judge/1/", {**form, "p1-fluency": "5"}).status_code == 302
    assert Judgment.objects.count() == 2
    assert somebody.get(f"/r/{token}/judge/2/").status_code == 302, "a unit ahead is not open yet"


def test_skipping_gives_the_place_to_somebody_else(study: Study, somebody: Client) -> None:
    token = pages.join(study)
    page = somebody.get(f"/r/{token}/judge/")
    body = page.content.decode()
    start = body.index(f'action="/r/{token}/skip/"')
    form = pages.hidden_fields(body[body.rindex("<form", 0, start) :])
    path = f"/r/{token}/skip/"
    assert somebody.post(path, form).status_code == 422
    assert somebody.post(path, {**form, "reason": "upsetting", "comment": "sad"}).status_code == 302
    skipped = Judgment.objects.get()
    assert (skipped.skip_reason, skipped.comment, skipped.assignment.state) == ("upsetting", "sad", "skipped")
    other = pages.join(study)
    taken = Assignment.objects.filter(rater__token_hash__isnull=False, place=skipped.assignment.place_id)
    assert taken.filter(state="reserved").count() == 1, "what was left is claimed before any new booklet"
    assert other != token
    invariants.check(study)


def test_a_page_that_still_offers_to_skip_cannot_where_that_is_not_allowed(study: Study, somebody: Client) -> None:
    token = pages.join(study)
    body = somebody.get(f"/r/{token}/judge/").content.decode()
    form = pages.hidden_fields(body[body.rindex("<form", 0, body.index(f'action="/r/{token}/skip/"')) :])
    flow = {**study.settings["flow"], "allow_skip": False}
    Study.objects.filter(pk=study.pk).update(settings={**study.settings, "flow": flow})
    answer = somebody.post(f"/r/{token}/skip/", {**form, "reason": "upsetting"})
    assert answer.status_code == 403
    assert "cannot be skipped" in answer.content.decode()
    assert not Judgment.objects.exists()


def test_stopping_keeps_the_answers_and_frees_the_rest(study: Study, somebody: Client) -> None:
    token = pages.join(study)
    somebody.post(f"/r/{token}/judge/", {**pages.unit(somebody, token), "p1-fluency": "4"})
    form = pages.unit(somebody, token)
    stop = somebody.get(f"/r/{token}/stop/")
    assert "0.75 EUR" in stop.content.decode()
    assert somebody.post(f"/r/{token}/stop/", pages.hidden(stop)).status_code == 302
    rater = Rater.objects.get()
    assert rater.outcome == Rater.Outcome.WITHDRAWN
    assert rater.completion_code in somebody.get(f"/r/{token}/end/").content.decode()
    late = somebody.post(f"/r/{token}/judge/", {**form, "p1-fluency": "4"})
    assert late.status_code == 410
    assert "Your part in this study ended before it arrived." in late.content.decode()
    assert f'href="/r/{token}/end/"' in late.content.decode()
    assert draft(somebody, token, form["form_token"], 1, {"p1-fluency": "4"}) == (410, STOPPED)
    # Nothing that has ended invites to go on.
    help_page = somebody.get(f"/r/{token}/help/").content.decode()
    assert "Go to the last page" in help_page
    assert "Back to the texts" not in help_page
    assert "to go on later" not in help_page
    assert Judgment.objects.count() == 1
    invariants.check(study)


def test_a_late_answer_takes_its_place_back_or_is_surplus(somebody: Client) -> None:
    study = build_study(None, slug="another", items=2, k=1, set_size=4)
    token = pages.join(study)
    form = pages.unit(somebody, token)
    RaterSet.objects.update(lease_until="2020-01-01T00:00Z")
    other = pages.join(study)
    assert Assignment.objects.filter(state="expired").count() == 4
    assert somebody.post(f"/r/{token}/judge/", {**form, "p1-fluency": "2"}).status_code == 302
    assert list(Assignment.objects.filter(judgments__isnull=False).values_list("state", flat=True)) == ["surplus"]
    invariants.check(study)
    Client().post(f"/r/{other}/stop/", pages.hidden(somebody.get(f"/r/{other}/stop/")))
    again = pages.unit(somebody, token)
    assert somebody.post(f"/r/{token}/judge/", {**again, "p1-fluency": "2"}).status_code == 302
    assert Assignment.objects.filter(state="submitted").count() == 1
    invariants.check(study)


STOPPED = {"saved": False, "over": "stopped"}


def draft(browser: Client, token: str, form_token: str, counter: object, answer: object) -> tuple[int, dict]:
    """Send a draft."""
    sent = json.dumps({"form_token": form_token, "counter": counter, "answer": answer})
    response = browser.post(f"/r/{token}/draft/", sent, content_type="application/json")
    return response.status_code, response.json()


def test_a_draft_comes_back_and_an_older_one_never_overwrites_it(study: Study, somebody: Client) -> None:
    token = pages.join(study)
    form_token = pages.unit(somebody, token)["form_token"]
    assert draft(somebody, token, form_token, 2, {"p1-fluency": "3"}) == (200, {"saved": True, "counter": 2})
    status, answer = draft(somebody, token, form_token, 1, {"p1-fluency": "1"})
    assert (status, answer["counter"]) == (409, 2)
    assert Draft.objects.get().answer == {"p1-fluency": "3"}
    page = Client().get(f"/r/{token}/judge/").content.decode()
    assert 'value="3" checked' in page
    somebody.post(f"/r/{token}/judge/", {**pages.unit(somebody, token), "p1-fluency": "3"})
    over = draft(somebody, token, form_token, 3, {"p1-fluency": "3"})
    assert over == (410, {"saved": False, "over": "answered"})
    assert not Draft.objects.exists()


def test_a_comment_is_kept_with_the_draft(study: Study, somebody: Client) -> None:
    token = pages.join(study)
    form_token = pages.unit(somebody, token)["form_token"]
    draft(somebody, token, form_token, 1, {"p1-fluency": "3", "comment": "What is a kdawond?", "other": "dropped"})
    assert Draft.objects.get().answer == {"p1-fluency": "3", "comment": "What is a kdawond?"}
    assert "What is a kdawond?" in Client().get(f"/r/{token}/judge/").content.decode()


def test_a_bad_draft_is_refused_with_a_sentence(study: Study, somebody: Client) -> None:
    token = pages.join(study)
    form_token = pages.unit(somebody, token)["form_token"]
    bad: list[tuple[object, object]] = [
        (0, {}),
        (-1, {}),
        (True, {}),
        ("1", {}),
        (2**60, {}),
        (1, []),
        (1, {"p1-fluency": 3}),
        (1, {"p1-fluency": "\x00"}),
        (1, {"p1-fluency": "\ud800"}),
    ]
    for counter, answer in bad:
        status, said = draft(somebody, token, form_token, counter, answer)
        assert status == 400, (counter, answer)
        assert len(said["error"]) > 5, (counter, answer)
        assert not Draft.objects.exists(), (counter, answer)
    for of_others in ("", "x", "\ud800", "a:\ud800:b", "é:é:é"):
        assert draft(somebody, token, of_others, 1, {"p1-fluency": "3"})[0] == 403, of_others
    assert not Draft.objects.exists()
    assert draft(somebody, token, form_token, 1, {"p1-fluency": "3"})[0] == 200


def test_forged_posts_are_refused_and_store_nothing(study: Study, somebody: Client) -> None:
    ada, eve = pages.join(study), pages.join(study)
    other_study = build_study(None, slug="other")
    elsewhere = pages.join(other_study)
    mine = pages.unit(somebody, ada)
    before = invariants.ratings_stored()
    forgeries = [
        (403, eve, mine),  # another rater's form under one's own address
        (403, elsewhere, mine),  # another study's assignment
        (403, ada, {**mine, "form_token": "x"}),
        (403, ada, {**mine, "form_token": ""}),
        (403, ada, {**mine, "form_token": altered(mine["form_token"])}),
        (422, ada, {**mine, "submission": "1"}),
        (422, ada, {**mine, "submission": str(uuid.uuid4()) + "0"}),
        (422, ada, {**mine, "seconds_active": "NaN"}),
        (422, ada, {**mine, "seconds_active": "-5"}),
        (422, ada, {**mine, "log": "{}"}),
        (422, ada, {**mine, "log": "[NaN]"}),
        (422, ada, {**mine, "comment": "\x00"}),
        (422, ada, {**mine, "comment": "x" * 5001}),
        (404, "A" * 22, mine),
    ]
    for status, token, form in forgeries:
        answer = somebody.post(f"/r/{token}/judge/", {**form, "p1-fluency": "4"})
        assert answer.status_code == status, (token == ada, form)
    for value in ("0", "6", "1.5", "NaN", "Infinity", "1e400", "9" * 5000, "\x00", "<script>"):
        assert somebody.post(f"/r/{ada}/judge/", {**mine, "p1-fluency": value}).status_code == 422, value
    assert invariants.ratings_stored() == before == 0
    assert not Judgment.objects.exists()
    assert somebody.post(f"/r/{ada}/judge/", {**mine, "p1-fluency": "4"}).status_code == 302


def test_a_new_personal_link_ends_the_old_one(study: Study, somebody: Client) -> None:
    token = pages.join(study)
    page = somebody.get(f"/r/{token}/help/")
    answer = somebody.post(f"/r/{token}/link/", pages.hidden(page))
    new = answer["Location"].strip("/").split("/")[1]
    assert new != token
    assert somebody.get(f"/r/{token}/judge/").status_code == 404
    assert Client().get(f"/r/{new}/judge/").status_code == 200, "resumed on another device"


def test_full_paused_and_closed_say_so(somebody: Client, rosa: object) -> None:
    study = build_study(None, slug="another", items=2, k=1, set_size=4)
    token = pages.join(study)
    assert "All places are taken" in somebody.get(f"/join/{study.link_code}/").content.decode()
    lifecycle.move(study_id=study.pk, action="pause", by=None)
    assert "This study is paused" in somebody.get(f"/join/{study.link_code}/").content.decode()
    assert "Your answers are saved" in somebody.get(f"/r/{token}/judge/").content.decode()
    lifecycle.move(study_id=study.pk, action="close", by=None)
    assert "has ended" in somebody.get(f"/join/{study.link_code}/").content.decode()
    assert somebody.get(f"/r/{token}/judge/").status_code == 200, "who is at work may finish"


def test_enrolment_from_one_address_is_throttled_and_forgets_the_address(
    somebody: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_clock(monkeypatch, timezone.now())  # each day counts for itself
    study = build_study(None, slug="another", enrolments_per_address=2, k=4)
    for _rater in range(2):
        pages.join_by_pages(Client(), study)
    path = f"/join/{study.link_code}/"
    answer = somebody.post(path, pages.hidden(somebody.get(path)))
    assert answer.status_code == 429
    assert Rater.objects.count() == 2
    elsewhere = Client(REMOTE_ADDR="192.0.2.7")
    assert pages.join_by_pages(elsewhere, study)
    assert "192.0.2.7" not in str(list(EnrolmentCount.objects.values()))


def test_queries_of_judging(
    study: Study, somebody: Client, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    token = pages.join(study)
    somebody.post(f"/r/{token}/judge/", {**pages.unit(somebody, token), "p1-fluency": "4"})
    form = pages.unit(somebody, token)
    with django_assert_max_num_queries(6 + 2):  # two savepoints, which only exist inside a test's transaction
        somebody.post(f"/r/{token}/judge/", {**form, "p1-fluency": "4"})
    with django_assert_max_num_queries(4 + 2):
        somebody.get(f"/r/{token}/judge/")
    form = pages.unit(somebody, token)
    with django_assert_max_num_queries(9 + 4):
        assert somebody.post(f"/r/{token}/judge/", {**form, "p1-fluency": "4"}, headers=BY_SCRIPT).status_code == 200


# What the page's script adds to an answer.
BY_SCRIPT = {"prefer": "return=representation"}


def test_an_answer_sent_by_script_brings_the_next_page(study: Study, somebody: Client) -> None:
    token = pages.join(study)
    path, form = f"/r/{token}/judge/", pages.unit(somebody, token) | {"p1-fluency": "4"}
    answer = somebody.post(path, form, headers=BY_SCRIPT)
    assert (answer.status_code, answer["Content-Location"], answer["Preference-Applied"]) == (
        200, path, "return=representation",
    )  # fmt: skip
    page, of_scripts = pages.without_words(somebody.get(path).content.decode())
    assert of_scripts, "a page that is loaded has the sentences that its scripts say"
    loaded = pages.without_tokens(page).split()
    assert pages.without_tokens(answer.content.decode()).split() == loaded
    assert [assignment.state for assignment in Assignment.objects.order_by("order")[:3]] == [
        "submitted", "live", "reserved",
    ]  # fmt: skip
    # The first reply was lost: the same answer again brings the same page, and is stored once.
    again = somebody.post(path, form, headers=BY_SCRIPT)
    assert pages.without_tokens(again.content.decode()).split() == loaded
    assert Judgment.objects.count() == 1
    other = {**form, "submission": str(uuid.uuid4()), "p1-fluency": "1"}
    assert somebody.post(path, other, headers=BY_SCRIPT).status_code == 409
    assert somebody.post(path, {**pages.unit(somebody, token)}, headers=BY_SCRIPT).status_code == 422
    for _unit in range(3):
        form = pages.hidden(somebody.post(path, {**form, "p1-fluency": "4"}, headers=BY_SCRIPT), "answer")
    end = somebody.post(path, {**form, "p1-fluency": "4"}, headers=BY_SCRIPT)
    assert (end.status_code, end["Location"]) == (302, path), "only pages to judge on come with an answer"
    assert somebody.get(path)["Location"].endswith("/end/")
    invariants.check(study)


def test_only_an_answer_from_the_address_of_the_next_page_brings_it(study: Study, somebody: Client) -> None:
    token = pages.join(study)
    somebody.post(f"/r/{token}/judge/", {**pages.unit(somebody, token), "p1-fluency": "4"})
    change = pages.hidden(somebody.get(f"/r/{token}/judge/1/"), "answer") | {"p1-fluency": "5"}
    assert somebody.post(f"/r/{token}/judge/1/", change, headers=BY_SCRIPT).status_code == 302
    form = pages.unit(somebody, token) | {"p1-fluency": "5"}
    Rater.objects.update(prefs={"messages": ["Please read the instructions again."]})
    kept = somebody.post(f"/r/{token}/judge/", form, headers=BY_SCRIPT)
    assert kept["Location"] == f"/r/{token}/judge/"
    assert somebody.get(kept["Location"])["Location"] == f"/r/{token}/messages/"
    assert Judgment.objects.count() == 3


def test_a_clock_that_was_set_back_leaves_the_time_that_the_browser_measured(study: Study, somebody: Client) -> None:
    token = pages.join(study)
    form = pages.unit(somebody, token)
    Assignment.objects.filter(state="live").update(first_shown=Now() + timedelta(hours=2))
    sent = {**form, "p1-fluency": "4", "seconds_active": "8.5", "seconds_elapsed": "9"}
    assert somebody.post(f"/r/{token}/judge/", sent).status_code == 302
    stored = Judgment.objects.get()
    assert (stored.seconds_active, stored.seconds_elapsed) == (8.5, 9.0)


def test_times_are_stored_to_the_tenth_of_a_second(study: Study, somebody: Client) -> None:
    token = pages.join(study)
    form = pages.unit(somebody, token)
    Assignment.objects.filter(state="live").update(first_shown=Now() - timedelta(seconds=8.9))
    sent = {**form, "p1-fluency": "4", "seconds_active": "8.4", "seconds_elapsed": "8.8"}
    assert somebody.post(f"/r/{token}/judge/", sent).status_code == 302
    stored = Judgment.objects.get()
    assert (stored.seconds_active, stored.seconds_elapsed) == (8.4, 8.8)


def test_the_database_refuses_negative_times(study: Study, somebody: Client) -> None:
    token = pages.join(study)
    somebody.post(f"/r/{token}/judge/", {**pages.unit(somebody, token), "p1-fluency": "4"})
    first = Judgment.objects.get()
    stored = {"assignment": first.assignment, "replaces": first, "version": 1, "submission": uuid.uuid4()}
    for column in ("seconds_active", "seconds_elapsed"):
        with pytest.raises(IntegrityError, match="judgment_seconds"), transaction.atomic():
            Judgment.objects.create(**stored, **{column: -7198.0})
    Judgment.objects.create(**stored, seconds_active=0.0, seconds_elapsed=0.0)


def test_an_answer_is_changed_only_so_often_and_the_rater_is_told_which_counts(study: Study, somebody: Client) -> None:
    token = pages.join(study)
    form = pages.unit(somebody, token)
    somebody.post(f"/r/{token}/judge/", {**form, "p1-fluency": "4"})
    order = Assignment.objects.get(state="submitted").order
    last: dict[str, str] = {}
    for number in range(judgments.MOST_CHANGES):
        last = pages.hidden(somebody.get(f"/r/{token}/judge/{order}/"), "answer")
        changed = somebody.post(f"/r/{token}/judge/", {**last, "p1-fluency": str(1 + number % 2)})
        assert changed.status_code == 302
    stored = list(Judgment.objects.order_by("id"))
    assert len(stored) == 1 + judgments.MOST_CHANGES
    told = somebody.get(f"/r/{token}/judge/{order}/").content.decode()
    assert "You have changed it 20 times. The stored answer counts" in told
    assert 'id="answer"' not in told, "nobody types what cannot be sent"
    # From a page that was opened before the last change that was possible.
    late = {**last, "submission": str(uuid.uuid4()), "replaces": str(stored[-1].pk), "p1-fluency": "5"}
    refused = somebody.post(f"/r/{token}/judge/", late)
    page = refused.content.decode()
    assert refused.status_code == 409
    assert all(words in page for words in ("Stored answer", "New answer", "Your last change was not stored.", "Go on"))
    assert list(Judgment.objects.order_by("id")) == stored
    assert somebody.get(f"/r/{token}/judge/").status_code == 200
    again = somebody.post(f"/r/{token}/judge/", {**last, "p1-fluency": "2"})
    assert again.status_code == 302, "the last change sent again is answered as before"


def test_other_methods_are_refused(study: Study, somebody: Client) -> None:
    token = pages.join(study)
    for method in ("put", "delete", "patch", "options"):
        for step in ("", "judge/", "draft/", "skip/", "end/"):
            assert getattr(somebody, method)(f"/r/{token}/{step}").status_code == 405, (method, step)


def test_strangers_learn_nothing(study: Study, somebody: Client) -> None:
    for path in ("/join/nothing-here/", "/r/AAAAAAAAAAAAAAAAAAAAAA/", "/r/x/judge/", "/r/%00/", "/join/%ff/"):
        assert somebody.get(path).status_code == 404, path
    hidden_draft = build_study(None, slug="draft", opened=False)
    assert somebody.get(f"/join/{hidden_draft.link_code}/").status_code == 404
