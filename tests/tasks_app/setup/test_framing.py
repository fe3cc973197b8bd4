"""Questions that lead raters, and the neutral wordings that are proposed for them."""

import pytest

from tasks_app.setup.criteria.framing import framing_of
from tasks_app.setup.criteria.library import library

LEADING = {
    # a difference is taken for granted
    "How much more fluent is sentence A than sentence B?": (
        "Which is more fluent, sentence A or sentence B, or are they alike?"
    ),
    "How much better is A?": "Which text is better, or are they alike?",
    "How much clearer is the first text?": "Which text is clearer, or are they alike?",
    "how much less natural is text B than text A?": "Which is less natural, text B or text A, or are they alike?",
    "Is A better than B?": "Which is better, A or B, or are they alike?",
    "Is text A bolder than text B?": "Which is bolder, text A or text B, or are they alike?",
    "Is the left text more fluent?": "Which text is more fluent, or are they alike?",
    "Does text A sound more natural than text B?": "Which is more natural, text A or text B, or are they alike?",
    # one end of the scale
    "How good is this text?": "How good or bad is this text?",
    "How bad is the translation?": "How bad or good is the translation?",
    "How well does the text read?": "How well or badly does the text read?",
    "How fluent is the text?": "To what extent, if at all, is the text fluent?",
    "How informative are these headlines?": "To what extent, if at all, are these headlines informative?",
    "How much does the text say?": "How much or little does the text say?",
    "How   clear is\nit?": "How clear or unclear is it?",
    # agreement
    "This text is fluent, don't you agree?": "To what extent, if at all, is this text fluent?",
    "This is a problem, isn’t it?": "To what extent, if at all, is this a problem?",
    "Don't you think that the summary is too long?": "To what extent, if at all, is the summary too long?",
    "Do you agree that the text is coherent?": "To what extent, if at all, is the text coherent?",
    # a fault is taken for granted
    "How serious are the errors in this text?": (
        "Is anything wrong with this text or not, and if so, how serious is it?"
    ),
    "What is wrong with the translation?": (
        "Is anything wrong with the translation or not, and if so, how serious is it?"
    ),
    # a hint
    "Rate the fluency of our system": "Rate the fluency of system",
}

NEUTRAL = (
    "",
    "How good or bad is this text?",
    "To what extent, if at all, is the text fluent?",
    "Which text is more fluent, or are they alike?",
    "Which answer is clearer, A or B, or neither?",
    "Is A better than B, worse, or are they alike?",
    "How many errors are in the text?",
    "How sure are you?",
    "Does the text say what the source says?",
    "Is the answer to the question in the passage?",
    "Is the text about the weather?",
    "Does the text mention the computer?",
    "Does the text say more?",
    "Which of these texts is the best, and which is the worst?",
    "Compare the texts by how well or badly they read.",
    "Fluency",
)


@pytest.mark.parametrize(("question", "neutral"), LEADING.items(), ids=list(LEADING))
def test_a_leading_question_gets_a_neutral_wording(question: str, neutral: str) -> None:
    framing = framing_of(question)
    assert framing is not None
    assert str(framing.reason)
    assert framing.neutral == neutral


@pytest.mark.parametrize("question", NEUTRAL)
def test_a_neutral_question_is_left_alone(question: str) -> None:
    assert framing_of(question) is None


@pytest.mark.parametrize("question", [neutral for question, neutral in LEADING.items() if "our" not in question])
def test_what_is_proposed_is_neutral_itself(question: str) -> None:
    assert framing_of(question) is None


def test_other_languages_are_not_judged_by_english_rules() -> None:
    assert framing_of("How good is it?", "de") is None
    assert framing_of("How good is it?", "en-GB") is not None


def test_a_question_as_long_as_a_text_is_not_looked_at() -> None:
    """The patterns take the square of its length."""
    assert framing_of(f"How good is {'the text ' * 100}?") is not None
    assert framing_of(f"How good is {'?' * 1_000} here") is None


@pytest.mark.parametrize("key", list(library()))
def test_the_library_asks_neutrally(key: str) -> None:
    assert framing_of(library()[key].question) is None
    assert framing_of(f"Compare the texts by {library()[key].aspect}.") is None
