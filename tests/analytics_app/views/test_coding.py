"""Coding of answers in words: codebook, two coders who do not see each other, agreement, decisions, counts, file."""

import csv
import io
import json
import re
from collections.abc import Sequence
from dataclasses import replace
from html import unescape

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from scipy.stats import fisher_exact
from statsmodels.stats.inter_rater import cohens_kappa

from analytics_app.archive import rows as archived
from analytics_app.selectors.coder_agreement import agreement_of, overall_of
from analytics_app.selectors.codes_by_verdict import SEVERAL, UNDECIDED, counts_of
from tasks_app.models import Codebook, CodedAnswer, Membership, Rater, Rating, Study
from tasks_app.selectors import coding as selectors
from tasks_app.services import erasure
from tests.analytics_app.coding_kit import DECIDED, FIRST, NAMES, SECOND, N, code, give_codes, study_with_motives
from tests.analytics_app.views.reading import page, tables, text

pytestmark = pytest.mark.django_db

CODES = "Verbs: tense or mood of the verbs\n\nLength\nContent : what the text says: facts\n"


@pytest.fixture(scope="module")
def odd_once(module_rosa: User, tmp_path_factory: pytest.TempPathFactory) -> int:
    """Make a study with motives."""
    return study_with_motives(module_rosa, tmp_path_factory.mktemp("odd"), "odd").pk


@pytest.fixture
def odd(odd_once: int, db: None) -> Study:
    """A study of rosa's with motives."""
    return Study.objects.get(pk=odd_once)


@pytest.fixture
def veras_browser(odd: Study) -> Client:
    """Vera, an editor of the study, signed in."""
    vera = User.objects.create_user("vera", is_staff=True)
    Membership.objects.create(study=odd, user=vera, role=Membership.Role.EDITOR)
    browser = Client()
    browser.force_login(vera)
    return browser


PAGE = "/admin/studies/odd/data/codes/motive/"


def save_codes(browser: Client, codes: str = CODES) -> str:
    return text(browser.post(PAGE, {"codes": codes}, follow=True).content.decode())


def code_all(browser: Client, said: Sequence[Sequence[str]], most: int = N) -> list[str]:
    """Code answers as they come, and return their numbers in that order."""
    order = []
    for _time in range(most):
        html = browser.get(f"{PAGE}answers/").content.decode()
        (pk,) = re.findall(r'name="answer" value="(\d+)"', html)
        number = int(re.findall(r"=Why (\d\d)\?", unescape(html))[0])
        order.append(f"{number}")
        codes = said[number]
        sent: dict[str, object] = {"answer": pk, "codes": codes} if codes else {"answer": pk, "none": "on"}
        assert browser.post(f"{PAGE}answers/", sent).status_code == 302
    return order


@pytest.fixture
def coded(odd: Study, rosa: User, veras_browser: Client) -> Study:
    """The study, coded by rosa and vera."""
    give_codes(odd, rosa)
    code(odd, rosa, FIRST)
    code(odd, User.objects.get(username="vera"), SECOND)
    return odd


def test_codes_are_entered_and_changed_until_coding_begins_and_changes_are_logged(
    odd: Study, rosas_browser: Client, veras_browser: Client
) -> None:
    listed = tables(page(rosas_browser, "/admin/studies/odd/data/codes/"))[0][1][1]
    assert listed == ["What made it different?", "24", "0", "0", "0"]
    for wrong, said in {
        "": "Enter at least one code.",
        "Verbs\nverbs": "There are two codes named “verbs”.",
        ": no name": "“no name” has no name",
        "x" * 101: "is too long",
        "\n".join(map(str, range(51))): "at most 50 codes",
        "A\0B": "Code 1: Character 2 is a NUL character",
        "Verbs\nA: B\0": "Code 2: Character 5",
    }.items():
        refused = rosas_browser.post(PAGE, {"codes": wrong})
        assert refused.status_code == 422
        assert said in text(refused.content.decode())
    assert not odd.events.filter(object="codebook of motive").exists()
    assert "The codes are saved." in save_codes(rosas_browser, "Verbs")
    assert "The codes are saved." in save_codes(veras_browser)
    changed, made = odd.events.filter(object="codebook of motive")
    assert (made.before, made.after) == ([], [["Verbs", ""]])
    assert changed.after == [
        ["Verbs", "tense or mood of the verbs"], ["Length", ""], ["Content", "what the text says: facts"],
    ]  # fmt: skip
    save_codes(veras_browser)
    assert odd.events.filter(object="codebook of motive").count() == 2, "what stays is no change"
    code_all(rosas_browser, FIRST, 1)
    assert rosas_browser.post(PAGE, {"codes": "Other"}).status_code == 422
    assert list(Codebook.objects.get().codes.values_list("name", flat=True)) == NAMES


