"""Review says in plain words what a study will do, and Plan puts refusals right by a button."""

import html
import re

from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from tasks_app import task_types
from tasks_app.models import Membership, Setup, Study
from tasks_app.setup import changes, starting
from tasks_app.setup.summary import summary_of
from tests.tasks_app.setup.test_steps import form_of

SLUG = "example-likert"
PLAN = f"/admin/studies/{SLUG}/design/"


def change(draft: Study, values: dict[tuple[str | int, ...], object]) -> Setup:
    setup = changes.begin(draft)
    return changes.change(setup=setup, values=values, base=setup.revision, by=None).setup


def test_review_says_what_the_study_will_do_and_leads_to_each_field(draft: Study, rosas_browser: Client) -> None:
    change(draft, {("tasks", 0, "k"): 3, ("pay", "amount"): 2.4, ("pay", "minutes"): 12, ("flow", "allow_skip"): False})
    review = reverse("researcher:review", args=[SLUG])
    assert f"{review}?summary=1" in rosas_browser.get(review).content.decode()
    part = html.unescape(rosas_browser.get(f"{review}?summary=1", headers={"HX-Request": "true"}).content.decode())
    lines = dict(re.findall(r'<li dir="auto"><a href="[^"]*/set-up/(\w+/#[^"]+)">([^<]+)</a>', part))
    assert lines["raters/#f-tasks-0-k"] == "3 raters per text."
    assert lines["raters/#f-flow-allow_skip"] == "Raters cannot skip a text."
    cost = lines["consent/#f-pay-amount"].partition(" each: ")[2]
    assert re.fullmatch(r"\d+\.\d\d EUR in all.", cost)
    rosas_browser.post(review)
    plan = html.unescape(rosas_browser.get(reverse("researcher:design", args=[SLUG])).content.decode())
    assert cost.removesuffix(" in all.") in plan
    for place in lines:
        step, _slash, field = place.partition("/#")
        page = rosas_browser.get(reverse("researcher:step", args=[SLUG, step])).content.decode()
        assert f'id="{field}"' in page, place
    assert "What the study will do" in rosas_browser.get(f"{review}?summary=1").content.decode()


