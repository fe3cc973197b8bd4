"""The findings that the simulated raters of the demonstration plant in five of the examples, which are then closed.

The raters differ: each is a little stricter or milder than others, and likes some systems a little better.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from types import MappingProxyType

from tasks_app.models import Output, Study
from tasks_app.task_types.simulation import Levels

# Standard deviations of how strict a rater is, and of what a rater thinks of one system, as shares of the scale.
STRICTNESS, TASTE = 0.05, 0.07


@dataclass(frozen=True, slots=True)
class Planted:
    """Planted levels (0 to 1) by system and criterion ("" for all others); `finding` says them in a sentence.

    `raters` are so many that a few find every place taken.
    """

    raters: int
    finding: str
    systems: Mapping[str, Mapping[str, float]]

    def levels_for(self, study: Study, rng: Random) -> Levels:
        """Return the levels of each text of a study as one rater sees them."""
        strictness = rng.gauss(0, STRICTNESS)
        levels_seen = {}
        for system, levels in self.systems.items():
            shift = strictness + rng.gauss(0, TASTE)
            levels_seen[system] = {criterion: level + shift for criterion, level in levels.items()}
        texts = Output.objects.filter(item__study=study, until=None).values_list("text", "system__key")
        return {text: levels_seen[system] for text, system in texts.order_by("id") if system in levels_seen}


PLANTED: Mapping[str, Planted] = MappingProxyType(
    {
        "example-likert": Planted(
            14,
            "texts of the professional writer read best and those of slot filling worst, but slot filling is the most "
            "accurate and the fine-tuned model the least",
            {
                "template": {"fluency": 0.36, "accuracy": 0.88},
                "neural": {"fluency": 0.68, "accuracy": 0.5},
                "writer": {"fluency": 0.86, "accuracy": 0.74},
            },
        ),
        "example-pairwise": Planted(
            24,
            "the librarian answers in the friendliest way and the rule-based help desk in the least friendly; the "
            "rule-based help desk is also the least clear",
            {
                "rules": {"clarity": 0.36, "friendliness": 0.25},
                "neural": {"clarity": 0.7, "friendliness": 0.52},
                "librarian": {"clarity": 0.64, "friendliness": 0.8},
            },
        ),
        "example-error-spans": Planted(
            24,
            "phrase tables make the most errors and the translator the fewest, with the fine-tuned model close behind",
            {"phrase": {"": 0.3}, "neural": {"": 0.76}, "translator": {"": 0.9}},
        ),
        "example-semantic-differential": Planted(
            84,
            "texts built from phrases seem simple but bumpy, those of the language model formal and complete, and "
            "those of the writer natural and personal",
            {
                "template": {
                    "clear": 0.6,
                    "simple": 0.85,
                    "precise": 0.5,
                    "complete": 0.35,
                    "flowing": 0.2,
                    "natural": 0.25,
                    "personal": 0.2,
                    "formal": 0.45,
                    "orderly": 0.65,
                },
                "neural": {
                    "clear": 0.55,
                    "simple": 0.35,
                    "precise": 0.75,
                    "complete": 0.82,
                    "flowing": 0.65,
                    "natural": 0.45,
                    "personal": 0.22,
                    "formal": 0.85,
                    "orderly": 0.7,
                },
                "writer": {
                    "clear": 0.8,
                    "simple": 0.68,
                    "precise": 0.55,
                    "complete": 0.55,
                    "flowing": 0.84,
                    "natural": 0.88,
                    "personal": 0.82,
                    "formal": 0.25,
                    "orderly": 0.6,
                },
            },
        ),
        "example-checked": Planted(
            18,
            "messages of the newspaper editor are the clearest, extracted sentences are the most accurate, and the "
            "fine-tuned model gets details wrong",
            {
                "extract": {"clarity": 0.42, "accuracy": 0.86},
                "neural": {"clarity": 0.74, "accuracy": 0.42},
                "editor": {"clarity": 0.86, "accuracy": 0.78},
            },
        ),
    }
)
