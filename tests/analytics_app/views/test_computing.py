"""Computing scores of metrics from the page: a worker does it, a page tells how far it is, nothing is half stored."""

import re
import signal
import sys
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from celery.exceptions import SoftTimeLimitExceeded
from django.contrib.auth.models import User
from django.db import InterfaceError, connection
from django.db.models.functions import Now
from django.test import Client
from django.test.utils import CaptureQueriesContext

from analytics_app import jobs
from analytics_app.models import MetricScore, ScoreWork
from analytics_app.services.computing import background
from analytics_app.services.computing import scores as computing
from tasks_app.models import Membership, Study
from tasks_app.services import broker, progress
from tasks_app.services.background import AGAIN, GIVEN_UP
from tasks_app.services.study import deleting
from tests.tasks_app.importing import kit

pytestmark = pytest.mark.django_db

PATH = "/admin/studies/fluency/data/scores/"
PROGRESS = f"{PATH}computing/"


ITEMS = """\
item,system,output,source,reference
i1,alpha,First text.,One,First text.
i1,beta,Another text.,One,First text.
i2,alpha,Third text.,Two,First text.
i2,beta,Fourth text.,Two,First text.
i3,alpha,Same.,Three,
i3,beta,Same.,Three,
"""


@pytest.fixture
def study(tmp_path: Path, rosa: User, monkeypatch: pytest.MonkeyPatch) -> Study:
    """A study of two systems with imported ratings, that rosa may edit; two of its three items have a reference."""
    monkeypatch.setattr(progress, "TELL_EVERY", 0.0)
    study = kit.study(tmp_path, items=ITEMS)
    kit.bring(study, tmp_path)
    Membership.objects.create(study=study, user=rosa, role="editor")
    return study


def press(browser: Client, *metrics: str, **more: str | list[str]) -> Any:
    """Fill in the form and press its button."""
    return browser.post(PATH, {"action": "compute", "metrics": metrics, "tokenizer": "13a", **more})


def asked(browser: Client, *metrics: str, **more: str | list[str]) -> ScoreWork:
    """Ask for scores that a worker may compute."""
    answer = press(browser, *metrics, **more)
    assert (answer.status_code, answer["Location"]) == (302, PROGRESS), answer.content.decode()
    return ScoreWork.objects.get()


def page(browser: Client, path: str = PROGRESS, **query: str) -> str:
    answer = browser.get(path, query)
    assert answer.status_code == 200
    return str(answer.content.decode())


def test_from_the_button_to_stored_scores(study: Study, rosas_browser: Client) -> None:
    assert rosas_browser.get(PROGRESS)["Location"] == PATH, "nothing was asked for yet"
    form = page(rosas_browser, PATH)
    assert re.findall(r'name="metrics" value="([^"]+)"', form) == list(computing.known_metrics())
    assert re.search(r'name="references" value="" [^>]*checked>\s*<label [^>]*>The reference of each item<', form)
    assert re.search(r'name="references" value="alpha"[^>]*>\s*<label [^>]*>The texts of ', form)
    assert "Not available here: ja-mecab, ko-mecab." in form
    work = asked(rosas_browser, "BLEU", "ROUGE-L")
    assert not MetricScore.objects.exists()
    assert "Waiting for a background worker." in page(rosas_browser)
    assert "Scores are being computed." in page(rosas_browser, PATH)
    jobs.compute_scores(work.pk)
    stored = sorted(MetricScore.objects.values_list("metric", "item__key", "system__key"), key=repr)
    assert stored == [
        ("BLEU", "i1", "alpha"), ("BLEU", "i1", "beta"), ("BLEU", "i2", "alpha"), ("BLEU", "i2", "beta"),
        ("BLEU", None, "alpha"), ("BLEU", None, "beta"),
        ("ROUGE-L", "i1", "alpha"), ("ROUGE-L", "i1", "beta"), ("ROUGE-L", "i2", "alpha"), ("ROUGE-L", "i2", "beta"),
    ]  # fmt: skip
    assert MetricScore.objects.get(metric="ROUGE-L", item__key="i1", system__key="alpha").value == 1
    assert "data-live-reload" in page(rosas_browser, live="1")
    shown = page(rosas_browser)
    assert "10 scores: BLEU, ROUGE-L." in shown
    assert "2 texts have no score by metrics that need a reference, since their items have none." in shown
    assert "nrefs:1|case:mixed|eff:yes|tok:13a" in page(rosas_browser, PATH)
    event = study.events.get(verb="computed scores")
    assert (event.actor.username, event.after["scores"]) == ("rosa", 10)
    jobs.compute_scores(work.pk)
    assert study.events.filter(verb="computed scores").count() == 1, "a second notification computes nothing"


