"""Texts with a set time, through a rater's addresses: the button, the clock, what its end does, and more time."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.db.models import F
from django.test import Client

from tasks_app.models import Assignment, Judgment, Rater, Rating, Study
from tasks_app.task_types import kind_of
from tasks_app.task_types.base import Criterion
from tests import invariants, pages
from tests.builders import build_study
from tests.once import study_made_once
from tests.wrong import altered

pytestmark = pytest.mark.django_db

READING = {"set_seconds": 20}
ANSWERING = {"set_seconds": 20, "set_time_for": "answering"}
QUESTIONS = ("fluency", "adequacy")


def study_with(owner: User, params: dict[str, object]) -> Study:
    return build_study(owner, slug=f"timed-{params.get('set_time_for', 'reading')}", params=params, criteria=QUESTIONS)


reading_once, reading = study_made_once("reading", lambda owner: study_with(owner, READING))
answering_once, answering = study_made_once("answering", lambda owner: study_with(owner, ANSWERING))


def page_of(browser: Client, token: str) -> str:
    """Return the page at which the rater is."""
    response = browser.get(f"/r/{token}/judge/")
    assert response.status_code == 200
    return response.content.decode()


def show(browser: Client, token: str, time: str = "usual") -> dict[str, str]:
    """Press the button that shows the text, and return the hidden fields of the page with it."""
    form = pages.hidden(browser.get(f"/r/{token}/judge/"))
    pressed = browser.post(f"/r/{token}/show/", {**form, "time": time})
    assert (pressed.status_code, pressed["Location"]) == (302, f"/r/{token}/judge/")
    return pages.unit(browser, token)


def pass_seconds(seconds: float) -> None:
    """Let so many seconds pass for every clock that has started."""
    Assignment.objects.update(clock_started_at=F("clock_started_at") - timedelta(seconds=seconds))


def answers(value: int, *names: str) -> dict[str, str]:
    return {f"p1-{name}": str(value) for name in names or QUESTIONS}


def test_the_text_comes_with_the_button_and_not_with_the_answer_before(reading: Study, somebody: Client) -> None:
    token = pages.join(reading)
    for _page in range(2):
        before = page_of(somebody, token)
        assert "The text is shown for 20 seconds" in before
        assert "in version" not in before
        assert 'name="p1-fluency"' not in before
        assert Assignment.objects.exclude(clock_started_at=None).count() == 0
    form = show(somebody, token)
    running = page_of(somebody, token)
    assert "in version" in running
    assert 'data-part="reading"' in running
    # The page that comes with the answer, in place of the one before, is the button of the next text.
    sent = somebody.post(f"/r/{token}/judge/", {**form, **answers(4)}, headers={"Prefer": "return=representation"})
    assert sent.headers["Preference-Applied"] == "return=representation"
    assert "in version" not in sent.content.decode()
    assert Assignment.objects.exclude(clock_started_at=None).count() == 1


def test_the_text_is_covered_and_the_questions_stay(reading: Study, somebody: Client) -> None:
    """Reloading gives no time back, a refused answer shows no text again, and the answer is stored in full."""
    token = pages.join(reading)
    show(somebody, token)
    pass_seconds(12)
    left = float(page_of(somebody, token).partition('data-left="')[2].partition('"')[0])
    assert 6 < left <= 8
    pass_seconds(20)
    covered = page_of(somebody, token)
    assert "in version" not in covered
    assert "Source " not in covered
    assert "The time for this text is over." in covered
    form = pages.hidden(somebody.get(f"/r/{token}/judge/"), "answer")
    refused = somebody.post(f"/r/{token}/judge/", {**form, **answers(4, "fluency")})
    assert refused.status_code == 422
    assert "in version" not in refused.content.decode()
    assert somebody.post(f"/r/{token}/judge/", {**form, **answers(4), "seconds_shown": "31"}).status_code == 302
    judgment = Judgment.objects.get()
    arrived = judgment.timing.pop("arrived")
    assert 32 <= arrived < 60
    assert judgment.timing == {
        "for": "reading", "set": 20.0, "choice": "usual", "allowed": 20.0, "shown": 20.0, "lapsed": False,
    }  # fmt: skip
    assert Rating.objects.count() == 2


def test_a_lapse_with_every_answer_is_an_answer(answering: Study, somebody: Client) -> None:
    token = pages.join(answering)
    form = show(somebody, token)
    pass_seconds(20)
    sent = somebody.post(f"/r/{token}/judge/", {**form, **answers(3), "time_over": "true", "seconds_shown": "20"})
    assert sent.status_code == 302
    judgment = Judgment.objects.get()
    assert judgment.skip_reason == ""
    assert judgment.timing["lapsed"] is True
    assert Rating.objects.count() == 2
    after = page_of(somebody, token)
    assert "The time for the last text was over" in after
    assert "This does not count against you." in after


def test_a_lapse_with_answers_missing_keeps_them_and_gives_the_text_to_another_rater(
    answering: Study, somebody: Client
) -> None:
    token = pages.join(answering)
    form = show(somebody, token)
    pass_seconds(20)
    sent = {**form, **answers(3, "fluency"), "comment": "Too fast for me.", "time_over": "true", "seconds_shown": "20"}
    for _time in range(2):
        assert somebody.post(f"/r/{token}/judge/", sent).status_code == 302
    judgment = Judgment.objects.get()
    assert (judgment.skip_reason, judgment.comment) == ("time_over", "Too fast for me.")
    assert judgment.timing["lapsed"] is True
    assert judgment.timing["unfinished"] == {"p1-fluency": 3}
    assert judgment.assignment.state == Assignment.State.SKIPPED
    assert not Rating.objects.exists()
    invariants.check(answering)


def test_a_page_cannot_be_sent_unfinished_before_the_time_is_over(answering: Study, somebody: Client) -> None:
    token = pages.join(answering)
    form = show(somebody, token)
    sent = {**form, **answers(3, "fluency"), "time_over": "true"}
    assert somebody.post(f"/r/{token}/judge/", sent).status_code == 422
    pass_seconds(10)
    assert somebody.post(f"/r/{token}/judge/", sent).status_code == 422
    assert not Judgment.objects.exists()
    # Nor by a rater who has chosen more time, at the end of the usual one.
    pass_seconds(100)
    Assignment.objects.update(clock_seconds=200.0)
    assert somebody.post(f"/r/{token}/judge/", sent).status_code == 422


def test_a_rater_who_comes_back_after_the_time_sends_what_is_there(answering: Study, somebody: Client) -> None:
    """The text does not come back, the draft is still there, and nobody can change it any more."""
    token = pages.join(answering)
    form = show(somebody, token)
    draft = {"form_token": form["form_token"], "counter": 1, "answer": answers(5, "fluency")}
    assert somebody.post(f"/r/{token}/draft/", draft, content_type="application/json").json()["saved"]
    pass_seconds(3_000)
    page = page_of(somebody, token)
    assert "in version" not in page
    assert "<div inert>" in page
    assert "Send the page as it is" in page
    assert 'value="5" checked' in page.replace(" required", "").replace('id="id_p1-fluency_4" ', "")
    form = pages.hidden(somebody.get(f"/r/{token}/judge/"), "answer")
    assert somebody.post(f"/r/{token}/judge/", {**form, **answers(5, "fluency")}).status_code == 302
    assert Judgment.objects.get().timing["unfinished"] == {"p1-fluency": 5}


@pytest.mark.parametrize(
    ("passed", "shown", "lapsed"),
    [
        (24, "", False),  # on its way
        (40, "", True),  # without scripts, and late
        (40, "14.2", False),  # sent in time, and held up by the connection
        (40, "27", True),
    ],
)
def test_a_late_answer_is_stored_as_it_came(
    answering: Study, somebody: Client, passed: int, shown: str, lapsed: bool
) -> None:
    token = pages.join(answering)
    form = show(somebody, token)
    pass_seconds(passed)
    assert somebody.post(f"/r/{token}/judge/", {**form, **answers(2), "seconds_shown": shown}).status_code == 302
    judgment = Judgment.objects.get()
    assert judgment.timing["lapsed"] is lapsed
    assert judgment.timing["shown"] == (14.2 if shown == "14.2" else 20.0)
    assert Rating.objects.count() == 2


@pytest.mark.parametrize(("choice", "allowed"), [("double", 40.0), ("none", None)])
def test_everybody_can_have_more_time_and_keeps_it_for_the_next_texts(
    answering: Study, somebody: Client, choice: str, allowed: float | None
) -> None:
    token = pages.agree(answering)
    told = (instructions := somebody.get(f"/r/{token}/instructions/")).content.decode()
    assert "You have 20 seconds for each text and its questions." in told
    assert "Before each text you can choose twice the time or no limit, without giving a reason." in told
    assert somebody.post(f"/r/{token}/instructions/", pages.hidden(instructions)).status_code == 302
    form = show(somebody, token, choice)
    pass_seconds(30)
    page = page_of(somebody, token)
    assert "in version" in page
    assert ("data-left" in page) is (allowed is not None)
    assert somebody.post(f"/r/{token}/judge/", {**form, **answers(4)}).status_code == 302
    timing = Judgment.objects.get().timing
    assert (timing["choice"], timing["allowed"], timing["lapsed"]) == (choice, allowed, False)
    following = page_of(somebody, token)
    assert f'value="{choice}"' in following.partition("checked")[0].rpartition("<input")[2]
    # A clock that runs is not changed by pressing again with another choice.
    show(somebody, token, "usual")
    first = Assignment.objects.exclude(clock_started_at=None).order_by("-order").values_list("clock_seconds", flat=True)
    assert first[0] == 20.0


def test_the_button_works_once_and_for_its_own_rater(reading: Study, somebody: Client) -> None:
    token, other = pages.join(reading), pages.join(reading)
    form = pages.hidden(somebody.get(f"/r/{token}/judge/"))
    of_other = pages.hidden(somebody.get(f"/r/{other}/judge/"))["form_token"]
    for wrong in ("", altered(form["form_token"]), of_other):
        posted = {"form_token": wrong, "time": "none"} if wrong else {"time": "none"}
        assert somebody.post(f"/r/{token}/show/", posted).status_code == 403
    assert somebody.post(f"/r/{token}/show/", {**form, "time": "for ever"}).status_code == 403
    assert somebody.get(f"/r/{token}/show/").status_code == 405
    assert not Assignment.objects.exclude(clock_started_at=None).exists()
    for time in ("double", "none"):
        assert somebody.post(f"/r/{token}/show/", {**form, "time": time}).status_code == 302
    assert Assignment.objects.exclude(clock_started_at=None).get().clock_seconds == 40.0
    # The token of the button is none of an answer.
    answer = {**pages.unit(somebody, token), **answers(4), "form_token": form["form_token"]}
    assert somebody.post(f"/r/{token}/judge/", answer).status_code == 403


def test_a_timed_answer_is_not_changed_afterwards(somebody: Client) -> None:
    """Whoever went back would read the text again, without a clock."""
    token = pages.join(build_study(None, params=READING, criteria=QUESTIONS, allow_back=True))
    form = show(somebody, token)
    assert somebody.post(f"/r/{token}/judge/", {**form, **answers(4)}).status_code == 302
    order = Judgment.objects.get().assignment.order
    again = somebody.get(f"/r/{token}/judge/{order}/")
    assert again.status_code == 302
    assert "/judge/" not in again["Location"]
    assert f"/judge/{order}/" not in page_of(somebody, token)


def test_lapses_are_paid_and_count_in_no_limit(somebody: Client) -> None:
    """A rater who lets the time of every text pass has finished, with the whole reward."""
    checks = {"skip_share": 0.1, "stop_after": 1, "stop_when": "now"}
    study = build_study(None, params=ANSWERING, criteria=QUESTIONS, checks=checks, items=2, set_size=4)
    token = pages.join(study)
    for _text in range(4):
        form = show(somebody, token)
        pass_seconds(20)
        assert somebody.post(f"/r/{token}/judge/", {**form, "time_over": "true"}).status_code == 302
    assert somebody.get(f"/r/{token}/judge/")["Location"].endswith("/end/")
    rater = Rater.objects.get()
    assert rater.outcome == Rater.Outcome.COMPLETED
    assert "3.00" in somebody.get(f"/r/{token}/end/").content.decode()
    assert Judgment.objects.filter(skip_reason="time_over").count() == 4
    mine = somebody.get(f"/r/{token}/stored/mine.json").json()
    assert [answer["set_time"]["lapsed"] for answer in mine["answers"]] == [True] * 4


def test_practice_has_no_clock(somebody: Client) -> None:
    study = build_study(None, params=READING, known={"training": 1}, checks={"training": 1})
    assert "Practice 1 of 1" in (page := page_of(somebody, pages.join(study)))
    assert "Text 0 of training" in page


def test_a_browser_without_scripts_shows_the_text_alone_and_asks_again(reading: Study, somebody: Client) -> None:
    token = pages.join(reading)
    show(somebody, token)
    pass_seconds(5)
    page = page_of(somebody, token)
    head = page.partition("</head>")[0]
    assert '<noscript><meta http-equiv="refresh" content="15">' in head
    assert "set_time_no_script.css" in head
    pass_seconds(15)
    assert "http-equiv" not in page_of(somebody, token)


@pytest.mark.parametrize(
    ("params", "parameter"),
    [
        ({"set_seconds": 20, "texts_per_page": 3}, "set_seconds"),
        ({"set_seconds": 20, "page": "document"}, "set_seconds"),
        ({"set_time_for": "answering"}, "set_time_for"),
    ],
)
def test_a_set_time_that_makes_no_sense_is_refused(params: dict[str, object], parameter: str) -> None:
    """A page with several texts has no clock for each of them."""
    kind, asked = kind_of("likert", params), Criterion("fluency", "Fluency", question="How fluent?")
    assert [getattr(problem, "parameter", "") for problem in kind.problems([asked])] == [parameter]


@pytest.mark.parametrize("seconds", [0, -1, 3601, 1.5, "soon"])
def test_a_time_is_a_whole_number_of_seconds_up_to_an_hour(seconds: object) -> None:
    with pytest.raises(ValueError, match="set_seconds"):
        kind_of("likert", {"set_seconds": seconds})


def test_the_preview_shows_the_page_before_the_text(rosa: User, rosas_browser: Client) -> None:
    study = build_study(rosa, params=READING, opened=False)
    page = rosas_browser.get(f"/admin/studies/{study.slug}/set-up/preview/").content.decode()
    assert "The text is shown for 20 seconds" in page
    assert "Twice the time: 40 seconds" in page
    assert "in version" in page
