"""The steps of the set-up: forms made of the schema, saved field by field, with problems beside the fields."""

import re
from collections.abc import Mapping

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from tasks_app import designs, task_types
from tasks_app.manual.pages import pages
from tasks_app.models import Setup, Study
from tasks_app.models.setup_document import value_at
from tasks_app.setup import changes
from tasks_app.setup.controls import controls_of
from tasks_app.setup.entries import new_key
from tasks_app.setup.page import SetupPage
from tasks_app.setup.steps import FILE_ONLY, STEPS, step_of
from tasks_app.studyfile.schema import field_schema, whole_schema
from tests.about import ABOUT
from tests.pages import fields_of

SLUG = "example-likert"
CONSENT_DRAFT = f"/admin/studies/{SLUG}/set-up/consent/draft/"
STEPS_WITH_FORMS = ("task", "questions", "raters", "checks", "consent", "analysis")


def url(step: str) -> str:
    return reverse("researcher:step", args=[SLUG, step])


def form_of(browser: Client, step: str) -> dict[str, list[str]]:
    """What a browser posts for a step that nobody has touched."""
    return fields_of(browser.get(url(step)).content.decode(), "setup-form")


def save(browser: Client, step: str, values: Mapping[str, object], **extra: object) -> Setup:
    browser.post(url(step), {**form_of(browser, step), **values}, **extra)
    return Setup.objects.get(study__slug=SLUG)


@pytest.mark.parametrize("step", STEPS_WITH_FORMS)
def test_what_nobody_touched_is_no_change(draft: Study, rosas_browser: Client, step: str) -> None:
    assert save(rosas_browser, step, {}).revision == 0


def test_a_value_is_saved_and_wrong_ones_are_kept_with_what_is_wrong(draft: Study, rosas_browser: Client) -> None:
    setup = save(rosas_browser, "raters", {"tasks.0.k": "many"})
    assert setup.document.value(("tasks", 0, "k")) == "many"
    page = rosas_browser.get(url("raters")).content.decode()
    assert re.search(r'id="p-f-tasks-0-k"[^>]*><p>', page)
    assert value_at(save(rosas_browser, "raters", {"tasks.0.k": "5"}).given, ("tasks", 0, "k")) == 5


def marked(page: str, *states: str) -> set[str]:
    """Return the labels of the steps that have one of some states; Review waits as long as another step does."""
    found = re.findall(r'data-state="([a-z]+)">([^<]+)<', page)
    assert len(found) == len(STEPS)
    return {label for state, label in found if state in (states or ("incomplete", "problem")) and label != "Review"}


def test_steps_with_something_to_settle_are_marked_on_every_page_and_as_one_types(
    draft: Study, rosas_browser: Client
) -> None:
    # The addresses of the example are to be replaced.
    assert marked(rosas_browser.get(url("raters")).content.decode()) == {"Consent and pay"}
    save(rosas_browser, "raters", {"tasks.0.k": "many"})
    for step in ("task", "review"):
        assert marked(rosas_browser.get(url(step)).content.decode()) == {"Raters", "Consent and pay"}
    names = {f"about.{name}": value for name, value in ABOUT.items()}
    part = rosas_browser.post(
        url("consent"), {**form_of(rosas_browser, "consent"), **names}, headers={"hx-request": "true"}
    )
    assert marked(part.content.decode()) == {"Raters"}
    save(rosas_browser, "raters", {"tasks.0.k": "3"})
    Setup.objects.get().rows.all().delete()
    assert marked(rosas_browser.get(url("raters")).content.decode(), "incomplete") == {"Texts"}


