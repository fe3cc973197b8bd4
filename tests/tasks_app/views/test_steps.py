"""Between consent and end: screening, instructions, practice, test, checks among the texts, and no way around them."""

import re
import uuid
from difflib import unified_diff
from pathlib import Path

import pytest
from django.http import HttpResponse
from django.test import Client
from django.utils import translation
from django.utils.html import escape

from scripts import messages
from tasks_app import studyfile
from tasks_app.models import Assignment, ControlResult, Gold, Item, Judgment, Output, Rater, Study
from tasks_app.services.judging.between_units import ExamResult
from tasks_app.services.study import degrading
from tasks_app.views.rater import stages, steps
from tests import invariants, pages
from tests.builders import build_study
from tests.house.examples import EXAMPLES, load, opened
from tests.once import study_made_once

pytestmark = pytest.mark.django_db

RIGHT, WRONG = {"p1-fluency": "4"}, {"p1-fluency": "1"}


def send(browser: Client, token: str, answer: dict[str, str]) -> str:
    """Answer the next unit; returns where the rater is sent."""
    response = browser.post(f"/r/{token}/judge/", {**pages.unit(browser, token), **answer})
    assert response.status_code == 302, response.content.decode()
    return str(response["Location"])


def go_on(browser: Client, address: str) -> str:
    """Press the button of a page between two units; returns where that leads."""
    response = browser.post(address, pages.hidden(browser.get(address)))
    assert response.status_code == 302
    return str(response["Location"])


def text_of(response: HttpResponse) -> str:
    assert response.status_code == 200, response.headers
    return response.content.decode()


def trained(**rest: object) -> Study:
    """A study with two texts to practise on and a test of two, half of which has to be right."""
    known = {"training": 2, "exam": 4}
    return build_study(None, known=known, checks={"exam": 2, "exam_pass": 1.0, "exam_attempts": 2}, **rest)


practised_once, practised = study_made_once("practised", lambda _rosa: trained(slug="practised"))


def explained() -> Study:
    """The same, with a reason for every answer."""
    study = trained(opened=False)
    own = Gold.objects.filter(unit__task__study=study)
    own.filter(purpose="training").update(explanation="Four is what a careful reader says.")
    own.exclude(purpose="training").update(explanation="A secret of another unit.")
    return opened(study)


def test_feedback_says_what_was_right_and_why(somebody: Client) -> None:
    study = explained()
    token = pages.join(study)
    asked = text_of(somebody.get(f"/r/{token}/judge/"))
    assert "Practice 1 of 2" in asked
    assert not re.search("xpected|right answer|careful reader", asked), "nothing is known before the answer"
    address = send(somebody, token, WRONG)
    assert address == f"/r/{token}/feedback/1/"
    page = text_of(somebody.get(address))
    for words in (
        "Not quite, and why", "Fluency: not quite.", "The right answer is: 4.", "Four is what a careful reader says.",
        "Text 0 of training", "How good is the fluency?", "Practice 1 of 2", "Your answers and the expected ones",
        '<li class="compared-option compared-extra"><span dir="auto" lang="en">1',
        '<li class="compared-option compared-expected"><span dir="auto" lang="en">4',
    ):  # fmt: skip
        assert words in page, words
    assert "secret" not in page
    assert "Text 1 of training" not in page
    assert go_on(somebody, address) == f"/r/{token}/judge/"
    address = send(somebody, token, RIGHT)
    page = text_of(somebody.get(address))
    assert "That is right" in page
    assert "The right answer is" not in page
    assert "Practice 2 of 2" in page, "the one just answered"


def test_feedback_on_predictions_has_the_names_of_the_screen_and_nothing_that_was_not_asked(
    somebody: Client,
) -> None:
    study = opened(studyfile.load(EXAMPLES / "published" / "word_sense_predictions", owner=None))
    token = pages.join(study)
    asked = text_of(somebody.get(f"/r/{token}/judge/"))
    assert "Prediction A" in asked
    page = text_of(somebody.get(send(somebody, token, {"answer": "both"})))
    assert "Prediction A" in page
    assert "Text A" not in page
    assert "Which of these is right?" not in page, "it is asked after “Neither is right” alone"


