"""The most texts per rater over all tasks, further tasks, and what failing checks means: on the steps and on Review."""

import html
import re

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from tasks_app import studyfile
from tasks_app.models import Setup, Study, System
from tasks_app.models.setup_document import value_at
from tasks_app.setup import changes
from tasks_app.setup.preview import preview_of
from tasks_app.setup.summary import summary_of
from tasks_app.setup.texts import writes
from tests.house.examples import FOLDERS
from tests.tasks_app.setup.test_steps import save, url

PAIRWISE = {"do": "task", "new_type": "pairwise"}
REVIEW = url("review")


def sizes(study: Study) -> list[int]:
    given = Setup.objects.get(study=study).given
    return [value_at(given, ("tasks", number, "set_size")) for number in range(2)]


@pytest.fixture
def two_tasks(draft: Study, rosas_browser: Client) -> Study:
    """The draft with a comparison of the same texts, in sets of 12 texts and 6 pairs: 24 texts for a rater."""
    save(rosas_browser, "questions", PAIRWISE)
    save(rosas_browser, "raters", {"tasks.0.set_size": "12", "tasks.1.set_size": "6"})
    return draft


def test_another_task_comes_with_its_questions_and_keys_of_its_own(draft: Study, rosas_browser: Client) -> None:
    given = save(rosas_browser, "questions", PAIRWISE).given
    assert [task["type"] for task in given["tasks"]] == ["likert", "pairwise"]
    assert given["tasks"][1]["criteria"] == [given["criteria"][-1]["key"]]
    # A comparison has no scale, so no words of ends or steps are asked for.
    page = rosas_browser.get(url("questions")).content.decode()
    compared = len(given["criteria"]) - 1
    fields = ("question", "low", "high", "labels")
    assert [f'id="f-criteria-{compared}-{name}' in page for name in fields] == [True, False, False, False]
    assert 'id="f-criteria-0-low' in page
    again = save(rosas_browser, "questions", PAIRWISE).given
    keys = [task["key"] for task in again["tasks"]], [criterion["key"] for criterion in again["criteria"]]
    assert all(len(own) == len(set(own)) for own in keys)
    before = Setup.objects.get().revision
    save(rosas_browser, "questions", {"do": "task", "new_type": "nothing"})
    assert Setup.objects.get().revision == before


def test_a_question_about_strength_keeps_its_steps(rosa: User, rosas_browser: Client) -> None:
    """A comparison has no scale, but the question how much better a text is has one."""
    changes.begin(studyfile.load(FOLDERS["pairwise"], owner=rosa))
    page = rosas_browser.get(reverse("researcher:step", args=["example-pairwise", "questions"])).content.decode()
    assert [f'id="f-criteria-{number}-labels' in page for number in range(3)] == [False, False, True]


def test_the_limit_is_split_between_the_tasks_by_a_button_of_the_step_and_of_review(
    two_tasks: Study, rosas_browser: Client
) -> None:
    save(rosas_browser, "raters", {"flow.texts_per_rater": "24"})
    assert "more than your limit" not in rosas_browser.get(url("raters")).content.decode()
    save(rosas_browser, "raters", {"flow.texts_per_rater": "16"})
    page = html.unescape(rosas_browser.get(url("raters")).content.decode())
    sentence = "The tasks together give a rater 24 texts, more than your limit of 16. Sets of 8 and 4 units keep to it."
    assert re.search(rf'id="p-f-flow-texts_per_rater"[^>]*><p>{sentence}', page)
    save(rosas_browser, "raters", {"do": "advice:flow.texts_per_rater"})
    assert sizes(two_tasks) == [8, 4]
    assert "more than your limit" not in rosas_browser.get(REVIEW).content.decode()
    save(rosas_browser, "raters", {"flow.texts_per_rater": "12"})
    assert "Split the limit over the tasks" in rosas_browser.get(REVIEW).content.decode()
    told = rosas_browser.post(REVIEW, {"do": "split"}, follow=True).content.decode()
    assert "The limit is split over the tasks." in told
    assert sizes(two_tasks) == [6, 3]
    told = rosas_browser.post(REVIEW, {"do": "split"}, follow=True).content.decode()
    assert "keep to the limit already" in told
    assert sizes(two_tasks) == [6, 3]


def test_a_limit_below_a_unit_of_each_task_is_said_and_cuts_nothing(two_tasks: Study, rosas_browser: Client) -> None:
    save(rosas_browser, "raters", {"flow.texts_per_rater": "2"})
    page = html.unescape(rosas_browser.get(url("raters")).content.decode())
    assert "more than your limit of 2.</p>" in page
    save(rosas_browser, "raters", {"do": "advice:flow.texts_per_rater"})
    assert sizes(two_tasks) == [12, 6]


