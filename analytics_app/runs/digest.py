"""The digest of everything that the results of a run depend on."""

import hashlib
import json

from analytics_app.models import Run
from analytics_app.ratings import WITHDRAWN

# Facts on which results depend. A run without a fact has no entry for it, so that digests of older runs do not change.
_IN_DIGEST = ("replaced", "added", "scores", "outcomes", "erased", "people", WITHDRAWN)


def digest_of(run: Run) -> str:
    """Return the SHA-256 of everything the results of a run depend on: equal digests mean equal results.

    `planned` is included, since each row has it.
    """
    depends_on = {
        "version": run.version,
        "high_water": run.high_water,
        "judgment_high_water": run.judgment_high_water,
        "n_seen": run.n_seen,
        "settings": run.settings,
        "manual_exclusions": run.facts["manual_exclusions"],
        **{name: run.facts[name] for name in _IN_DIGEST if name in run.facts},
        "seed": run.seed,
        "code_version": run.code_version,
        "planned": run.planned,
    }
    text = json.dumps(depends_on, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()
