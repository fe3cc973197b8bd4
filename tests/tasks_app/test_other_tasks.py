"""Instructions and questions of another task are found by Review with the place of their field; the right ones are not.

The shipped instructions of every task type stand above every other type, in every language; phrases that only one type
has stand above others; and nothing is found in any example, published study, type to begin with or sound study.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.conf import settings
from django.utils.translation import override

from tasks_app import readiness, task_types
from tasks_app.readiness import Facts, other_tasks
from tasks_app.readiness.base import Point
from tasks_app.settings.workload import TaskLoad, Workload
from tasks_app.setup import starting
from tasks_app.texts import languages
from tests.shipped import TASK_TYPES
from tests.tasks_app.sound_studies import LANGUAGES, TYPES, study_of

Given = dict[str, Any]
STUDIES = sorted(Path("examples").rglob("study.yaml"))


def facts_of(*tasks: Given, criteria: list[Given] | None = None, texts: int = 1, language: str = "en") -> Facts:
    """Return the facts of a study with these tasks, each of which shows so many texts on a screen."""
    whole = [
        {
            "key": f"t{number}", "stage": "main", "title": "", "params": {}, "criteria": [], "instructions": "",
            **task,
        }
        for number, task in enumerate(tasks)
    ]  # fmt: skip
    own = [
        {"name": "", "question": "", "definition": "", "labels": [], "low": "", "high": "", "anchors": {}, **row}
        for row in criteria or ()
    ]
    loads = {str(task["key"]): TaskLoad(10, texts, 1, 10.0, most_texts=texts) for task in whole}
    document = {"study": {"language": language}, "tasks": whole, "criteria": own}
    return Facts(document, Workload.of(loads, dict.fromkeys(loads, True)))


def found(facts: Facts) -> list[Point]:
    """Return the points about words of another task."""
    return [
        *other_tasks.of_another_type(facts),
        *other_tasks.acts_of_another_type(facts),
        *other_tasks.one_text_asked_of_two(facts),
    ]


@cache
def defaults() -> Mapping[tuple[str, str], str]:
    """Return the instructions of every shipped type by type and language, as raters read them."""
    texts: dict[tuple[str, str], str] = {}
    for language, _name in settings.LANGUAGES:
        with override(language):
            texts |= {(name, language): str(task_types.registry[name].default_instructions) for name in TASK_TYPES}
    return texts


@pytest.mark.parametrize("own", TASK_TYPES)
def test_instructions_of_every_other_type_are_found_in_every_language(own: str) -> None:
    label = str(task_types.registry[own].label)
    for (other, language), text in defaults().items():
        points = list(other_tasks.of_another_type(facts_of({"type": own, "instructions": text}, language=language)))
        if other == own:
            assert points == [], language
            continue
        (point,) = points
        assert point.path == ("tasks", 0, "instructions")
        assert f"another task type, “{task_types.registry[other].label}”" in point.sentence, language
        assert f"of the type “{label}”" in point.sentence


@pytest.mark.parametrize("language", [code for code, _name in settings.LANGUAGES])
def test_ones_own_default_in_another_language_is_found_once(language: str) -> None:
    for own in TASK_TYPES:
        facts = facts_of({"type": own, "instructions": defaults()[own, language]})
        points = [*readiness.wording.in_another_language(facts), *other_tasks.of_another_type(facts)]
        name = languages.english_name(language).removeprefix("Simplified ")
        said = [f"This seems to be in {name}, but raters read English."] if language != "en" else []
        assert [point.sentence.replace("Simplified ", "") for point in points] == said, own


def test_a_language_without_a_name_is_said_by_its_code() -> None:
    """Review does not fail where a study is in a language that has no English name here."""
    facts = facts_of({"type": "likert", "instructions": defaults()["likert", "en"]}, language="tlh")
    assert [point.sentence for point in found(facts)] == ["This seems to be in English, but raters read tlh."]
    assert languages.english_name("zh") == "Chinese"


def changed(text: str) -> Iterator[str]:
    """Yield instructions as somebody leaves them who changes little: a word, the layout, a sentence more."""
    yield text.replace("text", "notice", 1)
    yield "**Please note.** " + text.replace(". ", ".\n\n")
    yield f"{text} Thank you!"


@pytest.mark.parametrize("text", list(changed(defaults()["pairwise", "en"])))
def test_instructions_that_were_hardly_changed_are_found(text: str) -> None:
    (point, *_acts) = found(facts_of({"type": "likert", "instructions": text}))
    assert "Which is better" in point.sentence or "Pairwise" in point.sentence
    assert found(facts_of({"type": "pairwise", "instructions": text})) == []


# Words, the type that they stand above, and what is quoted.
OF_OTHERS = [
    ("Read the notice. Which of the two texts is better?", "likert", "Which of the two"),
    ("Read both answers and say which is better.", "slider", "which is better"),
    ("Welcher der beiden Texte ist besser?", "likert", "Welcher der beiden"),
    ("Lequel des deux textes préférez-vous ?", "slider", "Lequel des deux"),
    ("¿Cuál de los dos textos es mejor?", "likert", "Cuál de los dos"),
    ("Qual dos dois textos é melhor?", "likert", "Qual dos dois"),
    ("哪个文本更好？", "likert", "哪个文本更好"),
    ("どちらのテキストがよいですか。", "likert", "どちらのテキスト"),
    ("둘 중 어느 것이 더 좋습니까?", "likert", "둘 중 어느"),
    ("أي النصين أفضل؟", "likert", "أي النصين"),
    ("Choose the odd one out.", "slider", "odd one out"),
    ("Choose the odd one out.", "pairwise", "odd one out"),
    ("Choose the best and the worst headline.", "likert", "Choose the best and the worst"),
    ("Wählen Sie den besten und den schlechtesten Text.", "ranking", "Wählen Sie den besten und den schlechtesten"),
    ("Put these headlines in order, the best first.", "likert", "Put these headlines in order"),
    ("Mark every error in the text.", "slider", "Mark every error"),
    ("Markieren Sie jeden Fehler.", "pairwise", "Markieren Sie jeden Fehler"),
    ("Edit it until it is right.", "likert", "Edit it until"),
    ("Set the slider for each question.", "likert", "slider"),
    ("Ziehen Sie den Schieberegler.", "pairwise", "Schieberegler"),
    ("Press A if the text is good.", "likert", "Press A"),
    ("Drücken Sie die Taste B, wenn er gut ist.", "slider", "Drücken Sie die Taste B"),
    ("Press 7 for a perfect text.", "likert", "Press 7"),
    ("Rate each text on a scale from 1 to 7.", "pairwise", "Rate each text on a scale from 1 to 7"),
    ("Bewerten Sie die Texte von 1 bis 7.", "best_worst", "Bewerten Sie die Texte von 1 bis 7"),
]
SEVERAL = {"pairwise": 2, "ranking": 4, "best_worst": 4, "triangle": 3}


@pytest.mark.parametrize(("text", "own", "quoted"), OF_OTHERS, ids=[f"{row[1]}: {row[0][:25]}" for row in OF_OTHERS])
def test_words_for_what_raters_cannot_do_are_found(text: str, own: str, quoted: str) -> None:
    texts = SEVERAL.get(own, 1)
    (point,) = found(facts_of({"type": own, "instructions": text}, texts=texts))
    assert point.path == ("tasks", 0, "instructions")
    assert f"“{quoted}”" in point.sentence
    row = {"key": "quality", "question": text}
    asked = facts_of({"type": own, "criteria": ["quality"]}, criteria=[row], texts=texts)
    assert [point.path for point in found(asked)] == [("criteria", 0, "question")]


@pytest.mark.parametrize(
    ("text", "own"),
    [
        ("Read both the facts and the text. The two texts are in one box.", "likert"),
        ("Use the whole scale, from the worst text you can imagine to the best.", "slider"),
        ("Press 5 for a perfect text. Press the button below when you have finished. Press Enter to go on.", "likert"),
        ("If nothing was odd, choose the middle. Mark your answer.", "likert"),
        ("Which of the two texts is better? Press A or B.", "pairwise"),
        ("Put the texts in order, the best first. Which one is best comes first.", "ranking"),
        ("Mark every error, then set the slider.", "error_spans"),
        ("Rate how sure you are from 1 to 5.", "triangle"),
        ("First rate each text. In the second part you say which of the two is better.", "likert"),
        ("Which answer is best? Choose the odd one out. Move the slider.", "labels"),
        ("Which of the two is better?", "questionnaire"),
    ],
)
def test_words_that_fit_are_left_alone(text: str, own: str) -> None:
    other: Given = {"type": "pairwise", "instructions": "Read both."}
    tasks: list[Given] = [
        {"type": own, "instructions": text, "params": {"sureness": True} if own == "triangle" else {}}
    ]
    tasks += [other] if "second part" in text else []
    assert found(facts_of(*tasks, texts=SEVERAL.get(own, 1))) == []


def test_several_texts_on_a_screen_can_be_compared() -> None:
    task = {"type": "likert", "instructions": "Compare the texts: which of the three is best?"}
    assert found(facts_of(task, texts=3)) == []
    assert found(facts_of(task, texts=1))


def test_instructions_of_an_example_are_named_with_it() -> None:
    given: Given = yaml.safe_load(Path("examples/pairwise/study.yaml").read_text(encoding="utf-8"))
    task = {"type": "likert", "instructions": given["tasks"][0]["instructions"]}
    (point, *_acts) = found(facts_of(task))
    assert f"the example “{given['study']['title']}”" in point.sentence


@pytest.mark.parametrize("path", STUDIES, ids=lambda path: path.parent.name)
def test_nothing_is_found_in_a_study_that_is_shipped(path: Path) -> None:
    given: Given = yaml.safe_load(path.read_text(encoding="utf-8"))
    shown = {"pairwise": 2, "ranking": 4, "best_worst": 4, "triangle": 3, "post_edit": 2, "magnitude": 3}
    for task in given["tasks"]:
        facts = facts_of(task, criteria=given.get("criteria"), texts=shown.get(task["type"], 1))
        assert found(facts) == []


def test_nothing_is_found_in_what_a_type_begins_with_or_in_a_sound_study() -> None:
    for name in TASK_TYPES:
        document = starting.first_document(task_types.registry[name])
        tasks, criteria = document["tasks"], document.get("criteria")
        assert isinstance(tasks, list)
        assert found(facts_of(*tasks, criteria=criteria, texts=SEVERAL.get(name, 1))) == [], name
    for kind in TYPES:
        for language in LANGUAGES:
            given = study_of(kind, language)
            facts = facts_of(*given["tasks"], criteria=given.get("criteria"), texts=SEVERAL.get(kind, 1))
            assert found(facts) == [], (kind, language)
