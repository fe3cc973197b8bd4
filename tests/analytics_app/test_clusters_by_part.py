"""Clusters, ranks and pairs head to head of each domain and of each document, as WMT prints them."""

from pathlib import Path

import numpy as np
import pytest
import scipy.stats
from django.core.management import CommandError

from analytics_app.analyses import clusters
from analytics_app.models import ResultRow
from analytics_app.show.shown import tables_for
from analytics_app.show.table import Table
from tests.analytics_app.by_commands import analysed, load, one

pytestmark = pytest.mark.django_db

SYSTEMS = ("A", "B", "C")
DOMAINS = {"news": ("d1", "d2"), "talk": ("d3",)}
CRITERION = {"key": "quality", "name": "Quality", "question": "How good?", "low": "bad", "high": "good"}
TASK = {"type": "slider", "criteria": ["quality"], "params": {"minimum": 0, "maximum": 100}, "k": 1}

# Of each document 12 segments; A is best in news and worst in talk.
RNG = np.random.default_rng(9)
MEANS = {"d1": (80, 60, 40), "d2": (75, 62, 45), "d3": (30, 61, 60)}
SCORES = {document: np.round(np.clip(RNG.normal(means, 8, (12, 3)), 0, 100)) for document, means in MEANS.items()}
# In talk B and C have the same scores, on other segments.
SCORES["d3"][:, 2] = SCORES["d3"][::-1, 1]


def study(folder: Path, *, documents: bool = True) -> Path:
    items = [
        {
            "item": f"{document}-{n}", "system": system, "output": f"Text {n} by {system}.", "source": "s",
            "feature_domain": domain, **({"document": document, "position": n + 1} if documents else {}),
        }
        for domain, of_domain in DOMAINS.items()
        for document in of_domain
        for n in range(12)
        for system in SYSTEMS
    ]  # fmt: skip
    ratings = [
        {"rater": "r1", "item": f"{document}-{n}", "system": system, "value": scores[n, place]}
        for document, scores in SCORES.items()
        for n in range(12)
        for place, system in enumerate(SYSTEMS)
    ]
    load(folder, TASK, items, ratings, criteria=[CRITERION])
    return folder


def tables(rows: list[dict[str, object]]) -> dict[str, Table]:
    made = tables_for("clusters", [ResultRow(**row) for row in rows if row["analysis"] == "clusters"], 0.05)
    return {str(table.caption): table for table in made}


def texts(table: Table) -> list[list[str]]:
    return [[cell.text for cell in line] for line in table.rows]


def test_each_domain_and_each_document_has_wmts_tables(tmp_path: Path) -> None:
    entry = {"analysis": "clusters", "values": "raw", "slices": ["domain", "document"]}
    rows = analysed(study(tmp_path), entry)
    parts = {f"document={name}": scores for name, scores in SCORES.items()}
    parts |= {"domain=news": np.vstack([SCORES["d1"], SCORES["d2"]]), "domain=talk": SCORES["d3"]}
    for label, scores in parts.items():
        about = {"criterion": "quality", "slice": label}
        for place, system in enumerate(SYSTEMS):
            assert one(rows, "segment_score_raw", system=system, **about)["value"] == pytest.approx(
                scores[:, place].mean()
            )
        for a, b in ((0, 1), (0, 2), (1, 2)):
            high, low = (a, b) if scores[:, a].mean() > scores[:, b].mean() else (b, a)
            wanted = scipy.stats.mannwhitneyu(
                scores[:, high], scores[:, low], alternative="greater", method="asymptotic"
            )
            test = one(rows, "rank_sum_raw", system=SYSTEMS[a], system_b=SYSTEMS[b], **about)
            assert (test["value"], test["p"]) == pytest.approx((wanted.statistic, wanted.pvalue))
    made = tables(rows)
    news, talk = made["Clusters by ratings (WMT): domain = news"], made["Clusters by ratings (WMT): domain = talk"]
    assert [line[:4] for line in texts(news)] == [["A", "1", "1", "1"], ["B", "2", "2", "2"], ["C", "3", "3", "3"]]
    # In talk no test separates B and C, and A is last.
    assert [line[0] for line in texts(talk)][-1] == "A"
    assert [line[3] for line in texts(talk)] == ["1–2", "1–2", "3"]
    pairs = texts(made["Head to head: domain = news"])
    assert pairs[0][3] == f"{parts['domain=news'][:, 0].mean() - parts['domain=news'][:, 2].mean():.2f}‡"
    beside = made["Clusters by ratings (WMT): each value of domain"]
    assert [line[0] for line in texts(beside)] == ["news", "talk"]
    place = [column.label for column in beside.columns].index("A")
    assert texts(beside)[0][place] == f"{parts['domain=news'][:, 0].mean():.2f}\u00a0(1)"
    assert texts(beside)[1][place] == f"{SCORES['d3'][:, 0].mean():.2f}\u00a0(3)"
    assert [line[0] for line in texts(made["Clusters by ratings (WMT): each value of document"])] == ["d1", "d2", "d3"]
    assert "Clusters by ratings (WMT): document = d2" in made
    assert "Clusters by subset" not in made


def test_signed_ranks_of_a_condition_on_documents(tmp_path: Path) -> None:
    entry = {
        "analysis": "clusters",
        "values": "raw",
        "test": "signed_rank",
        "where": "document!=d3",
        "slices": ["domain"],
    }
    rows = analysed(study(tmp_path), entry)
    news = np.vstack([SCORES["d1"], SCORES["d2"]])
    # Many differences are equal in size and share a rank.
    wanted = scipy.stats.wilcoxon(news[:, 0] - news[:, 1], alternative="greater").pvalue
    for label in ("document!=d3", "domain=news; document!=d3"):
        test = one(rows, "signed_rank_raw", criterion="quality", system="A", system_b="B", slice=label)
        assert test["p"] == pytest.approx(wanted)
    assert "Clusters by ratings (WMT): domain = news; document ≠ d3" in tables(rows)


def test_many_documents_are_compared_in_one_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clusters, "MOST_SLICES", 2)
    made = tables(analysed(study(tmp_path), {"analysis": "clusters", "values": "raw", "slices": ["document"]}))
    parts = [caption for caption in made if ": " in caption]
    assert parts == ["Clusters by ratings (WMT): each value of document"]
    assert [line[0] for line in texts(made[parts[0]])] == ["d1", "d2", "d3"]


def test_a_study_without_documents_has_none_to_split_by(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="No item has a feature “document”"):
        analysed(study(tmp_path, documents=False), {"analysis": "clusters", "slices": ["document"]})
