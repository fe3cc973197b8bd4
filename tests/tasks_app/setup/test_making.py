"""From a set-up to the study: checked whole, made by the code that loads study files, and opened only when it fits."""

import io
import zipfile

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from tasks_app import studyfile
from tasks_app.hooks import sections
from tasks_app.models import Media, Setup, Study, Task
from tasks_app.services.study import items
from tasks_app.services.study.lifecycle import NotPossible, move
from tasks_app.setup import changes
from tasks_app.setup.checking import make_study, reading_of
from tasks_app.setup.numbers import checked_reading, numbers_of
from tasks_app.studyfile import StudyFileError
from tasks_app.studyfile.screens import draft_tasks
from tests.about import ABOUT
from tests.pages import fields_of

SLUG = "example-likert"


def address(name: str) -> str:
    return reverse(f"researcher:{name}", args=[SLUG])


def test_an_answer_to_the_preview_says_what_would_be_stored(draft: Study, rosas_browser: Client) -> None:
    page = rosas_browser.get(address("preview")).content.decode()
    answer = {name: "4" for name in fields_of(page.replace("<input", "<input checked"), "answer") if name != "comment"}
    shown = rosas_browser.post(address("preview"), answer)
    assert shown.status_code == 200
    assert "This answer would store these ratings." in shown.content.decode()
    assert not draft.events.filter(verb="submitted").exists()


def test_pictures_that_no_text_names_yet_are_kept(draft: Study, rosa: User) -> None:
    content = b"a picture"
    items.store_media(study=draft, sha256="a" * 64, kind="image/png", content=content)
    made, _loaded = make_study(setup=changes.begin(draft), by=rosa)
    with Media.objects.get(study=made).file.open("rb") as stream:
        assert stream.read() == content


def test_what_does_not_fit_leaves_the_study_as_it_was(draft: Study, rosa: User) -> None:
    setup = changes.begin(draft)
    setup = changes.change(setup=setup, values={("tasks", 0, "k"): 0}, base=0, by=rosa).setup
    before = sections.snapshot(draft)
    with pytest.raises(StudyFileError, match=r"tasks\[0\].k"):
        make_study(setup=setup, by=rosa)
    assert sections.snapshot(Study.objects.get(pk=draft.pk)) == before
    with pytest.raises(NotPossible, match="Check everything"):
        move(study_id=draft.pk, action="open", by=rosa)


def test_review_leads_to_what_is_wrong_and_makes_the_study(draft: Study, rosas_browser: Client, rosa: User) -> None:
    setup = changes.begin(draft)
    changes.change(setup=setup, values={("tasks", 0, "k"): "many"}, base=0, by=rosa)
    page = rosas_browser.get(address("review")).content.decode()
    assert f"{reverse('researcher:step', args=[SLUG, 'raters'])}#f-tasks-0-k" in page
    assert rosas_browser.post(address("review")).status_code == 422
    opening = f"{address('review')}?settle=1"
    assert rosas_browser.get(opening)["Location"] == address("review"), "only what was checked can be opened"
    assert rosas_browser.get(opening, headers={"hx-request": "true"})["HX-Redirect"] == address("review")
    changes.undo(setup=setup, by=rosa)
    changes.change(setup=setup, values={("tasks", 0, "k"): 4, ("about",): ABOUT}, base=2, by=rosa)
    page = rosas_browser.post(address("review"), follow=True).content.decode()
    assert "All checks passed." in page
    assert opening in page
    part = rosas_browser.get(opening, headers={"hx-request": "true"}).content.decode()
    assert "Open the study now" in part
    assert "<html" not in part
    whole = rosas_browser.get(opening).content.decode()
    assert "Open the study now" in whole
    assert "<html" in whole
    assert Task.objects.get(study=draft).k == 4
    assert rosas_browser.post(address("move"), {"action": "open", "sure": "yes"}).status_code == 302
    assert Study.objects.get(pk=draft.pk).state == Study.State.OPEN


def test_known_answers_of_texts_that_are_gone_are_removed(rosas_browser: Client, rosa: User) -> None:
    study = studyfile.load("examples/checked", owner=rosa)
    setup = changes.begin(study)
    rows = [{"item": "a", "system": name, "output": name} for name in ("one", "two")]
    changes.replace_table(setup=setup, table="items", rows=rows, by=rosa)
    with pytest.raises(StudyFileError, match=r"controls\.csv"):
        make_study(setup=setup, by=rosa)
    path = reverse("researcher:review", args=[study.slug])
    assert 'value="remove"' in rosas_browser.get(path).content.decode()
    assert rosas_browser.post(path, {"do": "remove"}).status_code == 302
    assert not setup.rows.exclude(table="items").exists()
    assert 'value="remove"' not in rosas_browser.get(path).content.decode()


def test_numbers_follow_the_settings(draft: Study, rosa: User) -> None:
    setup = changes.begin(draft)
    numbers = numbers_of(*checked_reading(setup))
    assert numbers is not None
    task = numbers.tasks[0]
    assert (task.units, task.k, task.places, task.set_size, task.sets) == (35, 3, 105, 12, 9)
    assert (str(numbers.cost), str(numbers.hourly), numbers.is_exact) == ("14.00", "12.00", True)
    setup = changes.change(setup=setup, values={("tasks", 0, "k"): 5}, base=0, by=rosa).setup
    numbers = numbers_of(*checked_reading(setup))
    assert numbers is not None
    assert (numbers.tasks[0].places, numbers.raters) == (175, 15)


