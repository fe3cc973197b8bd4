"""What is to be settled before a study opens: each planted fault is found, and sound studies have none."""

import copy
import csv
import shutil
from collections.abc import Callable, Mapping
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
import yaml

from tasks_app import readiness
from tasks_app.hooks import sections
from tasks_app.readiness import Facts, Level, leftovers
from tasks_app.readiness.leftovers import found_in
from tasks_app.studyfile.files.source import open_files
from tasks_app.studyfile.files.yaml_text import dump_given
from tasks_app.studyfile.reading import StudyReading
from tasks_app.studyfile.screens import draft_tasks
from tasks_app.studyfile.workload import workload_of
from tasks_app.texts.findings import TextFinding, findings_in
from tests.about import ABOUT

CONTROLS = {"rule": "control_accuracy"}
REPEATS = {"rule": "inconsistency"}
CODES = {"completed": "C1", "screened_out": "C2", "failed": "C3", "withdrawn": "C4", "stopped": "C5", "full": "C6"}

Given = dict[str, Any]


def sound(name: str) -> Given:
    """Return the study file of an example as a careful researcher would fill it in."""
    given: Given = yaml.safe_load(Path(f"examples/{name}/study.yaml").read_text(encoding="utf-8"))
    given["about"] = {**given["about"], **ABOUT}
    if name == "checked":
        given["analysis"] = {"rules": [{"rule": "manual"}, CONTROLS, REPEATS]}
        given["codes"] = CODES
    return given


def facts_of(name: str, given: Given, folder: Path) -> Facts:
    """Check a study file with the tables of an example, as Review does."""
    (folder / "study.yaml").write_text(dump_given(given), encoding="utf-8")
    shutil.copytree(f"examples/{name}", folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns("study.yaml"))
    with open_files(folder) as files:
        reading = StudyReading(files)
        for section in sections.registered():
            reading.document[section.name] = section.check(reading)
        reading.problems.raise_if_any()
        known: dict[str, dict[str, int]] = {}
        for task, purpose, _unit in {
            (row["task"], row["purpose"], row["unit"]) for row in reading.document["controls"]
        }:
            counts = known.setdefault(task, {})
            counts[purpose] = counts.get(purpose, 0) + 1
        texts = findings_in(reading.document["items"], reading.document["systems"])
        return Facts(reading.document, workload_of(reading, draft_tasks(reading)), known, texts)


def found(facts: Facts) -> list[str]:
    return [
        f"{point.level.name} {'.'.join(map(str, point.path))}: {point.sentence}" for point in readiness.points(facts)
    ]


EXAMPLES = [str(path.parent.relative_to("examples")) for path in sorted(Path("examples").rglob("study.yaml"))]
# What a careful colleague may mention of a sound study: one judgment a text, no rules, options in a drawn order, an
# experiment with the wording. The rules of a published study are those of its publication.
MENTIONED = {"agreement", "rules", "moving_options", "wordings"}


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_sound_study_has_nothing_to_settle(name: str, tmp_path: Path) -> None:
    points = readiness.points(facts_of(name, sound(name), tmp_path))
    if name.startswith("published/"):
        points = [point for point in points if point.kind != "rules"]
    assert [point.sentence for point in points if point.level < Level.NOTE or point.kind not in MENTIONED] == []


def setting(*path: str | int, to: object) -> Callable[[Given], None]:
    """Return a fault: a setting that has another value, or none for None."""

    def plant(given: Given) -> None:
        place: Any = given
        for step in path[:-1]:
            place = place.setdefault(step, {}) if isinstance(place, dict) else place[step]
        if to is None:
            place.pop(path[-1], None)
        else:
            place[path[-1]] = to

    return plant


def consent(old: str, new: str) -> Callable[[Given], None]:
    """Return a fault: other words in the consent text."""

    def plant(given: Given) -> None:
        assert old in given["consent"]
        given["consent"] = given["consent"].replace(old, new)

    return plant