def test_each_page_marks_what_is_done_what_is_missing_and_what_is_wrong(draft: Study, rosas_browser: Client) -> None:
    names = {f"about.{name}": value for name, value in ABOUT.items()}
    save(rosas_browser, "consent", {**names, "consent.en": "You get 7.77 EUR."})
    page = rosas_browser.get(url("consent")).content.decode()
    assert re.search(r'id="p-f-consent-en"[^>]*><p>The consent text names 7.77 EUR, which is nowhere in the form', page)
    pages = (url("texts"), CONSENT_DRAFT, url("review"))
    for page in (rosas_browser.get(address).content.decode() for address in pages):
        assert marked(page, "problem") == {"Consent and pay"}
        assert "Texts" in marked(page, "done")
        assert re.search(r'data-state="incomplete">Review<', page)
    save(rosas_browser, "consent", {"consent.en": ""})
    for page in (rosas_browser.get(address).content.decode() for address in pages):
        assert marked(page, "incomplete") == {"Consent and pay"}


def test_going_on_leads_to_the_next_step_that_is_not_done(draft: Study, rosas_browser: Client) -> None:
    def leads_to(step: str) -> str:
        answer = rosas_browser.post(url(step), {**form_of(rosas_browser, step), "do": "next"})
        return str(answer["Location"])

    assert leads_to("task") == url("consent")
    passed = rosas_browser.get(url("consent")).content.decode()
    assert "Nothing is missing in “Texts”, “Questions”, “Raters”, “Checks”, so “" in passed
    save(rosas_browser, "raters", {"tasks.0.k": "many"})
    assert leads_to("task") == url("raters")
    assert leads_to("raters") == url("raters"), "there is an error on this step"
    page = rosas_browser.get(url("raters")).content.decode()
    assert "Saved. There is an error on this step: “Judgments of every unit”. Fix it, or choose another step." in page
    save(rosas_browser, "raters", {"tasks.0.k": "3"})
    # Without a consent text its draft is next, which asks for what the form does not say.
    save(rosas_browser, "consent", {"consent.en": ""})
    assert leads_to("raters") == CONSENT_DRAFT


def test_strangers_from_a_platform_without_any_check_leave_the_checks_incomplete(
    draft: Study, rosas_browser: Client
) -> None:
    changes.begin(draft).rows.filter(table="controls").delete()
    assert "Checks" in marked(rosas_browser.get(url("raters")).content.decode(), "done")
    save(rosas_browser, "raters", {"channels.prolific.": "1"})
    assert marked(rosas_browser.get(url("raters")).content.decode(), "incomplete") == {"Checks"}


def test_a_question_that_is_removed_is_asked_by_no_task(draft: Study, rosas_browser: Client) -> None:
    assert changes.begin(draft).given["tasks"][0]["criteria"] == ["fluency", "accuracy"]
    given = save(rosas_browser, "questions", {"do": "remove:criteria.0"}).given
    assert given["tasks"][0]["criteria"] == ["accuracy"]


def test_an_empty_list_of_choices_says_what_it_would_have(draft: Study, rosas_browser: Client) -> None:
    changes.change(
        setup=changes.begin(draft), values={("criteria",): [], ("tasks", 0, "criteria"): []}, base=0, by=None
    )
    page = rosas_browser.get(url("questions")).content.decode()
    assert "Those that the task type brings along are asked without being chosen." in page
    assert (
        "The study has no groups of raters. Add them on the step Raters."
        in rosas_browser.get(url("raters")).content.decode()
    )


def test_totals_say_why_they_are_not_counted(draft: Study, rosas_browser: Client) -> None:
    changes.change(setup=changes.begin(draft), values={("tasks", 0, "params"): {"points": 99}}, base=0, by=None)
    page = rosas_browser.get(url("raters")).content.decode()
    assert "The totals cannot be counted before the problems of the study are fixed." in page
    assert "Once there are texts and a matching task" not in page
    changes.begin(draft).rows.filter(table="items").delete()
    assert "Once there are texts and a matching task" in rosas_browser.get(url("raters")).content.decode()


def test_entries_are_added_named_and_removed(draft: Study, rosas_browser: Client) -> None:
    save(rosas_browser, "questions", {"do": "add:criteria"})
    setup = save(rosas_browser, "questions", {"criteria.2.name": "Good style"})
    assert setup.given["criteria"][2] == {"name": "Good style", "key": "good-style"}
    assert [row["key"] for row in save(rosas_browser, "questions", {"do": "remove:criteria.0"}).given["criteria"]] == [
        "accuracy",
        "good-style",
    ]
    assert save(rosas_browser, "questions", {"do": "undo"}).given["criteria"][0]["key"] == "fluency"