@pytest.mark.parametrize(
    ("rules", "said"),
    [
        (None, "Raters who fail the attention check are left out of the results."),
        ([{"rule": "manual"}], "Raters who fail the attention check count in the results like all others."),
        (
            [{"rule": "control_accuracy", "least": 3}],
            "Raters who fail the attention check count in the results like all others.",
        ),
    ],
)
def test_review_says_what_failing_the_check_means_for_the_results(
    draft: Study, rosas_browser: Client, rules: list[dict[str, object]] | None, said: str
) -> None:
    setup = changes.begin(draft)
    setup.rows.filter(table="controls").delete()
    save(rosas_browser, "checks", {"do": "add_check:0"})
    if rules is not None:
        setup = Setup.objects.get()
        changes.change(setup=setup, values={("analysis", "rules"): rules}, base=setup.revision, by=None)
    lines = [line.sentence for line in summary_of(Setup.objects.get())]
    assert [line for line in lines if "in the results" in line or "of the results" in line] == [said]
    # The limit that comes with the check fits the number of checks that a rater meets.
    assert "Each rater is shown 1 attention check." in lines
    assert "Raters who fail too many checks go on, and are marked for you." in lines
    setup = Setup.objects.get()
    changes.change(setup=setup, values={("tasks", 0, "checks", "fail_after"): 3}, base=setup.revision, by=None)
    lines = [line.sentence for line in summary_of(Setup.objects.get())]
    assert "Raters who fail checks go on: each is shown 1 check, and the limit applies only from 3 on." in lines
    assert not any("marked" in line for line in lines), "the limit is out of reach"


def test_each_task_is_offered_a_check_of_its_own_and_the_preview_counts_it(
    two_tasks: Study, rosas_browser: Client
) -> None:
    changes.begin(two_tasks).rows.filter(table="controls").delete()
    page = rosas_browser.get(url("checks")).content.decode()
    assert page.count('value="add_check:') == 2
    totals = [getattr(preview_of(Setup.objects.get()), "total", None)]
    for task in (0, 1):
        save(rosas_browser, "checks", {"do": f"add_check:{task}"})
        totals.append(getattr(preview_of(Setup.objects.get()), "total", None))
        lines = [line.sentence for line in summary_of(Setup.objects.get())]
        unchecked = "Pairwise comparison (task 2): Nothing checks whether raters read the texts."
        assert (unchecked in lines) is (task == 0), "a check of the first task checks nothing in the second"
    assert totals == [18, 19, 20]
    # The page and Review tell the same number as the preview, task by task.
    page = html.unescape(rosas_browser.get(url("checks")).content.decode())
    assert page.count("Attention checks of this task: 1. Each rater is shown 1 of them in a set;") == 2
    lines = [line.sentence for line in summary_of(Setup.objects.get())]
    assert [line for line in lines if "Each rater is shown" in line] == [
        f"{name}: Each rater is shown 1 attention check."
        for name in ("Texts about places", "Pairwise comparison (task 2)")
    ]
    second = preview_of(Setup.objects.get(), task_key="task")
    assert second is not None
    assert second.before == 13
    shown = rosas_browser.get(f"{reverse('researcher:preview', args=[two_tasks.slug])}?task=task").content.decode()
    assert "Screen 14 of 20" in shown
    assert "Pairwise comparison (task 2)" in shown
    save(rosas_browser, "checks", {"tasks.0.checks.attention": "0"})
    page = rosas_browser.get(url("checks")).content.decode()
    assert "Attention checks of this task: 1. Each rater is shown 0 of them in a set;" in page


def test_sets_that_nobody_would_get_are_a_point_to_settle_and_a_button_makes_all_sets_fit(
    draft: Study, rosas_browser: Client
) -> None:
    """A task comes with sets for as many raters as the tasks before it; other sizes are said and put right."""
    save(rosas_browser, "raters", {"tasks.0.set_size": "12"})
    save(rosas_browser, "questions", PAIRWISE)
    assert sizes(draft) == [12, 12]
    review = rosas_browser.get(REVIEW).content.decode()
    assert "left over" not in review
    save(rosas_browser, "raters", {"tasks.1.set_size": "6"})
    review = html.unescape(rosas_browser.get(REVIEW).content.decode())
    sentence = "8 of the 17 sets of “Pairwise comparison (task 2)” are left over once the other tasks are full"
    assert sentence in review
    numbers = "9 raters for “Texts about places” and 17 raters for “Pairwise comparison (task 2)”"
    assert f"The plan has {numbers}, and each rater takes a set of every task." in review
    # Review counts the raters until the study is full, as Plan does.
    lines = [line.sentence for line in summary_of(Setup.objects.get())]
    assert any(line.startswith("9 raters") for line in lines), lines
    told = rosas_browser.post(REVIEW, {"do": "fit_sets"}, follow=True).content.decode()
    assert "All tasks have sets for as many raters now." in told
    assert sizes(draft) in ([12, 12], [6, 6])
    assert sentence not in html.unescape(rosas_browser.get(REVIEW).content.decode())
    told = rosas_browser.post(REVIEW, {"do": "fit_sets"}, follow=True).content.decode()
    assert "already" in told