def test_the_texts_of_a_system_are_the_references(study: Study, rosas_browser: Client) -> None:
    jobs.compute_scores(asked(rosas_browser, "ROUGE-1", references="alpha").pk)
    scores = dict(MetricScore.objects.filter(system__key="beta").values_list("item__key", "value"))
    # "Another text." and "First text." share one of two words each, so do the second; the third are the same.
    assert scores == {"i1": 0.5, "i2": 0.5, "i3": 1}
    assert not MetricScore.objects.filter(system__key="alpha").exists()
    assert MetricScore.objects.first().signature.endswith("|stem:no (references: alpha)")
    assert study.events.get(verb="computed scores").after["references"] == "alpha"


def test_metrics_against_source_and_references_by_number_and_tokenizer(study: Study, rosas_browser: Client) -> None:
    ways = {
        "against": ["references", "source"], "references": ["", "alpha"], "by_number": "on",
        "tokenizer": ["13a", "char"],
    }  # fmt: skip
    work = asked(rosas_browser, "BLEU", "chrF", **ways)
    jobs.compute_scores(work.pk)
    assert set(MetricScore.objects.values_list("metric", flat=True)) == {
        "BLEU", "BLEU (source)", "BLEU (1 of 2 references)", "BLEU (char)", "BLEU (char; source)",
        "BLEU (char; 1 of 2 references)", "chrF", "chrF (source)", "chrF (1 of 2 references)",
    }  # fmt: skip
    # The texts of alpha are references, and are scored only against the source and the reference of each item.
    of_alpha = MetricScore.objects.filter(system__key="alpha", item__isnull=False)
    assert set(of_alpha.values_list("metric", flat=True)) == {
        "BLEU (source)", "BLEU (1 of 2 references)", "BLEU (char; source)", "BLEU (char; 1 of 2 references)",
        "chrF (source)", "chrF (1 of 2 references)",
    }  # fmt: skip
    assert "BLEU (char; 1 of 2 references)" in page(rosas_browser, PATH)


def test_a_request_of_an_earlier_version_is_still_computed(study: Study, rosas_browser: Client) -> None:
    work = asked(rosas_browser, "ROUGE-1")
    given = {"metrics": ["ROUGE-1"], "tokenizer": "13a", "references": "alpha", "replace": False}
    ScoreWork.objects.update(given=given)
    jobs.compute_scores(work.pk)
    assert MetricScore.objects.first().signature.endswith("(references: alpha)")


def test_the_form_warns_where_the_default_does_not_split_words(study: Study, rosas_browser: Client) -> None:
    assert "mean little with it" not in page(rosas_browser, PATH)
    for language, better in (
        ("ko", "char for BLEU,"), ("ja", "char for BLEU and TER,"), ("zh-Hans", "zh for BLEU and TER,"),
        ("th", "char for BLEU,"),
    ):  # fmt: skip
        Study.objects.update(language=language)
        assert f"mean little with it. Tick {better}" in page(rosas_browser, PATH)


def test_what_cannot_be_computed_is_refused_by_the_form(study: Study, rosas_browser: Client) -> None:
    MetricScore.objects.create(study=study, metric="TER", system=study.systems.first(), value=1, source="uploaded")
    for metrics, more, sentence in (
        ((), {}, "Tick at least one metric."),
        (("TER",), {}, "The study has scores of TER already. To replace them, tick “Replace”"),
        (("BLEU",), {"tokenizer": "13b"}, "Select a valid choice. 13b is not one of the available choices."),
        (("BLEU",), {"references": "gamma"}, "Select a valid choice. gamma is not one of the available choices."),
        (("BLEURT",), {}, "Select a valid choice. BLEURT is not one of the available choices."),
        (("BLEU",), {"by_number": "on"}, "Fewer references at once need several places that references come from"),
    ):
        answer = press(rosas_browser, *metrics, **more)
        assert answer.status_code == 422
        assert sentence in answer.content.decode(), sentence
    assert not ScoreWork.objects.exists()
    jobs.compute_scores(asked(rosas_browser, "TER", replace="on").pk)
    assert set(MetricScore.objects.values_list("source", flat=True)) == {"computed"}