@pytest.mark.parametrize(
    ("button", "criteria"),
    [
        ("add:criteria", 3),
        pytest.param("remove:criteria.0", 1, marks=pytest.mark.exhaustive),
        pytest.param("up:criteria.1", 2, marks=pytest.mark.exhaustive),
        ("undo", 2),
    ],
)
def test_a_press_that_is_sent_twice_is_carried_out_once(
    draft: Study, rosas_browser: Client, button: str, criteria: int
) -> None:
    """A double click, or a browser that sends again what was not answered in time."""
    for name in ("One name", "Another name"):
        save(rosas_browser, "questions", {"criteria.0.name": name})
    posted = {**form_of(rosas_browser, "questions"), "do": button}
    given = []
    for _time in range(2):
        page = rosas_browser.post(url("questions"), posted, follow=True).content.decode()
        assert "The list was changed" not in page
        given.append(Setup.objects.get(study=draft).given)
    assert given[0] == given[1]
    assert len(given[0]["criteria"]) == criteria
    assert form_of(rosas_browser, "questions")["click"] != posted["click"], "the next press has a key of its own"


def test_what_saves_by_itself_presses_no_button(draft: Study, rosas_browser: Client) -> None:
    """While a button was pressed, htmx carries it with whatever it sends."""
    assert 'hx-params="not do"' in rosas_browser.get(url("questions")).content.decode()
    values = {"do": "add:criteria", "criteria.0.name": "Flow"}
    setup = save(rosas_browser, "questions", values, headers={"HX-Request": "true"})
    assert [row["name"] for row in setup.given["criteria"]] == ["Flow", "Accuracy"]


def test_who_goes_on_is_told_what_was_not_set(draft: Study, rosas_browser: Client, mallory: User) -> None:
    old = form_of(rosas_browser, "raters")
    changes.change(setup=changes.begin(draft), values={("tasks", 0, "k"): 7}, base=0, by=mallory)
    page = rosas_browser.post(url("raters"), {**old, "tasks.0.k": "4", "do": "next"}, follow=True)
    assert page.redirect_chain[-1][0] == url("consent")
    assert "mallory has changed" in page.content.decode()


def test_a_script_gets_what_differs(draft: Study, rosas_browser: Client) -> None:
    """Problems alone while the fields are the same, all fields where the task type brings others."""
    form = form_of(rosas_browser, "task")
    answer = rosas_browser.post(url("task"), {**form, "study.title": ""}, headers={"HX-Request": "true"})
    page = answer.content.decode()
    assert "setup-fields" not in page
    assert re.search(r'id="p-f-study-title"[^>]*hx-swap-oob="true"><p>', page)
    form = form_of(rosas_browser, "task")
    answer = rosas_browser.post(url("task"), {**form, "tasks.0.type": "slider"}, headers={"HX-Request": "true"})
    assert "setup-fields" in answer.content.decode()
    params = Setup.objects.get(study=draft).given["tasks"][0]["params"]
    assert "points" not in params, "what only the old type has is left out"
    assert params["layout"] == "single"
    assert "tasks.0.params.maximum" in form_of(rosas_browser, "task")


def test_a_page_that_is_out_of_date_overwrites_nothing(draft: Study, rosas_browser: Client, mallory: User) -> None:
    old = form_of(rosas_browser, "raters")
    setup = changes.begin(draft)
    changes.change(setup=setup, values={("tasks", 0, "k"): 7, ("groups",): [{"key": "a"}]}, base=0, by=mallory)
    page = rosas_browser.post(url("raters"), {**old, "tasks.0.k": "4", "tasks.0.set_size": "9"}, follow=True)
    setup.refresh_from_db()
    assert setup.document.value(("tasks", 0, "k")) == 7
    assert setup.document.value(("tasks", 0, "set_size")) == 9
    assert setup.given["groups"] == [{"key": "a"}]
    assert "mallory has changed" in page.content.decode()