def test_feedback_waits_until_the_rater_goes_on(practised: Study, somebody: Client) -> None:
    study = practised
    token = pages.join(study)
    address = send(somebody, token, RIGHT)
    for way_in in ("", "judge/", "judge/2/"):
        arrived = somebody.get(f"/r/{token}/{way_in}", follow=True)
        assert arrived.request["PATH_INFO"] == address, "a lost page comes again, on whatever device"
    go_on(somebody, address)
    assert "Practice 2 of 2" in text_of(somebody.get(f"/r/{token}/", follow=True))
    assert "That is right" in text_of(somebody.get(address)), "it can be read again"


def test_the_same_answer_again_leads_to_the_same_step(practised: Study, somebody: Client) -> None:
    study = practised
    token = pages.join(study)
    form = {**pages.unit(somebody, token), **RIGHT}
    path = f"/r/{token}/judge/"
    assert somebody.post(path, form)["Location"] == f"/r/{token}/feedback/1/"
    go_on(somebody, f"/r/{token}/feedback/1/")
    again = somebody.post(path, form, headers={"prefer": "return=representation"})
    assert again["Location"] == f"/r/{token}/feedback/1/"
    assert Judgment.objects.count() == ControlResult.objects.count() == 1
    other = {**form, "submission": str(uuid.uuid4()), **WRONG}
    refused = somebody.post(path, other)
    assert refused.status_code == 409
    assert "you cannot change an answer after sending it" in refused.content.decode()


def test_skipping_a_text_to_practise_on_still_explains_it(somebody: Client) -> None:
    study = explained()
    token = pages.join(study)
    assert skip(somebody, token) == f"/r/{token}/feedback/1/"
    page = text_of(somebody.get(f"/r/{token}/feedback/1/"))
    assert "You skipped this text." in page
    assert "Four is what a careful reader says." in page
    assert ">Your answer<" not in page


def skip(browser: Client, token: str, reason: str = "cannot_judge") -> str:
    body = browser.get(f"/r/{token}/judge/").content.decode()
    start = body.index(f'action="/r/{token}/skip/"')
    form = pages.hidden_fields(body[body.rindex("<form", 0, start) :])
    response = browser.post(f"/r/{token}/skip/", {**form, "reason": reason})
    assert response.status_code == 302
    return str(response["Location"])


def train(browser: Client, token: str, units: int = 2) -> None:
    for _unit in range(units):
        go_on(browser, send(browser, token, RIGHT))


@pytest.mark.parametrize(
    ("exam", "share", "announced", "at_the_end"),
    [
        (
            1,
            1.0,
            "A test of one text follows, which has to be right. You have 1 attempt.",
            "To pass, 1 has to be right.",
        ),
        (4, 0.25, "A test of 4 texts follows, of which 1 has to be right. You have 2 attempts.", "1 has to be right."),
        (4, 0.5, "A test of 4 texts follows, of which 2 have to be right. You have 2 attempts.", "2 have to be right."),
    ],
)
def test_a_test_is_announced_in_the_right_number(exam: int, share: float, announced: str, at_the_end: str) -> None:
    attempts = 1 if exam == 1 else 2
    assert stages.before_the_texts(0, exam, share, attempts) == [announced]
    result = ExamResult(attempt=1, attempts=attempts, right=0, graded=exam, asked=exam, needed=share)
    assert steps.how_it_went(result).endswith(at_the_end)
    for language in messages.LANGUAGES:
        with translation.override(language):
            sentences = [*stages.before_the_texts(0, exam, share, attempts), steps.how_it_went(result)]
        assert [said for said in sentences if re.search("has to be|have to be|attempt", said)] == [], language


