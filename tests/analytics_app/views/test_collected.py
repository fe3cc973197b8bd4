"""The page of texts that raters wrote: choice, rounds, who sees it, erased authors, and announced bonuses."""

import csv
import io
from random import Random

import pytest
from django.contrib.auth.models import User
from django.test import Client

from tasks_app.management.simulated_raters import Answering
from tasks_app.models import CollectedText, Item, Membership, Rater, SetupRow, Study
from tasks_app.selectors import collected_texts
from tasks_app.services import collecting, erasure
from tasks_app.services.arrival import enrolment
from tasks_app.services.pay import NotPossible
from tasks_app.services.study import lifecycle, rehearsals
from tasks_app.setup import checking, verifying
from tasks_app.task_types.base import Screen, TaskType
from tasks_app.task_types.labels import Labels
from tests.cast import browser_of
from tests.published.kit import begun, judged, opened
from tests.walk import arrive

pytestmark = pytest.mark.django_db

ALL = {"only_new": "on", "only_changed": "on", "like": ""}


def writer(number: int, _rng: Random) -> Answering:
    """Return a rater who leaves the bus as it is, writes =1+1 of the soup like everybody, and else texts of theirs."""

    def answer(kind: TaskType, screen: Screen) -> dict[str, str]:
        source = screen.parts[0].text
        if source.startswith("The bus"):
            return {"p1-text": source, "unchanged": "on"}
        return {"p1-text": "=1+1" if "soup" in source else f"{number}: {source}"}

    return answer


@pytest.fixture(scope="module")
def made(module_rosa: User) -> int:
    """A closed study in which three raters rewrote 12 texts."""
    return judged(opened(begun(browser_of(module_rosa), "detoxification_rewrites")), writer, 3, by_pages=0).pk


@pytest.fixture
def written(made: int, db: None) -> Study:
    """The study."""
    return Study.objects.get(pk=made)


def page(browser: Client, study: Study, query: str = "") -> str:
    return browser.get(f"/admin/studies/{study.slug}/data/texts/{query}").content.decode()


def verify(browser: Client, study: Study, **sent: str) -> Study:
    answer = browser.post(f"/admin/studies/{study.slug}/data/texts/verify/", {**ALL, **sent})
    assert answer.status_code == 302
    found = CollectedText.objects.filter(origin=study).order_by("-study_id").first()
    assert found is not None
    return found.study


def test_what_is_chosen_is_counted_and_identical_texts_keep_all_authors(rosas_browser: Client, written: Study) -> None:
    selection = collected_texts.select(written, collected_texts.Choice(), [])
    assert (selection.n_written, selection.n_unchanged, selection.n_merged, len(selection.chosen)) == (36, 3, 2, 31)
    shown = page(rosas_browser, written)
    assert "Make the study that verifies these 31 texts" in shown
    assert "=1+1" in shown
    draft = verify(rosas_browser, written)
    soup = CollectedText.objects.filter(study=draft, origin_item="soup")
    assert {row.author_id for row in soup} == set(Rater.objects.filter(study=written).values_list("pk", flat=True))
    assert len({row.item for row in soup}) == 1
    # Neither the study file nor a page for raters leads to an author.
    names = set(written.raters.values_list("pseudonym", flat=True))
    cells = [row.cells for row in SetupRow.objects.filter(setup__study=draft, table="items")]
    assert len(cells) == 31
    assert not [name for name in names if name in str(cells) + str(draft.setup.given)]
    assert "every text" not in page(rosas_browser, written, "?chosen=1"), "unticked boxes are read as unticked"
    assert 'Texts to verify</th><td class="ew-number">32' in page(rosas_browser, written, "?chosen=1")


def test_a_second_round_has_what_is_new_and_the_questions_of_the_first(rosas_browser: Client, written: Study) -> None:
    first = opened(verify(rosas_browser, written))
    assert "Make the study" not in page(rosas_browser, written)
    refused = rosas_browser.post(f"/admin/studies/{written.slug}/data/texts/verify/", ALL, follow=True)
    assert "There are no texts to verify" in refused.content.decode()
    again = verify(rosas_browser, written, only_new="", like=str(first.pk))
    assert again.pk != first.pk
    assert again.title.endswith("round 2")
    assert again.setup.given["acceptance"] == first.setup.given["acceptance"]
    assert "As in “Verification of" in page(rosas_browser, written)


def test_editors_begin_owners_pay_and_others_know_of_nothing(
    rosas_browser: Client, written: Study, mallorys_browser: Client
) -> None:
    assert mallorys_browser.get(f"/admin/studies/{written.slug}/data/texts/").status_code == 404
    viewer = User.objects.create_user("vera", password="x", is_staff=True)
    viewer.groups.set(User.objects.get(username="rosa").groups.all())
    Membership.objects.create(study=written, user=viewer, role="viewer")
    browser = Client()
    browser.force_login(viewer)
    assert "Make the study" not in page(browser, written)
    assert browser.post(f"/admin/studies/{written.slug}/data/texts/verify/", ALL).status_code == 404
    assert browser.get(f"/admin/studies/{written.slug}/data/texts/pairs.csv").status_code == 200
    lifecycle.move(study_id=written.pk, action="open", by=None, reason="More texts")
    assert "only its owners can see what raters wrote" in page(browser, written)
    assert browser.get(f"/admin/studies/{written.slug}/data/texts/pairs.csv").status_code == 404


