"""Settings are declared once, as fields of a class: form, schema, messages and values follow from them."""

import inspect
from collections.abc import Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import Any, Literal, assert_type

import pytest
from django import forms
from django.template import Context, Template
from django.utils.translation import gettext_lazy as _

from evalweb.local_services.folder import BASE_DIR
from tasks_app import channels, designs, task_types
from tasks_app.channels.base import Arrival, Channel
from tasks_app.designs.independent import Independent
from tasks_app.hooks.sections import Json
from tasks_app.manual import catalogue
from tasks_app.models import Setup, Study
from tasks_app.settings.checks import CheckSettings
from tasks_app.settings.fields import (
    NumberField,
    OneOfField,
    Typed,
    YesNoField,
    choice_field,
    line_field,
    number_field,
    whole_field,
)
from tasks_app.settings.study import BLOCKS, Block, Declared, StudySettings, with_defaults
from tasks_app.setup.page import SetupPage
from tasks_app.setup.steps import STEPS
from tasks_app.studyfile.explain import violations
from tasks_app.studyfile.fields import ListField
from tasks_app.studyfile.reference import reference
from tasks_app.studyfile.schema import form_schema, whole_schema
from tasks_app.task_types.comprehension import Comprehension
from tasks_app.task_types.error_labels import ErrorLabels
from tasks_app.task_types.error_spans import ErrorSpans
from tasks_app.task_types.labels import Labels
from tasks_app.task_types.labels.options import DetailEntry
from tasks_app.task_types.likert import Likert


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
    # What mypy knows of the values: another type in these lines is an error of `make lint`.
    assert_type(fence.factor, float)
    assert_type(fence.least, int | None)
    assert_type(fence.side, str)
    assert_type(fence.word, str)
    assert_type(fence.strict, bool)
    assert_type(Fence.factor, NumberField[float])


def test_every_problem_is_named_at_once() -> None:
    with pytest.raises(ValueError, match="factor") as caught:
        Fence({"factor": 1000, "least": "many", "side": "left", "sides": "both"})
    lines = str(caught.value).splitlines()
    assert [line.partition(":")[0] for line in lines] == ["sides", "factor", "least", "side"]
    assert lines[0] == "sides: unknown setting"


def test_entries_of_a_list_have_typed_values_and_are_stored_as_before() -> None:
    condition = {"criterion": "reason", "after": "sureness", "answers": ["Not sure"]}
    kind = Comprehension({"only_if": [condition]})
    (entry,) = kind.only_if
    assert (entry.criterion, entry.after, entry.answers) == ("reason", "sureness", ["Not sure"])
    assert_type(entry.after, str)
    assert_type(entry.answers, list[str])
    assert kind.params["only_if"] == [condition]
    assert_type(Labels().details, list[DetailEntry])
    with pytest.raises(AttributeError, match="after cannot be changed"):
        entry.after = "another"  # type: ignore[assignment,misc,unused-ignore]


def test_forms_that_read_values_share_their_fields_and_others_have_their_own() -> None:
    """Copying the fields takes more time than reading the values."""
    read, other = (with_defaults(Likert.Settings, {"points": points}) for points in (5, 7))
    assert read.fields is other.fields
    assert [form.is_valid() and form.cleaned_data["points"] for form in (read, other)] == [5, 7]
    shown = Likert.Settings()
    shown.fields["points"].label = "Changed for one page"
    assert read.fields["points"].label == Likert.Settings().fields["points"].label != "Changed for one page"


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


class Left(Fence):
    """One branch of settings."""

    left = YesNoField(label="Left")

    class Settings(Block):
        """What is described in the schema."""


class Right(Fence):
    """Another branch, with one more setting; a rule without fields of its own is checked as well."""

    right = YesNoField(label="Right")


class OnlyRule(Right):
    """No setting more, but a rule about those there are."""

    class Settings(Block):
        def clean_right(self) -> bool:
            if self.cleaned_data["right"]:
                raise forms.ValidationError("not here")
            return False


class Plain(Fence):
    """No settings but those of the base."""


class Both(Plain, Left, OnlyRule):
    """Settings of all bases, whatever their order, with `strict` fixed."""

    strict = True


def test_settings_of_several_bases_come_together() -> None:
    assert list(Both.Settings.base_fields) == ["factor", "least", "side", "word", "right", "left"]
    assert list(OnlyRule.Settings.base_fields) == [*Fence.Settings.base_fields, "right"]
    for member in (OnlyRule, Both):
        with pytest.raises(ValueError, match="right: not here"):
            member({"right": True})


def test_a_setting_that_a_class_fixes_is_none() -> None:
    assert Both({"left": True}).strict is True
    with pytest.raises(ValueError, match="strict: unknown setting"):
        Both({"strict": False})


def test_the_docstring_of_the_nested_form_describes_the_settings() -> None:
    assert form_schema(Left.Settings)["description"] == "What is described in the schema."
    assert "description" not in form_schema(Right.Settings)


