"""A second stage in which raters go over the marks of an earlier study, from its button to its results."""

import json
from collections import Counter

import pytest
from django.contrib.auth.models import User
from django.test import Client

from tasks_app.channels.base import Arrival
from tasks_app.links.credentials import mark_of_person
from tasks_app.management.simulated_raters import Answering
from tasks_app.management.transports import Answer, InProcess
from tasks_app.models import Assignment, Identity, MarkAuthor, Prefill, Rater, SetupRow, Study
from tasks_app.services import erasure
from tasks_app.services.arrival import enrolment
from tasks_app.services.study import deleting, lifecycle
from tasks_app.setup import checking
from tasks_app.setup.starting import Names, copy_of
from tasks_app.task_types.base import Screen, TaskType
from tests.cast import browser_of
from tests.published.kit import analysed, begun, judged, opened, systems_by_text

pytestmark = pytest.mark.django_db

KIND = {"category": "accuracy/mistranslation", "side": "output"}
RATERS = 3
# One item is taken out of the study for the false mark.
ITEMS = 11


def word(text: str, number: int) -> dict[str, int]:
    """Return the place of a word of a text."""
    words = text.split(" ")
    start = len(" ".join(words[:number])) + (1 if number else 0)
    return {"start": start, "end": start + len(words[number])}


def posted(marks: list[dict[str, object]]) -> dict[str, str]:
    return {"p1-spans": json.dumps(marks)} if marks else {"p1-none": "1"}


def first_stage(study: Study, number: int) -> Answering:
    """Return a rater who marks the first word of all texts of “phrase” and another word that nobody else marks.

    Only the first rater marks anything in the texts of “neural”; nobody does in those of the translator.
    """
    system = systems_by_text(study)

    def answer(_kind: TaskType, screen: Screen) -> dict[str, str]:
        text = screen.parts[0].text
        first = {**word(text, 0), "severity": "major", **KIND}
        if system[text] == "phrase":
            return posted([first, {**word(text, 1 + number), "severity": "minor", **KIND}])
        return posted([{**first, "severity": "minor"}] if system[text] == "neural" and number == 0 else [])

    return answer


def second_stage(study: Study, number: int) -> Answering:
    """Return a rater who keeps what is right, adds what is missing, and removes the rest, which the last one changes.

    The first rater does not notice that a mark in the texts of the translator is false.
    """
    system = systems_by_text(study)

    def answer(kind: TaskType, screen: Screen) -> dict[str, str]:
        text = screen.parts[0].text
        given = json.loads(str(kind.form(screen)["p1-spans"].value() or "[]"))
        right = [mark for mark in given if mark["start"] == 0]
        wrong = [mark for mark in given if mark["start"] > 0]
        if system[text] == "planted":
            return posted(given if number == 0 else [])
        if system[text] == "phrase":
            return posted([*right, *({**mark, "severity": "neutral"} for mark in wrong if number == 2)])
        if system[text] == "neural":
            return posted(right or [{**word(text, 0), "severity": "minor", **KIND}])
        return posted([])

    return answer


@pytest.fixture(scope="module")
def made(module_rosa: User) -> int:
    """A closed study in which three raters marked 36 texts."""
    study = opened(begun(browser_of(module_rosa), "mqm"))
    return judged(study, lambda number, _rng: first_stage(study, number), RATERS, by_pages=0).pk


@pytest.fixture
def marked(made: int, db: None) -> Study:
    """The study."""
    return Study.objects.get(pk=made)


def reannotated(browser: Client, study: Study, **sent: str) -> Study:
    """Make the second stage as the page does."""
    form = {"task": "notices", "k": str(RATERS), "planted": "1", **sent}
    answer = browser.post(f"/admin/studies/{study.slug}/data/marks/reannotate/", form)
    assert answer.status_code == 302, answer.content.decode()
    return MarkAuthor.objects.filter(origin=study).order_by("-study_id")[0].study


def refused(browser: Client, study: Study, **sent: str) -> str:
    form = {"task": "notices", "k": str(RATERS), "planted": "0", **sent}
    answer = browser.post(f"/admin/studies/{study.slug}/data/marks/reannotate/", form, follow=True)
    return answer.content.decode()


