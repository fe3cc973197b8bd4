"""The plans of published papers that are shipped in examples/plans: analyses that a new run may begin with."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from django.conf import settings
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from tasks_app.setup.starting import read_shipped

FOLDER = Path("examples") / "plans"


@dataclass(frozen=True, slots=True)
class Paper:
    """A paper by the name of its folder: the name of its plan on pages, and a sentence on the figures of the plan."""

    label: str | Promise
    sentence: str | Promise


PAPERS: Mapping[str, Paper] = {
    "gruen_2020": Paper(
        gettext_lazy("As in GRUEN"),
        gettext_lazy(
            "Zhu and Bhat (2020): metrics against people over texts and systems by Pearson, Spearman and Kendall, "
            "Williams' test by each, and scores by level of the human answer."
        ),
    ),
    "rome_2022": Paper(
        gettext_lazy("As in RoMe"),
        gettext_lazy(
            "Rony et al. (2022): metrics against people over the texts of each system, and whether systems differ."
        ),
    ),
    "lai_2022": Paper(
        gettext_lazy("As in Lai et al."),
        gettext_lazy(
            "Lai et al. (2022): metrics against people over systems, texts and within items (tau-like), without the "
            "human reference REF and with it."
        ),
    ),
    "logacheva_2022": Paper(
        gettext_lazy("As in Logacheva et al."),
        gettext_lazy(
            "Logacheva et al. (2022): metrics against people over systems, by Spearman and Pearson; higher is better "
            "for every metric."
        ),
    ),
}


@cache
def _shipped(name: str) -> Mapping[str, Any]:
    return read_shipped(Path(settings.BASE_DIR) / FOLDER / name / "plan.yaml")


def analyses_as_in(name: str, systems: Collection[str]) -> list[dict[str, Any]]:
    """Return the analyses of a paper's plan; systems to leave out that the study does not have are not named.

    An entry that is then the same as another one stands once.
    """
    entries: list[dict[str, Any]] = []
    for shipped in _shipped(name)["analyses"]:
        entry = dict(shipped)
        if "without_systems" in entry:
            entry["without_systems"] = [key for key in entry["without_systems"] if key in systems]
            if not entry["without_systems"]:
                del entry["without_systems"]
        if entry not in entries:
            entries.append(entry)
    return entries
