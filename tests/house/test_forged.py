"""Forged posts, for every task type: refused with 4xx, nothing stored, no trace in the data of others."""

import json
import re
import uuid
from collections.abc import Iterator, Mapping
from pathlib import Path
from random import Random
from urllib.parse import urlencode

import pytest
from django import forms
from django.core.exceptions import ValidationError
from django.http import QueryDict
from django.test import Client
from django.urls import reverse
from django.utils.html import escape
from pytest_django import Settings

from tasks_app.forms import ConsentForm
from tasks_app.links import credentials
from tasks_app.management.simulated_raters import hidden_fields
from tasks_app.models import Assignment, Draft, Judgment, Rater, Rating, Study
from tasks_app.selectors import screens
from tasks_app.task_types.base import Quality
from tests import extent
from tests.house.examples import COVERING, FOLDERS, every_example, load, opened

pytestmark = pytest.mark.django_db

DEEP = "[" * 5_000 + "]" * 5_000
# What no number, choice or structure of any type is.
JUNK = (
    "999999999999", "-1e9", "0x1F", "1.5.2", "NaN", "Infinity", "nothing of the kind", "null", "true", "{}", "[[]]",
    '[{"start": -1, "end": 1e400}]', '[{"start": "0", "end": null, "side": "output"}]', '{"a": {"b": [1, 2]}}', DEEP,
    "\ud800", "١٢٣٤٥٦٧٨٩", "<script>alert(1)</script>", "'; DROP TABLE tasks_app_rating; --",
)  # fmt: skip
# What no field takes, free text included.
POISON = ("a\0b", "x" * 1_500_000)
# A type has many fields alike; the first ones stand for the rest, and more of them in an exhaustive run.
MOST_FIELDS = 2 * extent.times_as_many()
TICK = forms.BooleanField()
# The form refuses each forgery; of so many, one is also posted and shown again, another one with each example.
POSTED_EVERY = 6
TURNS = {f"forged-{name}": number for number, name in enumerate(FOLDERS)}


@pytest.fixture(autouse=True)
def own_media(tmp_path: Path, settings: Settings) -> None:
    """Point storage to an empty folder."""
    settings.MEDIA_ROOT = tmp_path / "storage"


class Rated:
    """A rater at their first unit: the page, the form and an honest answer."""

    def __init__(self, study: Study) -> None:
        self.study = study
        self.client = Client()
        bound = {"study": study.pk, "nonce": uuid.uuid4().hex}
        joined = self.client.post(
            reverse("rater:join", args=[study.link_code]),
            {"form_token": credentials.sign(ConsentForm.action, **bound)},
        )
        self.token = joined.headers["Location"].strip("/").split("/")[-1]
        begin = reverse("rater:instructions", args=[self.token])
        self.client.post(begin, hidden_fields(self.client.get(begin).content.decode()))
        self.url = reverse("rater:judge", args=[self.token])
        self.hidden = hidden_fields(self.client.get(self.url).content.decode(), "answer")
        signed = credentials.read_signed("judge", self.hidden["form_token"])
        rater = Rater.objects.get(token_hash=credentials.hash_token(self.token))
        self.assignment = Assignment.objects.select_related("unit").get(rater=rater, order=signed["unit"])
        self.screen = screens.screen_of(self.assignment, study)
        self.kind = screens.frame_of(self.assignment.unit.task_id, study).kind
        # Answers of several kinds of raters: what one leaves empty another fills in.
        self.answers = [self.kind.simulate(self.screen, quality, Random(7)) for quality in Quality]

    def send(self, answer: Mapping[str, str]) -> int:
        """Post an answer; the status."""
        data = encoded({**self.hidden, **answer, "submission": str(uuid.uuid4())})
        return self.client.post(self.url, data, "application/x-www-form-urlencoded").status_code

    def is_refused(self, answer: Mapping[str, str]) -> bool:
        """Return whether the form behind the page refuses an answer as it is posted."""
        return self.cleaned(answer) is None

    def cleaned(self, answer: Mapping[str, str]) -> dict[str, object] | None:
        """Return an answer as the form behind the page keeps it; None where the form refuses it."""
        form = self.kind.form(self.screen, QueryDict(encoded(answer)))
        return form.cleaned_data if form.is_valid() else None


def encoded(data: Mapping[str, str]) -> str:
    """Return the bytes that a browser would send, half characters included."""
    return urlencode({name: value.encode("utf-8", "surrogatepass") for name, value in data.items()})


def stored() -> tuple[int, ...]:
    """Count what an answer leaves behind."""
    return tuple(model.objects.count() for model in (Judgment, Rating, Draft))


