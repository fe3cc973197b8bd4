"""The form of a study that was opened: what was frozen, read-only; and drafts that follow it with changes."""

import io
import re
import zipfile
from html import unescape

import pytest
import yaml
from django.contrib.auth.models import User
from django.db import transaction
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from tasks_app import studyfile
from tasks_app.hooks import sections
from tasks_app.models import Membership, Setup, SetupRow, Study, Version
from tasks_app.services.study import drafts
from tasks_app.services.study.lifecycle import close_with_ratings, move
from tasks_app.setup import changed_versions, changes
from tasks_app.setup.checking import make_study
from tasks_app.setup.differences import WORDING, Differences, differences, is_wording
from tasks_app.setup.frozen import frozen_setup, setup_of
from tasks_app.setup.page import SetupPage
from tasks_app.setup.steps import STEPS, fits
from tests.deviations import assert_each
from tests.pages import fields_of

FORM_STEPS = [step.slug for step in STEPS if step.slug not in ("texts", "review")]


@pytest.fixture
def opened(draft: Study, rosa: User) -> Study:
    """A study that was loaded from a study file and opened: nobody has seen its form."""
    return move(study_id=draft.pk, action="open", by=rosa)


def url(study: Study, step: str) -> str:
    """Return the address of a step, or of a page with an address of its own."""
    own = {"texts": "researcher:texts", "review": "researcher:review", "file": "researcher:setup_file"}
    return reverse(own[step], args=[study.slug]) if step in own else reverse("researcher:step", args=[study.slug, step])


def changes_of(browser: Client, study: Study) -> str:
    """Return the part of Review that says what changed, as a script loads it; without scripts it is a page."""
    path = f"{url(study, 'review')}?changed=1"
    part = browser.get(path, headers={"hx-request": "true"})
    assert "<html" not in part.content.decode()
    assert "<html" in browser.get(path).content.decode()
    return unescape(part.content.decode())


def read(browser: Client, study: Study, step: str) -> str:
    """Return a page as it is read."""
    response = browser.get(url(study, step))
    assert response.status_code == 200
    return unescape(response.content.decode())


def changed_draft(study: Study, rosa: User, values: dict[tuple[str | int, ...], object]) -> Setup:
    """Prepare a changed version and change some of its values."""
    draft = changed_versions.prepare(study=study, by=rosa)
    return changes.change(setup=changes.begin(draft), values=values, base=0, by=rosa).setup


@pytest.mark.django_db
def test_every_step_shows_what_was_frozen_and_nothing_to_type_in(opened: Study, rosas_browser: Client) -> None:
    day = Version.objects.get(study=opened).frozen_at.strftime("%Y")

    def check(step: str) -> None:
        page = read(rosas_browser, opened, step)
        assert re.search(rf"Frozen on \d+ \w+ {day} as version 1\.", page)
        form = page[page.index('class="ew-setup"') : page.index("</main>")]
        form = re.sub(r"<form.*?</form>", "", form, flags=re.DOTALL)  # a search, comments, and another version
        assert not re.search(r'<select|<button|<input(?! type="radio")', form)
        assert "readonly" in form or "<textarea" not in form

    assert_each(check, ((step, {"step": step}) for step in (*FORM_STEPS, "texts", "review", "file")))


@pytest.mark.django_db
def test_the_values_are_those_of_the_frozen_study_file(opened: Study, rosas_browser: Client) -> None:
    assert "How do these short texts read?" in read(rosas_browser, opened, "task")
    assert str(opened.seed) in read(rosas_browser, opened, "task")
    assert "Fluency" in read(rosas_browser, opened, "questions")
    target = io.BytesIO()
    studyfile.export(opened, target)
    in_file = zipfile.ZipFile(target).read("study.yaml").decode()
    page = read(rosas_browser, opened, "file")
    shown = page[page.index("evalweb: 1\n") : page.index("</textarea>")]
    assert yaml.safe_load(shown) == yaml.safe_load(in_file)
    assert shown.index("\nstudy:") < shown.index("\ntasks:") < shown.index("\nanalysis:"), "in the order of the format"


