"""Faults that hurried researchers plant, chosen before the code was read: Review finds each, and leads to its place.

Each is planted in a sound study of one of three task types, in English or German, together with others, so that few
studies have to be checked. What stands in no fault's way is not pointed out, and the sound studies give no problem.
"""

import html
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from tasks_app import studyfile
from tasks_app.models import Study
from tasks_app.setup import changes
from tasks_app.task_types import registry
from tests.about import ready
from tests.tasks_app.sound_studies import LANGUAGES, TYPES, Row, rows_of, write

pytestmark = pytest.mark.django_db

Texts = Callable[[list[Row]], list[Row]]
STUDIES = [(kind, language) for kind in TYPES for language in LANGUAGES]


@pytest.fixture(scope="module")
def module_drafts(module_rosa: User, tmp_path_factory: pytest.TempPathFactory) -> Mapping[tuple[str, str], int]:
    """The ids of the sound studies, by task type and language."""
    return {
        about: studyfile.load(write(tmp_path_factory.mktemp("sound"), *about), owner=module_rosa).pk
        for about in STUDIES
    }


def checked(browser: Client, study: Study) -> list[tuple[str, str]]:
    """Check everything on Review, and return what it then says is left: a sentence and the address it leads to."""
    review = reverse("researcher:review", args=[study.slug])
    answer = browser.post(review)
    page = browser.get(f"{review}?settle=1") if answer.status_code == 302 else answer
    return list(linked(page.content.decode()))


def linked(page: str) -> Iterator[tuple[str, str]]:
    """Yield the entries of the page's lists and tables of problems, each with the address of its first link."""
    for entry in re.findall(r'<li dir="auto">(.*?)</li>', page, re.DOTALL):
        if link := re.search(r'href="([^"]+)"', entry):
            yield " ".join(html.unescape(re.sub(r"<[^>]+>", "", entry)).split()), html.unescape(link[1])


def values(*path: str | int, to: object) -> Mapping[tuple[str | int, ...], Any]:
    return {path: to}


def texts(change: Callable[[Row], str | None], *systems: str) -> Texts:
    """Return a fault of texts: those of some systems (all for none) are changed, or left out for None."""

    def plant(rows: list[Row]) -> list[Row]:
        made = [(row, change(row) if not systems or row["system"] in systems else row["output"]) for row in rows]
        return [{**row, "output": output} for row, output in made if output is not None]

    return plant


def first(change: Callable[[str], str], *systems: str) -> Texts:
    """Return a fault of the first item's texts."""
    return texts(lambda row: change(row["output"]) if row["item"] == "n0" else row["output"], *systems)


def copied(rows: list[Row]) -> list[Row]:
    """The texts of one system stand under the name of another as well."""
    own = {row["item"]: row["output"] for row in rows if row["system"] == "rules"}
    return [{**row, "output": own[row["item"]] if row["system"] == "neural" else row["output"]} for row in rows]


def padded(rows: list[Row]) -> list[Row]:
    """The first text of one system stands under the name of another as well, with two spaces after each full stop."""
    own = next(row["output"] for row in rows if row["system"] == "rules")
    return first(lambda _text: own.replace(". ", ".  "), "neural")(rows)


def with_references(rows: list[Row]) -> list[Row]:
    """The references are the texts of one system."""
    own = {row["item"]: row["output"] for row in rows if row["system"] == "neural"}
    return [{**row, "reference": own[row["item"]]} for row in rows]


def apart(rows: list[Row]) -> list[Row]:
    """Half of the items have texts of one pair of systems, the others of another."""
    halves = (("a", ("rules", "person")), ("b", ("neural", "person")))
    return [
        {**row, "item": f"{row['item']}{half}", "output": f"{row['output']} {half}"}
        for half, pair in halves
        for row in rows
        if row["system"] in pair
    ]


def cut(text: str) -> str:
    """Return a text as a field of 58 characters holds it."""
    return text[:58]


def broken(text: str) -> str:
    return f"{text} Grüße aus dem Café.".encode().decode("cp1252")


TASK = ("tasks", 0)
KNOWN = {"unit": "n0/rules", "purpose": "attention", "criterion": "quality", "kind": "exact", "answer": "5"}
SEVEN = {
    "en": "Rate each notice from 1 (very bad) to 7 (very good).",
    "de": "Bewerten Sie jeden Aushang von 1 (sehr schlecht) bis 7 (sehr gut).",
}


@dataclass(frozen=True)
class Fault:
    """Settings or texts that are wrong, the step and words of a point about it, and how many points there are."""

    name: str
    step: str
    words: str
    settings: Mapping[tuple[str | int, ...], Any] = field(default_factory=dict)
    texts: Texts | None = None
    n: int = 1


