"""Raters read our words in the study's language, or in the one they choose; the study's own words stay as they are."""

import html
import re
from pathlib import Path

import pytest
from django.test import Client
from django.utils import translation

from tasks_app.models import ConsentText, Criterion, Rater, Study
from tasks_app.services.study import lifecycle
from tasks_app.views.rater.pages import consent_text
from tests import extent, pages
from tests.builders import build_study
from tests.house.examples import COVERING, FOLDERS, every_example
from tests.tasks_app.texts import languages_kit as kit
from tests.tasks_app.texts.languages_kit import head

pytestmark = pytest.mark.django_db


@every_example
def test_pages_speak_a_language_and_no_english_of_ours(name: str, tmp_path: Path) -> None:
    """The study is in German, and a second rater chooses Arabic, a third English. The page runs as the study does.

    Pages of every example are in German, those of the covering examples in Arabic too, and compared with the English
    ones; those beside the way, which are alike in every study, are looked at with one.
    """
    study, own = kit.example(name, tmp_path, "de")
    # One study of all kinds of checks is walked to its end; others have the same pages there.
    to_its_end = extent.is_exhaustive() or name == "checked"
    covers = extent.is_exhaustive() or name in COVERING
    walked = {"de": kit.walk(study, units=None if to_its_end else 1, every_page=to_its_end)}
    if covers:
        walked["ar"] = kit.walk(study, "ar", units=1, every_page=to_its_end)
    for language, shown in walked.items():
        assert len(shown) > 2
        for address, page in shown:
            assert head(page) == (language, "rtl" if language == "ar" else "ltr"), address
            assert kit.english_in(page, own) == [], address
    if covers:
        in_english = kit.walk(study, "en", units=2 if to_its_end else 1, every_page=to_its_end)
        assert kit.said_alike(in_english, [page for shown in walked.values() for page in shown], own) == set()


@pytest.mark.parametrize(
    "name",
    [
        name if name in {"checked", "panas_groups"} else pytest.param(name, marks=pytest.mark.exhaustive)
        for name in FOLDERS
    ],
)
def test_a_study_in_a_language_we_do_not_speak_is_framed_in_english(name: str, tmp_path: Path) -> None:
    """Its pages run as their English frame does; the texts of the study say what they are in."""
    study, _own = kit.example(name, tmp_path, "fa")
    for address, page in kit.walk(study, units=1):
        assert head(page) == ("en", "ltr"), address
        # A page of PANAS has the words of the instrument only, which are in English.
        if address.endswith("/help/" if name == "panas_groups" else ("/help/", "/judge/")):
            assert 'lang="fa"' in page, address
    for criterion in Criterion.objects.filter(study=study, kind=Criterion.Kind.QUESTION):
        # What a type brings along is in English then, and says so.
        assert criterion.language in {"en", ""}


def test_a_rater_chooses_another_language_and_comes_back_to_the_page(study: Study, somebody: Client) -> None:
    token = pages.join(study)
    help_page = somebody.get(f"/r/{token}/help/")
    assert head(help_page.content.decode()) == ("en", "ltr")
    form = form_of_languages(help_page.content.decode())
    assert form["back"] == f"/r/{token}/help/"
    answer = somebody.post(f"/r/{token}/language/", {**form, "language": "es"})
    assert (answer.status_code, answer["Location"]) == (302, f"/r/{token}/help/")
    assert Rater.objects.get(study=study).language == "es"
    page = somebody.get(f"/r/{token}/judge/").content.decode()
    assert head(page) == ("es", "ltr")
    assert "Enviar y continuar" in page
    # The study's own question stays in its language, and is marked with it.
    assert re.search(r'lang="en"[^>]*><span dir="auto">How good is the fluency\?', page)


def test_whoever_is_invited_chooses_the_language_of_the_page_before_they_agree(somebody: Client) -> None:
    study = build_study(None)
    path = f"/join/{study.link_code}/"
    page = somebody.get(path)
    assert head(page.content.decode()) == ("en", "ltr")
    answer = somebody.post(path, {**pages.hidden(page), "page_language": "fr"})
    assert head(answer.content.decode()) == ("fr", "ltr")
    assert "J’accepte" in answer.content.decode()
    assert not Rater.objects.filter(study=study).exists()
    forged = dict.fromkeys(pages.hidden(page), "x")
    assert somebody.post(path, {**forged, "page_language": "fr"}).status_code == 403
    begun = somebody.post(path, pages.hidden(answer))
    assert begun.status_code == 302
    assert Rater.objects.get(study=study).language == "fr"
    assert head(somebody.get(begun["Location"], follow=True).content.decode()) == ("fr", "ltr")


def form_of_languages(page: str) -> dict[str, str]:
    """Return the hidden fields of the form that asks for another language."""
    form = re.search(r'<form[^>]*class="languages".*?</form>', page, re.DOTALL)
    assert form is not None
    return dict(re.findall(r'<input type="hidden" name="([^"]*)" value="([^"]*)"', form[0]))


def test_what_is_not_a_language_or_not_from_our_page_is_refused(study: Study, somebody: Client) -> None:
    token = pages.join(study)
    form = form_of_languages(somebody.get(f"/r/{token}/judge/").content.decode())
    path = f"/r/{token}/language/"
    assert somebody.post(path, {**form, "language": "tlh"}).status_code == 403
    assert somebody.post(path, {"language": "de"}).status_code == 403
    other = form_of_languages(somebody.get(f"/r/{pages.join(study)}/judge/").content.decode())
    assert somebody.post(path, {**other, "language": "de"}).status_code == 403
    assert set(Rater.objects.values_list("language", flat=True)) == {"en"}
    assert somebody.post(path, {**form, "language": "de"}).status_code == 302