def test_fields_of_task_types_have_the_types_of_their_values() -> None:
    """What mypy knows, also of what a mixin uses and each member declares, and the values themselves."""
    labels, spans = Labels(), ErrorSpans()
    assert_type(labels.order, str)
    assert_type(labels.none_text, list[str])
    assert_type(spans.weights, list[dict[str, Any]])
    assert_type(spans.max_spans, int | None)
    assert_type(ErrorLabels().show_source, bool)
    assert (labels.order, labels.none_text, spans.weights, spans.max_spans) == ("fixed", [], [], None)


REGISTRIES = {"task type": task_types.registry, "design": designs.registry, "channel": channels.registry}


@pytest.mark.parametrize("kind", REGISTRIES)
def test_every_setting_of_every_member_has_a_type(kind: str) -> None:
    """A field of Django's own would be taken for the value of every instance."""
    fields = [
        (name, setting, field)
        for name, member in REGISTRIES[kind].items()
        for setting, field in member.Settings.base_fields.items()
    ]
    assert fields
    assert [(name, setting) for name, setting, field in fields if not isinstance(field, Typed)] == []


def added(monkeypatch: pytest.MonkeyPatch, kind: str, name: str, member: Any) -> None:
    """Put a member into its registry for one test."""
    registry: Any = REGISTRIES[kind]
    monkeypatch.setattr(registry, "_members", {**dict(registry), name: member})
    monkeypatch.setattr(member, "name", name, raising=False)


def asked(given: dict[str, Json]) -> dict[tuple[Any, ...], str]:
    """Return the labels of what the set-up asks of a document, by their places in it."""
    return {
        control.path: control.label
        for step in STEPS
        for control in SetupPage(Setup(study=Study(), given=given), step.slug).controls
    }


class Stars(Likert):
    """Steps that are stars or hearts."""

    shape = choice_field(_("Shape of a step"), (("star", _("stars")), ("heart", _("hearts"))), initial="star")


def test_the_docs_show_this_parameter() -> None:
    assert inspect.getsource(Stars) in (BASE_DIR / "docs" / "extending.md").read_text(encoding="utf-8")


def test_a_parameter_that_is_declared_once_is_everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    added(monkeypatch, "task type", "stars", Stars)
    monkeypatch.setattr(Stars, "template_name", Likert.template_name)
    stars = Stars({"shape": "heart"})
    assert_type(stars.shape, str)
    assert (stars.shape, Stars().shape, list(stars.params)[-2:]) == ("heart", "star", ["agreement", "shape"])
    with pytest.raises(ValueError, match=r"^shape: Select a valid choice. moon is not one of the available choices.$"):
        Stars({"shape": "moon"})
    assert "Shape of a step" in Stars.Settings().as_p()
    # The study file: its schema, what it says of a wrong value, and its reference.
    document = {"tasks": [{"type": "stars", "params": {"shape": "moon"}}]}
    problems = {path: sentence for path, sentence, _about_key in violations(document, whole_schema())}
    assert problems["tasks", 0, "params", "shape"] == "must be one of: star, heart; it is 'moon'."
    table = reference().split("**Parameters of the task type `stars`**")[1].split("**Parameters")[0]
    assert "| `shape` | one of: star, heart | star | Shape of a step. |" in table
    # The form of the set-up and the page of the catalogue.
    assert asked(document)["tasks", 0, "params", "shape"] == "Shape of a step"
    row = "| `shape` | one of: star, heart | star | Shape of a step. `star`: stars; `heart`: hearts |"
    assert row in catalogue.page(Stars)


class Mornings(Independent):
    """A made-up design with one setting of its own."""

    hour = whole_field("Hour of the first set", within=(0, 11), initial=8)

    class Settings(Block):
        """When sets are judged."""


def test_a_setting_of_a_design_that_is_declared_once_is_everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    added(monkeypatch, "design", "mornings", Mornings)
    mornings = Mornings({"hour": "9"})
    assert_type(mornings.hour, int)
    assert (mornings.hour, Mornings().hour) == (9, 8)
    with pytest.raises(ValueError, match=r"^hour: Ensure this value is less than or equal to 11.$"):
        Mornings({"hour": 12})
    document = {"tasks": [{"design": "mornings", "design_params": {"hour": 12}}]}
    assert form_schema(Mornings.Settings)["description"] == "When sets are judged."
    problems = {path: sentence for path, sentence, _about_key in violations(document, whole_schema())}
    place = ("tasks", 0, "design_params", "hour")
    assert problems[place] == "must be a whole number from 0 to 11; it is the number 12."
    assert asked(document)[place] == "Hour of the first set"
    table = reference().split("**Parameters of the design `mornings`**")[1].split("###")[0]
    assert "| `hour` | a whole number from 0 to 11 | 8 | Hour of the first set. |" in table


def test_a_stored_design_is_made_without_the_batches_beside_its_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    added(monkeypatch, "design", "mornings", Mornings)
    design = designs.design_of("mornings", {"hour": 10, "batches": []})
    assert isinstance(design, Mornings)
    assert design.hour == 10
    assert designs.design_of("mornings", {}).Settings is Mornings.Settings


