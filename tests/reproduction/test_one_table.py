"""Published sets as single tables: what is stored equals what pandas reads from the same files.

Each comes in by a mapping alone: two files joined by two keys, labels without texts, rows of people without models.
"""

from pathlib import Path

import pandas as pd
import pytest
from django.db.models import Avg, Count

from tasks_app.importing import RatingsFile, from_yaml, whole
from tasks_app.models import Rater, Rating, Task
from tests.reproduction.published import folder_of, missing

pytestmark = pytest.mark.django_db


def study_of(path: Path, mapping: str, title: str) -> whole.Made:
    """Make a study of a published table."""
    return whole.study_of_table(
        file=RatingsFile.at(str(path)), mapping=from_yaml("map.yaml", mapping, whole.declared), title=title, slug=title,
        owner=None,
    )  # fmt: skip


@pytest.mark.skipif(bool(missing("lai2022_formality")), reason=missing("lai2022_formality"))
def test_formality_joined_with_its_texts() -> None:
    folder = folder_of("lai2022_formality")
    made = study_of(
        folder / "ratings.csv",
        "columns: {rater: rater_id, item: item_id, system: system, criterion: criterion, value: value, source: source, "
        "reference: reference, output: output, feature_direction: direction}\n"
        "join: [{file: items.csv, on: {item_id: item_id, system: system}}]\n",
        "formality",
    )
    ratings = pd.read_csv(folder / "ratings.csv", dtype={"item_id": str})
    assert made.counts["ratings"] == len(ratings) == 4320
    assert {task.type for task in Task.objects.all()} == {"slider"}
    means = ratings.groupby(["criterion", "system"])["value"].mean()
    system = "part__part_outputs__output__system__key"
    stored = Rating.objects.values_list("criterion__key", system).annotate(mean=Avg("value"))
    assert {(criterion, name): mean for criterion, name, mean in stored} == pytest.approx(means.to_dict(), rel=1e-12)


@pytest.mark.skipif(bool(missing("alt_test")), reason=missing("alt_test"))
def test_labels_of_posts_without_texts() -> None:
    path = folder_of("alt_test") / "lgbteen.csv.gz"
    made = study_of(path, "columns: {rater: rater, item: item, label: value}\nwhere: {kind: human}\n", "lgbteen")
    ratings = pd.read_csv(path, dtype=str, keep_default_na=False)
    human = ratings[ratings["kind"] == "human"]
    assert made.counts["ratings"] == len(human)
    assert Rater.objects.count() == human["rater"].nunique()
    stored = dict(Rating.objects.values_list("label").annotate(n=Count("id")))
    assert stored == human["value"].value_counts().to_dict()


@pytest.mark.exhaustive
@pytest.mark.skipif(bool(missing("alt_test")), reason=missing("alt_test"))
def test_steps_of_prompts() -> None:
    path = folder_of("alt_test") / "10k_prompts.csv.gz"
    made = study_of(path, "columns: {rater: rater, item: item, value: value}\nwhere: {kind: human}\n", "prompts")
    ratings = pd.read_csv(path, dtype={"item": str})
    human = ratings[ratings["kind"] == "human"]
    assert made.counts["ratings"] == len(human)
    stored = dict(Rating.objects.values_list("rater__pseudonym").annotate(mean=Avg("value")))
    assert stored == pytest.approx(human.groupby("rater")["value"].mean().to_dict(), rel=1e-12)