# Fault, where it is found, what the point says of it, and whether it can be passed over.
FAULTS: Mapping[str, tuple[Callable[[Given], None], str, str, Level]] = {
    "a gap in the consent": (
        consent("It takes about 12 minutes.", "It takes [how many] minutes."),
        "consent.en",
        "[how many]",
        Level.FINAL,
    ),
    "several gaps": (
        consent("It takes about 12 minutes.", "[minutes] [name of the board] [whom to write to]"),
        "consent.en",
        "3 places",
        Level.FINAL,
    ),
    "the address of an example": (
        setting("about", "contact", to="study@example.org"),
        "about.contact",
        "example.org",
        Level.FINAL,
    ),
    "an address of nobody": (
        setting("about", "complaints", to="your.name@uni.edu"),
        "about.complaints",
        "your.name",
        Level.FINAL,
    ),
    "a name that was not filled in": (
        setting("about", "institution", to="Your institution"),
        "about.institution",
        "Your institution",
        Level.FINAL,
    ),
    "an approval that was not filled in": (
        setting("about", "ethics", to="To be filled in"),
        "about.ethics",
        "To be filled in",
        Level.FINAL,
    ),
    "a note to oneself": (setting("pay", "paid", to="TODO ask Ben"), "pay.paid", "TODO", Level.PROBLEM),
    "a gap in instructions": (
        setting("tasks", 1, "instructions", to="Read the [name the kind of text]."),
        "tasks.1.instructions",
        "[name the kind",
        Level.PROBLEM,
    ),
    "a gap in a question": (
        setting("criteria", 0, "question", to="How ____________ is it?"),
        "criteria.0.question",
        "____",
        Level.PROBLEM,
    ),
    "filler in a definition": (
        setting("criteria", 1, "definition", to="Lorem ipsum dolor sit amet."),
        "criteria.1.definition",
        "Lorem",
        Level.PROBLEM,
    ),
    "another pay": (consent("0.60 EUR", "0.90 EUR"), "consent.en", "0.90 EUR", Level.PROBLEM),
    "another pay per hour": (
        consent("0.60 EUR", "0.60 EUR, and 99.00 EUR per hour"),
        "consent.en",
        "says 99.00 EUR per hour, but 2.40 EUR for about",
        Level.PROBLEM,
    ),
    "another currency": (consent("0.60 EUR", "$0.60"), "consent.en", "$0.60", Level.PROBLEM),
    "pay where nothing is paid": (setting("pay", to={"minutes": 12}), "consent.en", "not paid", Level.PROBLEM),
    "not paid where something is": (
        consent("Taking part is voluntary.", "Taking part is voluntary and unpaid."),
        "consent.en",
        "unpaid",
        Level.PROBLEM,
    ),
    "another time": (consent("about 12 minutes", "about 30 minutes"), "consent.en", "30 minutes", Level.PROBLEM),
    "another number of texts": (
        consent("Then you judge", "You see three texts at a time. Then you judge"),
        "consent.en",
        "three texts at a time",
        Level.PROBLEM,
    ),
    "no consent": (setting("consent", to=None), "consent.en", "no consent text", Level.PROBLEM),
    "no contact": (setting("about", "contact", to=""), "about.contact", "no address", Level.PROBLEM),
    "pay below the minimum": (
        setting("pay", "minimum_hourly", to=30),
        "pay.amount",
        "below this study's minimum",
        Level.PROBLEM,
    ),
    "no pay on a platform": (setting("pay", "amount", to=0), "pay.amount", "Prolific requires pay", Level.PROBLEM),
    "no pay and a minimum": (
        setting("pay", to={"minimum_hourly": 9, "currency": "GBP"}),
        "pay.amount",
        "minimum is 9.00 GBP per hour",
        Level.PROBLEM,
    ),
    "a limit beyond the checks of a set": (
        setting("tasks", 1, "checks", "fail_after", to=100),
        "tasks.1.checks.fail_after",
        "applies after 100 answered checks",
        Level.NOTE,
    ),
    "an exam that can be copied": (
        lambda given: given["tasks"][1]["checks"].update(exam_feedback=True, exam_attempts=3),
        "tasks.1.checks.exam_feedback",
        "3 attempts at 4 units need 12 units, and there are 8",
        Level.NOTE,
    ),
    "too few minutes": (setting("pay", "minutes", to=2), "pay.minutes", "2 minutes", Level.PROBLEM),
    "a platform without a code": (setting("codes", "failed", to=None), "codes.failed", "Failed the exam", Level.FINAL),
    "a platform that has closed": (
        setting("channels", to={"link": {}, "mturk": {}}),
        "channels.mturk",
        "closed Mechanical Turk",
        Level.PROBLEM,
    ),
    "one code for two outcomes": (setting("codes", "withdrawn", to="C1"), "codes.withdrawn", "same code", Level.FINAL),
    "checks that no rule uses": (
        setting("analysis", "rules", to=[{"rule": "manual"}, REPEATS]),
        "analysis.rules",
        "units with known answers",
        Level.PROBLEM,
    ),
    "attention checks that do not count": (
        setting("analysis", "rules", to=[{**CONTROLS, "attention": False}, REPEATS]),
        "analysis.rules",
        "attention checks",
        Level.PROBLEM,
    ),
    "repeats that no rule uses": (
        setting("analysis", "rules", to=[CONTROLS]),
        "analysis.rules",
        "shown twice",
        Level.PROBLEM,
    ),
    "a rule without repeats": (
        setting("tasks", 1, "checks", "repeats", to=0),
        "analysis.rules.2",
        "nothing to test",
        Level.PROBLEM,
    ),
    "a rule that needs more checks than there are": (
        setting("analysis", "rules", to=[{**CONTROLS, "least": 4}, REPEATS]),
        "analysis.rules.0",
        "each rater is shown 3",
        Level.PROBLEM,
    ),
    "known answers that are never shown": (
        setting("tasks", 1, "checks", "attention", to=0),
        "tasks.1.checks.attention",
        "attention checks",
        Level.PROBLEM,
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_each_fault_is_found_where_it_is(fault: str, tmp_path: Path) -> None:
    plant, place, words, level = FAULTS[fault]
    given = copy.deepcopy(sound("checked"))
    plant(given)
    points = readiness.points(facts_of("checked", given, tmp_path))
    if fault == "an exam that can be copied":
        with open_files(tmp_path) as files:
            reading = StudyReading(files)
            for section in sections.registered():
                reading.document[section.name] = section.check(reading)
        assert words in str(reading.notes), "load_study says it as well"
    there = [point for point in points if ".".join(map(str, point.path)) == place and words in point.sentence]
    assert [point.level for point in there] == [level], found(facts_of("checked", given, tmp_path))


@pytest.mark.parametrize(("name", "value"), [("exam", 2), ("exam_attempts", 2), ("exam_feedback", False)])
def test_an_exam_that_shows_no_text_twice_is_left_alone(name: str, value: object, tmp_path: Path) -> None:
    given = copy.deepcopy(sound("checked"))
    given["tasks"][1]["checks"] |= {"exam_feedback": True, "exam_attempts": 3, name: value}
    assert not [point for point in readiness.points(facts_of("checked", given, tmp_path)) if point.kind == "exam"]


def test_a_study_whose_ratings_are_imported_has_nothing_to_settle(tmp_path: Path) -> None:
    given = sound("likert")
    given["about"] = {"contact": "study@example.org"}
    given["consent"] = ""
    assert readiness.points(facts_of("likert", given, tmp_path))
    given["flow"] = {"imported": True}
    assert readiness.points(facts_of("likert", given, tmp_path)) == []


def test_a_plan_without_rules_is_said(tmp_path: Path) -> None:
    points = readiness.points(facts_of("likert", sound("likert"), tmp_path))
    assert [(point.level, point.path) for point in points] == [(Level.NOTE, ("analysis", "rules"))]


@pytest.mark.parametrize(
    "text",
    [
        "With your link nobody knows your name. See [our page](https://uni-trier.de/study) and [1].",
        "Mark [missing] where words are missing, and choose [a] or [b].",
        "Regulation (EU) 2016/679 protects your data. Write to data@uni-trier.de or test@trier-university.eu.",
        "Not reserved: me@example.company.eu, me@example-group.eu and https://example.com.trier.eu.",
        "Is the example at the top clearer? An example organisation is fine.",
        "Rate each text from 0 to 100. It should be complete.",
        "Your name is not stored. Your institution is not told. Write to me@ada-lovelace.net.",
    ],
)
def test_ordinary_text_is_left_alone(text: str) -> None:
    assert found_in(text) == ""


@pytest.mark.parametrize(
    "text",
    [
        "[your institution]", "[Name der Einrichtung]", "Write to [an address that somebody reads].",
        "{{ pay }}", "<your name>", "Ihre Einrichtung", "Bitte eintragen", "à compléter", "por completar",
        "a preencher",
        "待填写", "要記入", "작성 예정",
        "TBD", "See https://example.com/consent",
        "@example.org", "me@mail.example.net.", f"{'a' * 70}@x.invalid",
        "name@domain.org", "EX-2026-14", "insert the title here",
    ],
)  # fmt: skip
def test_what_is_left_over_is_found(text: str) -> None:
    assert found_in(text)


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("", ["empty"]),
        ("nan", ["empty"]),
        (" \n none ", ["empty"]),
        ("None of the rooms is free.", []),
        ("5 < 6 and b > a, AT&T; 2 * 3 ** 4", []),
        ("Fish &amp; chips", ["tags"]),
        ("NÃO, SÃO PAULO É LINDA. Âge, ÂME, Ça va.", []),
        ("GrÃ¼ÃŸe aus MÃ¼nchen", ["broken"]),
        ("As an AI language model, I cannot taste.", ["chat"]),
        ("Sure, there is room.", []),
        ("The neural writer sings. Claude Monet painted here.", []),
        ("ChatGPT wrote this.", ["names"]),
        ("Made by base-v2.", ["names"]),
        ("Dear [NAME], your table is free.", ["placeholder"]),
        ("Dear <NAME>, your table is free.", ["placeholder"]),
        ("Dear {{name}}, welcome to {city}.", ["placeholder"]),
        ("Lorem ipsum dolor sit amet.", ["placeholder"]),
        ("TODO: write the notice", ["placeholder"]),
        ("Dear [your name here], welcome.", ["placeholder"]),
        ("It cost <UNK> euros, it is <unk>.", ["tokens"]),
        ("TODO ESTÁ BIEN. The [FBI] said [sic] that 3 < A and B > 2, {1, 2}, todo: [missing] [1].", ["placeholder"]),
        ("TODO ESTÁ BIEN. They said [sic] that 3 < A and B > 2, {1, 2}, todo: [missing] [1].", []),
    ],
)
def test_texts_are_noticed_by_what_they_contain(text: str, kinds: list[str]) -> None:
    output = {"system": "base-v2", "variant": "", "text": text, "language": "", "unit": ""}
    item = {"key": "a", "source": "A cat.", "reference": "", "format": "text", "outputs": [output]}
    systems = [{"key": "base-v2", "name": "neural writer", "kind": "machine"}]
    assert [finding.kind for finding in findings_in([item], systems)] == kinds


