"""Every task type keeps the contract: its rooms are there, and what it declares is what it does."""

import re
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from django import forms
from django.conf import settings
from django.template.loader import get_template

from tasks_app.studyfile.own_sections.checks.known_answers import why_never
from tasks_app.task_types import TaskType, registry
from tasks_app.task_types.base import Criterion, GoldAnswer, ItemTexts, OutputText, Part, Quality, Screen, Value

ROOT = Path(settings.BASE_DIR)

every_type = pytest.mark.parametrize("member", list(registry.values()), ids=list(registry))

CRITERIA = (
    Criterion("fluency", "Fluency", question="How fluent is it?", low="not at all", high="perfectly"),
    Criterion("content", "Content", question="Does it say the same?", low="nothing", high="everything"),
)


def items_for(member: type[TaskType], keys: str = "abc") -> tuple[ItemTexts, ...]:
    """Make a few items with one text by each of three systems."""
    return tuple(
        ItemTexts.collapsed(
            f"i{number}",
            [OutputText(system, "", f"Text {number} by {index}") for index, system in enumerate(keys)],
            options=member.sample.options,
        )
        for number in range(6)
    )


def criteria_for(member: type[TaskType]) -> tuple[Criterion, ...]:
    """Return as many criteria as a type takes of ours, or its own samples."""
    most = member.criteria_needed[1]
    return member.sample.criteria or CRITERIA[: len(CRITERIA) if most is None else most]


def screens_of(member: type[TaskType], seed: int = 1, **given: object) -> list[Screen]:
    """Make screens the way a study does: units from items, arrangements from the stream, one rater's order."""
    kind = member({**member.sample.params, **given})
    rng = Random(seed)
    criteria = criteria_for(member) + kind.brings()
    own = kind.arrange_for_rater(criteria, rng)
    items = {item.key: item for item in items_for(member)}
    made = []
    for unit in kind.units(list(items.values()), rng):
        parts = tuple(
            Part(n, items[unit.item_of(n) or ""].outputs[group[0]].text) for n, group in enumerate(unit.parts)
        )
        arrangement = {**next(kind.arrange(len(parts), rng)), **own}
        options = member.sample.options
        made.append(Screen(kind, parts, criteria, source="A source", options=options, arrangement=arrangement))
    return made


def layouts(member: type[TaskType]) -> list[dict[str, object]]:
    """Every choice of every parameter that is a choice, so that no layout goes untested."""
    found: list[dict[str, object]] = [{}]
    for name, field in member.Settings.base_fields.items():
        if isinstance(field, forms.ChoiceField):
            found += [{name: value} for value, _label in field.choices]
    return found


@every_type
def test_its_rooms_are_there(member: type[TaskType]) -> None:
    get_template(member.template_name)
    module = ROOT / "tasks_app" / "task_types" / member.name
    assert module.with_suffix(".py").is_file() or (module / "__init__.py").is_file()
    for room in (
        f"static/{member.script}",
        f"tests/task_types/test_{member.name}.py",
        *([f"static/{member.styles}"] if member.has_styles else []),
    ):
        assert (ROOT / room).is_file(), room


@every_type
def test_it_says_what_it_is(member: type[TaskType]) -> None:
    names = ("label", "purpose", "summary", "default_instructions", "source", "use_when", "analysed", "limits")
    for words in (getattr(member, name) for name in names):
        assert str(words).strip()
    assert member.outcomes
    assert all(str(outcome.doc).strip() for outcome in member.outcomes)
    assert member.__doc__


@every_type
def test_defaults_are_valid_and_unknown_parameters_are_named(member: type[TaskType]) -> None:
    assert set(member().params) == set(member.Settings.base_fields)
    with pytest.raises(ValueError, match="colour: unknown parameter"):
        member({"colour": "red"})


@every_type
def test_parameters_are_set_once(member: type[TaskType]) -> None:
    kind = member()
    for name in (*kind.params, "colour"):
        with pytest.raises(AttributeError, match=f"{name} cannot be changed"):
            setattr(kind, name, "red")
    assert member(kind.params).params == kind.params


@every_type
@pytest.mark.parametrize("quality", list(Quality))
def test_a_simulated_answer_is_accepted_and_gives_the_declared_outcomes(
    member: type[TaskType], quality: Quality
) -> None:
    for given in layouts(member):
        for screen in screens_of(member, **given):
            form = screen.kind.form(screen, screen.kind.simulate(screen, quality, Random(3)))
            assert form.is_valid(), form.errors
            values = list(screen.kind.ratings(screen, form.cleaned_data))
            said = {value.outcome for value in values}
            assert said <= {outcome.name for outcome in member.outcomes}
            needed = {one.name for one in member.outcomes if not one.optional}
            asked = {one.key for one in screen.criteria}
            assert said >= {one.name for one in member.outcomes if one.name in needed and one.criterion in {"", *asked}}
            _hold_together(screen, values)


def _hold_together(screen: Screen, values: list[Value]) -> None:
    keys = [(value.part, value.part_b, value.criterion, value.number) for value in values]
    assert len(keys) == len(set(keys)), "two ratings of one judgment have the same key"
    for value in values:
        assert value.part is None or 0 <= value.part < len(screen.parts)
        assert value.criterion is None or value.criterion in {one.key for one in screen.criteria}
        assert sum(one is not None for one in (value.value, value.label, value.text)) >= 1


@every_type
def test_nothing_is_preselected(member: type[TaskType]) -> None:
    for screen in screens_of(member):
        form = screen.kind.form(screen)
        assert not any(bound.value() for bound in form)


