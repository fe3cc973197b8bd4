"""What a source is marked with where the study states no language for it."""

import pytest

from tasks_app import languages


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
