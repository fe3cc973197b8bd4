"""Pages of several texts: what is on them, what a browser sends, and what becomes of it."""

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.conf import settings
from django.contrib.auth.models import User
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from tasks_app import studyfile
from tasks_app.models import Assignment, Draft, Judgment, Rater, RaterSet, Study
from tasks_app.services.study import lifecycle
from tests import invariants, pages
from tests.builders import build_study
from tests.tasks_app.checks_kit import checked_study
from tests.tasks_app.statements import statements

pytestmark = pytest.mark.django_db

PREFIXES = ("", "t2-", "t3-", "t4-", "t5-")


def paged_study(n: int = 3, **rest: Any) -> Study:
    """Open a study of six texts a set, of which n stand on a page."""
    return build_study(None, **{"items": 6, "set_size": 6, "spacing": 2, "params": {"texts_per_page": n}, **rest})


def answers(*steps: int, criterion: str = "fluency") -> dict[str, str]:
    """Return the answers to the texts of a page, in their order."""
    return {f"{prefix}p1-{criterion}": str(step) for prefix, step in zip(PREFIXES, steps, strict=False)}


def shown(browser: Client, token: str) -> HttpResponse:
    """Open the next page."""
    page: HttpResponse = browser.get(f"/r/{token}/judge/")
    return page


def send(browser: Client, token: str, form: dict[str, str], **rest: str) -> HttpResponse:
    """Send a page."""
    answer: HttpResponse = browser.post(f"/r/{token}/judge/", {**form, **rest})
    return answer


def ratings() -> list[Any]:
    """Return the stored ratings, in the order of the units."""
    stored = Judgment.objects.current().order_by("assignment__order")
    return [judgment.skip_reason or judgment.answer["p1-fluency"] for judgment in stored]


def test_a_study_is_judged_page_by_page_without_scripts(somebody: Client) -> None:
    study = paged_study(4)
    token = pages.join(study)
    page = shown(somebody, token).content.decode()
    assert re.findall(r"<h2[^>]*><bdi>(Text .*?)</bdi>", page) == [f"Text {n} of 6" for n in range(1, 5)]
    assert "Texts 1 to 4 of 6" in page
    ids = re.findall(r'\bid="([^"]+)"', page)
    assert len(ids) == len(set(ids)), "an id stands twice on the page"
    form = pages.unit(somebody, token)
    assert send(somebody, token, form, **answers(1, 2, 3, 4)).status_code == 302
    page = shown(somebody, token).content.decode()
    assert re.findall(r"<h2[^>]*><bdi>(Text .*?)</bdi>", page) == ["Text 5 of 6", "Text 6 of 6"]
    assert send(somebody, token, pages.unit(somebody, token), **answers(5, 1)).headers["Location"].endswith("/judge/")
    assert shown(somebody, token).headers["Location"].endswith("/end/")
    assert ratings() == [1, 2, 3, 4, 5, 1]
    assert Rater.objects.get().outcome == Rater.Outcome.COMPLETED
    invariants.check(study)


def test_what_is_wrong_is_listed_by_text_and_nothing_is_stored(somebody: Client) -> None:
    token = pages.join(paged_study())
    form = pages.unit(somebody, token)
    refused = send(somebody, token, form, **answers(4) | {"t3-p1-fluency": "9", "t3-comment": "x"})
    assert refused.status_code == 422
    summary = refused.content.decode().split("data-error-summary", 1)[1].split("</ul>")[0]
    assert re.findall(r'<a href="#([^"]+)">(.*?)</a>', summary) == [
        ("id_t2-p1-fluency", "Text 2 of 6: Answer “How good is the fluency?”."),
        ("id_t3-p1-fluency", "Text 3 of 6: Choose one of the steps shown."),
    ]
    assert not Judgment.objects.exists()
    again = pages.fields_of(refused.content.decode(), "answer")
    assert (again["p1-fluency"], again["t3-comment"]) == (["4"], ["x"])
    sent = {name: values[0] for name, values in again.items()}
    assert send(somebody, token, sent, **answers(4, 3, 2)).status_code == 302
    assert ratings() == [4, 3, 2]


def test_twice_is_once_and_a_second_tab_chooses(somebody: Client) -> None:
    token = pages.join(paged_study())
    first, second = pages.unit(somebody, token), pages.unit(somebody, token)
    Assignment.objects.filter(state="live").update(first_shown="2026-01-01T00:00:00Z")
    for _time in range(2):
        assert send(somebody, token, first, **answers(1, 2, 3)).status_code == 302
    assert send(somebody, token, second, **answers(1, 2, 3)).status_code == 302, "the same answers are no conflict"
    refused = send(somebody, token, second, seconds_active="0.6", **answers(1, 5, 4))
    assert refused.status_code == 409
    assert ratings() == [1, 2, 3]
    page = refused.content.decode()
    assert re.findall(r"<h2[^>]*><bdi>(Text .*?)</bdi>", page) == ["Text 2 of 6", "Text 3 of 6"]
    assert send(somebody, token, pages.hidden(refused)).status_code == 302
    assert ratings() == [1, 5, 4]
    changed = Judgment.objects.exclude(replaces=None)
    assert [judgment.seconds_active for judgment in changed] == [pytest.approx(0.2)] * 2