FAULTS: Mapping[tuple[str, str], Sequence[Fault]] = {
    ("likert", "en"): (
        Fault(
            "one file for two systems", "texts", "“Parrot-7b” and “Rules” have identical texts for 6 of 6 items",
            texts=copied,
        ),
        Fault(
            "steps that the scale does not have", "task", "“1 (very bad) to 7”, but the scale goes from 1 to 5",
            values(*TASK, "instructions", to=SEVEN["en"]),
        ),
        Fault(
            "a chatbot's first words", "texts", "1 of 18 texts begin or speak like a chatbot",
            texts=first(lambda text: f"Sure! Here is the notice: {text}", "person"),
        ),
        Fault(
            "a title for raters that names a system", "task", "This names a system, “Parrot-7b”",
            values("study", "public_title", to="Is Parrot-7b any good?"),
        ),
        Fault(
            "two steps with the same words", "questions", "2 steps have the same words, “well”",
            values("criteria", 0, "labels", to=["very badly", "badly", "well", "Well", "very well"]),
        ),
        Fault(
            "texts cut to one length", "texts",
            "6 of 6 texts break off after 58 characters (n0; n1; n2 …). Something cut them",
            texts=texts(lambda row: cut(row["output"]), "person"),
        ),
        Fault(
            "a question of another task", "questions", "“Which of the two”, but raters cannot do that in this task",
            values("criteria", 0, "question", to="Which of the two notices reads better?"),
        ),
        Fault("no one to complain to", "consent", "nobody outside the team", values("about", "complaints", to="")),
    ),
    ("likert", "de"): (
        Fault(
            "placeholders in the consent", "consent", "[Name der Einrichtung]",
            values("consent", "de", to="Sie lesen Texte der [Name der Einrichtung]. Das dauert etwa 8 Minuten."),
        ),
        Fault(
            "labels in another language than the question", "questions",
            "seems to be in English, but raters read German",
            values("criteria", 0, "labels", to=["very bad", "bad", "neither good nor bad", "good", "very good"]),
        ),
        Fault(
            "steps in German that the scale does not have", "task", "but the scale goes from 1 to 5",
            values(*TASK, "instructions", to=SEVEN["de"]),
        ),
        Fault(
            "one judgment per text, but agreement planned", "raters", "each text is judged once",
            {(*TASK, "k"): 1, ("analysis", "analyses"): [{"analysis": "systems"}, {"analysis": "krippendorff"}]},
        ),
        Fault(
            "HTML in texts", "texts", "1 of 18 texts contain HTML, such as “<br/>”",
            texts=first(lambda text: f"{text}<br/>", "neural"),
        ),
        Fault(
            "a last day that has passed", "consent", "until 31 May 2020",
            values("about", "withdraw_until", to="2020-05-31"),
        ),
    ),
    ("pairwise", "en"): (
        Fault(
            "the instructions of the task type before", "task", "instructions of another task type, “Slider”",
            values(*TASK, "instructions", to=str(registry["slider"].default_instructions)),
        ),
        Fault("no contact", "consent", "no address to write to", values("about", "contact", to="")),
        Fault(
            "the declared language of the sources is wrong", "texts",
            "6 of 6 sources are said to be in English but look like German",
            texts=lambda rows: [{**row, "source": f"Das ist für alle und nicht alt: {row['item']}"} for row in rows],
        ),
        Fault(
            "texts that name their system", "texts", "1 of 16 texts name a system, such as “Parrot-7B” (n0, Parrot-7b)",
            texts=first(lambda text: f"{text} (Parrot-7B)", "neural"),
        ),
        Fault(
            "a system without texts for a third of the items", "texts",
            "“Parrot-7b” has texts for 4 of 6 items only (none for n1; n4)",
            texts=texts(lambda row: None if row["item"] in {"n1", "n4"} else row["output"], "neural"),
        ),
        Fault(
            "Markdown in texts", "texts", "1 of 16 texts contain Markdown",
            texts=first(lambda text: f"**Notice** {text}", "rules"),
        ),
    ),
    ("pairwise", "de"): (
        Fault(
            "pay below the minimum", "consent", "below this study's minimum of 12.00 EUR",
            values("pay", "amount", to=0.5),
        ),
        Fault(
            "a question in another language", "questions", "seems to be in English, but raters read German",
            values("criteria", 0, "question", to="Which of the two is better for you?"),
        ),
        Fault("broken characters", "texts", "contain broken characters", texts=first(broken, "person")),
        Fault(
            "two systems that are never compared", "texts", "No item has texts of both “Parrot-7b” and “Rules”",
            texts=apart, n=3,
        ),
    ),
    ("error_spans", "en"): (
        Fault(
            "pay below any minimum", "consent", "0.50 EUR for about 8 minutes is 3.75 EUR per hour",
            {("pay", "amount"): 0.5, ("pay", "minimum_hourly"): 0},
        ),
        Fault(
            "a consent text in another language", "consent", "seems to be in German, but raters read English",
            values("consent", "en", to="Sie lesen kurze Texte und sagen, wie gut sie sind. Das dauert etwa 8 Minuten."),
        ),
        Fault(
            "references that are a system's texts", "texts", "The texts of “Parrot-7b” are the references themselves",
            texts=with_references,
        ),
        Fault(
            "instructions that name a system", "task", "This names a system, “Parrot-7b”",
            values(*TASK, "instructions", to="Mark the errors. Some of the notices are by Parrot-7b."),
        ),
        Fault(
            "a text copied down", "texts",
            "“Town hall” has one and the same text for 6 of 6 items, “Read this notice.”",
            texts=texts(lambda _row: "Read this notice.", "person"),
        ),
        Fault(
            "signs of a model in texts", "texts", "such as “<|endoftext|>”",
            texts=first(lambda text: f"{text}<|endoftext|>", "rules"),
        ),
    ),
    ("error_spans", "de"): (
        Fault(
            "minutes far below what reading takes", "consent", "Raters are told 0.5 minutes",
            values("pay", "minutes", to=0.5), n=2,
        ),
        Fault(
            "the declared language of the texts is wrong", "texts",
            "texts are said to be in English but look like German",
            texts=lambda rows: [{**row, "language": "en"} for row in rows],
        ),
        Fault(
            "a phrase of another task's instructions", "task", "“den abweichenden”, but raters cannot do that",
            values("tasks", 0, "instructions", to="Lesen Sie den Aushang. Wählen Sie dann den abweichenden Text."),
        ),
        Fault("empty texts", "texts", "1 of 18 texts are empty", texts=first(lambda _text: "N/A", "rules")),
        Fault(
            "one code for two outcomes of a platform", "raters", "“Stopped early” has the same code as “Completed”",
            {("channels",): {"link": {}, "prolific": {}}, ("codes", "completed"): "C1", ("codes", "withdrawn"): "C1"},
        ),
    ),
}  # fmt: skip


