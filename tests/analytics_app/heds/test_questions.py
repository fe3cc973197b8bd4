"""Every question of both versions is there once, with the field of the public form that takes its answer."""

from collections import Counter
from pathlib import Path

import pytest

from analytics_app.heds.questions import (
    CRITERIA_FIELD,
    Fill,
    Kind,
    Question,
    Version,
    language_options,
    questions,
    questions_of,
)

# Every answer field of the public form of version 3.0, without those of single options.
FIELDS = (Path(__file__).parent / "fields.txt").read_text(encoding="utf-8").split()

VERSION_2_NUMBERS = """
1.1 1.2 1.3 2.1 2.2 2.3 2.4 2.5 3.1.1 3.1.2 3.1.3 3.2.1 3.2.2 3.2.3 3.2.4 3.2.5 3.3.1 3.3.2 3.3.3 3.3.4 3.3.5 3.3.6
3.3.7 3.3.8 4.1.1 4.1.2 4.1.3 4.2.1 4.2.2 4.2.3 4.3.1 4.3.2 4.3.3 4.3.4 4.3.5 4.3.6 4.3.7 4.3.8 4.3.9 4.3.10 4.3.11
5.1 5.2 5.3 5.4
"""


def test_every_field_of_the_public_form_is_covered_exactly_once() -> None:
    """Fields of answers and of the texts beside options, and the list of criteria."""
    fields = [CRITERIA_FIELD]
    for question in questions().values():
        fields += [question.field, question.text_field] if question.has_options else [question.field]
    assert Counter(fields) == Counter(FIELDS)


def test_every_number_of_version_2_is_asked() -> None:
    """Version 3.0 splits some of them, and asks one question more."""
    numbers = [question.number_in(Version.TWO) for question in questions_of(Version.TWO)]
    assert list(dict.fromkeys(numbers)) == VERSION_2_NUMBERS.split()
    assert [number for number, question in questions().items() if not question.number_2] == ["4.3.1.2"]
    assert len(questions_of(Version.THREE)) == len(questions()) == 62


@pytest.mark.parametrize("question", questions().values(), ids=lambda question: question.number)
def test_a_question_has_words_guidance_and_its_options(question: Question) -> None:
    """Words are one line, guidance is a sentence; only choices have options."""
    assert question.words
    assert question.guidance.endswith((".", "?"))
    assert bool(question.options) == question.has_options == (question.kind in {Kind.ONE, Kind.SEVERAL})
    assert question.is_per_criterion == question.number.startswith("4.")
    assert len({option.words for option in question.options}) == len(question.options)
    assert all(option.printed for option in question.options)


def test_languages_are_known_by_their_codes() -> None:
    """The form lists the 183 languages of ISO 639-1, after N/A and before other."""
    options = questions()["2.4"].options
    assert len(options) == 185
    assert len(language_options()) == 183
    named = {code: options[language_options()[code] - 1].words for code in ("en", "de", "zh", "zu", "nb")}
    assert named == {"en": "English", "de": "German", "zh": "Chinese", "zu": "Zulu", "nb": "Norwegian Bokmål"}
    assert [option.words for option in options if option.needs_text] == ["Not applicable", "Other"]


def test_only_the_researcher_knows_these() -> None:
    """What no study can know is asked."""
    asked = [number for number, question in questions().items() if question.fill == Fill.ASK]
    assert asked == ["1.1.1", "1.1.2", "2.3", "3.3.8", "5.4"]