@pytest.mark.parametrize(
    ("example", "sentence"),
    [
        ("likert", "about 1.00 points (mixed model with 12 items and 9 raters at 0.05, corrected for 3 pairs"),
        (
            "pairwise",
            "can be detected with 80 % power: 97 % of the answers that are not ties (sign test over 12 items per pair",
        ),
        (
            "triangle",
            "can be detected with 80 % power: 40 % (exact binomial test of 24 judgments per pair of systems at 0.05)",
        ),
        ("ranking", ""),
    ],
)
def test_the_smallest_difference_stands_beside_the_cost(
    rosas_browser: Client, rosa: User, example: str, sentence: str
) -> None:
    study = studyfile.load(f"examples/{example}", owner=rosa, replace=True)
    page = rosas_browser.get(reverse("researcher:step", args=[study.slug, "raters"])).content.decode()
    assert ("80 % power" in page) == bool(sentence)
    assert sentence in page
    assert f"{reverse('planning:planning')}?study={study.slug}" in page or not sentence


@pytest.mark.parametrize(
    ("mode", "said"),
    [("together", "12 items and 9 raters"), ("block", "12 items and 18 raters"), ("rater", "12 items")],
)
def test_criteria_asked_apart_do_not_count_twice(
    setup: Setup, rosas_browser: Client, rosa: User, mode: str, said: str
) -> None:
    changes.change(setup=setup, values={("tasks", 0, "criteria_mode"): mode}, base=0, by=rosa)
    page = rosas_browser.get(reverse("researcher:step", args=[SLUG, "raters"])).content.decode()
    assert f"points (mixed model with {said}" in page


def test_a_task_whose_units_all_have_known_answers_needs_nobody(
    setup: Setup, rosas_browser: Client, rosa: User
) -> None:
    reading = reading_of(setup, None)
    (task,) = draft_tasks(reading)
    rows = [
        {"unit": unit, "purpose": "control", "criterion": "fluency", "kind": "exact", "answer": "3"}
        for unit in task.units
    ]
    changes.replace_table(setup=setup, table="controls", rows=rows, by=rosa)
    assert rosas_browser.get(reverse("researcher:step", args=[SLUG, "raters"])).status_code == 200


def test_study_yaml_is_edited_both_ways(draft: Study, rosas_browser: Client) -> None:
    """What is typed is kept where it does not fit, with its lines; what is no YAML, or of another slug, is refused."""
    form = fields_of(rosas_browser.get(address("setup_file")).content.decode(), "study-file")
    text, revision = form["text"][0], form["revision"][0]
    answer = rosas_browser.post(
        address("setup_file"), {"text": text.replace("k: 3", "k: none"), "revision": revision}
    ).content.decode()
    assert "study.yaml" in answer
    assert Setup.objects.get(study=draft).given["tasks"][0]["k"] == "none"
    for broken in (text.replace("tasks:", "tasks: ["), text.replace(f"slug: {SLUG}", "slug: other"), "- a"):
        assert rosas_browser.post(address("setup_file"), {"text": broken, "revision": "1"}).status_code == 422
    assert rosas_browser.post(address("setup_file"), {"text": text, "revision": revision}).status_code == 409
    assert rosas_browser.post(address("setup_file"), {"text": text, "revision": "1"}).status_code == 302
    archive = zipfile.ZipFile(io.BytesIO(b"".join(rosas_browser.get(address("setup_zip")).streaming_content)))
    assert archive.namelist() == ["study.yaml", "items.csv"]


def test_the_preregistration_says_what_opening_would_freeze(draft: Study, rosas_browser: Client, rosa: User) -> None:
    answer = rosas_browser.get(address("preregistration"))
    archive = zipfile.ZipFile(io.BytesIO(b"".join(answer.streaming_content)))
    names = ["preregistration.md", "study.yaml", "items.csv", "datasheet.md", "datasheet.json"]
    assert archive.namelist() == names
    assert "**3.1.1 Outputs evaluated per system**" in archive.read("datasheet.md").decode()
    text = archive.read("preregistration.md").decode()
    move(study_id=draft.pk, action="open", by=rosa)
    assert draft.versions.get().digest in text
    assert "How well does this text read? (very badly · badly · so-so · well · very well)" in text
    assert "correction: holm" in text
    assert rosas_browser.get(address("preregistration")).status_code == 302, "it was opened"


def test_nothing_is_preregistered_that_was_not_checked(draft: Study, rosas_browser: Client, rosa: User) -> None:
    changes.change(setup=changes.begin(draft), values={("tasks", 0, "k"): 4}, base=0, by=rosa)
    assert rosas_browser.get(address("preregistration")).status_code == 302


def test_a_file_that_replaces_the_draft_replaces_the_form(draft: Study, rosa: User) -> None:
    setup = changes.begin(draft)
    changes.change(setup=setup, values={("tasks", 0, "k"): 7}, base=0, by=rosa)
    study = studyfile.load("examples/likert", owner=rosa, replace=True)
    assert changes.begin(study).given["tasks"][0]["k"] == 3