@pytest.mark.django_db
def test_texts_are_searched_and_paged_through(opened: Study, rosas_browser: Client) -> None:
    text = SetupRow.objects.filter(setup=setup_of(opened), table="items").first()
    assert text is not None
    word = text.cells["output"].split()[0]
    page = unescape(rosas_browser.get(url(opened, "texts"), {"q": text.cells["output"]}).content.decode())
    assert word in page
    assert page.count('<th scope="row" class="ew-key">' + text.cells["item"]) == 1
    assert "Remove" not in page
    nothing = unescape(rosas_browser.get(url(opened, "texts"), {"q": "no such text \0"}).content.decode())
    assert "No row contains this." in nothing


@pytest.mark.django_db
def test_known_answers_are_shown_to_read(rosa: User, rosas_browser: Client) -> None:
    study = studyfile.load("examples/checked", owner=rosa)
    study = move(study_id=study.pk, action="open", by=rosa)
    assert "View the rows" in read(rosas_browser, study, "checks")
    row = SetupRow.objects.filter(setup=setup_of(study), table="controls").order_by("number").first()
    assert row is not None
    address = reverse("researcher:unit_table", args=[study.slug, "controls"])
    page = rosas_browser.get(address, {"q": row.cells["unit"]}).content.decode()
    assert row.cells["unit"] in page
    assert "Remove" not in page
    assert "Upload" not in page
    nothing = rosas_browser.get(address, {"q": "no such unit"}).content.decode()
    assert "No row contains this." in nothing


@pytest.mark.django_db
def test_the_preview_stands_beside_it(opened: Study, rosas_browser: Client) -> None:
    assert "data-preview" in read(rosas_browser, opened, "questions")
    assert rosas_browser.get(reverse("researcher:preview", args=[opened.slug])).status_code == 200


@pytest.mark.django_db
def test_what_the_form_held_before_opening_is_replaced_by_what_was_frozen(
    draft: Study, rosa: User, rosas_browser: Client
) -> None:
    study = draft
    setup = changes.begin(study)
    # Somebody has taken a default out of the form; opening fills it in again.
    given = {**setup.given, "study": {k: v for k, v in setup.given["study"].items() if k != "timezone"}}
    setup = changes.replace_given(setup=setup, given=given, base=0, by=rosa)
    make_study(setup=setup, by=rosa)
    study = move(study_id=study.pk, action="open", by=rosa)
    assert "UTC" in read(rosas_browser, study, "task")
    assert setup_of(study).given["study"]["timezone"] == "UTC"
    assert setup_of(study).pk == setup.pk, "the log of changes stays"


class _Later(sections.Section):
    """A section of an app that was installed after the study was opened."""

    name = "later"
    step = "analysis"

    def schema(self) -> dict[str, object]:
        return {"type": "object", "properties": {"extra": {"type": "string", "title": "Something new"}}}

    def check(self, reading: object) -> None:
        """Read nothing: the study was frozen without it."""

    def export(self, study: object) -> None:
        """Export nothing: the study was frozen without it."""


@pytest.mark.django_db
def test_a_section_that_came_later_is_no_part_of_it(opened: Study, rosas_browser: Client) -> None:
    sections.register(_Later())
    try:
        assert "later" not in setup_of(opened).given
        assert read(rosas_browser, opened, "analysis")
    finally:
        sections.unregister("later")


@pytest.mark.django_db
def test_a_study_whose_ratings_were_imported_has_the_form_too(draft: Study, rosa: User, rosas_browser: Client) -> None:
    study = draft
    with transaction.atomic():
        close_with_ratings(Study.objects.select_for_update().get(pk=study.pk), rosa)
    assert "Fluency" in read(rosas_browser, study, "questions")
    assert "Prepare a changed version" in read(rosas_browser, study, "review")


