"""Changed copies of the texts of a draft: each kind, what has no copy, the page, and that nothing is added unseen."""

import re
from random import Random

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from tasks_app import studyfile
from tasks_app.models import Setup
from tasks_app.setup import changes
from tasks_app.setup.degraded.kinds import LABELS, SAME, degraded
from tasks_app.setup.degraded.same import Given, reworded
from tasks_app.setup.texts import reads, writes

TEXT = "The hotel is near the river Thames, in London. It has 125 rooms and doesn't serve dinner."


@pytest.mark.parametrize(
    ("kind", "text", "language", "copy"),
    [
        ("negation", TEXT, "en", TEXT.replace("doesn't", "does")),
        ("negation", "Dogs can not fly, I think.", "en-GB", "Dogs can fly, I think."),
        ("negation", "It won't rain.", "en", "It will rain."),
        ("negation", "It is not.", "en", "It is."),
        ("negation", "She was here.", "en", "She was not here."),
        ("negation", "Sie war nicht hier.", "de", None),
        ("negation", "Nothing to see here", "en", None),
        ("dropped-name", "We went to New Haven.", "en", "We went to."),
        ("dropped-name", "Paris is big. London is bigger.", "en", None),
        ("dropped-name", "東京は大きい。", "ja", None),
        ("number", "No digits here.", "en", None),
        ("word-order", "Too short.", "en", None),
        ("repetition", "Warm.", "en", None),
        ("repetition", "", "en", None),
    ],
)
def test_what_a_kind_does(kind: str, text: str, language: str, copy: str | None) -> None:
    assert degraded(kind, text, language, Random(1)) == copy


@pytest.mark.parametrize("seed", range(20))
def test_copies_differ_in_one_respect(seed: int) -> None:
    shuffled = degraded("word-order", TEXT, "en", Random(seed))
    assert shuffled is not None
    first, second = shuffled.split(". ", maxsplit=1)
    assert {first + ".", second} & set(re.split(r"(?<=\.) ", TEXT))
    assert sorted(shuffled.replace(".", "").split()) == sorted(TEXT.replace(".", "").split())
    number = degraded("number", "In 1905 there were ٣ of 40.", "en", Random(seed))
    assert number is not None
    assert re.fullmatch(r"In [1-9]\d{3} there were [٠-٩] of [1-9]\d\.", number)
    differing = [(one, other) for one, other in zip(number, "In 1905 there were ٣ of 40.", strict=True) if one != other]
    assert len(differing) == 1
    repeated = degraded("repetition", TEXT, "en", Random(seed))
    assert repeated is not None
    assert any(repeated.replace(f"{run} {run}", run) == TEXT for run in _runs(TEXT))
    assert degraded("repetition", TEXT, "en", Random(seed)) == repeated


def _runs(text: str) -> list[str]:
    words = text.split()
    return [" ".join(words[first : first + n]) for n in (1, 2, 3) for first in range(len(words) - n + 1)]


NAMES = Given(names=[("Ada Holm", "Eva Lund"), ("Holm", "Lund"), ("Kell", "Oster")])
LIST = Given(substitutions=[("big", "large"), ("big house", "villa"), ("at once", "immediately")])


@pytest.mark.parametrize(
    ("kind", "text", "others", "given", "copy"),
    [
        ("renaming", "Ada Holm's museum: Holm built it.", (), NAMES, "Eva Lund's museum: Lund built it."),
        # A part of the name would stay, and the text would have two people.
        ("renaming", "Ada Holm came. Holm left.", (), Given(names=[("Ada Holm", "Eva Lund")]), None),
        ("renaming", "Ada Holm came.", ("founder[Ada Holm]",), NAMES, None),
        ("renaming", "From Oster to Kell.", (), NAMES, None),
        ("renaming", "Holmes came.", (), NAMES, None),
        ("renaming", "東京は大きい。", (), Given(names=[("東京", "大阪")]), "大阪は大きい。"),
        ("insertion", "It rains.", (), Given(inserted="Note:"), "Note: It rains."),
        ("insertion", "東京は大きい。", (), Given(inserted="実は"), "実は東京は大きい。"),
        ("insertion", "It rains.", (), Given(inserted=" "), None),
        ("substitution", "Big bigger big. A big house.", (), LIST, "Large bigger large. A villa."),
        ("substitution", "Go at once.", (), LIST, "Go immediately."),
        ("substitution", "Nothing to replace.", (), LIST, None),
    ],
)
def test_what_a_kind_that_keeps_the_meaning_does(
    kind: str, text: str, others: tuple[str, ...], given: Given, copy: str | None
) -> None:
    assert reworded(kind, text, others, given, Random(1)) == copy


def test_words_are_inserted_before_a_sentence_and_nowhere_else() -> None:
    copies = {reworded("insertion", TEXT, (), Given(inserted="Note:"), Random(seed)) for seed in range(20)}
    assert copies == {f"Note: {TEXT}", TEXT.replace("It has", "Note: It has")}


ADDRESS = "/admin/studies/example-likert/set-up/texts/degrade/"


@pytest.fixture
def setup(db: None, rosa: User) -> Setup:
    """The set-up of a draft with two texts by one system, of which one has neither a number nor a name."""
    setup = changes.begin(studyfile.load("examples/likert", owner=rosa))
    rows = [
        {"item": "i1", "system": "alpha", "output": TEXT},
        {"item": "i2", "system": "alpha", "output": "A plain text."},
    ]
    return writes.store(setup=setup, rows=rows, systems={"alpha": ""}, by=rosa)