def test_a_form_leads_nowhere_else(study: Study, somebody: Client) -> None:
    token = pages.join(study)
    form = form_of_languages(somebody.get(f"/r/{token}/judge/").content.decode())
    for back in ("https://elsewhere.example/", "//elsewhere.example/", "/admin/", "/r/other/judge/", ""):
        answer = somebody.post(f"/r/{token}/language/", {**form, "back": back, "language": "de"})
        assert answer["Location"] == f"/r/{token}/", back


def test_numbers_dates_and_money_are_written_as_the_language_does(somebody: Client) -> None:
    study = build_study(None)
    study.settings = {
        **study.settings,
        "pay": {"amount": "1234.50", "currency": "EUR", "minutes": 10},
        "about": {**study.settings.get("about", {}), "withdraw_until": "2027-03-31"},
    }
    for language, day in (("de", "31. März 2027"), ("es", "31 de marzo de 2027")):
        study.language = language
        study.save()
        page = " ".join(html.unescape(somebody.get(f"/join/{study.link_code}/").content.decode()).split())
        # Spanish has a dot or a space within a number, by the version of Django.
        assert re.search(r"1[. ]234,50 EUR", page)
        assert day in page


def test_pages_of_researchers_stay_english(rosas_browser: Client, study: Study) -> None:
    asked = {"headers": {"Accept-Language": "de"}}
    for path in ("/", "/admin/studies/", "/task-types/", f"/admin/studies/{study.slug}/", "/admin/nowhere/"):
        page = rosas_browser.get(path, **asked).content.decode()
        assert re.search(r'<html lang="en', page), path
    with translation.override("de"):
        assert head(rosas_browser.get("/").content.decode())[0] == "en"


def test_who_follows_a_broken_link_is_told_in_the_browsers_language(somebody: Client) -> None:
    page = somebody.get("/r/nobody/judge/", headers={"Accept-Language": "de-CH,de;q=0.9"})
    assert page.status_code == 404
    assert head(page.content.decode()) == ("de", "ltr")
    assert "Hier ist nichts" in page.content.decode()
    assert "Nothing here" in somebody.get("/r/nobody/judge/", headers={"Accept-Language": "cs"}).content.decode()


def test_words_that_a_type_brings_along_are_stored_in_the_studys_language(tmp_path: Path) -> None:
    def questions(language: str) -> dict[str, tuple[str, str]]:
        study, _own = kit.example("triangle", tmp_path, language)
        rows = Criterion.objects.filter(study=study, kind=Criterion.Kind.QUESTION)
        return {row.key: (row.question, row.language) for row in rows}

    assert questions("de")["odd-one-out"] == ("Zwei dieser Texte sind gleich. Welcher ist anders?", "")
    assert questions("cs")["odd-one-out"] == ("Two of these texts are the same. Which one is different?", "en")


def test_panas_is_asked_as_it_was_published_on_a_german_page(tmp_path: Path) -> None:
    study, _own = kit.example("panas_groups", tmp_path, "de")
    page = next(page for address, page in kit.walk(study, units=1) if address.endswith("/judge/"))
    assert head(page) == ("de", "ltr")
    for words in ("Distressed", "Enthusiastic", "very slightly or not at all", "extremely"):
        assert words not in kit.own_words(page), "it does not pass for German"
        assert words in page
    assert "Absenden" in kit.own_words(page)


def test_the_scale_is_the_studys_whatever_language_the_page_is_in(somebody: Client) -> None:
    """Two raters of one study must not answer on differently worded scales."""
    study = build_study(None, params={"agreement": True, "points": 5}, opened=False)
    Criterion.objects.filter(study=study).update(ends={}, question="The text is fluent.")
    Study.objects.filter(pk=study.pk).update(language="de")
    lifecycle.move(study_id=study.pk, action="open", by=None)
    study.refresh_from_db()
    token = pages.join(study)
    form = form_of_languages(somebody.get(f"/r/{token}/judge/").content.decode())
    somebody.post(f"/r/{token}/language/", {**form, "language": "es"})
    page = somebody.get(f"/r/{token}/judge/").content.decode()
    assert head(page)[0] == "es"
    assert re.search(r'lang="de">Stimme voll und ganz zu', page)
    assert "Totalmente de acuerdo" not in page


CONSENTS: list[tuple[str, list[str], str | None]] = [
    ("zh-hans", ["en", "zh-Hant", "zh-Hans"], "zh-Hans"),
    ("zh-hans", ["en", "zh"], "zh"),
    ("zh-hans", ["en", "zh-CN"], "zh-CN"),
    ("zh-hans", ["en", "zh-Hant", "zh-TW"], "en"),
    ("pt", ["en", "pt-BR"], "pt-BR"),
    ("de", ["de-AT", "en"], "de-AT"),
    ("de", ["DE", "de-AT", "en"], "DE"),
    ("ja", ["de", "en-GB"], "en-GB"),
    ("ja", ["de", "fa"], "de"),
    ("ja", [], None),
]


def test_the_consent_is_the_text_for_readers_of_the_page() -> None:
    """The study is in English, which is what those read for whom no text was written."""
    study = build_study(None, opened=False)
    for language, written, chosen in CONSENTS:
        ConsentText.objects.filter(study=study).delete()
        ConsentText.objects.bulk_create(ConsentText(study=study, version=1, language=tag, body=tag) for tag in written)
        text = consent_text(study, language)
        assert (text and text.language) == chosen, (language, written)
