"""The results document of a run, as the command writes it and the API serves it."""

from __future__ import annotations

from typing import Any

from analytics_app.models import Run
from analytics_app.results import COLUMNS
from analytics_app.selectors.results import rows_of

# Of the document's shape; it grows when a reader would have to change.
FORMAT = 1


def document_of(run: Run, *, systems: bool) -> dict[str, Any]:
    """Return a run and its rows; without `systems` rows that tell systems apart are left out."""
    return {
        "evalweb": FORMAT,
        "study": run.study.slug,
        "version": run.version,
        "run": {
            "number": run.number,
            "state": run.state,
            "planned": run.planned,
            "trigger": run.trigger,
            "created": run.created_at,
            "finished": run.finished,
            "seed": run.seed,
            "high_water": run.high_water,
            "n_seen": run.n_seen,
            "digest": run.digest,
            "code_version": run.code_version,
            "settings": run.settings,
            "facts": run.facts,
        },
        "rows": list(rows_of(run, systems=systems).values(*COLUMNS)),
    }