def plant(study: Study, faults: Sequence[Fault], rows: list[Row], by: User) -> None:
    """Plant faults as a person would: in the settings, and among the texts."""
    setup = changes.begin(study)
    for fault in faults:
        rows = fault.texts(rows) if fault.texts else rows
    changes.replace_table(setup=setup, table="items", rows=rows, by=by)
    settings = {path: value for fault in faults for path, value in fault.settings.items()}
    if settings:
        assert not changes.change(setup=setup, values=settings, base=setup.revision, by=by).conflicts


# Chosen by somebody else, again before the code was read. Each is planted alone.
MORE: Mapping[tuple[str, str], Sequence[Fault]] = {
    ("likert", "en"): (
        Fault(
            "other numbers than the form", "consent", "says “Read 40 texts”, but a rater is given",
            values("consent", "en", to="Read 40 texts. Taking part is not paid. Write to old@uni-koeln.de."),
        ),
        Fault("no address", "consent", "cannot write to", values("about", "contact", to="Anna Lund")),
        Fault(
            "complaints to the team", "consent", "Complaints go to the contact itself",
            {("about", "contact"): "Anna Lund", ("about", "complaints"): "Anna Lund"},
        ),
        Fault("a title to try out", "task", "“Untitled study”", values("study", "public_title", to="Untitled study")),
        Fault(
            "stars", "task", "says “ten stars”",
            values(*TASK, "instructions", to="Give each notice between zero and ten stars."),
        ),
        Fault(
            "a scale turned round", "questions", "better texts would get lower numbers",
            values("criteria", 0, "labels", to=["very well", "well", "neither", "badly", "very badly"]),
        ),
        Fault("a missing decimal point", "consent", "1350.00 EUR per hour", values("pay", "amount", to=180)),
        Fault(
            "a reference that is not shown", "questions", "speaks of “with the reference”",
            values("criteria", 0, "question", to="Compared with the reference, how well does this notice read?"),
        ),
        Fault(
            "a message of a program", "texts", "error messages of a program, such as “Error:”",
            texts=first(lambda _text: "Error: connection timed out after 30 s", "rules"),
        ),
        Fault(
            "JSON", "texts", "6 of 18 texts are JSON",
            texts=texts(lambda row: f'{{"text": "{row["output"]}"}}', "neural"),
        ),
        Fault(
            "the sources taken for texts", "texts", "The texts of “Rules” are the sources themselves",
            texts=texts(lambda row: row["source"], "rules"),
        ),
        Fault(
            "a label that is not on the scale", "task", "says “Excellent”, but the labels of the scale are: very badly",
            values(*TASK, "instructions", to="Read the notice. Choose 'Excellent' if it has no faults at all."),
        ),
        Fault(
            "placeholders", "texts", "“[NAME]”, are left in 1 of 18 texts (n0, Rules: “Dear [NAME], the ",
            texts=first(lambda text: f"Dear [NAME], {text[0].lower()}{text[1:]}", "rules"),
        ),
        Fault(
            "a long text", "texts", "Very long texts: 1 of 18 (time to read: n0, Rules: 0.9 min)",
            texts=first(lambda text: f"{text} " * 20, "rules"),
        ),
        Fault(
            "an item twice", "texts", "1 of 7 items stand there twice",
            texts=lambda rows: [*rows, *({**row, "item": "n0-copy"} for row in rows if row["item"] == "n0")],
        ),
    ),
    ("pairwise", "de"): (
        Fault(
            "a time that is also that of a lease", "consent", "says 30 minutes, but elsewhere raters read 8",
            values("consent", "de", to="Sie lesen kurze Aushänge. Das dauert etwa 30 Minuten."),
        ),
        Fault(
            "a number of texts", "consent", "“bewerten Sie 50 Texte”",
            values("consent", "de", to="Hier bewerten Sie 50 Texte. Das dauert etwa 8 Minuten."),
        ),
        Fault(
            "a question about one text where two are compared", "questions", "“Wie flüssig ist der Text” is about one",
            values("criteria", 0, "question", to="Wie flüssig ist der Text?"),
        ),
        Fault(
            "a pair that differs in white space", "texts",
            "The two texts of 1 pair differ in white space only: n0 (Parrot-7b, Rules)", texts=padded,
        ),
        Fault(
            "a tie that is not offered", "task", "raters have to choose a text",
            {
                (*TASK, "instructions"): "Wählen Sie „unentschieden“, wenn nichts besser ist.",
                (*TASK, "params", "ties"): False,
            },
        ),
        Fault(
            "a title in another language", "task", "seems to be in English",
            values("study", "public_title", to="How good are these notices of the town hall?"),
        ),
    ),
    ("error_spans", "en"): (
        Fault(
            "instructions in another language", "task", "seems to be in German",
            values(*TASK, "instructions", to="Lesen Sie die Angaben und dann den Aushang. Es gibt keine Fehler."),
        ),
        Fault(
            "a severity that the task does not have", "task", "“Critical errors”, but the severities of this task are",
            values(*TASK, "instructions", to="Mark every error. Critical errors change what a notice says."),
        ),
        Fault(
            "half an hour", "consent", "says 30 minutes, but elsewhere raters read 8 minutes",
            values("consent", "en", to="You mark errors in notices. It takes about half an hour."),
        ),
        Fault(
            "a sentence in another language", "consent", "“Ihre Antworten werden nicht an andere weitergegeben.”",
            values("consent", "en", to="You mark errors in notices of a town hall. It takes about 8 minutes. Ihre "
                   "Antworten werden nicht an andere weitergegeben. You can stop at any time, and that is all."),
        ),
        Fault(
            "a date to be written", "consent", "“DD/MM/YYYY”",
            values("consent", "en", to="You can withdraw until DD/MM/YYYY. It takes about 8 minutes."),
        ),
    ),
}  # fmt: skip