@pytest.mark.django_db
def test_nothing_can_be_stored(opened: Study, rosas_browser: Client) -> None:
    before = setup_of(opened).given
    for step in ("task", "texts", "file"):
        rosas_browser.post(url(opened, step), {"study.title": "Another", "text": "study: {}", "action": "remove"})
    assert setup_of(opened).given == before
    assert Setup.objects.get(study=opened).changes.count() == 0


@pytest.mark.django_db
def test_viewers_read_that_it_is_frozen_and_no_form(opened: Study, client: Client) -> None:
    viewer = User.objects.create_user("vera", is_staff=True)
    drafts.set_member(study=opened, user=viewer, role=Membership.Role.VIEWER, by=None)
    client.force_login(viewer)
    page = client.get(f"/admin/studies/{opened.slug}/").content.decode()
    assert "Frozen on" in page
    assert "set-up/task" not in page
    assert client.get(url(opened, "task")).status_code == 404


@pytest.mark.django_db
def test_a_changed_version_lists_what_differs(
    opened: Study, rosa: User, rosas_browser: Client, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    rosas_browser.post(reverse("researcher:changed_version", args=[opened.slug]))
    draft = Study.objects.get(follows__study=opened)
    assert (draft.title, draft.seed, draft.state) == (f"{opened.title}, version 2", opened.seed, "draft")
    page = rosas_browser.get(url(draft, "questions")).content.decode()
    fields = fields_of(page, "setup-form")
    rosas_browser.post(url(draft, "questions"), {**fields, "criteria.0.definition": "Reads as if written by a native."})
    fields = fields_of(rosas_browser.get(url(draft, "raters")).content.decode(), "setup-form")
    rosas_browser.post(url(draft, "raters"), {**fields, "tasks.0.k": "7"})
    row = SetupRow.objects.filter(setup__study=draft, table="items").order_by("number").first()
    assert row is not None
    row.cells = {**row.cells, "output": "Another text."}
    row.save()
    with django_assert_max_num_queries(15):
        assert "?changed=1" in read(rosas_browser, draft, "review")
    with django_assert_max_num_queries(15):
        rosas_browser.get(f"{url(draft, 'review')}?changed=1")
    review = changes_of(rosas_browser, draft)
    found = r"{}</a> <span class=.ew-badge.>{}</span>\s*<p dir=.auto.><span class=.ew-before.>{}</span> → {}</p>"
    assert re.search(found.format("Definition", "wording only", "[^<]+", r"Reads as if written by a native\."), review)
    assert re.search(found.format("Judgments of every unit", "changes the design", "3", "7"), review)
    assert f"1 row changed: {row.cells['item']}, {row.cells['system']}" in review
    assert f"/admin/studies/{draft.slug}/set-up/raters/#f-tasks-0-k" in review
    assert "their results are never pooled" in review
    assert draft.title in read(rosas_browser, opened, "review")
    assert opened.title in unescape(rosas_browser.get(f"/admin/studies/{draft.slug}/").content.decode())


@pytest.mark.django_db
def test_the_preregistration_holds_the_list(opened: Study, rosa: User, rosas_browser: Client) -> None:
    setup = changed_draft(opened, rosa, {("tasks", 0, "k"): 4, ("criteria", 0, "definition"): "Reads well."})
    make_study(setup=setup, by=rosa)
    answer = rosas_browser.get(reverse("researcher:preregistration", args=[setup.study.slug]))
    text = zipfile.ZipFile(io.BytesIO(b"".join(answer.streaming_content))).read("preregistration.md").decode()
    assert "What changed since" in text
    assert "Judgments of every unit**: 3 → 4" in text
    assert "→ Reads well." in text
    assert Version.objects.get(study=opened).digest in text
    # Once it is opened, too, its review says what differed.
    move(study_id=setup.study.pk, action="open", by=rosa)
    assert "Judgments of every unit" in changes_of(rosas_browser, Study.objects.get(pk=setup.study.pk))


@pytest.mark.django_db
def test_entries_are_compared_by_their_keys(opened: Study, rosa: User) -> None:
    setup = changed_draft(opened, rosa, {})
    given = setup.given
    first, second = given["criteria"][:2]
    moved = [{**second, "name": "Sense"}, first, {"key": "style", "name": "Style"}]
    found = differences(setup_of(opened), _with(setup, criteria=moved))
    labels = [(one.label, one.before, one.after) for one in found.settings]
    assert ("Questions › Sense › Name", second["name"], "Sense") in labels
    assert ("Questions › Style", "", "added") in labels
    assert any(label == "Questions › Order" for label, _before, _after in labels)
    assert len(labels) == 4, "the title is the fourth"
    gone = differences(setup_of(opened), _with(setup, criteria=[second]))
    assert ("present", "removed") in [(one.before, one.after) for one in gone.settings]
    renumbered = differences(setup_of(opened), _with(setup, criteria=[first, second]))
    assert [one.label for one in renumbered.settings] == ["The study › Title"]


def _with(setup: Setup, **parts: object) -> Setup:
    return Setup(pk=setup.pk, study=setup.study, given={**setup.given, **parts})


@pytest.mark.django_db
def test_rows_are_counted_with_their_first_places(opened: Study, rosa: User) -> None:
    setup = changed_draft(opened, rosa, {})
    rows = SetupRow.objects.filter(setup=setup, table="items").order_by("number")
    cells = list(rows.values_list("cells", flat=True))
    kept = [*cells[2:], {**cells[0], "item": "new"}, {"item": "new", "system": "another", "output": "A text."}]
    changes.replace_table(setup=setup, table="items", rows=kept, by=rosa)
    (table,) = changed_versions.differences_of(setup).tables
    assert [row_change.in_words for row_change in table.changes] == [
        "1 row added: new, another",
        f"1 row removed: {cells[1]['item']}, {cells[1]['system']}",
        f"1 row whose key changed: {cells[0]['item']}, {cells[0]['system']} → new, {cells[0]['system']}",
    ]
    # What stands in several rows alike cannot be followed.
    twins = [{"item": name, "system": "a", "output": "The same."} for name in ("x", "y")]
    changes.replace_table(setup=setup, table="items", rows=[*cells, *twins], by=rosa)
    later = Setup(pk=setup.pk, study=setup.study, given=setup.given)
    (table,) = changed_versions.differences_of(later).tables
    assert [row_change.in_words for row_change in table.changes] == ["2 rows added: x, a; y, a"]
    # A row that is added under the new key of another one counts by itself; a key may contain an arrow.
    both = [{**cells[0], "item": "new → key"}, {**cells[0], "item": "new → key", "output": "Another text."}]
    changes.replace_table(setup=setup, table="items", rows=[*cells[1:], *both], by=rosa)
    (table,) = changed_versions.differences_of(later).tables
    assert [row_change.in_words for row_change in table.changes] == [
        f"1 row added: new → key, {cells[0]['system']}",
        f"1 row whose key changed: {cells[0]['item']}, {cells[0]['system']} → new → key, {cells[0]['system']}",
    ]


@pytest.mark.django_db
def test_batches_that_differ_lead_to_the_step_of_raters(opened: Study, rosa: User, rosas_browser: Client) -> None:
    setup = changed_draft(opened, rosa, {("tasks", 0, "design"): "batches"})
    row = SetupRow.objects.filter(setup=setup, table="items").order_by("number")[0]
    unit = f"{row.cells['item']}/{row.cells['system']}"
    changes.replace_table(setup=setup, table="batches", rows=[{"batch": "first", "unit": unit}], by=rosa)
    review = changes_of(rosas_browser, setup.study)
    assert f"1 row added: first, {unit}" in review
    link = re.search(r'<a href="([^"]+)">Batches</a>', review)
    assert link is not None
    assert link[1] == f"/admin/studies/{setup.study.slug}/set-up/raters/"


@pytest.mark.django_db
def test_who_may_not_see_the_old_study_learns_nothing_of_it(opened: Study, rosa: User, client: Client) -> None:
    setup = changed_draft(opened, rosa, {("criteria", 0, "definition"): "Reads well."})
    eddi = User.objects.create_user("eddi", is_staff=True)
    drafts.set_member(study=setup.study, user=eddi, role=Membership.Role.EDITOR, by=None)
    client.force_login(eddi)
    page = read(client, setup.study, "review")
    assert "changed version of a study that you do not have access to" in page
    assert "What changed since" not in page
    assert client.get(f"{url(setup.study, 'review')}?changed=1")["Location"] == url(setup.study, "review")
    assert f"/{opened.slug}/" not in page
    make_study(setup=setup, by=rosa)
    answer = client.get(reverse("researcher:preregistration", args=[setup.study.slug]))
    text = zipfile.ZipFile(io.BytesIO(b"".join(answer.streaming_content))).read("preregistration.md").decode()
    assert "What changed since" not in text
    # Seen from the old study: successors that one may not see are not named either.
    drafts.set_member(study=opened, user=eddi, role=Membership.Role.EDITOR, by=None)
    drafts.remove_member(study=setup.study, user=eddi, by=None)
    assert setup.study.title not in read(client, opened, "review")


@pytest.mark.django_db
def test_a_draft_has_no_changed_version(draft: Study, rosa: User, rosas_browser: Client) -> None:
    study = draft
    answer = rosas_browser.post(reverse("researcher:changed_version", args=[study.slug]))
    assert answer.status_code == 404


def test_titles_count_on() -> None:
    assert changed_versions.next_title("Summaries") == "Summaries, version 2"
    assert changed_versions.next_title("Summaries, version 2") == "Summaries, version 3"
    assert len(changed_versions.next_title("x" * 200)) <= 200


def test_what_counts_as_wording_is_there() -> None:
    document = {
        "consent": {"en": "x"},
        "tasks": [{"key": "t", "type": "likert"}],
        **{name: [{"key": "a", "kind": "criterion"}] for name in ("criteria", "systems", "groups")},
    }
    setup = Setup(given=document)
    paths = [control.path for step in STEPS for control in SetupPage(setup, step.slug).controls]
    assert [pattern for pattern in WORDING if not any(fits(pattern, path) for path in paths)] == []


@pytest.mark.parametrize(
    ("path", "before", "after", "wording"),
    [
        (("criteria", 0, "labels"), "bad\ngood", "poor\nfine", True),
        (("criteria", 0, "labels"), "bad\ngood", "bad\nso-so\ngood", False),
        (("criteria", 0, "anchors"), "0: bad\n100: good", "0: poor\n100: good", True),
        (("criteria", 0, "anchors"), "0: bad\n100: good", "0: bad\n50: good", False),
        (("criteria", 0, "question"), "", "How?", True),
        (("criteria", 0, "kind"), "", "pair", False),
        (("consent", "en"), "a", "b", True),
        (("tasks", 0, "params", "points"), "5", "7", False),
        (("about", "withdraw_until"), "", "2026-12-01", False),
        (("pay", "amount"), "1", "2", False),
    ],
    ids=lambda value: ".".join(map(str, value)) if isinstance(value, tuple) else None,
)
def test_wording_and_design(path: tuple[str | int, ...], before: str, after: str, *, wording: bool) -> None:
    assert is_wording(path, before, after) == wording


def test_nothing_differs_in_nothing() -> None:
    assert not Differences([], [])
    assert not Differences([], []).is_wording_only


@pytest.mark.django_db
def test_the_form_is_made_once(opened: Study, django_assert_max_num_queries: object) -> None:
    version = Version.objects.get(study=opened)
    assert frozen_setup(version).rows.count() == frozen_setup(version).rows.count() > 0
    assert Setup.objects.filter(study=opened).count() == 1