def findings_of(outputs: list[str], sources: tuple[str, ...] = ("A cat.",)) -> dict[str, TextFinding]:
    """Return the findings in texts of one system by kind; the last source stands for all further ones."""
    items = [
        {
            "key": f"n{number}", "source": sources[min(number, len(sources) - 1)], "reference": "", "format": "text",
            "outputs": [{"system": "rules", "text": text}],
        }
        for number, text in enumerate(outputs)
    ]  # fmt: skip
    return {finding.kind: finding for finding in findings_in(items, [{"key": "rules", "name": "Rules"}])}


def test_placeholders_are_shown_with_the_words_around_them() -> None:
    found = findings_of(["Fine.", "The house of the old man called [NAME] is open."], ("Open: {{hours}}", "A cat."))
    assert found["placeholder"].first == ("n1, Rules: “…the old man called [NAME] is open.”",)
    assert (found["placeholder"].n, found["placeholder"].of) == (1, 2)
    assert found["placeholder_source"].first == ("n0: “Open: {{hours}}”",)


def test_texts_far_longer_than_the_others_are_named_with_their_time_to_read() -> None:
    """Of 238 words a minute; texts that differ by less than 30 seconds, or less than five times, are ordinary."""
    ten = "one two three four five six seven eight nine ten "
    long = findings_of([ten, ten, ten, ten * 40, ten * 24])["long"]
    assert long.first == ("n3, Rules: 1.7 min", "n4, Rules: 1.0 min")
    assert (long.n, long.of, long.words) == (2, 5, "3")
    assert "long" not in findings_of([ten, ten, ten, ten * 12])
    assert "long" not in findings_of([ten * 20, ten * 20, ten * 20, ten * 90])


