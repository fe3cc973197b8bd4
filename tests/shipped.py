"""The members of every registry that evalweb ships: what the docs list, and what has an example or a page of its own.

A member that somebody adds for themselves is not here, and so the docs need no line about it. Whoever adds one to
evalweb itself adds its name.
"""

from collections.abc import Mapping

import pytest

from analytics_app import analyses, quality
from tasks_app import channels, designs, task_types
from tasks_app.hooks.registry import Registry
from tasks_app.importing.named import readers

TASK_TYPES = (
    "triangle",
    "likert",
    "slider",
    "magnitude",
    "semantic_differential",
    "questionnaire",
    "error_labels",
    "error_spans",
    "labels",
    "pairwise",
    "best_worst",
    "ranking",
    "post_edit",
    "comprehension",
    "predictions",
    "counting",
)
DESIGNS = ("batches", "comparisons", "documents", "independent", "latin_square", "on_request")
CHANNELS = ("account", "invited", "link", "mturk", "prolific")
RULES = (
    "burn_in", "control_accuracy", "identical_texts", "inconsistency", "iqr", "manual", "no_differences", "page_time",
    "simple_items", "skips", "straight_lining", "trust", "working_time",
)  # fmt: skip
ANALYSES = (
    "agreement", "answers_by_group", "best_worst", "clusters", "confirmed_factors", "correlation", "counts", "criteria",
    "distribution", "diversity", "elsewhere", "equivalence", "error_counts", "error_labels", "error_spans",
    "factor_features",
    "factors", "features", "fewer_judgments", "fieldwork", "given_marks", "icc", "instruments", "intra_rater", "items",
    "joint_labels", "kappa", "known_truth", "krippendorff", "labels", "magnitude", "marked_texts", "metric_pairs",
    "metrics", "metrics_apart", "metrics_of_errors", "order_effects", "outcomes", "pair_selection", "pairwise",
    "pairwise_strength", "panas", "post_edit", "predicted_marks", "predictions", "questions", "ranking",
    "rater_quality", "raters", "robustness", "search_results", "semantic_profile", "set_time", "systems", "triangle",
    "trueskill", "trust", "variance_components", "ways_of_scoring", "with_rest", "wordings",
)  # fmt: skip

FORMATS = (
    "appraise", "argilla", "crowd_kit", "jspsych", "label_studio", "mt_metrics_eval", "pearmut", "potato", "wmt_esa",
    "wmt_mqm",
)  # fmt: skip

BY_REGISTRY: tuple[tuple[Registry[object], tuple[str, ...]], ...] = (
    (task_types.registry, TASK_TYPES),
    (designs.registry, DESIGNS),
    (channels.registry, CHANNELS),
    (quality.registry, RULES),
    (analyses.registry, ANALYSES),
    (readers.registry, FORMATS),
)


def only_shipped(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take members that evalweb does not ship out of every registry until the test ends."""
    for registry, names in BY_REGISTRY:
        members: Mapping[str, object] = {name: registry[name] for name in names}
        monkeypatch.setattr(registry, "_members", members)