def test_texts_are_skipped_one_by_one(somebody: Client) -> None:
    study = paged_study()
    token = pages.join(study)
    form = pages.unit(somebody, token)
    skipped = {"t2-skip_reason": "upsetting", "t2-comment": "sad"}
    assert send(somebody, token, form, **answers(1), **skipped).status_code == 422, "the third is open still"
    assert send(somebody, token, form, **answers(1), **skipped, **{"t3-skip_reason": "never"}).status_code == 422
    assert send(somebody, token, form, **answers(1) | {"t3-p1-fluency": "5"}, **skipped).status_code == 302
    assert ratings() == [1, "upsetting", 5]
    assert Judgment.objects.get(skip_reason="upsetting").comment == "sad"
    invariants.check(study)


def test_texts_are_not_skipped_where_the_study_does_not_allow_it(somebody: Client) -> None:
    token = pages.join(paged_study(allow_skip=False))
    assert "skip_reason" not in shown(somebody, token).content.decode()
    form = pages.unit(somebody, token)
    assert send(somebody, token, form, **answers(1, 2), **{"t3-skip_reason": "other"}).status_code == 422


def test_each_text_has_its_draft(somebody: Client) -> None:
    token = pages.join(paged_study())
    form = pages.unit(somebody, token)
    draft = {"form_token": form["t2-form_token"], "counter": 3}
    draft["answer"] = {"p1-fluency": "2", "comment": "later", "skip_reason": "other", "t3-p1-fluency": "5"}
    saved = somebody.post(f"/r/{token}/draft/", json.dumps(draft), content_type="application/json")
    assert saved.status_code == 200
    stored = Draft.objects.get()
    assert (stored.assignment.order, stored.counter) == (2, 3)
    assert stored.answer == {"p1-fluency": "2", "comment": "later", "skip_reason": "other"}
    page = shown(somebody, token).content.decode()
    fields = pages.fields_of(page, "answer")
    assert (fields["t2-p1-fluency"], fields["t2-comment"], fields["t2-skip_reason"]) == (["2"], ["later"], ["other"])
    assert "t3-p1-fluency" not in fields
    assert re.findall(r'data-draft-counter="(\d+)"', page) == ["0", "3", "0"]


def test_the_time_of_a_page_is_shared_and_events_go_to_their_texts(somebody: Client) -> None:
    token = pages.join(paged_study())
    form = pages.unit(somebody, token)
    Assignment.objects.filter(state="live").update(first_shown="2026-01-01T00:00:00Z")
    log = [[0, "open"], [1, "change", "p1-fluency", "1"], [2, "change", "t2-p1-fluency", "2"], [3, "away"]]
    send(somebody, token, form, **answers(1, 2, 3), seconds_active="30", seconds_elapsed="45", log=json.dumps(log))
    stored = list(Judgment.objects.order_by("assignment__order"))
    assert [(judgment.seconds_active, judgment.seconds_elapsed) for judgment in stored] == [(10, 15)] * 3
    assert [judgment.log for judgment in stored] == [
        [[0, "open"], [1, "change", "p1-fluency", "1"], [3, "away"]],
        [[0, "open"], [2, "change", "p1-fluency", "2"], [3, "away"]],
        [[0, "open"], [3, "away"]],
    ]


def test_the_time_of_a_page_is_at_most_what_has_passed(somebody: Client) -> None:
    token = pages.join(paged_study())
    send(somebody, token, pages.unit(somebody, token), **answers(1, 2, 3), seconds_active="3000")
    assert all(judgment.seconds_active < 100 for judgment in Judgment.objects.all())


def test_going_back_and_coming_back_in_the_middle(somebody: Client) -> None:
    token = pages.join(paged_study())
    send(somebody, token, pages.unit(somebody, token), **answers(1, 2, 3))
    assert f"/r/{token}/judge/3/" in shown(somebody, token).content.decode()
    earlier = somebody.get(f"/r/{token}/judge/3/")
    assert send(somebody, token, pages.hidden(earlier, "answer"), **{"p1-fluency": "5"}).status_code == 302
    assert ratings() == [1, 2, 5]
    RaterSet.objects.update(lease_until="2026-01-01T00:00:00Z")
    assert re.findall(r"<bdi>(Text \d.*?)</bdi>", shown(somebody, token).content.decode()) == [
        "Text 4 of 6",
        "Text 5 of 6",
        "Text 6 of 6",
    ]