def test_options_that_move_are_pointed_out_and_keep_their_study_a_draft_no_longer(tmp_path: Path) -> None:
    given = sound("labels")
    assert [one for one in found(facts_of("labels", given, tmp_path)) if "digit keys" in one] == []
    given["tasks"][0]["params"]["order"] = "drawn"
    notes = [one for one in found(facts_of("labels", given, tmp_path)) if "digit keys" in one]
    assert [one.partition(":")[0] for one in notes] == ["NOTE tasks.0.params.order"]


def test_a_study_file_from_before_options_could_have_an_order_has_the_document_it_had(tmp_path: Path) -> None:
    given = sound("labels")
    del given["tasks"][0]["params"]["ordered"]
    given["tasks"][0]["params"]["order"] = "drawn"
    before = facts_of("labels", given, tmp_path).document
    params = before["tasks"][0]["params"]
    assert params["order"] == "drawn"
    assert "ordered" not in params, "the digests of frozen studies are those of documents without it"
    given["tasks"][0]["params"]["ordered"] = []
    assert sections.digest(facts_of("labels", given, tmp_path).document) == sections.digest(before)
    given["tasks"][0]["params"]["ordered"] = ["tone"]
    assert facts_of("labels", given, tmp_path).document["tasks"][0]["params"]["ordered"] == ["tone"]


def test_a_consent_text_that_came_with_other_texts_is_found() -> None:
    shipped = yaml.safe_load(Path("examples/published/esa/study.yaml").read_text(encoding="utf-8"))["consent"]

    def points(text: str, consent: str = shipped) -> list[str]:
        document = {"consent": {"en": consent}, "items": [{"outputs": [{"text": text}]}], "flow": {}, "tasks": []}
        return [point.sentence for point in leftovers.consent_about_other_texts(Facts(document))]

    own = Path("examples/published/esa/items.csv").read_text(encoding="utf-8")
    kept_text = next(row["output"] for row in csv.DictReader(StringIO(own)) if '"' not in row["output"])
    assert points(kept_text) == []
    assert points("My own text.", "My own consent.") == []
    (sentence,) = points("My own text.")
    assert "came with “Errors and scores of translated notices”" in sentence