def test_minutes_and_pay_of_raters_with_several_sets_are_those_of_a_set(draft: Study) -> None:
    """Nine raters become three by giving each three sets, which take three times as long."""
    values = {("tasks", 0, "k"): 3, ("pay", "amount"): 2.4, ("pay", "minutes"): 12}
    once = [line.sentence for line in summary_of(change(draft, values))][:2]
    often = [line.sentence for line in summary_of(change(draft, {("flow", "sets_per_rater"): 3}))][:2]
    raters = [int(sentence.split()[0]) for sentence in (once[0], often[0])]
    assert raters[1] == -(-raters[0] // 3)
    assert " raters, 12 minutes and 2.40 EUR each: " in once[0]
    assert " if each does 3 sets, 12 minutes and 2.40 EUR per set: " in often[0]
    assert once[0].partition(": ")[2] == often[0].partition(": ")[2], "the cost in all"
    assert (once[1].split()[-1], often[1].split()[-1]) == ("rater.", "set.")


def test_a_form_without_anything_to_judge_is_summed_up_as_far_as_it_goes(draft: Study) -> None:
    setup = change(draft, {("tasks",): None, ("flow", "allow_back"): False})
    assert [line.sentence for line in summary_of(setup)] == [
        "Raters may skip a text.",
        "Raters cannot go back.",
        "A rater does 1 set at most.",
    ]


def test_a_questionnaire_is_not_spoken_of_as_if_it_showed_texts(rosa: User, rosas_browser: Client) -> None:
    names = starting.Names("Mood", "How are you today?")
    study = starting.from_type(owner=rosa, member=task_types.registry["questionnaire"], names=names)
    lines = [line.sentence for line in summary_of(Setup.objects.get(study=study))]
    assert "3 raters answer it." in lines
    # Nothing else is said of texts, of checks whether they were read, or of who rates which of them.
    assert not [line for line in lines if re.search(r"\btexts?\b|rates", line)]
    texts = rosas_browser.get(reverse("researcher:step", args=[study.slug, "texts"])).content.decode()
    assert "Raters judge no texts in this study, so you can leave this step empty." in texts


def test_identical_texts_are_kept_apart_by_a_button(draft: Study, rosas_browser: Client, mallory: User) -> None:
    setup = changes.begin(draft)
    first, second = setup.rows.filter(table="items").order_by("number")[:2]
    assert first.cells["item"] == second.cells["item"]
    second.cells["output"] = first.cells["output"]
    second.save()
    change(draft, {("study", "title"): "Changed"})
    page = rosas_browser.get(PLAN).content.decode()
    assert "4 texts are identical to those of other systems" in page
    assert 'value="tasks.0.keep_identical">Keep them apart' in page
    Membership.objects.create(study=draft, user=mallory, role="viewer")
    viewer = Client()
    viewer.force_login(mallory)
    assert '<button class="ew-button" name="fix"' not in viewer.get(PLAN).content.decode()
    assert viewer.post(f"{PLAN}fix/", {"fix": "tasks.0.keep_identical"}).status_code == 404
    rosas_browser.post(f"{PLAN}fix/", {"fix": "tasks.0.keep_identical"})
    setup.refresh_from_db()
    assert setup.document.value(("tasks", 0, "keep_identical")) is True
    assert "Keep them apart" not in rosas_browser.get(PLAN).content.decode()
    again = rosas_browser.post(f"{PLAN}fix/", {"fix": "study.title"}, follow=True).content.decode()
    assert "nothing was done" in again
    assert Setup.objects.get(study=draft).revision == setup.revision


def test_identical_texts_on_the_page_of_a_document_are_said_to_be_rated_by_themselves(
    draft: Study, rosas_browser: Client
) -> None:
    setup = changes.begin(draft)
    first, second = setup.rows.filter(table="items").order_by("number")[:2]
    second.cells["output"] = first.cells["output"]
    second.save()
    whole = {("tasks", 0, "params", "page"): "document", ("tasks", 0, "design"): "documents"}
    setup = change(draft, {**whole, ("study", "title"): "Changed"})
    said = [line.sentence for line in summary_of(setup) if "identical" in line.sentence]
    assert said == ["4 texts are identical to another and rated by themselves."]
    assert "Keep them apart" not in rosas_browser.get(PLAN).content.decode()


def test_cards_are_named_and_what_names_something_is_chosen(draft: Study, rosas_browser: Client) -> None:
    """No key is typed: questions, systems and pairs of systems are chosen by their names."""
    change(draft, {("tasks", 0, "type"): "likert", ("tasks", 0, "title"): "Read notices"})
    questions = html.unescape(rosas_browser.get(reverse("researcher:step", args=[SLUG, "questions"])).content.decode())
    legends = [
        re.sub(r"<[^>]+>", "", legend).strip() for legend in re.findall(r"<legend[^>]*>(.*?)</legend>", questions, re.S)
    ]
    assert any(legend.startswith("Likert scale: Read notices") for legend in legends)
    assert "Add a question" in questions
    assert "Add an entry" not in questions
    assert len(re.findall(r'name="criteria.0.labels"', questions)) == 5
    analysis = rosas_browser.get(reverse("researcher:step", args=[SLUG, "analysis"])).content.decode()
    (primary,) = re.findall(r'<select[^>]*name="analysis.primary".*?</select>', analysis, re.S)
    assert re.findall(r'<option value="(\w*)"', primary) == ["", "fluency", "accuracy"]
    pairs = re.findall(r'name="analysis.comparisons" value="([^"]+, [^"]+)"', analysis)
    assert len(pairs) == 3, "three systems"
    form = {
        **form_of(rosas_browser, "analysis"),
        "analysis.comparisons": ["", pairs[1]],
        "analysis.primary": "accuracy",
    }
    rosas_browser.post(reverse("researcher:step", args=[SLUG, "analysis"]), form)
    given = Setup.objects.get(study=draft).given["analysis"]
    assert (given["comparisons"], given["primary"]) == ([pairs[1].split(", ")], "accuracy")