def test_coders_see_neither_verdict_nor_rater_nor_system_nor_each_other(
    odd: Study, rosas_browser: Client, veras_browser: Client
) -> None:
    save_codes(rosas_browser)
    html = rosas_browser.get(f"{PAGE}answers/").content.decode()
    assert not re.search(r"judge\d\d|ada-mt|bert-mt|a/ada", html)
    shown = re.findall(r'<section class="ew-card" aria-labelledby="answer-h">.*?</section>', html, re.DOTALL)[0]
    assert not re.search(r"\b(right|wrong|correct)\b", text(shown))
    assert "0 of 24 coded" in text(shown)
    orders = [code_all(rosas_browser, FIRST), code_all(veras_browser, SECOND, N - 1)]
    assert sorted(orders[0], key=int) == [str(number) for number in range(N)]
    assert len({*map(tuple, (orders[0], orders[1], sorted(orders[0], key=int)))}) == 3, "each has an order of their own"
    for browser in (rosas_browser, veras_browser):
        html = page(browser, PAGE)
        assert "Agreement between the coders" not in html
        assert browser.get(f"{PAGE}codes.csv").status_code == 404
        assert (
            browser.post(f"{PAGE}decide/", {"answer": Rating.objects.filter(text="=Why 08?").get().pk}).status_code
            == 302
        )
    assert not CodedAnswer.objects.filter(coder=None).exists()
    assert "Coder 1, you: 24 of 24 answers" in text(page(rosas_browser, PAGE))
    assert "Coder 2, vera: 0 of" not in text(page(rosas_browser, PAGE))
    code_all(veras_browser, SECOND, 1)
    assert "Agreement between the coders" in page(rosas_browser, PAGE)


def test_an_answer_needs_a_code_or_that_none_fits_and_can_be_changed_by_its_coder(
    odd: Study, rosas_browser: Client, veras_browser: Client
) -> None:
    save_codes(rosas_browser)
    first = Rating.objects.get(text="=Why 00?").pk
    for wrong in (
        {"answer": first},
        {"answer": first, "none": "on", "codes": ["Verbs"]},
        {"answer": first, "codes": ["X"]},
    ):
        assert rosas_browser.post(f"{PAGE}answers/", wrong).status_code == 422
    for gone in ({"answer": Rating.objects.filter(criterion__key="correct")[0].pk}, {"answer": "x"}, {}):
        assert rosas_browser.post(f"{PAGE}answers/", {**gone, "codes": ["Verbs"]}).status_code == 404
    assert not CodedAnswer.objects.exists()
    for codes in (["Verbs"], ["Content", "Verbs"]):
        rosas_browser.post(f"{PAGE}answers/", {"answer": first, "codes": codes})
    assert CodedAnswer.objects.get().codes == ["Verbs", "Content"], "in the order of the codebook"
    html = rosas_browser.get(f"{PAGE}answers/?answer={first}").content.decode()
    assert html.count(" checked") == 2
    assert " checked" not in veras_browser.get(f"{PAGE}answers/?answer={first}").content.decode()


def test_there_are_two_coders(coded: Study) -> None:
    third = User.objects.create_user("ida", is_staff=True)
    Membership.objects.create(study=coded, user=third, role=Membership.Role.EDITOR)
    browser = Client()
    browser.force_login(third)
    assert browser.get(f"{PAGE}answers/").status_code == 302
    answer = Rating.objects.get(text="=Why 00?").pk
    assert browser.post(f"{PAGE}answers/", {"answer": answer, "codes": ["Verbs"]}).status_code in {302, 422}
    assert CodedAnswer.objects.count() == 2 * N


def test_agreement_is_cohen_s_kappa_of_each_code_and_of_whole_answers(coded: Study) -> None:
    coding = selectors.coding_of(Codebook.objects.get())
    for row in agreement_of(coding):
        given = [[int(row.name in codes) for codes in said] for said in (FIRST, SECOND)]
        table = [[sum(pair == (a, b) for pair in zip(*given, strict=True)) for b in (0, 1)] for a in (0, 1)]
        known = cohens_kappa(table)
        assert row.kappa.value == pytest.approx(known.kappa)
        assert (row.kappa.low, row.kappa.high) == pytest.approx((known.kappa_low, min(1.0, known.kappa_upp)))
        assert [[row.neither, row.other_only], [row.one_only, row.both]] == table
    known_sets = sorted({tuple(sorted(codes)) for codes in (*FIRST, *SECOND)})
    one, other = ([known_sets.index(tuple(sorted(codes))) for codes in said] for said in (FIRST, SECOND))
    size = range(len(known_sets))
    table = [[sum(pair == (a, b) for pair in zip(one, other, strict=True)) for b in size] for a in size]
    assert overall_of(coding).value == pytest.approx(cohens_kappa(table).kappa)