def test_two_bases_cannot_declare_one_setting() -> None:
    class Other(Declared):
        factor = whole_field("Something else", within=(1, 5), initial=1)

    with pytest.raises(TypeError, match="inherits two settings 'factor'"):
        type("Both", (Fence, Other), {})
    assert type("Same", (Pair, Fence), {})().factor == 1.5, "one setting, inherited in two ways"


def test_a_study_has_every_setting_of_every_block() -> None:
    settings = StudySettings({})
    for name, block in BLOCKS.items():
        values = vars(block({}))
        assert values, name
        own = settings if isinstance(settings, block) else getattr(settings, name)
        assert {key: getattr(own, key) for key in values} == values, name


def test_settings_of_a_study_have_their_types() -> None:
    settings = StudySettings({"pay": {"amount": "2.50", "minutes": 4}, "codes": {"completed": "C1"}})
    # A wrong type in these lines is an error of `make lint`.
    amount = assert_type(settings.amount, Decimal)
    minutes = assert_type(settings.minutes, float | None)
    code = assert_type(settings.codes.completed, str)
    assert_type(settings.withdraw_until, date | None)
    assert_type(CheckSettings({}).skip_share, float | None)
    assert (amount, minutes, settings.expected_minutes, code) == (Decimal("2.50"), 4.0, 4.0, "C1")
    assert (settings.codes.of("completed"), settings.codes.of("closed"), settings.codes.of("no outcome")) == (
        "C1",
        "",
        "",
    )


def test_every_problem_of_the_settings_of_a_study_is_named() -> None:
    with pytest.raises(ValueError, match="unknown block") as caught:
        StudySettings({"pya": {}, "pay": {"amount": -1, "amuont": 2}, "flow": {"opens_hour": 24}})
    assert [line.partition(":")[0] for line in str(caught.value).splitlines()] == [
        "pya", "pay.amuont", "pay.amount", "flow.opens_hour",
    ]  # fmt: skip


class Poster(Channel):
    """A made-up channel with a setting that has no default, and one that may be empty."""

    label = "Poster"

    board = line_field("Board", required=True)
    days = whole_field("Days on the board", within=(1, 30))

    def arrival(self, query: Mapping[str, str]) -> Arrival:
        return Arrival("poster", external_id=self.board)

    def days_kept(self) -> int | None:
        return self.days


def test_a_setting_of_a_channel_that_is_declared_once_is_everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    added(monkeypatch, "channel", "poster", Poster)
    poster = Poster({"board": "Hall", "days": 3})
    assert_type(poster.board, str)
    assert_type(poster.days, int | None)
    assert (poster.board, poster.days, Poster({"board": "Hall"}).days) == ("Hall", 3, None)
    document = {"channels": {"poster": {"days": 31}}}
    problems = {path: sentence for path, sentence, _about_key in violations(document, whole_schema())}
    assert problems["channels", "poster", "days"] == "must be a whole number from 1 to 30; it is the number 31."
    assert problems["channels", "poster", "board"] == "is missing: text is needed."
    assert asked(document)["channels", "poster", "days"] == "Days on the board"
    table = reference().split("**Parameters of the channel `poster`**")[1].split("**Parameters")[0]
    assert "| `days` | a whole number from 1 to 30 |  | Days on the board. |" in table


def test_a_channel_is_made_with_the_settings_of_a_study_once_for_equal_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    added(monkeypatch, "channel", "poster", Poster)
    hall, lab, none = (
        StudySettings({"channels": opened})
        for opened in ({"poster": {"board": "Hall", "days": 2}}, {"poster": {"board": "Lab"}}, {})
    )
    assert channels.opened(none, "poster") is None
    assert channels.channel_of(hall, "poster").arrival({}).external_id == "Hall"
    assert channels.channel_of(lab, "poster").arrival({}).external_id == "Lab"
    assert channels.opened(hall, "poster") is channels.opened(hall, "poster") is not channels.opened(lab, "poster")
    assert channels.lease_of(hall, "poster").minutes == 2 * 24 * 60
    assert channels.lease_of(lab, "poster").minutes == lab.lease_minutes


def test_templates_show_a_class_without_making_one() -> None:
    page = Template("{{ member.label }} {{ made.board }}")
    assert page.render(Context({"member": Poster, "made": Poster({"board": "Hall"})})) == "Poster Hall"


Side = Literal["both", "low"]


class Narrow(Declared):
    """Settings whose values have a narrower type than text, and lists."""

    side: OneOfField[Side] = choice_field("Side", (("both", "both"), ("low", "low values alone")), initial="both")
    words = ListField(label="Words")


def test_words_of_a_choice_and_lists_have_their_types() -> None:
    # As above, a wrong type in these lines is an error of `make lint`.
    side: Side = Narrow({"side": "low"}).side
    words: Sequence[str] = Narrow({"words": ["a", "b"]}).words
    assert (side, words) == ("low", ["a", "b"])
    assert list(Narrow().words) == []