def test_minutes_and_pay_per_hour_of_the_consent_are_compared_on_the_step_itself(
    draft: Study, rosas_browser: Client
) -> None:
    """The tool drafts both numbers from an estimate, which changes with the tasks; also while another step is wrong."""
    words = {
        "consent.en": "It takes about 99 minutes and pays 77.00 EUR per hour.",
        "pay.minutes": "",
        "pay.amount": "2",
    }
    save(rosas_browser, "consent", words)
    for rules in (None, [{"rule": "nonsense"}]):
        setup = Setup.objects.get()
        changes.change(setup=setup, values={("analysis", "rules"): rules}, base=setup.revision, by=None)
        page = html.unescape(rosas_browser.get(url("consent")).content.decode())
        assert "The consent text says 99 minutes, but elsewhere raters read" in page
        assert re.search(
            r"The consent text says 77.00 EUR per hour, but 2.00 EUR for about \d+ minutes is [\d.]+ EUR per hour.",
            page,
        )
        assert "nowhere in the form" not in page


def test_a_system_called_human_is_no_machine(draft: Study, rosas_browser: Client) -> None:
    rows = [{"item": "i1", "system": system, "output": "Some words."} for system in ("human", "Humanoid")]
    setup = writes.store(setup=changes.begin(draft), rows=rows, systems={"human": "", "Humanoid": ""}, by=None)
    kinds = {entry["key"]: entry.get("kind", System.Kind.MACHINE) for entry in setup.given["systems"]}
    assert kinds == {"human": "human", "Humanoid": "machine"}


def test_texts_that_were_rated_elsewhere_need_no_consent_and_lead_to_the_import(rosas_browser: Client) -> None:
    page = rosas_browser.get("/admin/studies/new/?texts=rated").content.decode()
    assert "Asked once, for all your studies" not in page
    names = {"texts": "rated", "title": "Ratings of a paper", "public_title": "Texts"}
    assert rosas_browser.post("/admin/studies/new/", names).status_code == 302
    setup = Setup.objects.get(study__slug="ratings-of-a-paper")
    rows = [{"item": f"i{n}", "system": system, "output": f"Text {n}."} for n in range(4) for system in "ab"]
    writes.store(setup=setup, rows=rows, systems={"a": "", "b": ""}, by=None)
    steps = reverse("researcher:choose_type", args=["ratings-of-a-paper"])
    rosas_browser.post(steps, {"task_type": "likert"})
    questions = reverse("researcher:step", args=["ratings-of-a-paper", "questions"])
    review = reverse("researcher:step", args=["ratings-of-a-paper", "review"])
    assert rosas_browser.post(questions, {"do": "next"})["Location"] == review
    told = rosas_browser.post(review, follow=True).content.decode()
    assert "The ratings of this study come from elsewhere." in told
    assert f'href="{reverse("researcher:import", args=["ratings-of-a-paper"])}"' in told


def test_the_fee_of_the_platform_is_shown_and_can_be_changed(draft: Study, rosas_browser: Client) -> None:
    save(rosas_browser, "consent", {"pay.amount": "3", "pay.minutes": "15"})
    assert "platform&#x27;s fee" not in rosas_browser.get(url("consent")).content.decode()
    save(rosas_browser, "raters", {"channels.prolific.": "1"})
    page = html.unescape(rosas_browser.get(url("raters")).content.decode())
    assert (
        "Check the platform's current fee. If it differs, change it on this page, beside the platform's name." in page
    )
    pay = re.search(r"Pay: ([\d.]+) EUR in all.*With the platform's fee of 33.3 %: ([\d.]+) EUR.", page)
    assert pay
    assert float(pay[2]) == pytest.approx(1.333 * float(pay[1]), abs=0.01)
    save(rosas_browser, "raters", {"channels.prolific.fee": "42.8"})
    assert "fee of 42.8 %" in rosas_browser.get(url("raters")).content.decode()