@pytest.mark.parametrize(
    ("about", "fault"),
    [(about, fault) for about, faults in MORE.items() for fault in faults],
    ids=lambda value: value.name if isinstance(value, Fault) else "-".join(value),
)
def test_each_further_fault_is_found_by_itself(
    about: tuple[str, str],
    fault: Fault,
    module_drafts: Mapping[tuple[str, str], int],
    rosa: User,
    rosas_browser: Client,
) -> None:
    study = Study.objects.get(pk=module_drafts[about])
    plant(study, [fault], rows_of(about[1]), rosa)
    points = checked(rosas_browser, study)
    assert [url for sentence, url in points if fault.words in sentence and f"/set-up/{fault.step}/" in url], points


@pytest.mark.parametrize(
    ("keeps", "said", "summed_up"),
    [
        (
            False, "Raters are not asked about it, and it counts for neither system.",
            "2 texts are identical to another of their item: these are not compared with each other.",
        ),
        (
            True, "Raters are asked about it, since identical texts are kept apart, and see no difference.",
            "rated by themselves.",
        ),
    ],
)  # fmt: skip
def test_identical_texts_of_a_pair_are_named_with_what_becomes_of_them(
    keeps: bool,
    said: str,
    summed_up: str,
    module_drafts: Mapping[tuple[str, str], int],
    rosa: User,
    rosas_browser: Client,
) -> None:
    study = Study.objects.get(pk=module_drafts["pairwise", "en"])
    same = Fault(
        "", "", "", values(*TASK, "keep_identical", to=keeps),
        texts=first(lambda _text: "The town library opens at 7:30.", "rules", "neural"),
    )  # fmt: skip
    plant(study, [same], rows_of("en"), rosa)
    ((sentence, url),) = checked(rosas_browser, study)
    assert "The two texts of 1 pair are identical: n0 (Parrot-7b, Rules). " + said in sentence
    assert "#f-tasks-0-keep_identical" in url
    summary = rosas_browser.get(f"{reverse('researcher:review', args=[study.slug])}?summary=1").content.decode()
    assert summed_up in summary
    plan = rosas_browser.get(reverse("researcher:design", args=[study.slug])).content.decode()
    assert ("these are not compared with each other" in plan) is not keeps


