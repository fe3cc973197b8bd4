"""Rewrites that raters write are verified by others: the bad ones are rejected, the good ones become pairs."""

import json
from random import Random
from typing import Any

import pytest
from django.test import Client

from tasks_app.management.simulated_raters import Answering
from tasks_app.models import CollectedText, Output, Payment, Rater, Study
from tasks_app.services.study import lifecycle
from tasks_app.task_types.base import Screen, TaskType
from tests.published.kit import begun, judged, opened

pytestmark = pytest.mark.django_db

# What is left of the comment where somebody rewrites it badly.
RUDE = "This is stupid"


def writer(number: int, _rng: Random) -> Answering:
    """Return a rater who rewrites politely, but for the third, who stays rude; the first two write the same once."""

    def answer(kind: TaskType, screen: Screen) -> dict[str, str]:
        source = screen.parts[0].text
        if number == 2:
            return {"p1-text": f"{RUDE}: {source[:20]}"}
        name = "" if source.startswith("The bus") else f" ({number})"
        return {"p1-text": f"Politely{name}: {source[:20]}"}

    return answer


def verifier(_number: int, _rng: Random) -> Answering:
    """Return a rater who sees which texts are rude."""

    def answer(kind: TaskType, screen: Screen) -> dict[str, str]:
        rude = RUDE in screen.parts[0].text
        return {"p1-meaning": "yes", "p1-toxic": "yes" if rude else "no"}

    return answer


def page(browser: Client, study: Study) -> str:
    return browser.get(f"/admin/studies/{study.slug}/data/texts/").content.decode()


@pytest.mark.exhaustive
def test_bad_rewrites_are_rejected_and_good_ones_become_pairs(rosas_browser: Client) -> None:
    rewrites = judged(opened(begun(rosas_browser, "detoxification_rewrites")), writer, 3)
    template = begun(rosas_browser, "detoxification_verification")
    address = f"/admin/studies/{rewrites.slug}/data/texts/"
    # 36 answers; two are the same words about the bus.
    assert "Make the study that verifies these 35 texts" in page(rosas_browser, rewrites)
    sent = {"only_new": "on", "only_changed": "on", "like": str(template.pk)}
    answer = rosas_browser.post(f"{address}verify/", sent)
    assert answer.status_code == 302, answer.content.decode()
    draft = CollectedText.objects.filter(origin=rewrites).first()
    assert draft is not None
    verification = judged(opened(draft.study), verifier, 18)
    assert Output.objects.filter(item__study=verification).count() == 35

    pairs = lines(rosas_browser, f"{address}pairs.jsonl")
    assert len(pairs) == 24
    assert not [pair for pair in pairs if RUDE in pair["rewrite"]]
    assert {pair["verdict"] for pair in pairs} == {"accepted"}
    every = lines(rosas_browser, f"{address}pairs.jsonl?which=all")
    rejected = [pair for pair in every if pair["verdict"] == "rejected"]
    assert len(every) == 36
    assert len(rejected) == 12
    assert all(RUDE in pair["rewrite"] and pair["answers"]["toxic"] == {"yes": 3} for pair in rejected)
    names = dict(Rater.objects.filter(study=rewrites).values_list("pk", "pseudonym"))
    bad = max(names)
    assert {pair["author"] for pair in rejected} == {names[bad]}
    bonuses_are_paid_once(rosas_browser, rewrites, bad)


def lines(browser: Client, address: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in browser.get(address).content.decode().splitlines()]


def bonuses_are_paid_once(browser: Client, rewrites: Study, bad: int) -> None:
    base = dict(Payment.objects.filter(kind="full").values_list("rater", "amount"))
    for press in ("one", "one", "two"):
        answer = browser.post(
            f"/admin/studies/{rewrites.slug}/data/texts/bonuses/", {"form": press, "simulated": "on"}, follow=True
        )
        assert answer.status_code == 200
    bonuses = list(Payment.objects.filter(kind="bonus", rater__study=rewrites))
    assert [str(row.amount) for row in bonuses] == ["0.60", "0.60"]
    assert bad not in {row.rater_id for row in bonuses}
    assert {row.reason for row in bonuses} == {"12 accepted texts"}
    assert dict(Payment.objects.filter(kind="full").values_list("rater", "amount")) == base


def test_a_text_is_undecided_until_its_verification_is_closed(rosas_browser: Client) -> None:
    rewrites = judged(opened(begun(rosas_browser, "detoxification_rewrites")), writer, 3)
    address = f"/admin/studies/{rewrites.slug}/data/texts/"
    rosas_browser.post(f"{address}verify/", {"only_new": "on", "only_changed": "on", "like": ""})
    verification = opened(CollectedText.objects.filter(origin=rewrites)[0].study)
    assert not lines(rosas_browser, f"{address}pairs.jsonl")
    assert (
        "There are no texts to verify"
        in rosas_browser.post(
            f"{address}verify/", {"only_new": "on", "only_changed": "on", "like": ""}, follow=True
        ).content.decode()
    )
    lifecycle.move(study_id=verification.pk, action="close", by=None)
    # Closed without an answer: undecided, not rejected.
    assert {pair["verdict"] for pair in lines(rosas_browser, f"{address}pairs.jsonl?which=all")} == {"undecided"}
