"""Raters read our words in the study's language, or in the one they choose; the study's own words stay as they are."""

import html
import re
import shutil
from functools import cache
from pathlib import Path
from random import Random

import pytest
import yaml
from django.conf import settings
from django.test import Client
from django.utils import translation

from scripts import messages, po
from tasks_app import languages, studyfile
from tasks_app.management.visiting import Answer, InProcess, Visitor
from tasks_app.models import Criterion, Rater, Study
from tasks_app.services import languages as choices
from tasks_app.services import lifecycle
from tasks_app.task_types.base import Quality
from tests import pages
from tests.builders import build_study
from tests.house.examples import FOLDERS

pytestmark = pytest.mark.django_db

ROOT = Path(settings.BASE_DIR)
PLACEHOLDER = re.compile(r"%\(\w+\)[sd]|\{\w+\}|\s*\n\s*|\*\*")
LONGEST_NAME = 12  # characters; shorter words can be a study's own by chance


class Reading(InProcess):
    """A transport that keeps the pages a rater was shown."""

    def __init__(self) -> None:
        super().__init__()
        self.pages: list[tuple[str, str]] = []

    def get(self, path: str) -> Answer:
        """Fetch a page and keep it."""
        answer = super().get(path)
        if answer.status == 200:
            self.pages.append((re.sub(r"/r/[^/]+/", "/r/…/", path), answer.body))
        return answer


def example(name: str, folder: Path, language: str) -> tuple[Study, str]:
    """Load an example as a study in a language, open; returns it with everything its file says."""
    copy = folder / f"{name}-{language}"
    shutil.copytree(FOLDERS[name], copy)
    document = yaml.safe_load((copy / "study.yaml").read_text(encoding="utf-8"))
    document["study"] |= {"slug": copy.name, "language": language}
    text = yaml.safe_dump(document, allow_unicode=True, width=100_000)
    (copy / "study.yaml").write_text(text, encoding="utf-8")
    study = studyfile.load(copy, owner=None)
    said = " ".join(one.read_text(encoding="utf-8") for one in copy.glob("*.[cyj]*"))
    return lifecycle.move(study_id=study.pk, action="open", by=None), " ".join(said.split())


def walk(study: Study, language: str = "", units: int | None = None) -> list[tuple[str, str]]:
    """Let a careful rater go through a study, look at the help and at stopping; returns the pages with their addresses.

    With `language` they choose it once they have agreed, with `units` they stop after so many.
    """
    transport = Reading()
    visitor = Visitor(study, transport, Quality.CAREFUL, Random(4), stops_after=units)
    assert visitor.arrive()
    if language:
        choices.choose(rater_id=Rater.objects.latest("id").pk, language=language)
        transport.pages.clear()
    for page in ("help/", "stop/", "texts/"):
        transport.get(f"/r/{visitor.token}/{page}")
    assert visitor.judge()
    return transport.pages


@cache
def english() -> tuple[str, ...]:
    """Return what is English of ours, for raters or not: pieces of sentences that stand in no translation."""
    texts = set(messages.collect())
    everything = messages.Source("")
    for path in [*ROOT.glob("tasks_app/**/*.py"), *ROOT.glob("templates/**/*.html")]:
        texts |= set(messages.READERS[path.suffix](path, everything, strict=False))
    sentences = [text for one in texts for text in (one.text, one.plural)]
    pieces = {piece.strip(" .,:;“”") for text in sentences for piece in PLACEHOLDER.split(text)}
    catalogues = [po.read(messages.catalogue(language)) for language in messages.LANGUAGES]
    translated = " ".join(words for known in catalogues for one in known.values() for words in one.translations)
    return tuple(sorted(piece for piece in pieces if len(piece) > LONGEST_NAME and piece not in translated))


def words_of(page: str) -> str:
    """Return everything a page says: texts, and what attributes such as aria-label say."""
    return " ".join(html.unescape(page).split())


def head(page: str) -> tuple[str, str]:
    """Return language and direction of a page."""
    found = re.search(r'<html lang="([^"]*)" dir="([^"]*)">', page)
    assert found is not None
    return found[1], found[2]


@pytest.mark.parametrize("name", list(FOLDERS))
def test_pages_speak_a_language_and_no_english_of_ours(name: str, tmp_path: Path) -> None:
    """The study is in German, and a second rater chooses Spanish."""
    study, own = example(name, tmp_path, "de")
    for language, shown in (("de", walk(study)), ("es", walk(study, "es", units=2))):
        assert len(shown) > 2
        for address, page in shown:
            assert head(page) == (language, "ltr"), address
            said = words_of(page)
            assert [piece for piece in english() if piece in said and piece not in own] == [], address