def test_a_test_is_failed_once_and_passed_then(practised: Study, somebody: Client) -> None:
    study = practised
    token = pages.join(study)
    train(somebody, token)
    page = text_of(somebody.get(f"/r/{token}/judge/"))
    assert "Test 1 of 2" in page
    assert "2 of 2 have to be right" in page
    assert send(somebody, token, RIGHT) == f"/r/{token}/judge/", "no feedback in a test"
    address = send(somebody, token, WRONG)
    assert address == f"/r/{token}/exam/1/"
    page = text_of(somebody.get(address))
    for words in (
        "Not passed this time",
        "1 of 2 texts was right.",
        "To pass, 2 have to be right.",
        "You can try 1 more",
    ):
        assert words in page, words
    assert "of exam" not in page, "which text was wrong is not said"
    assert somebody.get(f"/r/{token}/judge/")["Location"] == address
    go_on(somebody, address)
    assert "Test 1 of 2" in text_of(somebody.get(f"/r/{token}/judge/"))
    send(somebody, token, RIGHT)
    send(somebody, token, RIGHT)
    page = text_of(somebody.get(address))
    assert "You have passed the test" in page
    go_on(somebody, address)
    assert "Text 1 of 4" in text_of(somebody.get(f"/r/{token}/judge/"))
    asked = Assignment.objects.filter(purpose="exam").values_list("unit_id", flat=True)
    assert len(asked) == len(set(asked)) == 4, "the second attempt asks other texts"


def test_who_fails_twice_ends_and_their_places_go_to_others(practised: Study, somebody: Client) -> None:
    study = practised
    token = pages.join(study)
    train(somebody, token)
    for attempt in (1, 2):
        send(somebody, token, WRONG)
        address = send(somebody, token, WRONG)
        if attempt == 1:
            go_on(somebody, address)
    assert somebody.get(f"/r/{token}/exam/1/")["Location"] == f"/r/{token}/end/"
    assert somebody.get(f"/r/{token}/feedback/1/")["Location"] == f"/r/{token}/end/"
    assert Rater.objects.get().outcome == Rater.Outcome.FAILED
    assert set(Assignment.objects.filter(purpose="main").values_list("state", flat=True)) == {"returned"}
    end = text_of(somebody.get(f"/r/{token}/end/"))
    assert "0 of 2 texts were right." in end
    assert "See which texts were right" not in end, "the study does not say so"
    invariants.check(study)


def test_nobody_gets_ahead_by_an_address(practised: Study, somebody: Client) -> None:
    study = practised
    path = f"/join/{study.link_code}/"
    answer = somebody.post(path, pages.hidden(somebody.get(path)))
    token = answer["Location"].strip("/").split("/")[1]
    assert somebody.get(f"/r/{token}/judge/")["Location"] == f"/r/{token}/instructions/"
    begin = f"/r/{token}/instructions/"
    assert not Assignment.objects.filter(first_shown__isnull=False).exists(), "nothing was shown yet"
    somebody.post(begin, pages.hidden(somebody.get(begin)))
    first = text_of(somebody.get(f"/r/{token}/judge/"))
    ahead = [f"judge/{order}/" for order in Assignment.objects.values_list("order", flat=True) if order > 1]
    for place in (*ahead, "feedback/1/", "feedback/2/", "exam/1/", "exam/0/", "exam/99/", "notice/", "end/"):
        arrived = somebody.get(f"/r/{token}/{place}", follow=True)
        assert arrived.request["PATH_INFO"] == f"/r/{token}/judge/", place
        assert "Practice 1 of 2" in arrived.content.decode()
    assert somebody.get(f"/r/{token}/feedback/999/").status_code == 404
    other = pages.join(study)
    send(somebody, token, RIGHT)
    assert somebody.get(f"/r/{other}/feedback/1/")["Location"] == f"/r/{other}/", "somebody else's answer"
    assert "Text 0 of training" in first


def test_a_forged_button_goes_nowhere(practised: Study, somebody: Client) -> None:
    study = practised
    token, other = pages.join(study), pages.join(study)
    address = send(somebody, token, RIGHT)
    stranger = pages.hidden(Client().get(send(Client(), other, RIGHT)))
    for form in ({}, {"form_token": "x"}, stranger):
        assert somebody.post(address, form).status_code == 403
    assert somebody.get(f"/r/{token}/judge/")["Location"] == address


