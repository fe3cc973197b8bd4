"""Every page of researchers about a study with several tasks, groups, checks and runs: how many queries it asks."""

from pathlib import Path
from random import Random

import pytest
from django.contrib.auth.models import User

from analytics_app.models import ResultLift, Run
from bench.addresses import DRAFTS, PAGES
from tasks_app import studyfile
from tasks_app.models import Rater, Study
from tasks_app.selectors.screens import RaterScreen
from tasks_app.services.judging import judgments
from tasks_app.services.study import lifecycle, projects
from tasks_app.setup import changes
from tasks_app.setup.checking import make_study
from tasks_app.setup.frozen import current_version, frozen_setup
from tests.analytics_app.builders import add_plots, build_run, funnel, slider_rows, store
from tests.cast import browser_of
from tests.house.test_pages_at_size import MOST_QUERIES, ask_for
from tests.walk import answer, arrive, next_for

pytestmark = pytest.mark.django_db

STUDY = """
evalweb: 1
study: {slug: several, title: Several tasks, public_title: Reading}
pay: {minutes: 20, amount: 4.00, currency: EUR, part_amount: 0.50}
channels: {link: {}, prolific: {}}
codes: {completed: CDONE, screened_out: CSCREEN, failed: CTEST, full: CFULL, withdrawn: CSTOP}
criteria:
  - {key: content, name: Content, question: How good}
  - {key: better, name: Preference, question: Which is better}
groups: [{key: diary, name: Diary}, {key: letters, name: Letters}]
tasks:
  - {key: main, type: slider, criteria: [content], k: 2, set_size: 4, spacing: 1, checks: {controls: 1}}
  - {key: pairs, type: pairwise, criteria: [better], k: 2, set_size: 2, spacing: 0, groups: [letters]}
  - {key: again, type: slider, criteria: [content], k: 2, set_size: 4, spacing: 1, groups: [diary]}
"""
EVALUATED = (f"i{item},{system},Text {item} by {system}" for item in range(4) for system in "ab")
ITEMS = "\n".join(["item,system,output", *EVALUATED, "known,a,A known text", "known,b,Another known text"])
CONTROLS = """task,unit,purpose,criterion,kind,answer,explanation
main,known/a,control,content,range,"[1, 40]",
main,known/b,control,content,range,"[1, 40]",
again,known/a,control,content,range,"[1, 40]",
again,known/b,control,content,range,"[1, 40]",
pairs,known/a+b,control,better,set,"[""a""]",
"""


# Pages of scripts, which need a token; and pages that a closed study does not have.
ELSEWHERE = {"api", "api_results"}
OPEN_ONLY = {"researcher:withdraw", "researcher:extend"}
# A page that plans further judgments for each task by queries of its own.
FOR_EACH_TASK = {"researcher:extend judgments=1": 6}
# The page that asks whether to delete a closed study works out what is still to be paid, writes it down, and says who
# has begun and not ended.
TO_SETTLE_PAY = {"researcher:delete": 5}


@pytest.fixture
def draft(rosa: User, tmp_path: Path) -> Study:
    """A draft that was made by its form."""
    for name, content in (("study.yaml", STUDY), ("items.csv", ITEMS), ("controls.csv", CONTROLS)):
        (tmp_path / name).write_text(content)
    study = studyfile.load(tmp_path, owner=rosa)
    return make_study(setup=changes.begin(study), by=rosa)[0]


def test_no_page_of_a_draft_asks_too_many_queries(draft: Study, rosa: User) -> None:
    browser = browser_of(rosa)
    costs = ask_for(DRAFTS, lambda _address: browser, {"DRAFT": draft.slug}, None)
    assert {name: cost.queries for name, cost in costs.items() if cost.queries > MOST_QUERIES} == {}


def judged(study: Study, stream: Random) -> Rater:
    """Have a new rater answer everything."""
    rater = arrive(study)
    while (found := next_for(rater=rater)) is not None:
        judgments.submit(screen=RaterScreen(rater, found), submission=answer(study, found, stream))
    return rater


def stored(study: Study, *, planned: bool) -> Run:
    """Return a run of a study with its results."""
    run = build_run(study, funnel(), planned=planned, high_water=0)
    store(run, slider_rows())
    return run


@pytest.mark.parametrize("state", [Study.State.OPEN, pytest.param(Study.State.CLOSED, marks=pytest.mark.exhaustive)])
def test_no_page_of_a_study_with_raters_and_runs_asks_too_many_queries(draft: Study, rosa: User, state: str) -> None:
    study = lifecycle.move(study_id=draft.pk, action="open", by=rosa)
    raters = [judged(study, Random(number)) for number in range(4)]
    Rater.objects.filter(pk=raters[0].pk).update(ended_at=None)  # one whose time is measured at each look
    if state == Study.State.CLOSED:
        study = lifecycle.move(study_id=study.pk, action="close", by=rosa)
    else:
        ResultLift.objects.create(study=study, reason="Every page of results is asked for.")
    *_earlier, run = [stored(study, planned=planned) for planned in (False, True, False)]
    add_plots(run, "content")
    Run.objects.filter(pk=run.pk).update(plan=None, facts={**run.facts, "extension": {"counted": 1}})
    frozen_setup(current_version(study))  # made when somebody first looks
    project = projects.put_into_new(study=study, name="Several", by=None)
    words = {
        "SLUG": study.slug, "RUN": str(run.number), "RATER": raters[0].pseudonym, "PROJECT": project.slug,
        "ITEM": str(study.items.earliest("pk").pk),
    }  # fmt: skip
    browser = browser_of(rosa)
    pages = [page for page in PAGES if "SLUG" in page.takes.values() and page.name.partition(":")[0] not in ELSEWHERE]
    pages = [page for page in pages if study.state == Study.State.OPEN or page.name not in OPEN_ONLY]
    costs = ask_for(pages, lambda _address: browser, words, None)
    further = study.tasks.count() - 1
    most = {name: MOST_QUERIES + further * FOR_EACH_TASK.get(name, 0) + TO_SETTLE_PAY.get(name, 0) for name in costs}
    assert {name: cost.queries for name, cost in costs.items() if cost.queries > most[name]} == {}
