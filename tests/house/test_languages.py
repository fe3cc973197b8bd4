"""What raters read is there in every language shipped: complete, with its placeholders, and compiled."""

import ast
import gettext
import io
import json
import re
from collections import Counter
from pathlib import Path

import pytest
from django.conf import settings
from django.utils import translation

from scripts import messages, po
from tasks_app.texts import languages

ROOT = Path(settings.BASE_DIR)
FOUND = messages.collect()

# %(name)s of Python, {name} of scripts, and HTML: whoever fills or renders them finds the same in every language.
HELD = (
    re.compile(r"%\((\w+)\)([sd])"),
    re.compile(r"\{(\w+)\}"),
    re.compile(r"</?[a-z][^>]*>"),
    re.compile(r"(?<![%\w])%(?![\w(%])"),
)

every_language = pytest.mark.parametrize("language", messages.LANGUAGES)


def entries(language: str) -> dict[po.Message, po.Entry]:
    """Return the catalogue of a language."""
    return po.read(messages.catalogue(language))


def test_every_language_of_the_settings_but_english_has_a_catalogue() -> None:
    assert {code for code, _name in settings.LANGUAGES} == {settings.LANGUAGE_CODE, *messages.LANGUAGES}


def test_the_docs_say_which_languages_there_are_and_who_checked_them() -> None:
    text = (ROOT / "docs" / "languages.md").read_text(encoding="utf-8")
    said = re.findall(r"^\| ([^|]+) \| `([\w-]+)` \| ([^|]+) \|$", text, flags=re.MULTILINE)
    checked = {code: f"{review.by}, {review.on:%-d %b %Y}" for code, review in languages.REVIEWS.items()}
    checked["en"] = "original"
    assert said == [
        (languages.english_name(code), code, checked.get(code, "machine translated, not yet checked"))
        for code, _name in settings.LANGUAGES
    ]


@every_language
def test_every_text_for_raters_is_translated_and_nothing_else_is_kept(language: str) -> None:
    """`make messages` brings the files up to date; a person fills in what is missing."""
    known = entries(language)
    assert [one.text for one in FOUND if one not in known] == [], "Run `make messages`."
    assert [one.text for one in known if one not in FOUND] == [], "Run `make messages`."
    missing = [one.message.text for one in known.values() if not one.is_done]
    path = messages.catalogue(language).relative_to(ROOT)
    assert missing == [], f"Translate these texts in {path}, then run `make messages` (docs/languages.md)."
    n_forms = po.n_forms(language)
    assert {len(one.translations) for one in known.values() if one.message.plural} == {n_forms}


@every_language
def test_placeholders_and_html_are_the_same(language: str) -> None:
    wrong = []
    numbers = numbers_by_form(language)
    for message, entry in entries(language).items():
        if not entry.is_done:
            continue
        for form, words in enumerate(entry.translations):
            alike = {message.plural or message.text}
            if message.plural and 1 in numbers[form]:
                alike.add(message.text)
            if message.plural and len(numbers[form]) == 1:
                # A form for one number only may say it in words: one text, both texts.
                alike |= {re.sub(r"%\(n\)[sd]", "", text) for text in alike}
            if held_by(words) not in map(held_by, alike):
                wrong.append((message.text, words))
    assert wrong == []


def held_by(text: str) -> list[Counter[str]]:
    """Return the parts of a text that stand in every translation of it, too."""
    return [Counter(held.findall(text)) for held in HELD]


def numbers_by_form(language: str) -> list[list[int]]:
    """Return which numbers each form of a plural is for, up to 1,000."""
    form_of = gettext.c2py(po.plural_rule(language))
    numbers: list[list[int]] = [[] for _form in range(po.n_forms(language))]
    for number in range(1_001):
        numbers[form_of(number)].append(number)
    assert all(numbers)
    return numbers


@every_language
def test_white_space_at_the_ends_and_paragraphs_are_the_same(language: str) -> None:
    for message, entry in entries(language).items():
        for words in entry.translations:
            text = message.text
            assert (text[:1].isspace(), text[-1:].isspace()) == (words[:1].isspace(), words[-1:].isspace()), words
            assert text.count("\n") == words.count("\n"), words


@every_language
def test_the_compiled_catalogue_is_that_of_the_texts(language: str) -> None:
    path = messages.catalogue(language)
    known = entries(language)
    assert path.with_suffix(".mo").read_bytes() == po.compiled(language, known), "Run `make messages`."
    # What we write is what gettext itself reads.
    read = gettext.GNUTranslations(io.BytesIO(path.with_suffix(".mo").read_bytes()))
    for message, entry in known.items():
        if not entry.is_done:
            continue
        if message.plural:
            said = [read.ngettext(message.text, message.plural, own[0]) for own in numbers_by_form(language)]
            assert said == list(entry.translations)
        elif message.context:
            assert read.pgettext(message.context, message.text) == entry.translations[0]
        else:
            assert read.gettext(message.text) == entry.translations[0]


@every_language
def test_a_catalogue_is_written_as_it_is_read(language: str, tmp_path: Path) -> None:
    path = tmp_path / "django.po"
    po.write(path, language, entries(language).values())
    assert path.read_bytes() == messages.catalogue(language).read_bytes()