def test_copies_are_shown_first_and_added_once(rosas_browser: Client, setup: Setup) -> None:
    assert all(
        str(label) in rosas_browser.get(ADDRESS).content.decode() for label in (*LABELS.values(), *SAME.values())
    )
    chosen = {"systems": ["alpha"], "kinds": ["number", "repetition"]}
    shown = rosas_browser.post(ADDRESS, {**chosen, "action": "look"})
    page = shown.content.decode()
    assert shown.status_code == 200
    assert "alpha-number" in page
    assert "<del>" in page
    assert "1 text" in page
    assert _systems(setup) == ["alpha", "alpha"]
    # Another choice than the page has shown adds nothing.
    token = re.search(r'name="shown" value="([^"]+)"', page)
    assert token is not None
    fields = {"shown": token[1]}
    answer = rosas_browser.post(ADDRESS, {**fields, "systems": ["alpha"], "kinds": ["number"], "action": "add"})
    assert answer.status_code == 200
    assert _systems(setup) == ["alpha", "alpha"]
    assert rosas_browser.post(ADDRESS, {**fields, **chosen, "action": "add"}).status_code == 302
    assert sorted(_systems(setup)) == ["alpha", "alpha", "alpha-number", "alpha-repetition", "alpha-repetition"]
    setup.refresh_from_db()
    systems = {entry["key"]: entry for entry in setup.given["systems"]}
    assert systems["alpha-number"] == {"key": "alpha-number", "name": "alpha, number", "kind": "degraded"}
    # The form of the systems keeps the kind: whoever stores names makes no machines of copies.
    texts = rosas_browser.get("/admin/studies/example-likert/set-up/texts/").content.decode()
    kind = re.search(r'<select name="kind-alpha-number".*?</select>', texts, re.DOTALL)
    assert kind is not None
    assert re.findall(r'value="(\w+)" selected', kind[0]) == ["degraded"]
    again = rosas_browser.post(ADDRESS, {**chosen, "action": "look"}).content.decode()
    assert "No copy would be added" in again


def test_nothing_chosen_and_an_unknown_system_are_refused(rosas_browser: Client, setup: Setup) -> None:
    for sent in ({}, {"systems": ["nobody"], "kinds": ["number"]}, {"systems": ["alpha"], "kinds": ["spelling"]}):
        assert rosas_browser.post(ADDRESS, {**sent, "action": "look"}).status_code == 422
    assert _systems(setup) == ["alpha", "alpha"]


def test_copies_that_keep_the_meaning_come_from_a_file_with_two_columns(rosas_browser: Client, setup: Setup) -> None:
    chosen = {"systems": ["alpha"], "same": ["substitution", "insertion"], "inserted": "Note:"}
    lacking = rosas_browser.post(ADDRESS, {**chosen, "action": "look"})
    assert lacking.status_code == 422
    assert "Give the words for this kind of copy." in lacking.content.decode()
    for content, sentence in ((b"near;close to;by", "Wrong: line 1."), (b"\xff\xfe", "is not a text file in UTF-8")):
        file = SimpleUploadedFile("list.csv", content)
        refused = rosas_browser.post(ADDRESS, {**chosen, "substitutions_file": file, "action": "look"})
        assert refused.status_code == 422
        assert sentence in refused.content.decode()
    file = SimpleUploadedFile("list.csv", "\ufeffnear,close to\n\nplain,simple\n".encode())
    page = rosas_browser.post(ADDRESS, {**chosen, "substitutions_file": file, "action": "look"}).content.decode()
    assert "alpha-substitution" in page
    token = re.search(r'name="shown" value="([^"]+)"', page)
    assert token is not None
    # What was read stands in the form, so that the same list is added.
    read = re.search(r'<textarea name="substitutions"[^>]*>\s*([^<]+)</textarea>', page)
    assert read is not None
    sent = {**chosen, "substitutions": read[1], "shown": token[1], "action": "add"}
    assert rosas_browser.post(ADDRESS, sent).status_code == 302
    texts = {(cells["item"], cells["system"]): cells["output"] for cells in reads.cells_of_rows(setup)}
    assert texts["i1", "alpha-substitution"] == TEXT.replace("near", "close to")
    assert texts["i2", "alpha-substitution"] == "A simple text."
    assert texts["i2", "alpha-insertion"] == "Note: A plain text."
    setup.refresh_from_db()
    kinds = {entry["key"]: entry.get("kind") for entry in setup.given["systems"]}
    assert kinds["alpha-substitution"] == kinds["alpha-insertion"] == "reworded"
    added = setup.study.events.filter(verb="stored").order_by("id").last()
    assert added is not None
    assert added.after["degraded"]["words"] == {
        "substitution": [["near", "close to"], ["plain", "simple"]], "insertion": "Note:"
    }  # fmt: skip


def test_uploaded_copies_are_of_the_kind_that_their_name_says(rosas_browser: Client, setup: Setup) -> None:
    address = "/admin/studies/example-likert/set-up/texts/"
    table = SimpleUploadedFile("passive.csv", b"item,output\ni1,The hotel is found near the river Thames.\n")
    token = rosas_browser.post(address, {"file": table, "action": "upload"})["Location"].partition("file=")[2]
    sent = {
        "columns": '["item", "output"]', "use-0": "item", "use-1": "output", "items": "column", "unused": "leave",
        "system": "alpha-passive", "mode": "add", "quoting": "", "file": token, "action": "store",
    }  # fmt: skip
    assert rosas_browser.post(address, sent).status_code == 302
    assert sorted(_systems(setup)) == ["alpha", "alpha", "alpha-passive"]
    setup.refresh_from_db()
    kinds = {entry["key"]: entry.get("kind") for entry in setup.given["systems"]}
    assert kinds["alpha-passive"] == "reworded"


def _systems(setup: Setup) -> list[str]:
    return [cells["system"] for cells in reads.cells_of_rows(setup)]