def test_references_are_needed_by_some_metrics(
    tmp_path: Path, rosa: User, rosas_browser: Client, settings: Any
) -> None:
    settings.EVALWEB_METRIC_PROGRAMS = {"GRUEN": ["gruen"]}
    study = kit.study(tmp_path)
    kit.bring(study, tmp_path)
    Membership.objects.create(study=study, user=rosa, role="editor")
    for metrics, sentence in (
        (("BLEU", "chrF", "GRUEN"), "BLEU, chrF need references, and no item of this study has one."),
        (("TER",), "TER needs references, and no item of this study has one."),
    ):
        answer = press(rosas_browser, *metrics)
        assert answer.status_code == 422
        assert sentence in answer.content.decode()
    assert press(rosas_browser, "GRUEN").status_code == 302
    assert ScoreWork.objects.get().given["metrics"] == ["GRUEN"]


def test_the_button_pressed_twice_computes_once_and_other_scores_wait(study: Study, rosas_browser: Client) -> None:
    work = asked(rosas_browser, "chrF")
    assert asked(rosas_browser, "chrF") == work
    assert asked(rosas_browser, "TER").given["metrics"] == ["chrF"]
    assert "Other scores of this study are being computed." in page(rosas_browser)
    assert "Scores are being computed in the background." in [
        str(block.sentence)[:44] for block in deleting.prospect(study).blocks
    ]
    jobs.compute_scores(work.pk)
    assert set(MetricScore.objects.values_list("metric", flat=True)) == {"chrF"}
    assert press(rosas_browser, "chrF").status_code == 422, "the scores are there, and are not to be replaced"


def test_scores_that_came_meanwhile_are_not_replaced(study: Study, rosas_browser: Client) -> None:
    work = asked(rosas_browser, "chrF")
    MetricScore.objects.create(study=study, metric="chrF", system=study.systems.first(), value=1, source="uploaded")
    jobs.compute_scores(work.pk)
    assert "The study has scores of chrF already." in page(rosas_browser)
    assert "The last computation ended without storing anything." in page(rosas_browser, PATH)
    assert MetricScore.objects.count() == 1


@pytest.mark.parametrize("at", ["computing", "storing"])
def test_a_worker_that_dies_stores_nothing_and_the_next_one_does_it_all(
    study: Study, rosas_browser: Client, monkeypatch: pytest.MonkeyPatch, at: str
) -> None:
    work = asked(rosas_browser, "BLEU", "chrF")

    def die(*_given: Any, **_more: Any) -> None:
        raise InterfaceError("connection already closed")

    with monkeypatch.context() as patch:
        if at == "computing":
            patch.setattr(computing, "reference_scores", die)
        else:
            patch.setattr(computing.events, "log", die)
        jobs.compute_scores(work.pk)
    assert not MetricScore.objects.exists()
    assert ScoreWork.objects.get().state == "working"
    sent: list[int] = []
    monkeypatch.setattr(broker, "send", lambda _job, ids, **_rest: sent.extend(ids))
    background.WORK.notify_again()
    assert sent == []
    ScoreWork.objects.update(asked_at=Now() - timedelta(seconds=2 * AGAIN))
    jobs.ring_again()
    assert work.pk in sent
    jobs.compute_scores(work.pk)
    assert MetricScore.objects.count() == 12


def test_what_no_worker_did_within_an_hour_is_given_up(study: Study, rosas_browser: Client) -> None:
    asked(rosas_browser, "chrF")
    ScoreWork.objects.update(asked_at=Now() - timedelta(seconds=2 * GIVEN_UP))
    background.WORK.notify_again()
    assert "This could not be done within an hour. Nothing was changed." in page(rosas_browser)


