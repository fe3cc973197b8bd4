"""The set-up of a study: changes are logged, undone, and never lost between two people."""

import pytest
from django.contrib.auth.models import User

from tasks_app.models import Setup, Study
from tasks_app.models.setup_document import NoSuchPlace, SetupDocument, value_at
from tasks_app.services.study.drafts import NotADraft
from tasks_app.services.study.lifecycle import move
from tasks_app.setup import changes

K = ("tasks", 0, "k")


def test_a_set_up_begins_as_the_study_is(draft: Study) -> None:
    setup = changes.begin(draft)
    assert setup.given["study"]["title"] == draft.title
    assert setup.document.value(("tasks", 0, "params", "points")) == 5
    assert setup.rows.filter(table="items").count() == 36
    assert setup.is_stored
    assert changes.begin(draft).pk == setup.pk


def test_a_change_is_logged_and_undone(draft: Study, rosa: User) -> None:
    setup = changes.begin(draft)
    changed = changes.change(setup=setup, values={K: 5, ("study", "title"): "Other"}, base=0, by=rosa).setup
    assert (changed.revision, value_at(changed.given, K), changed.is_stored) == (1, 5, False)
    later = changes.change(setup=changed, values={("tasks", 0, "spacing"): 4}, base=1, by=rosa).setup
    assert changes.undo(setup=later, by=rosa) == ("tasks", 0, "spacing")
    assert changes.undo(setup=changed, by=rosa) in {("study", "title"), K}, "what was changed at once goes at once"
    assert changes.undo(setup=changed, by=rosa) is None
    assert Setup.objects.get(pk=setup.pk).given == setup.given


def test_what_is_the_same_is_no_change(draft: Study, rosa: User) -> None:
    setup = changes.begin(draft)
    assert changes.change(setup=setup, values={K: 3}, base=0, by=rosa).setup.revision == 0


def test_two_people_lose_nothing(draft: Study, rosa: User, mallory: User) -> None:
    """Of two changes of one value the second is told; changes of two values are both made."""
    setup = changes.begin(draft)
    changes.change(setup=setup, values={K: 5}, base=0, by=rosa)
    second = changes.change(setup=setup, values={K: 7, ("tasks", 0, "spacing"): 2}, base=0, by=mallory)
    assert [(conflict.yours, conflict.theirs, conflict.by) for conflict in second.conflicts] == [(7, 5, "rosa")]
    assert value_at(second.setup.given, K) == 5
    assert value_at(second.setup.given, ("tasks", 0, "spacing")) == 2
    assert not changes.change(setup=setup, values={K: 7}, base=second.setup.revision, by=mallory).conflicts
    assert changes.undo(setup=setup, by=rosa) is None, "somebody else has built on it"


def test_an_entry_taken_away_is_not_filled_again(draft: Study, rosa: User, mallory: User) -> None:
    setup = changes.begin(draft)
    criteria = setup.given["criteria"]
    changes.change(setup=setup, values={("criteria",): criteria[1:]}, base=0, by=rosa)
    late = changes.change(setup=setup, values={("criteria", 0, "name"): "Flow"}, base=0, by=mallory)
    assert [one.path for one in late.conflicts] == [("criteria", 0, "name")]


def test_a_study_that_was_opened_is_not_set_up(draft: Study, rosa: User) -> None:
    setup = changes.begin(draft)
    move(study_id=draft.pk, action="open", by=rosa)
    with pytest.raises(NotADraft):
        changes.change(setup=setup, values={K: 5}, base=0, by=rosa)


def test_values_by_path() -> None:
    document = SetupDocument({"a": [{"b": 1}], "c": "d"})
    assert document.with_value(("a", 1, "b"), 2).given == {"a": [{"b": 1}, {"b": 2}], "c": "d"}
    assert document.with_value(("a", 0, "b"), None).given == {"a": [{}], "c": "d"}
    assert SetupDocument({"x": {"y": {"z": 1}}}).with_value(("x", "y", "z"), None).given == {"x": {"y": {}}}
    assert document.with_value(("e", "f"), None) == document
    with pytest.raises(NoSuchPlace):
        document.with_value(("a", 3), {})
