"""Pages of documents through what may happen to a rater: leases that run out, several raters, groups, given marks."""

import json
from collections import Counter
from pathlib import Path
from random import Random

import pytest
import yaml
from django.test import Client

from tasks_app.management.simulated_raters import Visitor, quiet_pages
from tasks_app.management.transports import InProcess
from tasks_app.models import Assignment, Judgment, Rater, RaterSet, Rating, Study
from tasks_app.services import rater_language
from tasks_app.task_types.base import Quality
from tests import invariants, pages
from tests.analytics_app.by_commands import write
from tests.tasks_app.documents_kit import document_folder, opened
from tests.tasks_app.views.test_document_pages import NO_ERROR, answers, headings, send, shown, texts

pytestmark = pytest.mark.django_db


def visit(study: Study, seed: int) -> Visitor:
    """Let a simulated rater come and answer everything."""
    with quiet_pages():
        visitor = Visitor(study, InProcess(), Quality.CAREFUL, Random(seed))
        assert visitor.arrive()
        assert visitor.judge()
    return visitor


@pytest.mark.parametrize("taken", [False, True])
def test_a_page_sent_after_its_lease_is_stored_unless_others_have_the_texts(
    somebody: Client, tmp_path: Path, *, taken: bool
) -> None:
    study = opened(document_folder(tmp_path / "s"), None)
    token = pages.join(study)
    form = pages.unit(somebody, token)
    RaterSet.objects.update(lease_until="2020-01-01T00:00Z")
    if taken:
        visit(study, 1)
    sent = send(somebody, token, form, **answers(4, NO_ERROR))
    assert sent.status_code == 302
    late = Rater.objects.earliest("enrolled_at")
    states = Counter(Assignment.objects.filter(rater=late).values_list("state", flat=True))
    assert states == {"surplus" if taken else "submitted": 4}
    assert Judgment.objects.count() == (8 if taken else 4)
    invariants.check(study)


def test_each_text_gets_its_k_judgments_and_every_rater_an_order(tmp_path: Path) -> None:
    folder = document_folder(tmp_path / "s", documents=2, parts=2, systems=3, task={"k": 3}, score_document=True)
    study = opened(folder, None)
    for number in range(3):
        visit(study, number)
    judged = Counter(Judgment.objects.values_list("assignment__unit", flat=True))
    assert (len(judged), set(judged.values())) == (12, {3})
    scored = Rating.objects.filter(criterion__key="document_score")
    assert set(Counter(scored.values_list("judgment__assignment__unit", flat=True)).values()) == {3}
    assert scored.count() == 2 * 3 * 3
    invariants.check(study)


def test_degraded_copies_and_repeats_come_alone_after_their_document(somebody: Client, tmp_path: Path) -> None:
    words = " It goes on for quite some words more, so that something in it can be made worse without any doubt."
    checks = {"degraded": 1, "repeats": 1}
    folder = document_folder(
        tmp_path / "s", "slider", documents=3, task={"checks": checks}, words=words, score_document=True
    )
    study = opened(folder, None)
    token = pages.join(study)
    extras = Assignment.objects.exclude(purpose="main")
    assert Counter(extras.values_list("purpose", flat=True)) == {"control": 1, "repeat": 1}
    sizes = []
    own = {"p1-fluency": "50"}
    while Assignment.objects.filter(state__in=Assignment.State.WAITING).exists():
        n = len(headings(shown(somebody, token))) or 1
        sizes.append(n)
        scores = {f"t{number}-p1-document_score": "40" for number in (3, 4)} if n == 4 else {}
        assert send(somebody, token, pages.unit(somebody, token), **answers(n, own), **scores).status_code == 302
    assert sorted(sizes) == [1, 1, 4, 4, 4]
    assert Rating.objects.filter(criterion__key="document_score").count() == 6
    invariants.check(study)


