"""Errors of a crawled corpus (Ramírez-Sánchez et al. 2022): what annotators confuse, and what systems differ in."""

from collections.abc import Mapping
from random import Random

import pytest
from django.contrib.auth.models import User
from django.test import Client

from tasks_app.management.simulated_raters import Answering
from tasks_app.models import Output, Study
from tasks_app.projects import splitting
from tasks_app.projects.splitting import Split
from tasks_app.setup import changes
from tasks_app.setup.texts.reads import rows_of
from tasks_app.task_types.base import Quality, Screen, TaskType
from tests.published.kit import analysed, begun, judged, opened, systems_by_text

pytestmark = [pytest.mark.django_db, pytest.mark.exhaustive]

# Each label fits two pairs, of which the first has a Bicleaner score of at least 0.7.
LABELS = ("L", "A", "T", "MT", "E", "F", "V")

WORTH = {"without": 30, "with": 80, "large": 90}


def labels_of(study: Study, second: bool) -> Mapping[str, str]:
    """Return the label that a rater gives each pair; the second one takes the first of the errors for a machine's."""
    pairs = Output.objects.filter(system__study=study, system__key="corpus").order_by("item__key")
    labels = {text: LABELS[number // 2] for number, text in enumerate(pairs.values_list("text", flat=True))}
    first_error = next(text for text, label in labels.items() if label == "E")
    return {**labels, first_error: "MT"} if second else labels


def annotator(labels: Mapping[str, str], systems: Mapping[str, str], second: bool) -> Answering:
    """Return a rater, who knows what each system is worth."""

    def answer(kind: TaskType, screen: Screen) -> dict[str, str]:
        texts = [shown.part.text for shown in screen.shown_parts]
        given = {
            name: str(value)
            for name, value in kind.simulate(screen, Quality.CAREFUL, Random(f"{second}:{texts[0]}")).items()
        }
        if "p1-error" in given:
            return {"p1-error": labels[texts[0]]}
        if "p1-adequacy" in given or "p1-fluency" in given:
            worth = WORTH[systems[texts[0]]] + 5 * second
            return {name: str(worth) for name in given}
        if "choice" in given:
            better = next((n for n, text in enumerate(texts, start=1) if systems[text] == "with"), 1)
            return {"choice": str(better), f"p{better}-text": texts[better - 1], "unchanged": "on"}
        order = sorted(range(len(texts)), key=lambda n: -WORTH[systems[texts[n]]])
        return {f"p{n + 1}-quality": str(order.index(n) + 1) for n in range(len(texts))}

    return answer


def test_what_two_annotators_confuse_and_systems_differ_in_comes_out(rosas_browser: Client) -> None:
    study = opened(begun(rosas_browser, "paracrawl"))
    systems = systems_by_text(study)
    raters = [annotator(labels_of(study, second), systems, second) for second in (False, True)]
    found = analysed(judged(study, lambda number, _rng: raters[number], 2), drawn=False)
    # By hand: 13 of 14 pairs get the same label, and 6 of the 7 with a high score; by chance 2 of 14 would, and 1 of 7.
    for slice_, kappa in ((None, (13 - 2) / (14 - 2)), ("bicleaner>=0.7", (6 - 1) / (7 - 1))):
        found_kappa = found.value("cohen_kappa", criterion="error", slice=slice_, basis="kept")
        assert found_kappa == pytest.approx(kappa)
    share = {"criterion": "error", "slice": "bicleaner>=0.7", "basis": "kept"}
    shares = {row.label: row.value for row in found.rows("overall_share", **share)}
    assert shares["MT"] == pytest.approx(3 / 14)
    assert shares["E"] == pytest.approx(1 / 14)
    for criterion in ("adequacy", "fluency"):
        means = {row.system: row.value for row in found.rows("mean", criterion=criterion, basis="kept")}
        assert means == {"without": 32.5, "with": 82.5}
    ranks = {row.system: row.value for row in found.rows("rank_mean", criterion="quality", basis="kept")}
    assert ranks == {"large": 1, "with": 2, "without": 3}
    same = found.rows("identical_suggestions", slice=None, basis="kept")
    assert [(row.system, row.system_b, row.value, row.n_items) for row in same] == [("without", "with", 0.25, 4)]
    chosen = {row.system: row.value for row in found.rows("suggestion_chosen", slice=None, basis="kept")}
    assert chosen == {"with": 1, "without": 0}


def test_one_study_per_language_pair_is_made_of_one_table(rosas_browser: Client, rosa: User) -> None:
    study = begun(rosas_browser, "paracrawl")
    setup = study.setup
    rows = list(rows_of(setup).values_list("cells", flat=True))
    languages = ("de", "es", "mt", "sl")
    of_all = [
        {**cells, "item": f"{language}-{cells['item']}", "language": language}
        for language in languages
        for cells in rows
    ]
    changes.replace_table(setup=setup, table="items", rows=of_all, by=rosa)
    setup.refresh_from_db()
    project = splitting.make(setup=setup, split=Split("language_pair", project="ParaCrawl"), by=rosa)
    titles = list(project.studies.order_by("title").values_list("title", flat=True))
    assert titles == [f"As in paracrawl – en-{language}" for language in languages]
    assert all(rows_of(made.setup).count() == len(rows) for made in project.studies.select_related("setup"))
