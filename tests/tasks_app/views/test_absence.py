"""What pages leave out: each test meets the words where they belong first, and then their absence where they do not."""

import html
import re

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from tasks_app.hooks import tabs
from tasks_app.links.credentials import hash_token
from tasks_app.models import Identity, Membership, Rater, Study, Task, Unit
from tasks_app.services.arrival import enrolment, invitations
from tasks_app.services.judging import assignments
from tasks_app.services.study import lifecycle, units
from tests import pages, walk
from tests.builders import build_study
from tests.once import study_made_once
from tests.tasks_app.attack_kit import changed, tables
from tests.tasks_app.services.test_pay import bonus, work
from tests.tasks_app.views.test_arriving import open_study
from tests.tasks_app.views.test_steps import RIGHT, WRONG, go_on, send, train, trained

pytestmark = pytest.mark.django_db

TOKEN = "a-token-that-only-this-rater-has"
BONUS, PROCEDURE = "1 EUR for the most careful.", "Within a week, by post."


study_once, study = study_made_once("study", build_study)


def words_of(page: str) -> str:
    """Return the text of a page: no tags, single spaces."""
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", page)).split())


def with_pay(study: Study, **values: object) -> Study:
    """Change the pay settings of a study; without an amount there is no pay."""
    Study.objects.filter(pk=study.pk).update(settings={**study.settings, "pay": {"minutes": 10, **values}})
    return Study.objects.get(pk=study.pk)


def ended(study: Study, *, judged: int, granted: str = "") -> str:
    """Let a rater judge some units and stop; return the words of their last page."""
    enrolled = enrolment.enrol(study_id=study.pk, nonce="n", consent_text_id=None)
    rater = work(study, judged, rater=enrolled.rater)
    assignments.stop(rater=rater)
    if granted:
        bonus(study, rater, granted)
    answer = Client().get(f"/r/{enrolled.token}/end/")
    assert answer.status_code == 200
    return words_of(answer.content.decode())


@pytest.mark.parametrize(
    ("amount", "words", "judged", "granted", "announced", "procedure"),
    [
        ("3.00", BONUS, 1, "", True, True),
        ("3.00", "", 1, "", False, True),
        ("3.00", BONUS, 0, "", False, False),
        ("3.00", BONUS, 1, "0.50", False, True),
        ("0", BONUS, 0, "", True, True),
        ("0", "", 1, "", False, False),
    ],
    ids=["earned", "no bonus", "nothing judged", "granted already", "unpaid with bonus", "unpaid without"],
)
def test_the_last_page_announces_a_bonus_only_where_the_rater_can_still_get_it(
    study: Study, amount: str, words: str, judged: int, granted: str, announced: bool, procedure: bool
) -> None:
    page = ended(with_pay(study, amount=amount, bonus=words, paid=PROCEDURE), judged=judged, granted=granted)
    assert (BONUS in page) is announced
    assert ("bonus" in page.lower()) is (announced or bool(granted))
    assert (PROCEDURE in page) is procedure


def test_the_offer_above_the_consent_lists_no_bonus_where_there_is_none(study: Study, somebody: Client) -> None:
    offers = []
    for words in (BONUS, ""):
        with_pay(study, amount="3.00", bonus=words)
        offers.append(words_of(somebody.get(f"/join/{study.link_code}/").content.decode()))
    assert ["bonus" in offer.lower() for offer in offers] == [True, False]


UNPAID, FIXED, FOR_TIME, WHERE_MORE = "you are not paid", "you are paid 0.40 EUR", "for the time you spent", "is more."


@pytest.mark.parametrize(
    ("part_amount", "by_time", "expected"),
    [
        ("0", False, {UNPAID}),
        ("0.40", False, {FIXED}),
        ("0", True, {FOR_TIME}),
        ("0.40", True, {FIXED, WHERE_MORE}),
    ],
)
def test_the_offer_says_one_thing_about_who_is_screened_out(
    somebody: Client, part_amount: str, by_time: bool, expected: set[str]
) -> None:
    study = build_study(None, slug="screened", known={"screening": 2})
    with_pay(study, amount="3.00", part_amount=part_amount, part_by_time=by_time)
    offer = words_of(somebody.get(f"/join/{study.link_code}/").content.decode())
    assert {words for words in (UNPAID, FIXED, FOR_TIME, WHERE_MORE) if words in offer} == expected
    with_pay(study)
    offer = words_of(somebody.get(f"/join/{study.link_code}/").content.decode())
    assert not any(words in offer for words in (UNPAID, FIXED, FOR_TIME, WHERE_MORE)), "nobody is paid at all"


def plan_page(browser: Client, study: Study) -> str:
    answer = browser.get(f"/admin/studies/{study.slug}/design/")
    assert answer.status_code == 200
    return words_of(answer.content.decode().split("</nav>", 1)[-1])


IN_ALL = "part pay, bonuses and platform fees"


