"""Settings are declared once, as fields of a class: form, schema, messages and values follow from them."""

from typing import Any

import pytest
from django import forms

from tasks_app.setting_fields import YesNoField, choice_field, line_field, number_field, whole_field
from tasks_app.study_settings import Block, Declared
from tasks_app.studyfile.schema import form_schema


class Fence(Declared):
    """A made-up rule."""

    factor = number_field("Width of the fence", "In interquartile ranges.", within=(0.1, 100), initial=1.5)
    least = whole_field("Minimum answers", within=(1, 1000))
    side = choice_field("Side", (("both", "both"), ("low", "low values alone")), initial="both")
    word = line_field("Word")
    strict = YesNoField(label="Strict")


class Pair(Fence):
    """A class adds settings to those of its base, and a rule about two of them."""

    most = whole_field("Maximum answers", within=(1, 1000), initial=20)

    class Settings(Block):
        """Check the two limits."""

        def clean(self) -> dict[str, Any]:
            cleaned = super().clean() or self.cleaned_data
            if (cleaned.get("least") or 0) > (cleaned.get("most") or 0):
                self.add_error("least", forms.ValidationError("larger than the maximum"))
            return cleaned


def test_values_are_checked_and_have_their_types() -> None:
    fence = Fence({"factor": "2", "side": "low", "strict": True})
    assert (fence.factor, fence.least, fence.side, fence.word, fence.strict) == (2.0, None, "low", "", True)
    assert (type(fence.factor), Fence().factor) == (float, 1.5)
    # What mypy knows of the values: a wrong type in these lines is an error of `make lint`.
    doubled: float = 2 * fence.factor
    least: int = fence.least or 0
    assert (doubled, least, fence.side.upper(), not fence.strict) == (4.0, 0, "LOW", False)


def test_every_problem_is_named_at_once() -> None:
    with pytest.raises(ValueError, match="factor") as caught:
        Fence({"factor": 1000, "least": "many", "side": "left", "sides": "both"})
    lines = str(caught.value).splitlines()
    assert [line.partition(":")[0] for line in lines] == ["sides", "factor", "least", "side"]
    assert lines[0] == "sides: unknown setting"


def test_values_cannot_be_changed() -> None:
    with pytest.raises(AttributeError, match="factor cannot be changed"):
        Fence().factor = 2.0  # type: ignore[assignment,misc,unused-ignore]


def test_a_class_inherits_settings_and_checks_them_together() -> None:
    assert list(Pair.Settings.base_fields) == ["factor", "least", "side", "word", "strict", "most"]
    assert list(Fence.Settings.base_fields) == ["factor", "least", "side", "word", "strict"]
    assert Pair({"least": 20}).most == 20
    with pytest.raises(ValueError, match="least: larger than the maximum"):
        Pair({"least": 21})


def test_the_schema_follows_from_the_fields() -> None:
    schema = form_schema(Fence.Settings)["properties"]
    assert schema["factor"] == {
        "type": "number",
        "minimum": 0.1,
        "maximum": 100,
        "title": "Width of the fence",
        "description": "In interquartile ranges.",
        "default": 1.5,
    }
    assert schema["side"]["enum"] == ["both", "low"]
