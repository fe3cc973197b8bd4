"""Judgments of texts that were withdrawn: runs leave them out and say so, exports mark them, archives carry them."""

import json
import zipfile
from io import StringIO
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from analytics_app.archive import comparing
from analytics_app.archive.reading import Archive
from analytics_app.models import ResultRow, Run
from analytics_app.runs import digest, preview, start
from analytics_app.selectors.newer_data import changes_since, data_after
from analytics_app.views import run_words, standing
from tasks_app.models import Output, Study, Withdrawal
from tasks_app.services.study import lifecycle, withdrawing
from tests.analytics_app.exports.conftest import as_csv
from tests.analytics_app.filling import Filler
from tests.builders import build_study
from tests.cast import browser_of
from tests.tasks_app.api.conftest import script_of

pytestmark = pytest.mark.django_db

REASON = "The output belongs to another item."


def output_of(study: Study, item: str, system: str) -> Output:
    return Output.objects.get(item__study=study, item__key=item, system__key=system)


def withdraw(study: Study, item: str, system: str = "") -> Withdrawal:
    output = output_of(study, item, system).pk if system else None
    row = study.items.get(key=item)
    return withdrawing.withdraw(study_id=study.pk, item=row.pk, output=output, reason=REASON, by=None).withdrawal


@pytest.fixture
def filler(study: Study) -> Filler:
    """Two raters who judged four texts each, and skipped one."""
    filler = Filler(study)
    texts = [(item, system) for item in ("i0", "i1") for system in ("alpha-mt", "beta-mt")]
    filler.fill((who, item, system, {"fluency": 3}) for who in ("ada", "bob") for item, system in texts)
    filler.judge("ada", "i2", "alpha-mt", {}, skip_reason="cannot_judge", state="skipped")
    return filler


def funnel(run: Run) -> list[tuple[str, str | None, int | None]]:
    """Compute a run; return the steps up to what counts."""
    done = start.compute_here(run=run, drawn=False)
    steps = ResultRow.objects.filter(run=done, analysis="funnel", statistic__in=("stored", "left_out", "collected"))
    return list(steps.order_by("order").values_list("statistic", "label", "n_ratings"))


def test_a_run_leaves_them_out_and_says_so(filler: Filler) -> None:
    study = filler.study
    before = start.start(study=study, by=None, trigger="command")
    assert before.n_seen == 8
    assert "withdrawn" not in before.facts
    first, second = withdraw(study, "i0", "beta-mt"), withdraw(study, "i2")
    run = start.start(study=study, by=None, trigger="command")
    assert run.pk != before.pk, "other texts are left out, so it is another run"
    assert run.n_seen == 6
    assert run.facts["withdrawn"]["withdrawals"] == [first.pk, second.pk]
    assert run.facts["withdrawn"]["texts"] == [{"item": "i0", "whole": False}, {"item": "i2", "whole": True}]
    assert funnel(run) == [
        ("stored", None, 8),
        ("left_out", "withdrawn_text", 2),
        ("collected", None, 6),
    ]
    before_start = [row.n_ratings for row in preview.preview(study, run.settings) if row.label == "withdrawn_text"]
    assert before_start == [2], "the page for a new run says so before it is started"
    assert "are left out: one output of “i0”, “i2”." in standing.standing(run, study)
    # A run that was started before keeps what it saw, and is out of date.
    (changed,) = run_words.since_in_words(changes_since(before, data_after(study, before)[1]))
    assert changed == "Texts were withdrawn, or withdrawals taken back, after this run."
    assert not changes_since(run, data_after(study, run)[1])
    assert start.counts_seen(before)["n_seen"] == 8
    assert digest.digest_of(before) == before.digest
    withdrawing.take_back(withdrawal_id=first.pk, by=None)
    withdrawing.take_back(withdrawal_id=second.pk, by=None)
    again = start.start(study=study, by=None, trigger="command")
    assert again.pk == before.pk, "the ratings, settings and texts are those of the first run"


