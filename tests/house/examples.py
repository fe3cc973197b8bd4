"""The example studies, loaded and judged: what is promised of every task type is tried on them."""

import shutil
from collections.abc import Mapping
from io import StringIO
from pathlib import Path
from random import Random
from typing import Any

import pytest
import yaml
from django.conf import settings
from django.core.management import call_command

from tasks_app import studyfile
from tasks_app.management.commands.simulate_raters import MIX
from tasks_app.management.simulated_raters import quiet_pages
from tasks_app.management.transports import InProcess
from tasks_app.models import Study
from tasks_app.services.study import lifecycle
from tests import extent
from tests.published.visitors import QuickVisitor

EXAMPLES = Path(settings.BASE_DIR) / "examples"
FOLDERS = {path.parent.name: path.parent for path in sorted(EXAMPLES.glob("*/study.yaml"))}

# Between them, these have every setting that any example has, which test_extent.py checks.
COVERING = frozenset(
    {"checked", "comprehension", "panas_groups", "pictures_and_sounds", "semantic_differential", "slider"}
)

# Between them, these are answered in every way: by choices, steps, marks in texts, pairs and orders. Numbers of sliders
# and of pairs of words are stored as those of a scale, and right answers of comprehension as choices; groups and waves
# are analysed in `tests/analytics_app/`.
JUDGED = frozenset({"checked", "error_spans", "pairwise", "pictures_and_sounds", "ranking"})


def examples_in_every_run(names: frozenset[str]) -> pytest.MarkDecorator:
    """Try these examples in an ordinary run, and all of them in an exhaustive one."""
    further = pytest.mark.exhaustive
    return pytest.mark.parametrize(
        "name", [name if name in names else pytest.param(name, marks=further) for name in FOLDERS]
    )


every_example = pytest.mark.parametrize("name", list(FOLDERS))
covering_examples = examples_in_every_run(COVERING)
judged_examples = examples_in_every_run(JUDGED)


# What an ordinary run judges less of: half a set, and two of three waves.
LESS: dict[str, dict[str, Any]] = {
    "best_worst": {"set_size": 9},
    **{
        name: {"set_size": 6}
        for name in (
            "counting", "error_labels", "error_spans", "labels", "likert", "magnitude", "pairwise", "post_edit",
            "predictions", "ranking",
        )
    },
    "panas_groups": {"without": "week-1"},
}  # fmt: skip


def load(
    name: str, folder: Path, slug: str, *, without: str = "", analysis: Mapping[str, int] | None = None, **task: Any
) -> Study:
    """Load an example as a draft under a slug of its own; `task` changes its first task, `params` are added.

    The task whose key is `without` is left out. `analysis` changes the analysis plan.
    """
    copy = folder / slug
    shutil.copytree(FOLDERS[name], copy)
    document = yaml.safe_load((copy / "study.yaml").read_text(encoding="utf-8"))
    document["study"]["slug"] = slug
    document.setdefault("flow", {})["enrolments_per_address"] = 100_000
    if analysis:
        document["analysis"] = {**document.get("analysis", {}), **analysis}
    document["tasks"] = [task for task in document["tasks"] if task["key"] != without]
    first = document["tasks"][0]
    params = {**first.get("params", {}), **task.pop("params", {})}
    first.update(task, params=params)
    text = yaml.safe_dump(document, allow_unicode=True, sort_keys=False)
    (copy / "study.yaml").write_text(text, encoding="utf-8")
    return studyfile.load(copy, owner=None)


def opened(study: Study) -> Study:
    """Open a study."""
    return lifecycle.move(study_id=study.pk, action="open", by=None)


def judged(study: Study, raters: int = 4) -> Study:
    """Open a study, let simulated raters of every quality go through it, and close it.

    The first one goes by its pages. The others store the answers that the command's would, by the services behind
    them; in an exhaustive run they go by the pages, too.
    """
    opened(study)
    by_pages = raters if extent.is_exhaustive() else 1
    call_command("simulate_raters", study.slug, raters=by_pages, twice=0.1, second_tab=0.1, stdout=StringIO())
    with quiet_pages():
        for number in range(by_pages, raters):
            rng = Random(f"1:{study.slug}:{number}")
            visitor = QuickVisitor(study, InProcess(), rng.choice(MIX), rng)
            if visitor.arrive():
                assert visitor.judge()
    return lifecycle.move(study_id=study.pk, action="close", by=None)