def test_answers_before_the_judging_are_final(practised: Study, somebody: Client) -> None:
    study = practised
    token = pages.join(study)
    train(somebody, token)
    for _unit in range(2):
        send(somebody, token, RIGHT)
    go_on(somebody, f"/r/{token}/exam/1/")
    page = text_of(somebody.get(f"/r/{token}/judge/"))
    assert 'class="button button-plain" href' not in page, "the first text to judge leads back to nothing"
    send(somebody, token, RIGHT)
    first = Assignment.objects.filter(purpose="main").earliest("order").order
    assert f'href="/r/{token}/judge/{first}/"' in text_of(somebody.get(f"/r/{token}/judge/"))
    for order in Assignment.objects.exclude(purpose="main").values_list("order", flat=True):
        assert somebody.get(f"/r/{token}/judge/{order}/").status_code == 302


def watched(items: int = 6, **checks: object) -> Study:
    """A study with every kind of check among the texts to judge."""
    wanted = {"controls": 2, "attention": 1, "repeats": 1, "warm_up": 1, "fail_after": 1, **checks}
    study = build_study(None, items=items, known={"control": 2, "attention": 1}, checks=wanted, opened=False)
    degrading.make_copies(study=study)
    return opened(study)


def test_what_is_judged_looks_alike_whatever_it_is_for(somebody: Client) -> None:
    study = watched(items=12, warm_up=3, degraded=1)
    token = pages.join(study)
    seen: dict[str, set[str]] = {}
    purposes = list(Assignment.objects.order_by("order").values_list("purpose", "unit__gold__kind"))
    for number, (purpose, kind) in enumerate(purposes):
        page = somebody.get(f"/r/{token}/judge/")
        assert f"{number} of {len(purposes)}" in text_of(page)
        assert not re.search(r"\b(warm.?up|gold|repeat|exam|training|degraded)\b", text_of(page))
        if number > 1:  # before that there is nothing to go back to, and no pace
            what = "copy" if kind == Gold.Kind.WORSE else purpose
            seen.setdefault(what, set()).add(bare(page))
        send(somebody, token, RIGHT)
    assert set(seen) == {"main", "control", "attention", "repeat", "warm_up", "copy"}
    alike = sorted(set.union(*seen.values()))
    told_apart = list(unified_diff(alike[0].splitlines(), alike[-1].splitlines(), n=0))
    assert not told_apart, "a check can be told from what is judged"


def bare(page: HttpResponse) -> str:
    """Leave out of a page what differs from unit to unit in any case: texts, tokens and how many are done."""
    html = page.content.decode()
    texts = {*Output.objects.values_list("text", flat=True), *Item.objects.values_list("source", flat=True)}
    for text in sorted(texts, key=len, reverse=True):
        html = html.replace(f">{escape(text)}<", ">TEXT<")
    html = re.sub(r'(name="(?:form_token|submission)" value=)"[^"]+"', r"\1", html)
    html = re.sub(r'(data-draft-key="r-\w+-|judge/)\d+', r"\1", html)
    html = re.sub(r'\d+ of \d+|about \d+ minutes?|(?<=<progress class="progress" value=)"\d+"', "", html)
    return "\n".join([*(f"{name}: {value}" for name, value in page.items() if name not in VARYING), html])


# Headers that count or number a page, whatever is on it.
VARYING = {"Content-Length", "X-Request-ID"}


def test_failed_checks_are_mentioned_at_a_break_and_nothing_more(somebody: Client) -> None:
    study = watched(on_failing="warn", attention=0, controls=2, repeats=0, warm_up=0)
    token = pages.join(study)
    places = [send(somebody, token, WRONG)]
    while places[-1].endswith("/judge/"):
        places.append(send(somebody, token, WRONG))
    address = f"/r/{token}/notice/"
    assert places[-1] == address
    failed = ControlResult.objects.filter(passed=False).earliest("id")
    since = Judgment.objects.filter(pk__gt=failed.judgment_id).count()
    assert since >= 3, "so late that nobody learns which text it was"
    assert somebody.get(f"/r/{token}/judge/")["Location"] == address
    page = text_of(somebody.get(address))
    assert "Time for a short break" in page
    assert "your pay stays the same" in page
    assert "Text " not in page
    assert go_on(somebody, address) == f"/r/{token}/judge/"
    assert somebody.get(address)["Location"] == f"/r/{token}/", "it is said once"
    while Rater.objects.get().state != Rater.State.ENDED:
        assert send(somebody, token, WRONG) == f"/r/{token}/judge/"
    assert Rater.objects.get().outcome == Rater.Outcome.COMPLETED