@pytest.mark.parametrize("line", ['#~ msgid "gone"', "msgid no quotes"])
def test_what_is_no_entry_in_use_is_refused(line: str, tmp_path: Path) -> None:
    path = tmp_path / "django.po"
    path.write_text(f'msgid "a"\nmsgstr "b"\n{line}\n')
    with pytest.raises(po.NotACatalogue):
        po.read(path)


def test_texts_of_every_kind_are_found(tmp_path: Path) -> None:
    module = tmp_path / "module.py"
    module.write_text(
        "from django.utils.translation import gettext as _, ngettext, pgettext_lazy as said\n"
        'class Kind:\n    label = _("for researchers")\n    default = _("one " "text")\n'
        'def words():\n    return ngettext("%(n)s text", "%(n)s texts", 2), said("of a mark", "Start")\n'
        'def problems():\n    return _("for researchers too")\n'
    )
    source = messages.Source("", without=("*.label", "problems"))
    assert list(messages.in_module(module, source)) == [
        po.Message("one text"),
        po.Message("%(n)s text", "%(n)s texts"),
        po.Message("Start", context="of a mark"),
    ]
    template = tmp_path / "page.html"
    template.write_text(
        """{% translate "It's here" %}{% translate "Start" context "of a mark" %}{{ word|default:_("Best") }}"""
        """{% blocktranslate count n=n %}{{ n }} "text"{% plural %}{{ n }} texts{% endblocktranslate %}"""
    )
    assert list(messages.in_template(template, source)) == [
        po.Message("It's here"),
        po.Message("Start", context="of a mark"),
        po.Message("Best"),
        po.Message('%(n)s "text"', "%(n)s texts"),
    ]


def test_a_text_that_is_put_together_cannot_be_collected(tmp_path: Path) -> None:
    module = tmp_path / "module.py"
    module.write_text('from django.utils.translation import gettext as _\n_(f"{1} text")\n')
    with pytest.raises(SyntaxError, match="line 2"):
        list(messages.in_module(module, messages.Source("")))


def test_every_source_has_files_and_every_rater_view_is_a_source() -> None:
    for source in messages.SOURCES:
        files = messages.files_of(source)
        assert files, source.files
        if source.only:
            found = [one for path in files for one in messages.READERS[path.suffix](path, source)]
            assert found, f"Nothing in {source.files} is called {source.only} any more."
    read = {path for source in messages.SOURCES for path in messages.files_of(source)}
    for path in (ROOT / "tasks_app/views").rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
        templates = {
            node.value
            for node in ast.walk(tree)
            if isinstance(node, ast.Constant) and str(node.value).startswith("rater/")
        }
        if "rater_page" in names or templates:
            assert path in read, f"{path.name} shows pages to raters: name it in scripts/messages.py."
    shown = {*(ROOT / "templates/rater").rglob("*.html"), *(ROOT / "templates/task_types").rglob("*.html")}
    assert shown <= read


def test_published_instruments_stay_as_they_were_published() -> None:
    """PANAS, ELRC's labels, MQM and ESA: nobody tried our translation of them on people."""
    texts = {one.text for one in FOUND}
    types = ROOT / "tasks_app/task_types"
    for name in ("questionnaire/data/panas", "error_spans/mqm"):
        own = set(re.findall(r'"((?:[^"\\]|\\.){13,})"', (types / f"{name}.json").read_text(encoding="utf-8")))
        assert texts.isdisjoint(own), texts & own
    labels = json.loads((types / "error_labels" / "elrc.json").read_text(encoding="utf-8"))["labels"]
    assert texts.isdisjoint(one[name] for one in labels for name in ("name", "definition", "question"))
    assert texts.isdisjoint({"Interested", "Distressed", "Perfect meaning and grammar"})
    with translation.override("de"):
        from tasks_app.task_types import registry

        score = registry["error_spans"]({"scheme": "esa"}).brings()[1]
        assert (score.language, score.anchors["100"]) == ("en", "Perfect meaning and grammar")
        asked = registry["questionnaire"]({"instrument": "panas"}).brings()
        assert {one.language for one in asked} == {"en"}
        assert asked[0].question == "Interested"


@every_language
def test_questionnaires_of_our_own_are_translated_and_their_keys_stay(language: str) -> None:
    from tasks_app.task_types.questionnaire import Questionnaire

    for instrument in ("demographics", "exit"):
        kind = Questionnaire({"instrument": instrument})
        english = kind.brings()
        with translation.override(language):
            said = kind.brings()
            choices = [[option.key for option in prompt.question.options] for prompt in kind.prompts().values()]
        assert [one.key for one in said] == [one.key for one in english]
        assert choices == [[option.key for option in prompt.question.options] for prompt in kind.prompts().values()]
        assert all(one.question != other.question for one, other in zip(said, english, strict=True))
        assert {one.language for one in said} == {language}


def test_no_paragraph_begins_with_a_button() -> None:
    """A paragraph runs as its first words do, and one of a button alone from left to right, on Arabic pages too."""
    begins = re.compile(r"<p>\s*<(?:a|button)\b[^>]*\bclass=\"button\b")
    assert [str(path) for path in (ROOT / "templates").rglob("*.html") if begins.search(path.read_text("utf-8"))] == []
