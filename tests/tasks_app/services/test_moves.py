"""Opening, pausing and closing: what is frozen when, what is drawn when, and who hears of it."""

import pytest
from django.contrib.auth.models import User

from tasks_app.hooks.signals import study_moved
from tasks_app.models import Booklet, Study, Version
from tasks_app.services.study import lifecycle
from tasks_app.services.study.lifecycle import NotPossible
from tests.builders import build_study

pytestmark = pytest.mark.django_db


@pytest.fixture
def heard() -> list[tuple[str, str, str]]:
    """What was sent: slug, action, and the state that is stored at that moment."""
    return []


@pytest.fixture(autouse=True)
def listening(heard: list[tuple[str, str, str]]) -> object:
    """Listen to moves."""

    def hear(study: Study, action: str, **_rest: object) -> None:
        heard.append((study.slug, action, Study.objects.get(pk=study.pk).state))

    study_moved.connect(hear)
    yield hear
    study_moved.disconnect(hear)


def test_every_move_is_heard_of_once(rosa: User, heard: list[tuple[str, str, str]]) -> None:
    study = build_study(rosa)
    for action in ("pause", "open", "close", "open"):
        lifecycle.move(study_id=study.pk, action=action, by=rosa, reason="more raters")
    assert heard == [
        ("hidden-slug", "open", "open"), ("hidden-slug", "pause", "paused"), ("hidden-slug", "open", "open"),
        ("hidden-slug", "close", "closed"), ("hidden-slug", "open", "open"),
    ]  # fmt: skip
    with pytest.raises(NotPossible):
        lifecycle.move(study_id=study.pk, action="open", by=rosa)
    assert len(heard) == 5


def test_whoever_listens_works_in_the_transaction(rosa: User) -> None:
    study = build_study(rosa)

    def fail(**_rest: object) -> None:
        raise RuntimeError("cannot be done")

    study_moved.connect(fail)
    try:
        with pytest.raises(RuntimeError):
            lifecycle.move(study_id=study.pk, action="close", by=rosa)
    finally:
        study_moved.disconnect(fail)
    study.refresh_from_db()
    assert study.state == "open"
    assert not study.events.filter(verb="closed").exists()


def test_freezing_draws_nothing_and_opening_draws_what_is_missing(rosa: User) -> None:
    study = build_study(rosa, opened=False)
    version = lifecycle.freeze(study, rosa)
    study.refresh_from_db()
    assert (study.state, study.current_version, version.number, version.by) == ("draft", 1, 1, rosa)
    assert not Booklet.objects.exists()
    lifecycle.move(study_id=study.pk, action="open", by=rosa)
    assert Version.objects.count() == 1
    assert set(Booklet.objects.values_list("version", flat=True)) == {version.pk}
    drawn = list(Booklet.objects.values_list("id", flat=True))
    for action in ("pause", "open"):
        lifecycle.move(study_id=study.pk, action=action, by=rosa)
    assert list(Booklet.objects.values_list("id", flat=True)) == drawn


def test_nothing_to_judge_freezes_nothing(rosa: User) -> None:
    study = build_study(rosa, items=0, opened=False)
    with pytest.raises(NotPossible, match="has nothing to judge"):
        lifecycle.freeze(study, rosa)
    study.tasks.all().delete()
    with pytest.raises(NotPossible, match="no task yet"):
        lifecycle.freeze(study, rosa)
    assert not Version.objects.exists()