def test_exports_pages_and_the_api_tell_which(filler: Filler, rosa: User, rosas_browser: Client) -> None:
    study = filler.study
    row = withdraw(study, "i0", "beta-mt")
    marked = {(row["item"], row["system"], row["excluded_by"]) for row in as_csv(study)}
    assert {of for of in marked if of[2]} == {("i0", "beta-mt", "withdrawn_text")}
    assert len([row for row in as_csv(study) if row["excluded_by"]]) == 2

    items = rosas_browser.get(reverse("researcher:items", args=[study.slug])).content.decode()
    assert REASON in items
    monitor = rosas_browser.get(reverse("analytics:monitor", args=[study.slug])).content.decode()
    assert "1 unit shows a withdrawn text" in monitor
    review = rosas_browser.get(reverse("researcher:review", args=[study.slug])).content.decode()
    assert "1 text is withdrawn." in review
    (found,) = script_of(rosa, study).get(f"/api/v1/studies/{study.slug}/").json()["withdrawals"]
    assert (found["item"], found["system"], found["reason"], found["by"]) == ("i0", "beta-mt", REASON, None)
    assert found["taken_back_at"] is None

    address = reverse("researcher:take_back", args=[study.slug])
    assert rosas_browser.post(address, {"withdrawal": "x"}).status_code == 404
    assert rosas_browser.post(address, {"withdrawal": row.pk}).status_code == 302
    assert not [row for row in as_csv(study) if row["excluded_by"]]


def test_the_page_asks_for_a_reason_first(study: Study, rosas_browser: Client, mallory: User) -> None:
    output = output_of(study, "i0", "beta-mt")
    address = reverse("researcher:withdraw", args=[study.slug])
    about = {"item": output.item_id, "output": output.pk}
    page = rosas_browser.get(address, about).content.decode()
    assert output.text in page
    assert rosas_browser.get(address, {"item": "9" * 30}).status_code == 404
    assert browser_of(mallory).post(address, about).status_code == 404
    refused = rosas_browser.post(address, about)
    assert (refused.status_code, "Enter a reason" in refused.content.decode()) == (422, True)
    assert not Withdrawal.objects.exists()
    done = rosas_browser.post(address, {**about, "reason": REASON}, follow=True).content.decode()
    assert "Withdrawn. No rater is given it from now on; 0 judgments of it are kept and marked." in done
    assert f"?item={output.item_id}&amp;output={output.pk}" not in done, "it is withdrawn already"
    lifecycle.move(study_id=study.pk, action="close", by=None)
    assert rosas_browser.get(address, about).status_code == 404


def test_a_planned_run_after_another_one_with_other_texts_is_exploratory(filler: Filler) -> None:
    study = filler.study
    lifecycle.move(study_id=study.pk, action="close", by=None)
    planned = start.start(study=study, by=None, trigger="command")
    assert planned.planned
    Run.objects.filter(pk=planned.pk).update(state="done")
    lifecycle.move(study_id=study.pk, action="open", by=None, reason="A wrong text.")
    withdraw(study, "i0")
    lifecycle.move(study_id=study.pk, action="close", by=None)
    later = start.start(study=study, by=None, trigger="command")
    assert not later.planned
    assert later.facts["planned_before"] == planned.number
    assert "withdrawn texts changed after it" in standing.standing(later, study)


def test_an_archive_has_them_and_its_rows_bear_out_what_the_run_left_out(filler: Filler, tmp_path: Path) -> None:
    study = filler.study
    row = withdraw(study, "i0", "beta-mt")
    lifecycle.move(study_id=study.pk, action="close", by=None)
    run = start.compute_here(run=start.start(study=study, by=None, trigger="command"), drawn=False)
    path = tmp_path / "archive.zip"
    call_command("archive", study.slug, str(path), stdout=StringIO())
    with zipfile.ZipFile(path) as archive:
        (stored,) = map(json.loads, archive.read("rows/withdrawal.jsonl").decode().splitlines())
        assert (stored["id"], stored["reason"], stored["by_id"]) == (row.pk, REASON, None)
        assert "rows/withdrawnunit.jsonl" in archive.namelist()
        assert "withdrawn while the study was open" in archive.read("methods.md").decode()
    archive = Archive.open(path)
    assert list(comparing.compare(archive, run).differences) == []
    # A run that says that it left out another text, or none, contradicts the rows.
    left = dict(run.facts["withdrawn"])
    run.facts["withdrawn"] = {**left, "units": [left["units"][0] + 1]}
    told = [difference.sentence for difference in comparing.compare(archive, run).differences]
    assert "results/run.jsonl: withdrawn is not what the rows give." in told
    del run.facts["withdrawn"]
    told = [difference.sentence for difference in comparing.compare(archive, run).differences]
    assert "results/run.jsonl: the run does not leave out “i0”, which was withdrawn before it." in told
    row.units.all().delete()
    told = [difference.sentence for difference in comparing.compare(archive, run).differences]
    assert "The withdrawn units of “i0” are not those that show it." in told


def test_another_study_is_not_touched(filler: Filler) -> None:
    other = build_study(None, slug="another")
    withdraw(filler.study, "i0")
    assert "withdrawn" not in start.start(study=other, by=None, trigger="command").facts
