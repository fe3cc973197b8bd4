"""Every task type: what its raters answer here could have come from elsewhere."""

from pathlib import Path
from random import Random

import pytest

from tasks_app.task_types import TaskType, registry
from tasks_app.task_types.base import Quality
from tests.house.examples import load
from tests.house.test_task_types import CRITERIA, layouts, screens_of
from tests.tasks_app.importing.kit import bring, problems_of
from tests.tasks_app.importing.kit import study as draft

every_type = pytest.mark.parametrize("member", list(registry.values()), ids=list(registry))


@every_type
def test_an_answer_given_here_is_accepted_from_elsewhere(member: type[TaskType]) -> None:
    for given in layouts(member):
        for screen in screens_of(member, **given):
            kind = screen.kind
            form = kind.form(screen, kind.simulate(screen, Quality.RANDOM, Random(2)))
            assert form.is_valid()
            for value in kind.ratings(screen, form.cleaned_data):
                if value.value is not None:
                    asked = {one.key: one for one in screen.criteria}.get(value.criterion or "")
                    assert kind.problem_in_value(value.value, asked) is None
                for column, word in (("category", value.category), ("severity", value.severity)):
                    assert not word or kind.known_beside(column, word) is None


@pytest.mark.parametrize(
    ("name", "params", "right", "wrong"),
    [
        ("likert", {"points": 6}, (1, 6), (0, 7, 2.5, -1, 1e300)),
        ("slider", {}, (0, 100, 62.4, 1e-9), (-1e-9, 100.5, 1e300)),
        ("slider", {"minimum": -3, "maximum": 3, "step": 0.5}, (-3, 0.1, 3), (-3.01, 4)),
    ],
)
def test_a_number_off_the_scale_is_not(
    name: str, params: dict[str, object], right: tuple[float, ...], wrong: tuple[float, ...]
) -> None:
    kind = registry[name](params)
    for value in right:
        assert kind.problem_in_value(float(value), CRITERIA[0]) is None
    for value in wrong:
        sentence = kind.problem_in_value(float(value), None)
        assert sentence, value
        assert sentence.startswith("must be ")


@pytest.mark.django_db
def test_a_label_that_the_type_does_not_have_is_refused(tmp_path: Path) -> None:
    study = load("error_labels", tmp_path, "labels-from-elsewhere")
    unit = study.tasks.get().units.first()
    head = "rater,unit,criterion,label\n"
    assert problems_of(study, tmp_path, f"{head}ann,{unit.key},error,Q\n")[0].startswith(
        "ratings.csv:2:4: label: must be one of: L, A, T, MT, E, F, V; it is 'Q'."
    )
    assert bring(study, tmp_path, f"{head}ann,{unit.key},error,MT\n").counts["ratings"] == 1


@pytest.mark.django_db
def test_a_severity_that_the_task_does_not_have_is_refused_and_kinds_of_error_are_noted(tmp_path: Path) -> None:
    """“No-error” is how WMT's files say that a text has none: as a mark it would count as one that weighs nothing."""
    study = draft(
        tmp_path, kind="type: likert=>type: error_spans", asks="criteria: [fluency, style]=>k: 1",
        params="points: 5=>scheme: mqm", k="    k: 2\n=>",
    )  # fmt: skip
    head = "rater,unit,category,severity,text\n"
    assert problems_of(study, tmp_path, f"{head}ann,i1/alpha,No-error,No-error,\n") == [
        "ratings.csv:2:4: severity: must be one of: neutral, minor, major; it is 'No-error'. Where a row says that "
        "there is no error, leave the columns of the span empty and write “none” into the column label.",
    ]
    # As published data spell them: our key, a group of kinds, and two that are none of ours.
    rows = ("Fluency/Punctuation,Major,a", "Style,MINOR,b", "Fluency/Display,,c", "Odd,,d")
    said = bring(study, tmp_path, head + "".join(f"ann,i1/alpha,{row}\n" for row in rows))
    assert said.counts["ratings"] == 4
    assert said.notes[0] == (
        "The task does not have these kinds of error, which are stored as they are: “Fluency/Display” (1), “Odd” (1)."
    )


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("changes", "criterion", "labels"),
    [
        (
            {
                "kind": "type: likert\n    criteria: [fluency, style]=>type: labels\n    criteria: [style]",
                "asks": "    labels: [a, b, c, d, e]=>    labels: [added, missing]",
                "params": "points: 5=>multiple: true\n      none_of_these: [style]",
            },
            "style",
            ("added", "missing", "none_of_these"),
        ),
        (
            {
                "kind": "type: likert=>type: magnitude",
                "params": (
                    "points: 5=>reference_text: A text.\n      ticks:\n        - {key: added, name: Added}\n"
                    "        - {key: missing, name: Missing}\n        - {key: fine, name: Fine, alone: true}"
                ),
            },
            "ticks",
            ("added", "missing", "fine"),
        ),
    ],
    ids=["labels", "magnitude"],
)
def test_labels_that_the_form_refuses_together_are_refused_from_elsewhere(
    tmp_path: Path, changes: dict[str, str], criterion: str, labels: tuple[str, str, str]
) -> None:
    study = draft(tmp_path, sets="    set_size: 4=>    set_size: 2", **changes)
    head = "judgment,rater,item,system,criterion,label\n"

    def rows(*labels: str) -> str:
        return head + "".join(f"j,ann,i1,alpha,{criterion},{label}\n" for label in labels)

    first, second, alone = labels
    assert problems_of(study, tmp_path, rows(first, second, first)) == [
        "ratings.csv:4:6: label: The same judgment has this label in line 2 already. Remove one of the two rows, or "
        "name the judgments in the column judgment if there are two."
    ]
    assert problems_of(study, tmp_path, rows(alone, second)) == [
        "ratings.csv:2:6: label: This label cannot be chosen together with others, but line 3 has another label of "
        "the same judgment. Remove one of the two rows."
    ]
    another_text = f"j2,ann,i1,beta,{criterion},{first}\nj2,ann,i1,beta,{criterion},{second}\n"
    assert bring(study, tmp_path, rows(alone) + another_text).counts["ratings"] == 3