def test_failed_checks_can_end_it(somebody: Client) -> None:
    study = watched(on_failing="end", repeats=0, warm_up=0)
    token = pages.join(study)
    while Rater.objects.get().state != Rater.State.ENDED:
        send(somebody, token, WRONG)
    assert Rater.objects.get().outcome == Rater.Outcome.FAILED
    assert somebody.get(f"/r/{token}/judge/")["Location"] == f"/r/{token}/end/"
    invariants.check(study)


@pytest.fixture
def example(tmp_path: Path) -> Study:
    """The example study with everything in it."""
    return opened(load("checked", tmp_path, "everything"))


FITS = {"p1-english": "fluently", "p1-age": "adult"}


def enter(browser: Client, study: Study) -> str:
    path = f"/join/{study.link_code}/"
    answer = browser.post(path, pages.hidden(browser.get(path)))
    return str(answer["Location"]).strip("/").split("/")[1]


def questions(browser: Client, token: str, **answers: str) -> dict[str, str]:
    """Fill in the questions of a screen by the keys of their criteria."""
    body = browser.get(f"/r/{token}/judge/").content.decode()
    names = {name.rpartition("-")[2]: name for name in re.findall(r'name="([^"]+)"', body)}
    return {names[key]: value for key, value in answers.items()}


def test_questions_come_before_the_instructions(somebody: Client, example: Study) -> None:
    token = enter(somebody, example)
    arrived = somebody.get(f"/r/{token}/", follow=True)
    assert arrived.request["PATH_INFO"] == f"/r/{token}/judge/"
    assert "Some questions first" in text_of(arrived)
    assert somebody.get(f"/r/{token}/instructions/")["Location"] == f"/r/{token}/judge/"
    send(somebody, token, questions(somebody, token, english="fluently", age="adult"))
    page = text_of(somebody.get(f"/r/{token}/judge/", follow=True))
    assert "What to do" in page
    assert "3 texts to practise" in page
    assert "A test of 4 texts follows, of which 3 have to be right. You have 2 attempts." in page
    assert "You will get 15 texts with" in page
    begin = f"/r/{token}/instructions/"
    somebody.post(begin, pages.hidden(somebody.get(begin)))
    assert "Practice 1 of 3" in text_of(somebody.get(f"/r/{token}/judge/"))
    assert somebody.get(f"/r/{token}/judge/1/").status_code == 302, "no way back to the questions"


def test_who_does_not_fit_is_told_so_and_holds_nothing(somebody: Client, example: Study) -> None:
    token = enter(somebody, example)
    send(somebody, token, questions(somebody, token, english="hardly", age="adult"))
    assert Rater.objects.get().outcome == Rater.Outcome.SCREENED_OUT
    end = text_of(somebody.get(f"/r/{token}/", follow=True))
    assert "fluently" not in end, "what would have been right is not told"
    held = Assignment.objects.filter(state__in=("reserved", "live"))
    assert not held.exists()
    invariants.check(example)


def test_the_last_questions_are_counted_apart(somebody: Client, example: Study) -> None:
    token = enter(somebody, example)
    send(somebody, token, questions(somebody, token, english="first", age="adult"))
    begin = f"/r/{token}/instructions/"
    somebody.post(begin, pages.hidden(somebody.get(begin)))
    Assignment.objects.exclude(purpose__in=("screening", "exit")).update(state="returned")
    page = text_of(somebody.get(f"/r/{token}/judge/"))
    assert "Some questions about you" in page
    assert "All texts are done" in page


def test_questions_above_texts_have_the_names_that_stand_in_the_cells_below(somebody: Client) -> None:
    study = opened(studyfile.load(EXAMPLES / "published" / "formality_rewrites", owner=None))
    page = text_of(somebody.get(f"/r/{pages.join(study)}/judge/"))
    heads = re.findall(r'<h3 class="question-title"><span class="matrix-name" dir="auto">([^<]+)</span>', page)
    assert sorted(heads) == ["Content", "Fluency", "Style strength"]