def test_every_leaf_of_the_schema_has_a_field_or_a_reason() -> None:
    """A section, task type, rule or analysis that is added later is asked for without an edit."""
    asked = {control.path for one in STEPS for control in SetupPage(Setup(given=_everything()), one.slug).controls}
    chosen = {("tasks", 0, "params"), ("tasks", 0, "design_params")}
    leaves = [path for path in _leaves(whole_schema(), ()) if step_of(path) and path not in chosen]
    missing = [path for path in leaves if not _is_asked(path, asked)]
    assert missing == []
    own_page = {path[0] for path in leaves if step_of(path) == "texts"}
    assert own_page == {"systems"}, "the page of texts asks for nothing else"
    assert all(str(reason) for reason in FILE_ONLY.values())


@pytest.mark.parametrize(
    ("chooser", "params", "name"),
    [("type", "params", name) for name in task_types.registry]
    + [("design", "design_params", name) for name in designs.registry],
)
def test_parameters_are_asked_for_by_what_is_chosen(chooser: str, params: str, name: str) -> None:
    given = {"tasks": [{chooser: name}]}
    asked = {
        control.path[3]
        for one in STEPS
        for control in SetupPage(Setup(given=given), one.slug).controls
        if control.path[:3] == ("tasks", 0, params)
    }
    member = (task_types.registry if chooser == "type" else designs.registry)[name]
    lists = {
        entry
        for entry, field in member.Settings.base_fields.items()
        if field_schema(field).get("items", {}).get("properties")
    }
    assert asked | lists >= set(member.Settings.base_fields)


def _everything() -> dict[str, object]:
    """A document with one entry in every list, and every channel open."""
    schema = whole_schema()["properties"]
    one: dict[str, object] = {name: [{}] for name, node in schema.items() if node.get("type") == "array"}
    return {**one, "channels": {name: {} for name in schema["channels"]["properties"]},
            "analysis": {"rules": [{"rule": "iqr"}], "analyses": [{}]}, "consent": {"en": ""}}  # fmt: skip


def _leaves(node: Mapping[str, object], path: tuple[object, ...]) -> list[tuple[object, ...]]:
    properties = node.get("properties")
    if isinstance(properties, Mapping) and properties:
        return [leaf for name, inner in properties.items() for leaf in _leaves(inner, (*path, name))]
    items = node.get("items")
    if isinstance(items, Mapping) and items.get("properties"):
        return _leaves(items, (*path, 0))
    return [] if "const" in node else [path]


def _is_asked(path: tuple[object, ...], asked: set[tuple[object, ...]]) -> bool:
    """Parameters are asked for by their own schema, once a type or design is chosen; channels without any by a box."""
    return any(other[: len(path)] == path for other in asked)


def test_a_question_that_leads_is_asked_neutrally_by_one_press(draft: Study, rosas_browser: Client) -> None:
    save(rosas_browser, "questions", {"criteria.0.question": "How fluent is the text?"})
    page = rosas_browser.get(url("questions")).content.decode()
    assert 'value="advice:criteria.0.question"' in page
    setup = save(rosas_browser, "questions", {"do": "advice:criteria.0.question"})
    assert setup.document.value(("criteria", 0, "question")) != "How fluent is the text?"


def test_what_explains_a_field_is_there() -> None:
    """Every page of docs/ that a field leads to, with its heading; every section but file-only ones leads to one."""
    names = {page.name: {section.anchor for section in page.sections} for page in pages().values()}
    explained = set()
    for one in STEPS:
        for group in SetupPage(Setup(given=_everything()), one.slug).groups:
            explained |= {group.path[0]} if group.manual else set()
            for asked in (group, *controls_of(group)):
                page, _hash, anchor = asked.manual.partition("#")
                assert not page or (page in names and (not anchor or anchor in names[page])), asked.manual
    assert explained == set(whole_schema()["properties"]) - set(FILE_ONLY) - {"systems"}
    assert {f"task-types/{name}" for name in task_types.registry} <= set(names)