def test_the_page_counts_judgments_and_says_what_is_missing(rosas_browser: Client, marked: Study) -> None:
    page = rosas_browser.get(f"/admin/studies/{marked.slug}/data/marks/").content.decode()
    assert "Have marks checked by other raters" in page
    assert "Judgments</th></tr></thead>" in page
    assert [cell in page for cell in (">36<", ">108<", ">3<")] == [True] * 3
    assert "There are only 12 such texts, not 13" in refused(rosas_browser, marked, planted="13")
    assert "greater than or equal to 1" in refused(rosas_browser, marked, k="0")
    lifecycle.move(study_id=marked.pk, action="open", by=None, reason="More texts")
    assert "Close this study first" in refused(rosas_browser, marked)
    assert not MarkAuthor.objects.exists()


def test_a_second_stage_finds_what_its_raters_did_and_agreement_before_and_after(
    rosas_browser: Client, marked: Study
) -> None:
    draft = reannotated(rosas_browser, marked)
    names = set(marked.raters.values_list("pseudonym", flat=True))
    rows = [row.cells for row in SetupRow.objects.filter(setup__study=draft)]
    assert not [name for name in names if name in json.dumps(rows) + json.dumps(draft.setup.given)]
    study = opened(draft)
    lists = Prefill.objects.filter(part__unit__task__study=study).exclude(given_by="")
    assert lists.count() == ITEMS * 3 * RATERS, "a list for each text and rater, also where a rater found no error"
    study = judged(study, lambda number, _rng: second_stage(study, number), RATERS, by_pages=0)
    shown = Assignment.objects.filter(rater__study=study, purpose="main").values_list("unit__key", "arrangement")
    turns = Counter((unit, arrangement["given_by"][0]) for unit, arrangement in shown)
    assert len(turns) == ITEMS * 3 * RATERS, "the raters of a text are given the marks of all earlier raters in turn"
    results = analysed(study, drawn=False)

    def value(statistic: str, **where: object) -> float:
        return results.value(statistic, basis="all", **{"system": None, "label": None, "slice": None, **where})

    of_phrase = [value(f"given_{fate}", system="phrase") for fate in ("kept", "changed", "removed")]
    assert of_phrase == pytest.approx([1 / 2, 1 / 6, 1 / 3])
    assert value("given_kept", system="phrase", label="major") == 1
    assert value("given_removed", system="phrase", label="minor") == pytest.approx(2 / 3)
    assert value("given_kept", system="neural") == 1
    assert value("marks_added", system="neural") == pytest.approx(2 / 3)
    assert (value("marks_before", system="phrase"), value("marks_after", system="phrase")) == pytest.approx((2, 4 / 3))
    assert value("marks_after", system="translator") == 0
    # Pairs before: 12 of 36 and of 24 marks, twice, and 12 of 24; after: all, and twice 24 of 24 and of 36.
    assert value("f1_exact_before") == pytest.approx((0.4 + 0.4 + 0.5) / 3)
    assert value("f1_exact_after") == pytest.approx((1 + 0.8 + 0.8) / 3)
    assert value("alpha_before", label="output") < value("alpha_after", label="output")
    assert value("false_marks_kept") == pytest.approx(1 / 3)
    page = rosas_browser.get(f"/admin/studies/{study.slug}/results/").content.decode()
    assert "Agreement before and after" in page
    methods = rosas_browser.get(f"/admin/studies/{study.slug}/results/{results.run.number}/methods/").content.decode()
    assert "Texts came with the marks of 3 earlier annotators" in methods
    cells = rosas_browser.get(f"/admin/studies/{study.slug}/data/ratings.csv").getvalue().decode()
    assert "earlier-1" in cells