def test_disagreements_are_decided_and_codes_counted_by_verdict(coded: Study, rosas_browser: Client) -> None:
    html = page(rosas_browser, PAGE)
    assert "The coders gave 3 answers different codes; not decided yet: 3." in text(html)
    assert UNDECIDED in unescape(html)
    for number, codes in DECIDED.items():
        answer = Rating.objects.get(text=f"=Why {number:02}?").pk
        rosas_browser.post(f"{PAGE}decide/", {"answer": answer, "codes": codes})
    rosas_browser.post(f"{PAGE}decide/", {"answer": Rating.objects.get(text="=Why 00?").pk, "codes": ["Length"]})
    assert CodedAnswer.objects.filter(coder=None).count() == 3, "where coders agree, nothing is decided"
    final = [DECIDED.get(number, FIRST[number]) for number in range(N)]
    counts = counts_of(selectors.coding_of(Codebook.objects.get()))
    assert (counts.n, counts.n_right, counts.n_wrong, counts.untested) == (N, 15, 9, "")
    p_values = []
    for row in counts.rows:
        right, wrong = (sum(row.name in codes for codes in part) for part in (final[:15], final[15:]))
        assert (row.right, row.wrong, row.n) == (right, wrong, right + wrong)
        p_values.append(fisher_exact([[right, 15 - right], [wrong, 9 - wrong]]).pvalue)
        assert row.test is not None
        assert row.test.p == pytest.approx(p_values[-1])
    least = min(range(3), key=p_values.__getitem__)
    assert counts.rows[least].p_adjusted == pytest.approx(min(1, 3 * p_values[least])), "Holm"
    file = rosas_browser.get(f"{PAGE}codes.csv").content.decode()
    lines = list(csv.DictReader(io.StringIO(file)))
    assert [line["codes"] for line in lines] == [" | ".join(name for name in NAMES if name in codes) for codes in final]
    assert list(lines[8].values())[2:] == [
        "judge08", "a/ada-mt+bert-mt", "motive", "'=Why 08?", "1", "Length", "Verbs", *["Verbs | Length"] * 2,
    ]  # fmt: skip


def test_several_answers_of_a_rater_are_counted_and_not_tested(coded: Study) -> None:
    rater = Rater.objects.get(study=coded, pseudonym="judge00")
    coding = selectors.coding_of(Codebook.objects.get())
    for answer in coding.answers[:2]:
        answer.rater_id = rater.pk
    coding = replace(coding, agreed={coding.answers[number].pk: () for number in DECIDED})
    counts = counts_of(coding)
    assert counts.untested == SEVERAL
    assert all(row.test is None and row.p_adjusted is None for row in counts.rows)


def test_erasing_a_rater_erases_what_was_coded_of_their_answers(coded: Study) -> None:
    erasure.erase(rater=Rater.objects.get(study=coded, pseudonym="judge08"))
    assert CodedAnswer.objects.count() == 2 * N - 2
    coding = selectors.coding_of(Codebook.objects.get())
    assert len(coding.answers) == N - 1
    assert coding.is_complete
    assert len(coding.disagreements) == 2


def test_erasing_a_rater_empties_the_log_of_decisions_on_their_answers(coded: Study, rosas_browser: Client) -> None:
    answers = [Rating.objects.get(text=f"=Why {number:02}?").pk for number in (8, 19)]
    for answer in answers:
        rosas_browser.post(f"{PAGE}decide/", {"answer": answer, "codes": ["Verbs"]})
    erasure.erase(rater=Rater.objects.get(study=coded, pseudonym="judge08"))
    (kept, emptied) = coded.events.filter(verb="decided").order_by("-object")
    assert (emptied.object, emptied.before, emptied.after) == ("", None, None)
    assert (kept.object, kept.after) == (f"codes of answer {answers[1]}", ["Verbs"])