@pytest.mark.parametrize("name", list(FOLDERS))
def test_a_study_in_a_language_we_do_not_speak_is_framed_in_english(name: str, tmp_path: Path) -> None:
    study, _own = example(name, tmp_path, "ar")
    for address, page in walk(study, units=2):
        assert head(page) == ("en", "ltr"), address
        assert 'lang="ar"' in page, address
    for criterion in Criterion.objects.filter(study=study, kind=Criterion.Kind.QUESTION):
        # What a type brings along is in English then, and says so.
        assert criterion.language in {"en", ""}


@pytest.mark.parametrize(
    ("asked", "given"),
    [("de", "de"), ("de-AT", "de"), ("ES-mx", "es"), ("en-GB", "en"), ("ar", "en"), ("cs", "en"), ("", "en")],
)
def test_the_language_of_pages(asked: str, given: str) -> None:
    assert languages.shipped(asked) == given


@pytest.mark.parametrize(
    ("language", "expected"), [("ar", "rtl"), ("fa-AF", "rtl"), ("he", "rtl"), ("de", "ltr"), ("", "ltr")]
)
def test_the_direction_of_a_language(language: str, expected: str) -> None:
    assert languages.direction(language) == expected


def test_a_rater_chooses_another_language_and_comes_back_to_the_page(study: Study, somebody: Client) -> None:
    token = pages.join(somebody, study)
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


def form_of_languages(page: str) -> dict[str, str]:
    """Return the hidden fields of the form that asks for another language."""
    form = re.search(r'<form[^>]*class="languages".*?</form>', page, re.DOTALL)
    assert form is not None
    return dict(re.findall(r'<input type="hidden" name="([^"]*)" value="([^"]*)"', form[0]))


def test_what_is_not_a_language_or_not_from_our_page_is_refused(study: Study, somebody: Client) -> None:
    token = pages.join(somebody, study)
    form = form_of_languages(somebody.get(f"/r/{token}/judge/").content.decode())
    path = f"/r/{token}/language/"
    assert somebody.post(path, {**form, "language": "tlh"}).status_code == 403
    assert somebody.post(path, {"language": "de"}).status_code == 403
    other = form_of_languages(somebody.get(f"/r/{pages.join(Client(), study)}/judge/").content.decode())
    assert somebody.post(path, {**other, "language": "de"}).status_code == 403
    assert set(Rater.objects.values_list("language", flat=True)) == {"en"}
    assert somebody.post(path, {**form, "language": "de"}).status_code == 302


@pytest.mark.parametrize(
    "back", ["https://elsewhere.example/", "//elsewhere.example/", "/admin/", "/r/other/judge/", ""]
)
def test_a_form_leads_nowhere_else(study: Study, somebody: Client, back: str) -> None:
    token = pages.join(somebody, study)
    form = form_of_languages(somebody.get(f"/r/{token}/judge/").content.decode())
    answer = somebody.post(f"/r/{token}/language/", {**form, "back": back, "language": "de"})
    assert answer["Location"] == f"/r/{token}/"


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
        assert "1.234,50 EUR" in page.replace("\xa0", " ").replace("\u202f", " ")
        assert day in page


def test_pages_of_researchers_stay_english(rosas_browser: Client, study: Study) -> None:
    asked = {"headers": {"Accept-Language": "de"}}
    for path in ("/", "/admin/", "/task-types/", f"/admin/studies/{study.slug}/", "/admin/nowhere/"):
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
        study, _own = example("triangle", tmp_path, language)
        rows = Criterion.objects.filter(study=study, kind=Criterion.Kind.QUESTION)
        return {row.key: (row.question, row.language) for row in rows}

    assert questions("de")["odd-one-out"] == ("Zwei dieser Texte sind gleich. Welcher ist anders?", "")
    assert questions("cs")["odd-one-out"] == ("Two of these texts are the same. Which one is different?", "en")


def test_the_scale_is_the_studys_whatever_language_the_page_is_in(somebody: Client) -> None:
    """Two raters of one study must not answer on differently worded scales."""
    study = build_study(None, params={"agreement": True, "points": 5}, opened=False)
    Criterion.objects.filter(study=study).update(ends={}, question="The text is fluent.")
    Study.objects.filter(pk=study.pk).update(language="de")
    lifecycle.move(study_id=study.pk, action="open", by=None)
    study.refresh_from_db()
    token = pages.join(somebody, study)
    form = form_of_languages(somebody.get(f"/r/{token}/judge/").content.decode())
    somebody.post(f"/r/{token}/language/", {**form, "language": "es"})
    page = somebody.get(f"/r/{token}/judge/").content.decode()
    assert head(page)[0] == "es"
    assert re.search(r'lang="de">Stimme voll und ganz zu', page)
    assert "Totalmente de acuerdo" not in page
