"""Coreference annotations (Borovikova et al. 2022): what errors cost, and raters who cannot be trusted, are found."""

import csv
from collections.abc import Iterable, Mapping
from io import StringIO
from random import Random

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client

from analytics_app.models import Run
from tasks_app.management.simulated_raters import Answering
from tasks_app.models import Output, Rater
from tasks_app.task_types.base import Screen, TaskType
from tasks_app.task_types.grid import field_name
from tasks_app.task_types.highlights import stored
from tests.cast import browser_of
from tests.published.kit import Results, analysed, begun, judged, opened

pytestmark = [pytest.mark.django_db, pytest.mark.exhaustive]

SCORES = settings.BASE_DIR / "examples" / "published" / "coreference" / "scores.csv"
METRICS = ("MUC", "B3")

# What an error of each type takes off 7. People overlook borders, which metrics count.
PLANTED = {"border": 0, "wrong_chain": 2, "noise": 1, "silence": 1, "extra_chain": 1, "missing_chain": 2}

# Of five raters one answers at random.
RATERS, RANDOM = 5, 4

Chains = list[frozenset[tuple[int, int]]]


def rows() -> list[dict[str, str]]:
    with SCORES.open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def chains(mentions: Iterable[tuple[int, int, str]]) -> Chains:
    """Return the mentions of each chain."""
    found: dict[str, set[tuple[int, int]]] = {}
    for start, end, chain in mentions:
        found.setdefault(chain, set()).add((start, end))
    return [frozenset(one) for one in found.values()]


def muc_recall(key: Chains, response: Chains) -> float:
    """Vilain et al. (1995): the links that are left of each chain when the response cuts it, of all its links."""
    pieces = 0
    for chain in key:
        parts = [next((n for n, other in enumerate(response) if mention in other), None) for mention in chain]
        pieces += len(set(parts) - {None}) + parts.count(None)
    mentions = sum(map(len, key))
    return (mentions - pieces) / (mentions - len(key))


def b3_recall(key: Chains, response: Chains) -> float:
    """Bagga and Baldwin (1998): of each mention, the share of its chain that is in its chain of the response."""
    shares = [
        max((len(chain & other) / len(chain) for other in response if mention in other), default=0.0)
        for chain in key
        for mention in chain
    ]
    return sum(shares) / len(shares)


def f1(recall: float, precision: float) -> float:
    return 2 * recall * precision / (recall + precision)


def rater(number: int, quality: Mapping[str, float]) -> Answering:
    """Return a rater who answers by the planted costs, at times a step off; one answers at random."""

    def answer(kind: TaskType, screen: Screen) -> dict[str, str]:
        (shown,) = screen.shown_parts
        about = repr(shown.part.highlights)
        # By rater and annotation, so that nothing depends on the order in which they are met.
        draw = Random(f"{number}:{screen.reference}:{about}")
        off = draw.choice([0, 0, 0, 0, -1, 1])
        value = draw.randint(0, 7) if number == RANDOM else min(7, max(0, round(quality[about]) + off))
        return {field_name(shown.position, "errors"): str(value)}

    return answer


@pytest.fixture(scope="module")
def run(module_rosa: User) -> int:
    """The run of a study with imported scores."""
    study = opened(begun(browser_of(module_rosa), "coreference"))
    cost = {
        (row["item"], row["system"]): 7.0 - sum(PLANTED[kind] * int(row[kind]) for kind in PLANTED) for row in rows()
    }
    outputs = Output.objects.filter(item__study=study).select_related("item", "system")
    # The same annotation of two texts would have one number of two.
    quality = {repr(stored(one.highlights)): cost[one.item.key, one.system.key] for one in outputs}
    assert len(quality) == len(cost) == 16
    columns = ",".join([*METRICS, *PLANTED])
    call_command("import_scores", study.slug, str(SCORES), metrics=columns, stdout=StringIO())
    return analysed(judged(study, lambda number, _rng: rater(number, quality), RATERS), drawn=False).run.pk


@pytest.fixture
def results(run: int, db: None) -> Results:
    """The results of the study."""
    return Results(Run.objects.get(pk=run))


def page_of(results: Results, browser: Client) -> str:
    """Return the results page."""
    return browser.get(f"/admin/studies/{results.run.study.slug}/results/").content.decode()


def test_the_scores_are_those_of_the_annotations(results: Results) -> None:
    annotations = {
        (one.item.key, one.system.key): (chains(one.item.highlights["reference"]), chains(one.highlights))
        for one in Output.objects.filter(item__study=results.run.study).select_related("item", "system")
    }
    for row in rows():
        key, response = annotations[row["item"], row["system"]]
        muc = f1(muc_recall(key, response), muc_recall(response, key))
        b3 = f1(b3_recall(key, response), b3_recall(response, key))
        assert (float(row["MUC"]), float(row["B3"])) == pytest.approx((muc, b3), abs=5e-4)


def test_the_rater_at_random_is_trusted_least(results: Results) -> None:
    at_random = Rater.objects.filter(study=results.run.study).order_by("id")[RANDOM].pseudonym
    for reduced in (None, "reduced=0 | 1 2 | 3 4 | 5 6 | 7"):
        trust = {row.rater: row.value for row in results.rows("trust_coefficient", basis="kept", slice=reduced)}
        assert len(trust) == RATERS
        assert max(value or 0 for value in trust.values()) == 1
        assert min(trust, key=lambda name: trust[name] or 0) == at_random


def test_metrics_agree_with_people_in_part(results: Results) -> None:
    correlations = {row.metric: row.value for row in results.rows("metric_pearson_texts", basis="kept")}
    assert correlations.keys() == set(METRICS)
    assert all(0.2 < (value or 0) < 0.95 for value in correlations.values())
    means = {row.system: row.value for row in results.rows("mean", basis="kept")}
    assert (means["few"] or 0) > (means["several"] or 0) + 1


def test_people_overlook_borders_and_metrics_do_not(results: Results, rosas_browser: Client) -> None:
    effects = {row.label: row for row in results.rows("error_effect", basis="kept", slice=None)}
    assert effects.keys() == PLANTED.keys()
    # Four of five raters follow the costs, as shares of a scale from 0 to 7; one answers at random.
    for kind, cost in PLANTED.items():
        assert effects[kind].value == pytest.approx(-cost / 7 * (RATERS - 1) / RATERS, abs=0.1)
    assert (effects["wrong_chain"].p_adjusted or 1) < 0.01
    assert (effects["border"].p_adjusted or 0) > 0.05
    border = {row.metric: row for row in results.rows("error_effect_difference", basis="kept", label="border")}
    assert border.keys() == set(METRICS)
    assert all((row.value or 0) < -0.1 and (row.p_adjusted or 1) < 0.05 for row in border.values())
    page = page_of(results, rosas_browser)
    assert "Change of scores with one more error" in page
    assert "Metrics minus people, as shares of the scale" in page
