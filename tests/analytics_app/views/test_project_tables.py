"""Agreement and labels of the studies of a project in one table: what is in it, what is hidden, its size, its files."""

import csv
import io
import re
from collections.abc import Iterator

import pytest
from django.contrib.auth.models import User
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from analytics_app.models import ResultLift
from analytics_app.results import Row
from tasks_app.models import Event, Membership, Project, Study
from tasks_app.services.study import projects
from tests.analytics_app.builders import build_run

pytestmark = pytest.mark.django_db

LABELS = ("L", "A", "T", "MT", "E", "F", "V")
WHERE = "bicleaner>=0.7"
PAGE = "/admin/projects/pairs/"

# As many language pairs as the release of ParaCrawl that was labelled last.
PAIRS = 29


def annotated(pair: int, part: str | None = None) -> Iterator[Row]:
    """Yield the rows of a study of a language pair that two annotators labelled."""
    place = {"task": "main", "criterion": "error", "slice": part}
    n = {"n_items": 500 if part else 1000, "n_raters": 2}
    kappa = 0.2 + pair / 100
    yield Row(**place, **n, analysis="kappa", statistic="cohen_kappa", value=kappa, low=kappa - 0.05, high=kappa + 0.05)
    yield Row(**place, **n, analysis="krippendorff", statistic="alpha", value=kappa - 0.01)
    yield Row(**place, **n, analysis="agreement", statistic="percent_agreement", value=0.5)
    for number, label in enumerate(LABELS):
        share = {"label": label, "value": (number + 1) / 28}
        yield Row(**place, **n, analysis="error_labels", statistic="overall_share", **share)
        for rater in ("A", "B"):
            own = {**share, "rater": f"{pair}-{rater}", "n_ratings": n["n_items"], "n_raters": 1}
            alone = rater == "B"  # this one saw one of several systems only
            yield Row(**place, analysis="error_labels", statistic="rater_share", by_system=alone, **own)
    yield Row(**place, analysis="error_labels", statistic="confusion", label="L / A", value=3.0)
    if part is None:
        for rater in ("A", "B"):
            own = {"rater": f"{pair}-{rater}", "value": 12.5}
            yield Row(**place, analysis="error_labels", statistic="seconds_median", **own)
        yield Row(**{**place, "slice": "after=MT"}, analysis="error_labels", statistic="overall_share", label="both")


@pytest.fixture(scope="module")
def project_once(module_rosa: User) -> int:
    """Make a project with a labelled study for each of 29 language pairs, closed but for the first."""
    studies = Study.objects.bulk_create(
        Study(
            slug=f"en-{n:02}",
            title=f"Pairs – en-{n:02}",
            public_title="Pairs of sentences",
            state="closed" if n else "open",
            current_version=1,
        )
        for n in range(PAIRS)
    )
    Membership.objects.bulk_create(Membership(study=study, user=module_rosa, role="owner") for study in studies)
    project = projects.put_into_new(study=studies[0], name="Pairs", by=module_rosa)
    projects.put_all(studies=studies, project=project, by=module_rosa)
    for number, study in enumerate(studies):
        build_run(study, [*annotated(number), *annotated(number, WHERE)])
    return project.pk


@pytest.fixture
def project(project_once: int, db: None) -> Project:
    """Return rosa's project."""
    return Project.objects.get(pk=project_once)


def table(browser: Client, key: str, **query: str) -> list[dict[str, str]]:
    answer = browser.get(f"{PAGE}tables/{key}.csv", query)
    assert answer.status_code == 200
    return list(csv.DictReader(io.StringIO(answer.content.decode())))


def test_29_language_pairs_stand_in_one_table(
    project: Project, rosas_browser: Client, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    with django_assert_max_num_queries(15):
        answer = rosas_browser.get(f"{PAGE}results/", {"part": WHERE})
    page = answer.content.decode()
    assert len(answer.content) <= 150_000
    agreement = page.partition("<details")[0]
    assert [f">Pairs – en-{n:02}<" in re.sub(r"</?bdi>", "", agreement) for n in range(PAIRS)] == [True] * PAIRS
    assert "0.48" in page
    assert f"Agreement and labels: {WHERE.replace('>', '&gt;')}" in page
    assert "L / A" not in page


def test_the_files_have_the_numbers_of_the_part_that_is_chosen(project: Project, rosas_browser: Client) -> None:
    rows = table(rosas_browser, "agreement", part=WHERE)
    assert len(rows) == PAIRS
    assert (rows[28]["Study"], rows[28]["Texts"], rows[28]["Raters"]) == ("Pairs – en-28", "500", "2")
    assert float(rows[28]["Cohen's kappa"]) == pytest.approx(0.48)
    assert float(rows[28]["Interval, lower end"]) == pytest.approx(0.43)
    assert float(rows[28]["V"]) == 0.25
    assert [name for name in rows[0] if name in LABELS] == list(LABELS), "in their order"
    assert {row["Texts"] for row in table(rosas_browser, "agreement")} == {"1000"}
    assert {row["Texts"] for row in table(rosas_browser, "agreement", part="nothing like it")} == {"1000"}


def test_a_rater_who_saw_one_system_is_hidden_while_the_study_is_open(
    project: Project, rosas_browser: Client, rosa: User
) -> None:
    raters = [row["Rater"] for row in table(rosas_browser, "raters", part=WHERE)]
    assert len(raters) == 2 * PAIRS - 1
    assert "0-B" not in raters
    ResultLift.objects.create(study=Study.objects.get(slug="en-00"), by=rosa, reason="Needed for the pilot.")
    rows = {row["Rater"]: row for row in table(rosas_browser, "raters", part=WHERE)}
    assert (rows["0-B"]["Answers"], float(rows["0-B"]["Median seconds per text"])) == ("500", 12.5)


@pytest.mark.parametrize("format", ["tex", "md"])
def test_files_say_which_runs_they_are_from(project: Project, rosas_browser: Client, format: str) -> None:
    text = rosas_browser.get(f"{PAGE}tables/agreement.{format}").content.decode()
    assert "Project pairs, study en-00 run 1, study en-01 run 1" in text
    assert "Agreement and labels of Pairs" in text
    if format == "tex":
        assert r"\label{tab:pairs-agreement}" in text


def test_an_undefined_measure_is_a_dash_with_its_reason(project: Project, rosas_browser: Client) -> None:
    study = Study.objects.get(slug="en-03")
    reason = "All ratings are the same, so kappa is undefined."
    build_run(
        study, [Row(analysis="kappa", statistic="cohen_kappa", task="main", criterion="error", value=None, note=reason)]
    )
    page = rosas_browser.get(f"{PAGE}results/").content.decode()
    assert f"Pairs – en-03 – Cohen&#x27;s kappa: {reason}" in page
    (row,) = (row for row in table(rosas_browser, "agreement") if row["Study"] == "Pairs – en-03")
    assert row["Cohen's kappa"] == ""


@pytest.mark.parametrize("path", ["systems.csv", "agreement.xml", "other.csv"])
def test_what_is_not_there_is_not_found(project: Project, rosas_browser: Client, path: str) -> None:
    assert rosas_browser.get(f"{PAGE}tables/{path}").status_code == 404


def test_a_superusers_look_at_a_file_is_logged(project: Project, rosas_browser: Client) -> None:
    table(rosas_browser, "agreement")
    assert not Event.objects.filter(verb="viewed").exists()
    browser = Client()
    browser.force_login(User.objects.create_superuser("root"))
    table(browser, "agreement")
    assert Event.objects.filter(verb="viewed", object="results", actor__username="root").count() == PAIRS