def forgeries(rated: Rated) -> Iterator[tuple[str, Mapping[str, str]]]:
    """Yield honest answers with one field spoilt; each field once, in the first answer that has it."""
    spoilt: set[str] = set()
    for answer in rated.answers:
        form = rated.kind.form(rated.screen, answer)
        for name in answer:
            # Whatever is sent for a tick means yes, and nothing of it is kept.
            if (
                name in spoilt
                or isinstance(form.fields.get(name, TICK), forms.BooleanField)
                or len(spoilt) == MOST_FIELDS
            ):
                continue
            rest = {field: value for field, value in answer.items() if field != name}
            if rated.cleaned(rest) == rated.cleaned(answer):
                # Not asked after the other answers: left out, whatever it holds.
                assert rated.cleaned({**rest, name: JUNK[0]}) == rated.cleaned(answer)
                continue
            spoilt.add(name)
            junk = POISON if is_free_text(form.fields[name]) else (*JUNK, *POISON)
            yield from ((f"{name}={one[:40]!r}", {**answer, name: one}) for one in junk)


def is_free_text(field: forms.Field) -> bool:
    """Say whether a field takes any words."""
    try:
        field.clean("nothing of the kind")
    except ValidationError:
        return False
    return True


@every_example
def test_a_page_tells_nothing_about_systems_or_gold_and_takes_what_it_asks_for_alone(name: str, tmp_path: Path) -> None:
    has_others = name in COVERING or extent.is_exhaustive()
    study = opened(load(name, tmp_path, f"forged-{name}", **({"k": 20} if has_others else {})))
    rated = Rated(study)
    _tells_nothing_about_systems_or_gold(rated)
    if has_others:
        _no_field_takes_what_it_is_not_for(rated)
        _what_is_anothers_stays_anothers(rated, Rated(study))
    # A refusal and a success share their set-up.
    _takes_no_more_fields(rated)


def _what_is_anothers_stays_anothers(ada: Rated, mallory: Rated) -> None:
    before = stored()
    honest = ada.answers[0]
    # Ada's signed form posted at Mallory's address, and a form that Mallory signed with nothing.
    stolen = mallory.client.post(mallory.url, {**ada.hidden, **honest})
    made_up = mallory.client.post(mallory.url, {**mallory.hidden, **honest, "form_token": "a:b:c"})
    assert (stolen.status_code, made_up.status_code) == (403, 403)
    draft_url = reverse("rater:draft", args=[mallory.token])
    body = {"form_token": ada.hidden["form_token"], "counter": 1, "answer": honest}
    assert mallory.client.post(draft_url, json.dumps(body), "application/json").status_code == 403
    for wrong in ({"answer": [1]}, {"answer": {"a": {"b": 1}}}, {"counter": -1}, {"counter": True}, {"answer": None}):
        body = {"form_token": mallory.hidden["form_token"], "counter": 1, "answer": {}, **wrong}
        assert mallory.client.post(draft_url, json.dumps(body), "application/json").status_code == 400
    assert stored() == before


def _no_field_takes_what_it_is_not_for(rated: Rated) -> None:
    before = stored()
    forged = list(forgeries(rated))
    assert len(forged) >= len(POISON)
    for number, (what, answer) in enumerate(forged, start=TURNS[rated.study.slug]):
        assert rated.is_refused(answer), what
        if extent.is_exhaustive() or number % POSTED_EVERY == 0:
            status = rated.send(answer)
            assert status == 422, f"{what}: {status}"
    assert not rated.is_refused(rated.answers[0])
    # More than the server reads at all, whatever it is: as 10^9 characters are.
    name = next(iter(rated.answers[0]))
    assert rated.send({**rated.answers[0], name: "9" * 3_000_000}) == 413
    assert rated.send({}) == 422
    assert stored() == before


def _takes_no_more_fields(rated: Rated) -> None:
    more = {"p99-fluency": "5", "correct": "1", "system": "ours", "value": "1", "gold": "1", "part": "0"}
    assert rated.send({**rated.answers[0], **more}) == 302
    (judgment,) = Judgment.objects.select_related("assignment")
    assert judgment.assignment.rater_id == rated.assignment.rater_id
    assert not set(judgment.answer) & set(more)


def _tells_nothing_about_systems_or_gold(rated: Rated) -> None:
    study = rated.study
    page = rated.client.get(rated.url).content.decode()
    texts = {part.text for part in rated.screen.parts} | {rated.screen.source, rated.screen.reference}
    for text in sorted(texts - {""}, key=len, reverse=True):
        page = page.replace(text, "").replace(escape(text), "")
    unit = rated.assignment.unit
    assert study.title not in page
    assert not re.search(rf"\b{re.escape(unit.key)}\b", page) or not unit.parts.exists()
    assert Rater.objects.get().pseudonym  # there is a rater whose page this is
    for key in study.systems.values_list("key", flat=True):
        assert f'"{key}"' not in page
        assert f">{key}<" not in page