def test_the_archive_holds_codes_without_the_names_of_coders(coded: Study) -> None:
    tables_of = {table.name: list(table.rows(coded)) for table in archived.TABLES}
    assert [row["name"] for row in tables_of["code"]] == NAMES
    assert [(row["number"], row["user_id"]) for row in tables_of["coder"]] == [(1, None), (2, None)]
    assert len(tables_of["codedanswer"]) == 2 * N
    assert json.loads(
        archived.line(next(t for t in archived.TABLES if t.name == "codebook"), tables_of["codebook"][0], texts=True)
    )
    CodedAnswer.objects.filter(coder__number=2).last().delete()
    tables_of = {table.name: list(table.rows(coded)) for table in archived.TABLES}
    assert tables_of["codedanswer"] == [], "a coder who has not finished would read the other's codes"
    assert [row["name"] for row in tables_of["code"]] == NAMES


def test_an_owner_removes_a_coder_who_has_not_finished(
    odd: Study, rosa: User, rosas_browser: Client, veras_browser: Client
) -> None:
    give_codes(odd, rosa)
    code(odd, rosa, FIRST)
    code_all(veras_browser, SECOND, most=2)
    third = User.objects.create_user("tom", is_staff=True)
    Membership.objects.create(study=odd, user=third, role=Membership.Role.EDITOR)
    toms_browser = Client()
    toms_browser.force_login(third)
    assert "Code the answers" not in page(toms_browser, PAGE)
    assert "Code the answers" not in page(rosas_browser, PAGE), "rosa has finished"

    def removed(number: int, **sent: str) -> str:
        sent = {"coder": str(number), **sent}
        return text(rosas_browser.post(f"{PAGE}remove-coder/", sent, follow=True).content.decode())

    assert "Nobody was removed" in removed(2)
    assert "Coder 1 has coded every answer and cannot be removed." in removed(1, sure="on")
    assert "Coder 2 was removed, with the codes of 2 answers." in removed(2, sure="on")
    assert "There is no such coder any more." in removed(2, sure="on")
    assert CodedAnswer.objects.count() == N, "what rosa coded stays"
    assert odd.events.filter(verb="removed a coder").get().before == {"coder": 2, "coded": 2}
    assert "Code the answers" in page(toms_browser, PAGE)
    code(odd, third, SECOND)
    assert selectors.coding_of(Codebook.objects.get()).is_complete


def test_starting_again_deletes_what_was_coded_once_confirmed(coded: Study, rosas_browser: Client) -> None:
    rosas_browser.post(f"{PAGE}again/")
    assert CodedAnswer.objects.count() == 2 * N
    rosas_browser.post(f"{PAGE}again/", {"sure": "on"})
    assert not CodedAnswer.objects.exists()
    assert coded.events.filter(verb="started again").get().before == {"coded": 2 * N}
    assert "The codes are saved." in save_codes(rosas_browser, "Other")


def test_answers_of_an_open_study_are_not_shown(coded: Study, rosas_browser: Client) -> None:
    Study.objects.filter(pk=coded.pk).update(state="open")
    assert "Close the study before its answers are coded" in text(page(rosas_browser, PAGE))
    assert "=Why" not in page(rosas_browser, PAGE)
    assert rosas_browser.get(f"{PAGE}answers/").status_code == 302
    assert rosas_browser.get(f"{PAGE}codes.csv").status_code == 404
    answer = Rating.objects.get(text="=Why 08?").pk
    refused = rosas_browser.post(f"{PAGE}decide/", {"answer": answer, "codes": ["Verbs"]}, follow=True)
    assert "Close the study first" in text(refused.content.decode())
    assert not CodedAnswer.objects.filter(coder=None).exists()


def test_a_question_that_nobody_answered_in_words_is_not_found(odd: Study, rosas_browser: Client) -> None:
    for wrong in ("correct", "nothing", "a%00b"):
        for path in ("", "answers/", "codes.csv"):
            assert rosas_browser.get(PAGE.replace("motive", wrong) + path).status_code == 404
    assert rosas_browser.get(f"{PAGE}answers/").status_code == 404, "there is no codebook yet"


def test_pages_ask_no_more_the_more_answers_there_are(coded: Study, rosas_browser: Client) -> None:
    """The study at size of `tests/house/test_pages_at_size.py` has no answers in words."""
    with CaptureQueriesContext(connection) as asked:
        page(rosas_browser, PAGE)
    assert len(asked) <= 15
    erasure.erase(rater=Rater.objects.get(study=coded, pseudonym="judge23"))
    with CaptureQueriesContext(connection) as fewer:
        page(rosas_browser, PAGE)
    assert len(fewer) == len(asked)
    CodedAnswer.objects.filter(coder__number=1).delete()
    with CaptureQueriesContext(connection) as asked:
        page(rosas_browser, f"{PAGE}answers/")
    assert len(asked) <= 15