def test_no_page_of_a_rater_says_whose_marks_they_are(
    rosas_browser: Client, marked: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = opened(reannotated(rosas_browser, marked))
    pages: list[str] = []
    get = InProcess.get

    def recorded(self: InProcess, path: str) -> Answer:
        answer = get(self, path)
        pages.append(answer.body)
        return answer

    monkeypatch.setattr(InProcess, "get", recorded)
    judged(study, lambda number, _rng: second_stage(study, number), 1, by_pages=1)
    rater = Rater.objects.get(study=study)
    given = rater.assignments.filter(purpose="main").values_list("arrangement", flat=True)
    assert len({arrangement["given_by"][0] for arrangement in given}) == RATERS, "the rater had marks of everybody"
    html = "".join(pages)
    assert html.count("p1-spans") > ITEMS * 3
    secrets = {author.name for author in MarkAuthor.objects.filter(study=study)} | {"given_by", "planted"}
    secrets |= set(marked.raters.values_list("pseudonym", flat=True))
    assert not [secret for secret in secrets if secret in html]


def test_nobody_is_given_their_own_marks(rosas_browser: Client, marked: Study) -> None:
    study = opened(reannotated(rosas_browser, marked))
    person = "5f0c0000000000000000000a"
    authors = list(MarkAuthor.objects.filter(study=study))
    author = authors[0]
    author.persons = [mark_of_person("prolific", person)]
    author.save()

    def enrol(session: str) -> Rater:
        about = {"nonce": session, "consent_text_id": None, "arrival": Arrival("prolific", person, session)}
        return enrolment.enrol(study_id=study.pk, **about).rater

    rater = enrol("1")
    given = [
        row["given_by"][0] for row in rater.assignments.filter(purpose="main").values_list("arrangement", flat=True)
    ]
    assert len(given) == ITEMS * 3
    assert set(given) == {other.name for other in authors} - {author.name}
    # Of somebody who made all marks, every text could be shown with their own only.
    Rater.objects.filter(pk=rater.pk).update(token_hash="gone")
    MarkAuthor.objects.filter(study=study).update(persons=author.persons)
    Identity.objects.filter(rater=rater).delete()
    with pytest.raises(enrolment.StudyFull):
        enrol("2")


def test_a_third_stage_and_a_copy_know_whose_marks_they_give(rosas_browser: Client, marked: Study) -> None:
    second = opened(reannotated(rosas_browser, marked, planted="0"))
    copy = copy_of(origin=second, by=User.objects.get(username="rosa"), names=Names("Copy", "Texts"))
    assert set(MarkAuthor.objects.filter(study=copy).values_list("author", flat=True)) == set(
        marked.raters.values_list("pk", flat=True)
    )
    second = judged(second, lambda number, _rng: second_stage(second, number), 1, by_pages=0)
    third = reannotated(rosas_browser, second, k="1", planted="0")
    (author,) = MarkAuthor.objects.filter(study=third)
    assert (author.author, author.name) == (second.raters.get(), "earlier-4")
    given = SetupRow.objects.filter(setup__study=third, table="prefill").values_list("cells__given_by", flat=True)
    assert set(given) == {"earlier-4"}


def test_the_marks_of_an_erased_rater_leave_drafts_and_lead_to_nobody_elsewhere(
    rosas_browser: Client, marked: Study
) -> None:
    draft, frozen = reannotated(rosas_browser, marked), opened(reannotated(rosas_browser, marked, planted="0"))
    checking.make_study(setup=draft.setup, by=None)
    author = Rater.objects.filter(study=marked).earliest("pk")
    pseudonym = author.pseudonym
    name = MarkAuthor.objects.get(study=draft, author=author).name
    kept = Prefill.objects.filter(part__unit__task__study=frozen).count()
    erasure.erase(rater=author)
    assert not SetupRow.objects.filter(setup__study=draft, cells__given_by=name).exists()
    assert not Prefill.objects.filter(part__unit__task__study=draft, given_by=name).exists()
    assert SetupRow.objects.filter(setup__study=draft, table="prefill").count() == 2 * ITEMS * 3 + 1
    assert Prefill.objects.filter(part__unit__task__study=frozen).count() == kept, "a frozen design stays"
    left = MarkAuthor.objects.filter(study=frozen, author=None)
    assert [(entry.author_name, bool(entry.name)) for entry in left] == [("", True)]
    assert not MarkAuthor.objects.filter(author_name=pseudonym).exists()
    assert not MarkAuthor.objects.filter(study=draft, name=name).exists()
    assert "The marks of its raters are given to the raters of 2 other studies" in " ".join(
        deleting.prospect(marked).notes
    )