def test_raters_of_two_groups_judge_the_documents_of_their_tasks(tmp_path: Path) -> None:
    folder = document_folder(tmp_path / "s", documents=2)
    document = yaml.safe_load((folder / "study.yaml").read_text(encoding="utf-8"))
    task = document["tasks"][0]
    document["groups"] = [{"key": "one"}, {"key": "two"}]
    document["tasks"] = [task | {"key": key, "groups": [key]} for key in ("one", "two")]
    (folder / "study.yaml").write_text(json.dumps(document), encoding="utf-8")
    study = opened(folder, None)
    for number in range(2):
        visit(study, number)
    judged = Counter(Judgment.objects.values_list("assignment__unit__task__key", "assignment__rater__group__key"))
    assert judged == {("one", "one"): 8, ("two", "two"): 8}
    assert set(Rater.objects.values_list("outcome", flat=True)) == {Rater.Outcome.COMPLETED}
    invariants.check(study)


def test_given_marks_are_edited_on_the_page_of_a_document(somebody: Client, tmp_path: Path) -> None:
    folder = document_folder(tmp_path / "s", given_marks="edit")
    given = [{"start": 0, "end": 4, "severity": "minor"}, {"start": 12, "end": 18, "severity": "major"}]
    rows = [
        {"task": "main", "unit": f"d1-{part}/{system}", "part": 1, "payload": json.dumps(given)}
        for part in (1, 2)
        for system in ("system01", "system02")
    ]
    write(folder / "prefill.csv", rows)
    study = opened(folder, None)
    token = pages.join(study)
    fields = pages.fields_of(shown(somebody, token), "answer")
    posted = [json.loads(fields[name][0]) for name in ("p1-spans", "t4-p1-spans")]
    assert [[mark["of"] for mark in marks] for marks in posted] == [[1, 2], [1, 2]]
    kept, removed = posted[0][0], posted[0][1]
    changed = removed | {"severity": "minor"}
    marks = [json.dumps(some) for some in ([kept, changed], [kept], [], [kept, removed])]
    sent = {f"{prefix}p1-spans": one for prefix, one in zip(("", "t2-", "t3-", "t4-"), marks, strict=True)}
    scores = {f"{prefix}p1-score": "50" for prefix in ("", "t2-", "t3-", "t4-")}
    form = pages.unit(somebody, token)
    assert send(somebody, token, form, **sent, **scores, **{"t3-p1-none": "1"}).status_code == 302
    origins = Rating.objects.filter(span_side="output").order_by("judgment__assignment__order", "number")
    assert Counter(origins.values_list("mark_origin", "mark_of")) == {
        ("kept", 1): 3, ("changed", 2): 1, ("kept", 2): 1
    }  # fmt: skip
    invariants.check(study)


def test_a_change_of_language_keeps_the_drafts_and_the_order_of_the_page(somebody: Client, tmp_path: Path) -> None:
    study = opened(document_folder(tmp_path / "s", score_document=True), None)
    token = pages.join(study)
    before = shown(somebody, token)
    form = pages.unit(somebody, token)
    answer = {"p1-score": "40", "p1-document_score": "20", "comment": "later"}
    draft = {"form_token": form["t3-form_token"], "counter": 2, "answer": answer}
    assert somebody.post(f"/r/{token}/draft/", json.dumps(draft), content_type="application/json").status_code == 200
    rater_language.choose(rater_id=Rater.objects.get().pk, language="de")
    after = shown(somebody, token)
    assert "Das ganze Dokument, Text A" in after
    assert texts(after) == texts(before)
    fields = pages.fields_of(after, "answer")
    assert {name: fields[f"t3-{name}"] for name in answer} == {name: [value] for name, value in answer.items()}
    scores = {f"t{number}-p1-document_score": "60" for number in (3, 4)}
    # The page that was open before the change is sent.
    assert send(somebody, token, form, **answers(4, NO_ERROR), **scores).status_code == 302
    assert Rating.objects.filter(criterion__key="document_score", value=60).count() == 2
    invariants.check(study)
