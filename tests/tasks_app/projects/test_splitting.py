"""One study per value of a column: its texts, names, languages, rows about screens and files; all or nothing."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from tasks_app import studyfile
from tasks_app.models import Event, Media, Membership, Project, Setup, Study
from tasks_app.projects import splitting, values
from tasks_app.projects.splitting import Split
from tasks_app.projects.values import CannotDivide, shares_of
from tasks_app.services.study import lifecycle
from tasks_app.services.study.items import store_media
from tasks_app.setup import changes
from tasks_app.setup.checking import make_study
from tasks_app.studyfile.files.writing import media_name
from tasks_app.views.researcher.setup.texts.splitting import shown_by
from tests.media import png
from tests.tasks_app.projects.kit import CHECKED, PAIRS, draft, made, rows_of

pytestmark = pytest.mark.django_db


def page(setup: Setup) -> str:
    return f"/admin/studies/{setup.study.slug}/set-up/texts/split/"


def studies_of(project: Project) -> list[Study]:
    return list(project.studies.order_by("pk"))


def test_each_study_has_its_texts_and_the_settings_of_the_draft(rosa: User) -> None:
    project = made(rosa)
    studies = studies_of(project)
    assert [study.title for study in studies] == [f"Translations – {source}-{target}" for source, target in PAIRS]
    assert [study.slug for study in studies] == [f"translations-{source}-{target}" for source, target in PAIRS]
    origin = Setup.objects.get(study__slug="translations")
    assert len({study.seed for study in studies} | {origin.study.seed}) == 4
    assert origin.rows.count() == 24
    for study, (source, target) in zip(studies, PAIRS, strict=True):
        setup = Setup.objects.get(study=study)
        assert setup.given["tasks"] == origin.given["tasks"]
        assert setup.given["study"]["slug"] == study.slug
        cells = list(setup.rows.order_by("number").values_list("cells", flat=True))
        assert {row["feature_pair"] for row in cells} == {f"{source}-{target}"}
        assert [row.number for row in setup.rows.order_by("number")] == list(range(1, 9))
        made_study, _loaded = make_study(setup=setup, by=rosa)
        assert made_study.items.count() == 4
    assert lifecycle.move(study_id=studies[0].pk, action="open", by=rosa).project == project
    assert Event.objects.filter(study=origin.study, verb="split", object=project.slug).exists()


def test_what_an_item_says_once_is_said_in_each_study_that_shows_it(rosa: User) -> None:
    rows = [
        {"item": "i", "system": "a", "output": "Eins", "language": "de", "source": "one", "feature_x": "1"},
        {"item": "i", "system": "b", "output": "Un", "language": "fr"},
        {"item": "i", "system": "c", "output": "Une", "language": "fr"},
    ]
    german, french = shares_of(draft(rosa, rows), "language")
    assert (german.value, german.rows) == ("de", rows[:1])
    assert french.rows == [{**rows[1], "source": "one", "feature_x": "1"}, rows[2]]


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        ("language_pair", ["de-en", "en-fr", "ja-en"]),
        ("language", ["en", "fr"]),
        ("source_language", ["de", "en", "ja"]),
        ("feature_pair", ["de-en", "en-fr", "ja-en"]),
    ],
)
def test_columns_that_divide(rosa: User, column: str, expected: list[str]) -> None:
    setup = draft(rosa)
    assert column in dict(values.columns_of(setup))
    assert [share.value for share in shares_of(setup, column)] == expected


def test_empty_values_are_named_with_their_places(rosa: User) -> None:
    rows = [*rows_of(), *({"item": f"odd-{n}", "system": "a", "output": "Text"} for n in range(5))]
    with pytest.raises(CannotDivide, match=r"5 of the texts .* row 25 \(item odd-0, system a\), .* …"):
        shares_of(draft(rosa, rows), "feature_pair")


@pytest.mark.parametrize(("n", "sentence"), [(1, "the same value"), (201, "201 values; at most 200")])
def test_too_few_and_too_many_values(rosa: User, n: int, sentence: str) -> None:
    rows = [{"item": f"i{number}", "system": "a", "output": "T", "feature_x": str(number)} for number in range(n)]
    with pytest.raises(CannotDivide, match=sentence):
        shares_of(draft(rosa, rows), "feature_x")


def test_pages_of_raters_follow_the_language_only_where_evalweb_has_it(rosa: User) -> None:
    rows = rows_of((("en", "de"), ("en", "xh")))
    setup = draft(rosa, rows)
    split = Split("language_pair", project="P", follow_language=True)
    assert dict(splitting.plan(setup, split).spoken) == {"de": 1}
    german, other = studies_of(splitting.make(setup=setup, split=split, by=rosa))
    assert (german.language, Setup.objects.get(study=german).given["study"]["language"]) == ("de", "de")
    assert other.language == setup.study.language


def test_languages_without_a_consent_text_are_named_before(rosa: User, rosas_browser: Client) -> None:
    setup = draft(rosa, rows_of((("en", "de"), ("en", "fr"))))
    form = {**CHECKED, "column": "language", "follow_language": "on", "action": "look"}
    assert "no consent text in" not in rosas_browser.post(page(setup), form).content.decode()
    consent = {"en": "You agree.", "fr": "Vous acceptez."}
    changes.change(setup=setup, values={("consent",): consent}, base=setup.revision, by=rosa)
    assert "no consent text in German, the language" in rosas_browser.post(page(setup), form).content.decode()
    regional = {("consent",): {"en": "You agree.", "de-AT": "Sie stimmen zu."}}
    changes.change(setup=setup, values=regional, base=setup.revision + 1, by=rosa)
    shown = rosas_browser.post(page(setup), form).content.decode()
    assert "no consent text in French, the language" in shown
    del form["follow_language"]
    assert "no consent text in" not in rosas_browser.post(page(setup), form).content.decode()


@pytest.mark.parametrize(
    "odd",
    [
        {"systems": 5, "tasks": {"a": 1}, "study": 3, "consent": 4},
        {"systems": [7, {"key": ["a"]}], "tasks": [3, {"items": [1]}, {"key": "a", "items": {"feature_pair": {}}}]},
    ],
    ids=["systems", "tasks"],
)
def test_a_draft_of_any_shape_is_divided(rosa: User, odd: dict[str, Any]) -> None:
    setup = draft(rosa)
    Setup.objects.filter(pk=setup.pk).update(given={**setup.given, **odd})
    setup.refresh_from_db()
    assert len(studies_of(splitting.make(setup=setup, split=Split("feature_pair", project="P"), by=rosa))) == 3


def test_known_answers_go_with_their_texts(rosa: User) -> None:
    origin = studyfile.load("examples/checked", owner=rosa)
    setup = changes.begin(origin)
    controls = list(setup.rows.filter(table="controls").order_by("number"))
    assert controls, "the example has known answers"
    known = {row.cells["unit"].partition("/")[0] for row in controls}
    for row in setup.rows.filter(table="items"):
        row.cells["feature_half"] = "one" if row.cells["item"] in known else "two"
        row.save()
    changes.write_rows(setup, "controls", [{**controls[0].cells, "unit": "nothing-like-this"}], first=999)
    plan = splitting.plan(setup, Split("feature_half"))
    assert {table: [row["unit"] for row in rows] for table, rows in plan.rows.left_out.items()} == {
        "controls": ["nothing-like-this"]
    }
    first, second = studies_of(splitting.make(setup=setup, split=Split("feature_half"), by=rosa))
    by_value = {study.title.rpartition(" – ")[2]: study for study in (first, second)}
    with_answers, without = Setup.objects.get(study=by_value["one"]), Setup.objects.get(study=by_value["two"])
    assert with_answers.rows.filter(table="controls").count() == len(controls)
    everywhere = [row.cells["unit"] for row in without.rows.filter(table="controls")]
    assert set(everywhere) == {"once"}, "a screen without a text is in every study"
    assert with_answers.study.seed == setup.given["study"]["seed"], "known answers belong to texts shown together"
    assert without.study.seed != with_answers.study.seed


def test_files_go_with_the_texts_that_name_them(rosa: User) -> None:
    setup = draft(rosa)
    first_row, *_, last_row = setup.rows.filter(table="items").order_by("number")
    named = {
        "a": (first_row, "context_image", "image/png"),
        "c": (last_row, "output_file", "audio/wav"),
        "d": (last_row, "captions", "text/vtt"),
    }
    for letter, (row, column, kind) in named.items():
        store_media(study=setup.study, sha256=letter * 64, kind=kind, content=png())
        row.cells[column] = media_name(letter * 64, kind)
        row.save()
    store_media(study=setup.study, sha256="b" * 64, kind="image/png", content=png())
    studies = studies_of(splitting.make(setup=setup, split=Split("feature_pair", project="P"), by=rosa))
    taken = [{media.sha256[0] for media in Media.objects.filter(study=study)} for study in studies]
    assert taken == [{"a"}, set(), {"c", "d"}]


def test_a_task_takes_what_is_there_of_its_items(rosa: User) -> None:
    setup = draft(rosa, items={"feature_pair": ["de-en", "en-fr"]})
    assert dict(splitting.plan(setup, Split("feature_pair")).without_texts) == {"main": ["ja-en"]}
    first, second, third = studies_of(splitting.make(setup=setup, split=Split("feature_pair", project="P"), by=rosa))
    taken = [Setup.objects.get(study=study).given["tasks"][0]["items"] for study in (first, second, third)]
    assert taken == [{"feature_pair": ["de-en"]}, {"feature_pair": ["en-fr"]}, {"feature_pair": ["de-en", "en-fr"]}]


def test_members_keep_their_roles_and_nothing_is_stored_halfway(
    rosa: User, mallory: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    setup = draft(mallory)
    Membership.objects.create(study=setup.study, user=rosa, role="editor")
    before = Study.objects.count()
    log, calls = splitting.events.log, []

    def fail_late(*args: Any, **kwargs: Any) -> None:
        calls.append(args)
        if len(calls) > 2:
            raise RuntimeError
        log(*args, **kwargs)

    with monkeypatch.context() as patched:
        patched.setattr(splitting.events, "log", fail_late)
        with pytest.raises(RuntimeError):
            splitting.make(setup=setup, split=Split("feature_pair", project="P"), by=rosa)
    assert (Study.objects.count(), Project.objects.count()) == (before, 0)
    study = studies_of(splitting.make(setup=setup, split=Split("feature_pair", project="P"), by=rosa))[0]
    assert dict(study.memberships.values_list("user__username", "role")) == {"rosa": "owner", "mallory": "editor"} | {
        "mallory": "owner"
    }


def test_the_page_shows_the_studies_before_it_makes_them(rosa: User, rosas_browser: Client) -> None:
    setup = draft(rosa)
    assert page(setup) in rosas_browser.get(f"/admin/studies/{setup.study.slug}/set-up/texts/").content.decode()
    assert rosas_browser.get(page(setup)).status_code == 200
    form = {**CHECKED, "column": "language_pair"}
    shown = rosas_browser.post(page(setup), {**form, "action": "look"}).content.decode()
    assert "Create 3 studies" in shown
    unseen = rosas_browser.post(page(setup), {**form, "shown": "0" * 64, "action": "make"}).content.decode()
    assert "Nothing was created" in unseen
    form["shown"] = shown_by(Split(form["column"], form["title"], form["public_title"]))
    assert form["shown"] in shown
    assert "translations-ja-en" in shown
    assert not Project.objects.exists()
    refused = rosas_browser.post(page(setup), {**form, "title": "The same", "action": "make"})
    assert (refused.status_code, "needs {value} in it" in refused.content.decode()) == (422, True)
    answer = rosas_browser.post(page(setup), {**form, "action": "make"}, follow=True)
    assert answer.redirect_chain == [("/admin/projects/all-pairs/", 302)]
    assert "Translations – ja-en" in answer.content.decode()


def test_long_titles_are_cut_before_the_value(rosa: User) -> None:
    setup = draft(rosa)
    setup.study.title = "A very long title " * 8
    setup.study.save()
    slugs = [planned.slug for planned in splitting.plan(setup, Split("feature_pair")).studies]
    assert [slug[-5:] for slug in slugs] == ["de-en", "en-fr", "ja-en"]
    assert max(map(len, slugs)) <= 60