def test_keys_are_made_of_names() -> None:
    assert new_key("Good style!", {"good-style"}) == "good-style-2"
    assert new_key("Flüssigkeit", ()) == "flussigkeit"
    assert new_key("流暢さ", ()) == "entry"


def test_a_value_that_is_kept_for_earlier_studies_is_offered_only_where_it_is_chosen(
    draft: Study, rosas_browser: Client
) -> None:
    save(rosas_browser, "task", {"tasks.0.type": "labels"})

    def offered() -> list[str]:
        page = rosas_browser.get(url("task")).content.decode()
        select = re.search(r'<select[^>]*name="tasks\.0\.params\.order".*?</select>', page, re.DOTALL)
        assert select
        return re.findall(r'<option value="([^"]*)"', select[0])

    assert offered() == ["fixed", "rater"]
    setup = Setup.objects.get(study__slug=SLUG)
    setup.given["tasks"][0].setdefault("params", {})["order"] = "drawn"
    setup.save()
    assert offered() == ["fixed", "rater", "drawn"]
    assert value_at(save(rosas_browser, "task", {}).given, ("tasks", 0, "params", "order")) == "drawn"


def test_a_channel_that_has_ended_is_shown_only_where_a_study_has_it(
    draft: Study, rosa: User, rosas_browser: Client
) -> None:
    """Amazon Mechanical Turk closed on 30 September 2026."""

    def shown() -> tuple[bool, bool]:
        page = rosas_browser.get(url("raters")).content.decode()
        return "Mechanical Turk" in page, "Prolific" in page

    assert shown() == (False, True)
    recruit = rosas_browser.get(f"/admin/studies/{SLUG}/recruit/").content.decode()
    assert "Mechanical Turk" not in recruit
    assert "Prolific" in recruit
    changes.change(setup=changes.begin(draft), values={("channels", "mturk"): {}}, base=0, by=rosa)
    assert shown() == (True, True)


def test_what_an_entry_lacks_is_said_once_and_in_words_of_the_form(
    draft: Study, rosa: User, rosas_browser: Client
) -> None:
    """A key is made of the name, so the name is asked for; rules and analyses are chosen, not typed."""
    setup = changes.begin(draft)
    given = setup.given
    values = {
        ("criteria",): [*given["criteria"], {}],
        ("groups",): [{}],
        ("analysis", "rules"): [{}],
        ("analysis", "analyses"): [{}],
    }
    changes.change(setup=setup, values=values, base=setup.revision, by=rosa)
    review = reverse("researcher:review", args=[SLUG])
    for page in (rosas_browser.get(review), rosas_browser.post(review)):
        text = page.content.decode()
        said = re.findall(r'<li dir="auto"><a href="[^"]*/set-up/([a-z]+)/(#[^"]*)">([^<]+)</a>', text)
        assert {(step, anchor, sentence) for step, anchor, sentence in said if step != "consent"} == {
            ("questions", f"#f-criteria-{len(given['criteria'])}-name", "Name: Fill this in."),
            ("raters", "#f-groups-0-name", "Name: Fill this in."),
            ("analysis", "#f-analysis-rules-0-rule", "Rule: Choose one."),
            ("analysis", "#f-analysis-analyses-0-analysis", "Analysis: Choose one."),
        }
        assert len(said) == len(set(said))
        assert "is missing:" not in text
        assert "study.yaml" not in text


def test_review_leads_to_the_setting_with_which_a_plan_could_be_drawn(
    draft: Study, rosa: User, rosas_browser: Client
) -> None:
    setup = changes.begin(draft)
    values = {("tasks", 0, "set_size"): None, ("tasks", 0, "spacing"): 15}
    changes.change(setup=setup, values=values, base=setup.revision, by=rosa)
    review = reverse("researcher:review", args=[SLUG])
    for page in (rosas_browser.get(review), rosas_browser.post(review)):
        text = page.content.decode()
        assert re.search(r'/set-up/raters/#f-tasks-0-spacing">Spacing: Units of one item cannot stand 15 apart', text)
        assert "Raters" in marked(text, "problem")
        assert "study.yaml" not in text