def test_the_plan_of_an_unpaid_study_has_no_words_about_pay(rosa: User, rosas_browser: Client) -> None:
    study = build_study(rosa, slug="another")
    assert IN_ALL in plan_page(rosas_browser, study)
    said = plan_page(rosas_browser, with_pay(study))
    assert IN_ALL not in said
    assert "EUR" not in said
    assert "judgments: " in said


def test_the_plan_of_several_tasks_speaks_of_pay_once_and_only_in_a_paid_study(
    rosa: User, rosas_browser: Client
) -> None:
    study = build_study(rosa, slug="another", opened=False)
    first = study.tasks.get()
    second = Task.objects.create(study=study, key="more", type="likert", order=2, k=1, set_size=4, spacing=1)
    second.task_criteria.create(criterion=first.task_criteria.get().criterion, order=1)
    Unit.objects.filter(task__study=study).delete()
    units.make_units(study=study)
    assert plan_page(rosas_browser, study).count(IN_ALL) == 1
    assert IN_ALL not in plan_page(rosas_browser, with_pay(study))


def test_a_plan_that_is_impossible_has_no_words_about_pay(rosa: User, rosas_browser: Client) -> None:
    study = build_study(rosa, slug="another", items=3, opened=False)
    assert IN_ALL in plan_page(rosas_browser, study)
    study.tasks.update(set_size=9, spacing=10)
    said = plan_page(rosas_browser, study)
    assert "Set “Units in a rater's set” to 3" in said, "what would work instead"
    assert IN_ALL not in said


def test_a_test_names_the_attempt_from_the_second_on(somebody: Client) -> None:
    token = pages.join(trained(slug="another"))
    train(somebody, token)

    def page() -> str:
        return words_of(somebody.get(f"/r/{token}/judge/").content.decode())

    assert "Test 1 of 2" in page()
    assert "attempt" not in page()
    send(somebody, token, RIGHT)
    assert "attempt" not in page()
    go_on(somebody, send(somebody, token, WRONG))
    assert "Test 1 of 2" in page()
    assert "attempt 2" in page()


def test_units_have_a_share_in_set_up_only_where_some_get_more_judgments(rosa: User, rosas_browser: Client) -> None:
    study = build_study(rosa, slug="another", opened=False)

    def judgments() -> list[str]:
        page = rosas_browser.get(f"/admin/studies/{study.slug}/").content.decode()
        return re.findall(r"<dt>Judgments per unit</dt><dd[^>]*>(.*?)</dd>", page)

    study.tasks.update(k_more=5, k_more_share=0.25)
    assert judgments() == ["2, and 5 for 25 % of the units"]
    study.tasks.update(k_more=None, k_more_share=None)
    assert judgments() == ["2"]


@pytest.mark.parametrize(
    ("channels", "chosen"),
    [
        (("link", "invited"), ["invited"]),
        (("account",), ["account"]),
        (("invited", "account"), []),
    ],
)
def test_only_the_only_way_in_is_chosen_already(
    rosa: User, rosas_browser: Client, channels: tuple[str, ...], chosen: list[str]
) -> None:
    study = open_study(slug="another", channels={name: {} for name in channels})
    Membership.objects.create(study=study, user=rosa, role="owner")
    page = rosas_browser.get(f"/admin/studies/{study.slug}/recruit/people/").content.decode()
    ways = re.findall(r'<input type="radio" name="channel"[^>]*>', page)
    assert [re.findall(r'value="(\w+)"', way)[0] for way in ways] == sorted({*channels} - {"link"})
    assert [re.findall(r'value="(\w+)"', way)[0] for way in ways if " checked" in way] == chosen


def title_of(page: str) -> str:
    return words_of(re.findall(r"<title>(.*?)</title>", page, re.DOTALL)[0])


@pytest.mark.parametrize("tab", [tab.slug for tab in tabs.all_tabs()])
def test_each_tab_is_titled_by_its_own_label_and_no_other(study: Study, rosas_browser: Client, tab: str) -> None:
    (about,) = (one for one in tabs.all_tabs() if one.slug == tab)
    page = rosas_browser.get(reverse(about.url_name, args=[study.slug])).content.decode()
    assert title_of(page).split(" | ")[0] == str(about.label)
    current = re.findall(r'<a href="([^"]*)" aria-current="page">(.*?)</a>', page)
    (leading,) = (one for one in tabs.all_tabs() if one.slug == about.leading)
    in_row = (reverse(leading.url_name, args=[study.slug]), str(leading.group_label or leading.label))
    own = (reverse(about.url_name, args=[study.slug]), str(about.label))
    found = [(href, html.unescape(label)) for href, label in current]
    assert found in ([in_row], [in_row, own])
    assert (found == [in_row]) == (own == in_row and len(family(about)) == 1)


def family(about: tabs.Tab) -> list[str]:
    """Return the parts that share a tab."""
    return [one.slug for one in tabs.all_tabs() if one.leading == about.leading]


def row_of(page: str) -> list[str]:
    (row,) = re.findall(r'<nav class="ew-tabs".*?</nav>', page, re.DOTALL)
    return re.findall(r"<a [^>]*>(.*?)</a>", row)