@pytest.mark.parametrize("about", FAULTS, ids="-".join)
def test_each_planted_fault_is_found_with_a_link_to_its_place(
    about: tuple[str, str], module_drafts: Mapping[tuple[str, str], int], rosa: User, rosas_browser: Client
) -> None:
    study = Study.objects.get(pk=module_drafts[about])
    plant(study, FAULTS[about], rows_of(about[1]), rosa)
    points = checked(rosas_browser, study)
    for fault in FAULTS[about]:
        there = [url for sentence, url in points if fault.words in sentence and f"/set-up/{fault.step}/" in url]
        assert there, (fault.name, *points)
    assert len(points) == sum(fault.n for fault in FAULTS[about]), points
    assert rosas_browser.get(points[0][1]).status_code == 200


@pytest.mark.parametrize(
    ("kind", "table", "rows", "settings", "words"),
    [
        (
            "pairwise",
            "items",
            [row for row in rows_of("en") if row["system"] == "rules"],
            {},
            "texts by two systems are compared; it has texts by 1",
        ),
        ("likert", "controls", [{**KNOWN, "answer": "9"}], {}, "must be from 1 to 5, the scale of this task; it is 9"),
        ("likert", "", [], values("analysis", "primary", to="style"), "There is no “style” in this study."),
    ],
    ids=["a system that is compared with nothing", "a known answer that is no step", "a criterion that is not asked"],
)
def test_what_cannot_be_stored_is_said_with_its_place(
    kind: str,
    table: str,
    rows: list[Row],
    settings: Mapping[tuple[str | int, ...], Any],
    words: str,
    module_drafts: Mapping[tuple[str, str], int],
    rosa: User,
    rosas_browser: Client,
) -> None:
    study = Study.objects.get(pk=module_drafts[kind, "en"])
    setup = changes.begin(study)
    if table:
        changes.replace_table(setup=setup, table=table, rows=rows, by=rosa)
    changes.change(setup=setup, values=settings, base=setup.revision, by=rosa)
    answer = rosas_browser.post(reverse("researcher:review", args=[study.slug]))
    assert answer.status_code == 422
    said = " ".join(html.unescape(re.sub(r"<[^>]+>", " ", answer.content.decode())).split())
    assert words in said, said[said.find("Line Problem") :][:300]


@pytest.mark.parametrize("about", [("likert", "en"), ("pairwise", "de"), ("error_spans", "en")], ids="-".join)
def test_a_sound_study_has_nothing_to_settle(
    about: tuple[str, str], module_drafts: Mapping[tuple[str, str], int], rosa: User, rosas_browser: Client
) -> None:
    study = Study.objects.get(pk=module_drafts[about])
    changes.begin(study)
    assert checked(rosas_browser, study) == []


@pytest.mark.parametrize("name", ["ranking", "slider"])
def test_an_example_that_is_filled_in_has_only_the_note_on_rules(
    name: str, tmp_path: Path, rosa: User, rosas_browser: Client
) -> None:
    study = studyfile.load(ready(name, tmp_path / name), owner=rosa)
    changes.begin(study)
    assert [sentence for sentence, _url in checked(rosas_browser, study)] == [
        "Analysis plan: No quality rule is planned: raters are left out only where you exclude them by hand."
    ]