def test_no_cell_of_the_pairs_is_a_formula(rosas_browser: Client, written: Study) -> None:
    content = rosas_browser.get(f"/admin/studies/{written.slug}/data/texts/pairs.csv?which=all").content.decode()
    rows = list(csv.DictReader(io.StringIO(content)))
    assert len(rows) == 36
    assert {row["rewrite"] for row in rows if row["source_item"] == "soup"} == {"'=1+1"}
    assert {row["verdict"] for row in rows} == {"undecided"}


def test_an_erased_author_s_texts_leave_drafts_and_lose_their_author_elsewhere(
    rosas_browser: Client, written: Study
) -> None:
    frozen = opened(verify(rosas_browser, written))
    draft = verify(rosas_browser, written, only_new="")
    checking.make_study(setup=draft.setup, by=None)
    author = Rater.objects.filter(study=written).order_by("pk")[0]
    name = author.pseudonym
    own = set(CollectedText.objects.filter(study=draft, author=author).values_list("item", flat=True))
    assert len(own) == 11
    erasure.erase(rater=author)
    # What others wrote, too, stays.
    left = set(SetupRow.objects.filter(setup__study=draft, table="items").values_list("cells__item", flat=True))
    assert len(left) == 21
    assert len(own & left) == 1
    assert not Item.objects.filter(study=draft).exists(), "it is checked again before it is opened"
    with pytest.raises(lifecycle.NotPossible):
        lifecycle.move(study_id=draft.pk, action="open", by=None)
    assert Item.objects.filter(study=frozen).count() == 31
    assert not CollectedText.objects.filter(author_name=name).exists()
    assert CollectedText.objects.filter(study=frozen, author=None, judgment=None, rating=None).count() == 11
    shown = page(rosas_browser, written)
    assert name not in shown
    assert (
        name not in rosas_browser.get(f"/admin/studies/{written.slug}/data/texts/pairs.csv?which=all").content.decode()
    )


def test_a_trial_of_a_draft_does_not_keep_the_texts_of_an_erased_author_in_it(
    rosas_browser: Client, rosa: User, written: Study
) -> None:
    """Nobody works in a draft itself: who tries it out does so in a copy, and raters are refused."""
    draft = verify(rosas_browser, written, only_new="")
    checking.make_study(setup=draft.setup, by=None)
    arrive(rehearsals.rehearse(study_id=draft.pk, by=rosa), Rater.Kind.SANDBOX)
    for kind in Rater.Kind:
        with pytest.raises(enrolment.NotOpen):
            arrive(draft, kind)
    erasure.erase(rater=Rater.objects.filter(study=written).order_by("pk")[0])
    assert not draft.raters.exists()
    assert not Item.objects.filter(study=draft).exists()


def test_an_edited_text_is_not_its_author_s_any_more(rosas_browser: Client, written: Study) -> None:
    draft = verify(rosas_browser, written)
    row = SetupRow.objects.filter(setup__study=draft, table="items")[0]
    row.cells["output"] = "Words of a researcher"
    row.save()

    def yes(_number: int, _rng: Random) -> Answering:
        return lambda kind, screen: {"p1-meaning": "yes", "p1-task": "yes"}

    judged(opened(draft), yes, 5, by_pages=0)
    rows = collected_texts.judged_rows(written, collected_texts.rounds_of(written))
    by_item = {one.item: verdict for one, _round, verdict in rows}
    assert by_item[row.cells["item"]] is None
    assert {verdict.accepted for verdict in by_item.values() if verdict is not None} == {True}


def test_a_bonus_that_was_not_announced_is_refused(rosas_browser: Client, written: Study) -> None:
    written.settings["pay"]["accepted_bonus"] = "0"
    written.save()
    with pytest.raises(NotPossible, match="announced no bonus"):
        collecting.add_bonuses(study=written, verified=[], by=None, form="1")
    assert "announced no bonus" in page(rosas_browser, written) or not collected_texts.rounds_of(written)


def test_raters_are_told_of_the_bonus_before_they_agree(rosas_browser: Client) -> None:
    study = opened(begun(rosas_browser, "detoxification_rewrites"))
    told = "0.05\u00a0EUR for each of your texts that other raters accept."
    shown = Client().get(f"/join/{study.link_code}/").content.decode()
    assert told in shown or told.replace("\u00a0", " ") in shown


def test_our_questions_are_a_labels_task_that_can_be_opened() -> None:
    assert Labels.name == "labels"
    assert {one.key for one in verifying.QUESTIONS} == {"meaning", "task"}