def test_tokens_of_texts_that_no_page_holds_together_are_refused(somebody: Client) -> None:
    token = pages.join(paged_study(2))
    form = pages.unit(somebody, token)
    other = {name.replace("t2-", "t3-"): value for name, value in form.items() if name.startswith("t2-")}
    assert send(somebody, token, {**form, **other}, **answers(1, 2, 3)).status_code == 403, "a text stands twice"
    twice = {name.replace("t2-", ""): value for name, value in form.items() if name.startswith("t2-")}
    assert send(somebody, token, {**form, **twice}, **answers(1, 2)).status_code == 403
    assert send(somebody, token, {**form, "t2-form_token": "forged"}, **answers(1, 2)).status_code == 403
    assert not Judgment.objects.exists()


def test_practice_is_single_and_checks_stand_among_the_texts(somebody: Client) -> None:
    study = checked_study(checks={"training": 1, "exam": 1}, params={"texts_per_page": 3}, set_size=6)
    token = pages.join(study)
    sizes = []
    while not (page := shown(somebody, token)).headers.get("Location", "").endswith("/end/"):
        if page.status_code == 302:
            step = page.headers["Location"]
            somebody.post(step, pages.hidden(somebody.get(step)))
            continue
        form = pages.hidden(page, "answer")
        sizes.append(sum(name.endswith("form_token") for name in form))
        assert send(somebody, token, form, **answers(3, 3, 3)).status_code == 302
    assert sizes == [1, 1, 3, 3, 3], "practice, test, then pages of texts and checks"
    assert sorted(Judgment.objects.values_list("assignment__purpose", flat=True)) == [
        "attention", "control", "control", "exam", *["main"] * 6, "training",
    ]  # fmt: skip
    invariants.check(study)


def test_statements_of_pages(somebody: Client) -> None:
    """A page of five takes as many statements to show and to store as a page of one."""
    counts = {}
    for n in (1, 5):
        token = pages.join(paged_study(n, slug=f"of-{n}", items=12, set_size=12))
        shown(somebody, token)
        with statements() as to_show:
            form = pages.unit(somebody, token)
        with statements() as to_store:
            assert send(somebody, token, form, **answers(*range(1, n + 1))).status_code == 302
        counts[n] = (len(to_show), len(to_store))
    assert counts == {1: (4, 6), 5: (4, 6)}


def test_the_preview_shows_the_page_of_several_texts(rosas_browser: Client, rosa: User) -> None:
    study = studyfile.load(Path(settings.BASE_DIR) / "examples/published/detoxification", owner=rosa)
    path = reverse("researcher:preview", args=[study.slug])
    page = rosas_browser.get(path, {"unit": "6"}).content.decode()
    assert re.findall(r"<h2[^>]*><bdi>(Text .*?)</bdi>", page) == [f"Text {n} of 11" for n in range(5, 9)]
    assert "unit=1" in page
    assert "unit=9" in page
    assert rosas_browser.post(path, {"p1-toxic": "Yes"}).status_code == 422
    answer = {f"{prefix}p1-{key}": "No" for prefix in PREFIXES[:4] for key in ("toxic", "same")}
    tried = rosas_browser.post(path, answer)
    assert tried.status_code == 200
    assert "This answer would store these ratings." in tried.content.decode()
    assert not Judgment.objects.exists()


def test_recordings_stand_on_a_page_of_several_with_their_own_players(somebody: Client, tmp_path: Path) -> None:
    folder = tmp_path / "recordings"
    shutil.copytree(settings.BASE_DIR / "examples" / "pictures_and_sounds", folder)
    document = yaml.safe_load((folder / "study.yaml").read_text(encoding="utf-8"))
    _pictures, sounds = document["tasks"]
    sounds["params"]["texts_per_page"] = 3
    rows = (folder / "items.csv").read_text(encoding="utf-8").splitlines(keepends=True)
    (folder / "items.csv").write_text("".join([rows[0], *(row for row in rows if ",sound" in row)]), encoding="utf-8")
    document |= {"tasks": [sounds], "criteria": document["criteria"][1:], "systems": document["systems"][2:]}
    (folder / "study.yaml").write_text(yaml.safe_dump(document, allow_unicode=True), encoding="utf-8")
    for picture in folder.glob("*.png"):
        picture.unlink()
    study = studyfile.load(folder, owner=None)
    lifecycle.move(study_id=study.pk, action="open", by=None)
    token = pages.join(study)
    page = shown(somebody, token).content.decode()
    ids = re.findall(r'\bid="([^"]+)"', page)
    assert len(ids) == len(set(ids)), "an id stands twice on the page"
    assert len(re.findall(r"<(?:audio|video)\b", page)) == 3
    assert len(set(re.findall(r'<track[^>]*src="([^"]+)"', page))) == 3
    answered = answers(1, 3, 5, criterion="accuracy")
    assert send(somebody, token, pages.unit(somebody, token), **answered).status_code == 302
    assert Judgment.objects.count() == 3