@pytest.mark.parametrize(
    ("program", "sentence"),
    [
        ("raise SystemExit('no model found')", "The program of GRUEN ended with code 1: no model found"),
        ("import os; os.kill(os.getpid(), 9)", f"The program of GRUEN ended with code -{int(signal.SIGKILL)}"),
        ("print('loading <b>')", "Line 1 of the program of GRUEN is no new"),
        ("import sys; sys.stdout.buffer.write(bytes([255]))", "The program of GRUEN: "),
        ("", "The program of GRUEN wrote 0 scores for 6 texts."),
        ("import signal; signal.pause()", "The program of GRUEN was ended after 0.2 seconds."),
    ],
)
def test_a_program_that_fails_stores_nothing(
    study: Study, rosas_browser: Client, settings: Any, program: str, sentence: str
) -> None:
    settings.EVALWEB_METRIC_PROGRAMS = {"GRUEN": [sys.executable, "-c", program]}
    settings.EVALWEB_METRIC_PROGRAM_SECONDS = 0.2 if "pause" in program else 600
    assert "programs that this site&#x27;s administrator has set up: GRUEN." in page(rosas_browser, PATH) or (
        "programs that this site's administrator has set up: GRUEN." in page(rosas_browser, PATH)
    )
    jobs.compute_scores(asked(rosas_browser, "chrF", "GRUEN").pk)
    shown = page(rosas_browser)
    assert "Nothing was stored." in shown
    assert sentence in shown
    assert "<b>" not in shown.partition("loading")[2][:5]
    assert not MetricScore.objects.exists()


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (SoftTimeLimitExceeded(), "This took longer than a background worker may take."),
        (RuntimeError("a bug"), "An error occurred on the server."),
    ],
)
def test_a_failure_is_told(
    study: Study, rosas_browser: Client, monkeypatch: pytest.MonkeyPatch, error: Exception, sentence: str
) -> None:
    def fail(*_given: Any, **_more: Any) -> None:
        raise error

    monkeypatch.setattr(computing, "reference_scores", fail)
    jobs.compute_scores(asked(rosas_browser, "chrF").pk)
    assert sentence in page(rosas_browser)
    assert not MetricScore.objects.exists()


def test_nobody_computes_who_may_no_longer(study: Study, rosas_browser: Client) -> None:
    work = asked(rosas_browser, "chrF")
    Membership.objects.filter(study=study).update(role="viewer")
    jobs.compute_scores(work.pk)
    assert ScoreWork.objects.get().notes == [
        "The person who asked for this may no longer edit the study. Another editor has to ask for it."
    ]
    assert not MetricScore.objects.exists()


def test_a_draft_offers_no_button(study: Study, rosa: User, rosas_browser: Client, tmp_path: Path) -> None:
    draft = kit.study(tmp_path, slug="draft")
    Membership.objects.create(study=draft, user=rosa, role="editor")
    shown = page(rosas_browser, "/admin/studies/draft/data/scores/")
    assert shown.count("The study is a draft, whose items may still change.") == 2
    assert 'value="compute"' not in shown


@pytest.mark.parametrize("state", ["queued", "working", "done", "refused"])
def test_the_page_asks_little(study: Study, rosas_browser: Client, state: str) -> None:
    ScoreWork.objects.create(study=study, state=state, given={}, notes=["A sentence."] * 20)
    for path, query in ((PROGRESS, {}), (PROGRESS, {"live": "1"}), (PATH, {})):
        with CaptureQueriesContext(connection) as asked:
            assert len(page(rosas_browser, path, **query)) < 150_000
        assert len(asked) <= 15


@pytest.mark.django_db(transaction=True)
def test_the_progress_is_seen_while_the_worker_computes(
    tmp_path: Path, rosa: User, rosas_browser: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "TELL_EVERY", 0.0)
    study = kit.study(tmp_path)
    kit.bring(study, tmp_path)
    Membership.objects.create(study=study, user=rosa, role="editor")
    work = asked(rosas_browser, "ROUGE-L", references="beta")
    seen: list[str] = []
    tell = progress.Progress.tell

    def telling(told: progress.Progress, sentence: str) -> None:
        tell(told, sentence)
        seen.append(ScoreWork.objects.get().progress)

    monkeypatch.setattr(progress.Progress, "tell", telling)
    jobs.compute_scores(work.pk)
    assert seen == ["ROUGE-L: system 1 of 1", "Storing the scores"]
    assert MetricScore.objects.count() == 3