def test_a_draft_has_the_tabs_that_it_needs(rosa: User, rosas_browser: Client) -> None:
    draft = build_study(rosa, slug="shut", opened=False)
    assert row_of(rosas_browser.get(f"/admin/studies/{draft.slug}/design/").content.decode()) == [
        "Set up", "Plan", "Recruit",
    ]  # fmt: skip
    lifecycle.move(study_id=draft.pk, action="open", by=rosa)
    page = rosas_browser.get(f"/admin/studies/{draft.slug}/monitor/").content.decode()
    assert row_of(page) == ["Set up", "Plan", "Recruit", "Monitor", "Pay", "Results", "Data"]
    assert "Answers to checks" in page


def test_a_page_below_a_tab_has_a_title_of_its_own(study: Study, rosas_browser: Client) -> None:
    titles = {
        name: title_of(rosas_browser.get(reverse(name, args=[study.slug])).content.decode()).split(" | ")[0]
        for name in ("analytics:raters", "researcher:members", "researcher:invited", "researcher:try")
    }
    labels = {str(tab.label) for tab in tabs.all_tabs()}
    assert len(set(titles.values())) == len(titles)
    assert {name: title for name, title in titles.items() if not title or title in labels} == {}


NOBODY_NOW = "not taking raters now"


def test_a_study_takes_nobody_only_while_paused_or_closed(study: Study, rosa: User, rosas_browser: Client) -> None:
    def pages_say() -> list[bool]:
        paths = (f"/admin/studies/{study.slug}/{name}/" for name in ("recruit", "recruit/try"))
        return [NOBODY_NOW in rosas_browser.get(path).content.decode() for path in paths]

    assert pages_say() == [False, False]
    for action, expected in (("pause", True), ("open", False), ("close", True)):
        lifecycle.move(study_id=study.pk, action=action, by=rosa)
        assert pages_say() == [expected, expected], action
    draft = build_study(rosa, slug="draft", opened=False)
    for name in ("recruit", "recruit/try"):
        assert NOBODY_NOW not in rosas_browser.get(f"/admin/studies/{draft.slug}/{name}/").content.decode()


def test_a_persons_list_of_studies_names_those_that_take_nobody(somebody: Client, rosa: User) -> None:
    study = open_study(slug="another")
    made = invitations.invite_with_accounts(study=study, people=[invitations.Person("Ann")], by=rosa)[0]
    somebody.login(username=made.account, password=made.secret)

    def listed() -> str:
        return words_of(somebody.get("/studies/").content.decode())

    assert "not begun" in listed()
    assert NOBODY_NOW not in listed()
    lifecycle.move(study_id=study.pk, action="pause", by=rosa)
    assert NOBODY_NOW in listed()
    assert "not begun" not in listed()
    lifecycle.move(study_id=study.pk, action="open", by=rosa)
    made.invitation.rater = walk.arrive(study)
    made.invitation.save()
    lifecycle.move(study_id=study.pk, action="pause", by=rosa)
    assert NOBODY_NOW not in listed(), "who has begun may go on"
    assert "begun" in listed()


@pytest.fixture
def imported(study: Study) -> Rater:
    """A rater whose answers were imported, with a platform's id as every real one may have."""
    rater = Rater.objects.create(
        study=study, pseudonym="r-import", seed=1, token_hash=hash_token(TOKEN), version=1, kind=Rater.Kind.IMPORTED
    )
    Identity.objects.create(rater=rater, study=study, channel="prolific", external_id="a" * 24)
    return rater


ACTIONS = [
    *(("analytics:act", {"action": action}) for action in ("returned", "timed_out", "forget", "erase")),
    ("analytics:new_link", {}),
    ("researcher:due_link", {}),
    ("researcher:due_link", {"sure": "yes"}),
]


@pytest.mark.parametrize(("name", "more"), ACTIONS)
def test_nothing_is_done_to_imported_raters(
    study: Study, rosas_browser: Client, imported: Rater, name: str, more: dict[str, str]
) -> None:
    address = reverse(name, args=[study.slug])
    before = tables()
    assert rosas_browser.post(address, {"rater": imported.pseudonym, **more}).status_code == 404
    assert changed(before) == set()
    Rater.objects.update(kind=Rater.Kind.REAL)
    assert rosas_browser.post(address, {"rater": imported.pseudonym, **more}).status_code in {200, 302}


def test_imported_raters_get_no_link_and_have_no_pages(
    study: Study, rosas_browser: Client, somebody: Client, imported: Rater
) -> None:
    found = {}
    for kind in (Rater.Kind.REAL, Rater.Kind.IMPORTED):
        Rater.objects.update(kind=kind)
        page = rosas_browser.get(f"/admin/studies/{study.slug}/raters/{imported}/timeline/").content.decode()
        found[kind] = ("people/link/" in page, "people/act/" in page, somebody.get(f"/r/{TOKEN}/help/").status_code)
    assert found == {Rater.Kind.REAL: (True, True, 200), Rater.Kind.IMPORTED: (False, False, 404)}
