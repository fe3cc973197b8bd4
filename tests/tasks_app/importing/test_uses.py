"""The use of each column of a table of texts and ratings, and the mapping that says the same."""

from typing import Any

import pytest

from tasks_app.importing import whole
from tasks_app.importing.whole.uses import BadUses, Choices, ColumnUse, choices_of, document_of, use_choices

COLUMNS = ("who", "seg", "model", "text", "flu", "ade", "label", "age", "domain")

# Mappings that uses say whole, with the uses.
SAID: dict[str, tuple[dict[str, Any], dict[str, tuple[str, str]]]] = {
    "one question": (
        {"columns": {"rater": "who", "item": "seg", "system": "model", "output": "text", "value": "flu"},
         "constant": {"criterion": "Fluency"}},
        {"flu": ("question-value", "Fluency"), "who": ("rater", "")},
    ),
    "a column for each question, numbers and words": (
        {"columns": {"rater": "who", "item": "seg"},
         "wide": {"of": "criterion", "value": ["flu", "ade"], "label": {"choice": "label"}}},
        {"ade": ("question-value", ""), "label": ("question-label", "choice")},
    ),
    "a column for each rater": (
        {"columns": {"item": "seg", "output": "text"}, "wide": {"of": "rater", "value": {"ann": "flu", "ade": "ade"}}},
        {"flu": ("rating-by-value", "ann"), "ade": ("rating-by-value", "")},
    ),
    "a column for the question": (
        {"columns": {"rater": "who", "criterion": "label", "value": "flu"}}, {"label": ("criterion", "")},
    ),
    "attributes": (
        {"columns": {"rater": "who", "rater_age": "age", "feature_topic": "domain", "value": "flu"},
         "constant": {"system": "gpt", "criterion": "flu"}},
        {"age": ("attribute-rater", "age"), "domain": ("attribute-text", "topic")},
    ),
    "nobody knows who rated": (
        {"columns": {"output": "text", "value": "flu"}, "constant": {"criterion": "flu"}, "unknown_raters": True}, {},
    ),
    "what no use can say": (
        {"columns": {"rater": "annotations[*].worker", "value": "annotations[*].score", "item": "seg", "group": "age"},
         "constant": {"criterion": "flu", "purpose": "main"}, "where": {"domain": "news"},
         "values": {"item": {"a": "b"}}, "join": [{"on": "seg", "sheet": "Texts"}]},
        {"annotations[*].worker": ("rater", "")},
    ),
    "a column that is used twice": (
        {"columns": {"rater": "who", "value": "flu", "group": "age", "rater_age": "age"},
         "constant": {"criterion": "flu"}},
        {"age": ("group", "")},
    ),
    "patterns": (
        {"columns": {"item": "seg"}, "wide": {"of": "rater", "value": "score_*"}}, {},
    ),
    "words in braces": (
        {"columns": {"item": "seg", "value": "{criterion}_{rater}"}, "only": {"rater": ["r1", "r2"]}},
        {"{criterion}_{rater}": ("question-value", "")},
    ),
    "columns side by side": (
        {"columns": {"rater": "who", "item": "seg"}, "wide": {"system": {"x": "model", "y": "label"}, "of": "variant",
                                                              "value": {"x": "flu", "y": "ade"}}},
        {"flu": ("by-text", ""), "label": ("by-text", "")},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", SAID)
def test_uses_and_mapping_say_the_same(name: str) -> None:
    document, some = SAID[name]
    choices = choices_of(document, COLUMNS)
    by_column = {use.column: (use.use, use.name) for use in choices.uses}
    assert list(by_column)[: len(COLUMNS)] == list(COLUMNS)
    assert {column: by_column[column] for column in some} == some
    again = document_of(choices)
    assert again == document
    assert whole.mapping_of("mapping", again).document == document


REFUSED: dict[str, tuple[dict[str, tuple[str, str]], set[str], str]] = {
    "two raters": ({"who": ("rater", ""), "age": ("rater", "")}, {"who", "age"},
                   "Only one column can be “rater (who rated)”. Choose one of “who”, “age”."),
    "two questions of one name": ({"flu": ("question-value", "Q"), "ade": ("question-value", "Q")}, {"flu", "ade"},
                                  "“flu”, “ade” have the same name, “Q”."),
    "two attributes of one name": ({"age": ("attribute-rater", "a b"), "domain": ("attribute-rater", "a-b")},
                                   {"age", "domain"}, "“age”, “domain” have the same name"),
    "raters and a rater": ({"who": ("rater", ""), "flu": ("rating-by-value", "")}, {"who", "flu"},
                           "“who” says who rated each row, but “flu” hold the ratings of one rater each."),
    "raters and questions": ({"flu": ("rating-by-value", ""), "ade": ("question-value", "")}, {"flu", "ade"},
                             "“flu” hold the ratings of one rater each, but “ade” those of a question each."),
    "a question named twice": ({"label": ("criterion", ""), "flu": ("question-value", ""),
                                "ade": ("question-value", "")}, {"label", "flu", "ade"},
                               "“label” names the question of each row"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_contradictions_name_the_columns(name: str) -> None:
    uses, columns, sentence = REFUSED[name]
    with pytest.raises(BadUses) as refusal:
        document_of(Choices([ColumnUse(column, *use) for column, use in uses.items()]))
    assert set(refusal.value.sentences) == columns
    assert all(said.startswith(sentence) for said in refusal.value.sentences.values())


def test_a_system_is_named_once() -> None:
    with pytest.raises(BadUses, match="“model” names the system of each row"):
        document_of(Choices([ColumnUse("model", "system")], system="gpt"))


def test_attributes_in_other_scripts_have_names_of_their_own() -> None:
    uses = [ColumnUse("возраст", "attribute-rater"), ColumnUse("тема", "attribute-text"),
            ColumnUse("жанр", "attribute-text"), ColumnUse("оценка", "question-value")]  # fmt: skip
    document = document_of(Choices(uses))
    assert document["columns"] == {
        "rater_возраст": "возраст", "feature_attribute_2": "тема", "feature_attribute_3": "жанр", "value": "оценка",
    }  # fmt: skip
    assert whole.mapping_of("mapping", document).document == document


def test_every_column_that_a_mapping_may_name_can_be_chosen() -> None:
    offered = {use for _group, uses in use_choices() if isinstance(uses, list) for use, _label in uses}
    assert {column.name for column in whole.declared({}).columns} - {"value", "label", "text"} <= offered
