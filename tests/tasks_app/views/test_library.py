"""The page of the library of criteria."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from tasks_app import task_types
from tasks_app.models import Setup, Study
from tasks_app.setup import starting
from tasks_app.setup.criteria.library import library
from tasks_app.setup.starting import Names

pytestmark = pytest.mark.django_db


def begun(owner: User, member: str = "likert") -> Study:
    names = Names("Summaries", "Texts")
    return starting.from_type(owner=owner, member=task_types.registry[member], names=names)


def test_it_is_searched_and_picked_from(rosas_browser: Client, rosa: User) -> None:
    path = f"/admin/studies/{begun(rosa).slug}/set-up/questions/library/"
    step = rosas_browser.get(f"/admin/studies/{Study.objects.get().slug}/set-up/questions/").content.decode()
    assert f'href="{path}"' in step
    whole = rosas_browser.get(path).content.decode()
    assert all(f'value="{key}"' in whole for key in set(library()) - {"fluency", "adequacy"})
    assert 'value="fluency"' not in whole, "it is in the study"
    found = rosas_browser.get(path, {"words": "faithful"}).content.decode()
    assert 'value="faithfulness"' in found
    assert 'value="coherence"' not in found
    added = rosas_browser.post(path, {"task": "0", "key": ["faithfulness", "relevance"]}, follow=True)
    assert "2 criteria are added." in added.content.decode()
    assert [one["key"] for one in Setup.objects.get().given["criteria"]][-2:] == ["faithfulness", "relevance"]


def test_nothing_ticked_is_said(rosas_browser: Client, rosa: User) -> None:
    path = f"/admin/studies/{begun(rosa).slug}/set-up/questions/library/"
    assert "Tick at least one" in rosas_browser.post(path, {"task": "0"}, follow=True).content.decode()
    for sent in ({"task": "7", "key": "coherence"}, {"task": "0", "key": "nothing"}, {"task": "²", "key": "coherence"}):
        assert rosas_browser.post(path, sent).status_code == 404


def test_a_study_without_criteria_says_what_to_do(rosas_browser: Client, rosa: User) -> None:
    study = begun(rosa, "post_edit")
    page = rosas_browser.get(f"/admin/studies/{study.slug}/set-up/questions/library/").content.decode()
    assert "No task of this study asks about criteria yet." in page
    assert "Add the ticked criteria" not in page


def test_an_opened_study_shows_its_set_up_instead(rosas_browser: Client, study: Study) -> None:
    path = f"/admin/studies/{study.slug}/set-up/questions/library/"
    assert rosas_browser.get(path)["Location"] == f"/admin/studies/{study.slug}/"
    assert rosas_browser.post(path, {"task": "0", "key": "coherence"})["Location"] == f"/admin/studies/{study.slug}/"
