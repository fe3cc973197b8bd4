"""Which language a page is in, how each writes its plurals, dates and numbers, and what of it nobody has checked."""

from datetime import date

import pytest
from django.conf import settings
from django.test import RequestFactory, override_settings
from django.utils import formats, translation
from django.utils.translation import gettext, ngettext

from scripts import messages, po
from tasks_app.models import Setup, Study
from tasks_app.setup.page import SetupPage
from tasks_app.texts import languages

SHIPPED = [code for code, _name in settings.LANGUAGES]

# Which of the forms of a plural is for 0, 1, 2, 3, 11 and 100 (Unicode CLDR, Language Plural Rules).
FORMS = {
    "ar": (0, 1, 2, 3, 4, 5),
    "de": (1, 0, 1, 1, 1, 1),
    "es": (1, 0, 1, 1, 1, 1),
    "fr": (0, 0, 1, 1, 1, 1),
    "ja": (0, 0, 0, 0, 0, 0),
    "ko": (0, 0, 0, 0, 0, 0),
    "pt": (1, 0, 1, 1, 1, 1),
    "zh-hans": (0, 0, 0, 0, 0, 0),
}

# 31 March 2027 and 1234.5, as CLDR has them; Spanish and French have one of several spaces in a number.
WRITTEN = {
    "en": ("March 31, 2027", "1,234.50"),
    "ar": ("31 مارس 2027", "1,234.50"),
    "de": ("31. März 2027", "1.234,50"),
    "es": ("31 de marzo de 2027", "1 234,50"),
    "fr": ("31 mars 2027", "1 234,50"),
    "ja": ("2027年3月31日", "1,234.50"),
    "ko": ("2027년 3월 31일", "1,234.50"),
    "pt": ("31 de mar. de 2027", "1.234,50"),
    "zh-hans": ("2027年3月31日", "1,234.50"),
}


@pytest.mark.parametrize(
    ("asked", "given"),
    [
        ("de", "de"), ("de-AT", "de"), ("ES-mx", "es"), ("en-GB", "en"), ("cs", ""), ("tlh-Latn", ""), ("", ""),
        ("fr-CA", "fr"), ("pt-BR", "pt"), ("pt-PT", "pt"), ("ar-EG", "ar"), ("ja-JP", "ja"), ("ko-KR", "ko"),
        ("zh", "zh-hans"), ("zh-CN", "zh-hans"), ("zh-Hans-HK", "zh-hans"), ("zh-SG", "zh-hans"),
        ("zh-TW", ""), ("zh-Hant", ""), ("zh-Hant-CN", ""), ("zh-HK", ""), ("zh-MO", ""),
    ],
)  # fmt: skip
def test_the_language_of_pages(asked: str, given: str) -> None:
    """Nobody who reads traditional Chinese is given the simplified script."""
    request = RequestFactory().get("/", headers={"Accept-Language": f"{asked}, xx;q=0.5"})
    with override_settings(LANGUAGES=[(code, code) for code in WRITTEN]):
        assert languages.match(asked) == given
        assert languages.shipped(asked) == (given or "en")
        assert languages.of_browser(request) == (given or "en")


def test_a_browser_gets_the_first_language_there_is() -> None:
    request = RequestFactory().get("/", headers={"Accept-Language": "cs, en;q=0.4, de-CH;q=0.8"})
    assert languages.of_browser(request) == "de"
    assert languages.of_browser(RequestFactory().get("/", headers={"Accept-Language": "a;b=c,,*"})) == "en"
    assert languages.of_browser(RequestFactory().get("/")) == "en"


@pytest.mark.parametrize(
    ("language", "expected"), [("ar", "rtl"), ("fa-AF", "rtl"), ("he", "rtl"), ("de", "ltr"), ("", "ltr")]
)
def test_the_direction_of_a_language(language: str, expected: str) -> None:
    assert languages.direction(language) == expected


def test_every_name_of_a_language_fits_where_it_is_stored() -> None:
    assert max(map(len, SHIPPED)) <= (Study._meta.get_field("language").max_length or 0)


@pytest.mark.parametrize("language", messages.LANGUAGES)
def test_the_form_of_a_plural_is_that_of_its_number(language: str) -> None:
    forms = po.read(messages.catalogue(language))[po.Message("%(n)s text", "%(n)s texts")].translations
    assert len(forms) == po.n_forms(language)
    with translation.override(language):
        said = [ngettext("%(n)s text", "%(n)s texts", n) for n in (0, 1, 2, 3, 11, 100)]
    assert said == [forms[number] for number in FORMS[language]]


@pytest.mark.parametrize("language", SHIPPED)
def test_dates_and_numbers_are_written_as_the_language_does(language: str) -> None:
    with translation.override(language):
        day = formats.date_format(date(2027, 3, 31), "DATE_FORMAT")
        number = formats.number_format("1234.50", 2, force_grouping=True)
    assert day == WRITTEN[language][0]
    # Spanish has a dot or a space within a number, by the version of Django.
    written = " ".join(number.split())
    assert written == WRITTEN[language][1] or (language, written) == ("es", "1.234,50")


def test_what_nobody_checked_says_so_in_its_own_language(monkeypatch: pytest.MonkeyPatch) -> None:
    english, *others = languages.to_choose_from()
    assert english == languages.PageLanguage("en", "English")
    for one in others:
        with translation.override(one.code):
            assert one.note == gettext("machine translated, not yet checked by a speaker")
    review = languages.Review("A speaker", date(2027, 3, 31))
    monkeypatch.setattr(languages, "REVIEWS", {"de": review})
    languages.to_choose_from.cache_clear()
    unchecked = {one.code for one in languages.to_choose_from() if one.note}
    languages.to_choose_from.cache_clear()
    assert unchecked == set(SHIPPED) - {"en", "de"}


def test_every_review_is_of_a_translation_and_has_a_name() -> None:
    assert set(languages.REVIEWS) <= set(messages.LANGUAGES)
    assert all(review.by.strip() for review in languages.REVIEWS.values())


@pytest.mark.parametrize(
    ("language", "words"), [("de-AT", "text in German is a machine translation"), ("cs", "no translation"), ("en", "")]
)
def test_a_researcher_is_told_when_they_choose_the_language_of_a_study(language: str, words: str) -> None:
    advice = SetupPage(Setup(given={"study": {"language": language}}), "task").advice(("study", "language"))
    assert (advice is None) == (not words)
    assert advice is None or words in advice.sentence


@pytest.mark.parametrize(
    ("text", "language", "may_be"),
    [
        ("Der Zug fährt heute nicht.", "ar", False),
        ("القطار لا يعمل اليوم.", "ar", True),
        ("القطار لا يعمل اليوم.", "de", False),
        ("12. Der Zug", "en", True),
        ("12 (رقم)", "he", True),
        ("🚂 12", "ar", True),
        ("", "ar", True),
    ],
)
def test_a_text_that_runs_the_other_way_is_in_another_language(text: str, language: str, may_be: bool) -> None:
    assert languages.may_be_in(text, language) is may_be