@every_type
def test_an_empty_answer_says_what_is_missing(member: type[TaskType]) -> None:
    for screen in screens_of(member)[:2]:
        form = screen.kind.form(screen, {})
        assert not form.is_valid()
        assert all(len(str(message)) > 5 for messages in form.errors.values() for message in messages)


def _lays_numbers_side_by_side(member: type[TaskType]) -> bool:
    """Say whether a type can show texts one by one or side by side, with a number for each of them."""
    choices = dict(getattr(member.Settings.base_fields.get("layout"), "choices", ()))
    return "together" in choices and all(one.per == "criterion" for one in member.outcomes)


@pytest.mark.parametrize(
    "member", [pytest.param(one, id=one.name) for one in registry.values() if _lays_numbers_side_by_side(one)]
)
def test_what_the_rater_sees_decides_the_fields_and_what_is_canonical_the_ratings(member: type[TaskType]) -> None:
    """The same answer under another order of the screen gives ratings of other parts."""
    screen = screens_of(member, layout="together")[0]
    assert len(screen.parts) > 1
    turned = list(reversed([shown.part.number for shown in screen.shown_parts]))
    other = replace(screen, source="", options={}, arrangement={**screen.arrangement, "parts": turned})
    said = screen.kind.simulate(screen, Quality.CAREFUL, Random(5))
    first, second = screen.kind.form(screen, said), other.kind.form(other, said)
    assert first.is_valid()
    assert second.is_valid()
    here = {(v.part, v.criterion): v.value for v in screen.kind.ratings(screen, first.cleaned_data)}
    there = {(v.part, v.criterion): v.value for v in other.kind.ratings(other, second.cleaned_data)}
    mirrored = {(len(screen.parts) - 1 - part, criterion): value for (part, criterion), value in there.items()}
    assert sorted(here) == sorted(mirrored)
    order = [shown.part.number for shown in screen.shown_parts]
    for position, part in enumerate(order):
        for criterion in ("fluency", "content"):
            assert here[part, criterion] == there[turned[position], criterion]


@every_type
def test_gold_is_graded_on_the_server(member: type[TaskType]) -> None:
    screen = screens_of(member)[0]
    form = screen.kind.form(screen, screen.kind.simulate(screen, Quality.CAREFUL, Random(2)))
    assert form.is_valid()
    value = next(screen.kind.ratings(screen, form.cleaned_data))
    right = value.value if value.value is not None else value.label
    about = {"criterion": value.criterion, "part": value.part}
    graded = screen.kind.grade(
        screen,
        form.cleaned_data,
        [
            GoldAnswer("exact", right, **about),
            GoldAnswer("exact", "something else", **about),
            GoldAnswer("set", [right], **about),
        ],
    )
    assert [one.passed for one in graded] == [True, False, True]
    told = screen.kind.feedback(
        screen, form.cleaned_data, [GoldAnswer("exact", "else", **about, explanation="Because.")]
    )
    assert not told[0].passed
    assert told[0].explanation == "Because."


@every_type
def test_messages_about_a_number_have_all_of_its_digits(member: type[TaskType]) -> None:
    for value in (4.0000001, -1.0000001, 99_999_999.5, 12_345_678.9):
        sentence = member().problem_in_value(value, None)
        if sentence is not None and "it is" in sentence:
            assert sentence.endswith(f"it is {value!r}.")


def test_nobody_asks_which_type_it_is() -> None:
    """`if task.type == …` outside a type's own module is how rivals' code grew into 12 files per type."""
    names = "|".join(registry)
    ladder = re.compile(rf"""\btype\b\s*(==|!=|in)\s*[\[({{]*["']({names})["']""")
    for path in [
        *ROOT.glob("tasks_app/**/*.py"),
        *ROOT.glob("analytics_app/**/*.py"),
        *ROOT.glob("templates/**/*.html"),
    ]:
        if "task_types" not in path.parts:
            assert not ladder.search(path.read_text()), path


@every_type
def test_labels_that_can_be_told_beforehand_are_those_that_are_given(member: type[TaskType]) -> None:
    for quality in Quality:
        for screen in screens_of(member):
            form = screen.kind.form(screen, screen.kind.simulate(screen, quality, Random(4)))
            assert form.is_valid()
            asked = {one.key: one for one in screen.criteria}
            for value in screen.kind.ratings(screen, form.cleaned_data):
                known = screen.kind.labels_of(asked.get(value.criterion or ""))
                assert value.label is None or known is None or value.label in known


@every_type
def test_no_answer_that_raters_give_is_taken_for_one_that_nobody_can_give(member: type[TaskType]) -> None:
    for quality in Quality:
        for screen in screens_of(member):
            form = screen.kind.form(screen, screen.kind.simulate(screen, quality, Random(4)))
            assert form.is_valid()
            for value in screen.kind.ratings(screen, form.cleaned_data):
                given = value.label if value.value is None else value.value
                if given is not None:
                    assert why_never(screen.kind, screen, GoldAnswer("exact", given, value.criterion)) is None


def test_labels_of_pairs_say_what_becomes_of_them_in_the_other_order() -> None:
    others: dict[str, set[str]] = {}
    for name, member in registry.items():
        for outcome in member.outcomes:
            assert len(outcome.exchanged) == (2 if outcome.per == "pair" else 0), (name, outcome.name)
            for label, other in zip(outcome.exchanged, reversed(outcome.exchanged), strict=True):
                others.setdefault(label, set()).add(other)
    # Exports and selectors exchange labels of every type by one statement.
    assert others
    assert all(len(found) == 1 for found in others.values()), others
