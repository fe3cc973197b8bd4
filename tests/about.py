"""What a careful researcher writes of who runs a study. Examples have something to replace, so they cannot be opened.

    study["about"] |= ABOUT

or, for a whole example, `ready("likert", folder)`.
"""

import shutil
from pathlib import Path

import yaml

from evalweb.local_services.folder import BASE_DIR

ABOUT = {
    "institution": "Language group, University of Trier",
    "contact": "lab@uni-trier.de",
    "complaints": "ethics@uni-trier.de",
    "ethics": "Ethics board of Trier, 12/2026",
}

# Options of `manage.py move_study … open` for studies that are opened as they are, whatever else is left to settle.
AS_IT_IS = ("--reason", "A test opens it as it is.")


def ready(name: str, folder: Path) -> str:
    """Copy an example into a folder that is not there yet, with who runs it filled in, and return the folder."""
    shutil.copytree(BASE_DIR / "examples" / name, folder)
    path = folder / "study.yaml"
    study = yaml.safe_load(path.read_text(encoding="utf-8"))
    study["about"] = {**study.get("about", {}), **ABOUT}
    path.write_text(yaml.safe_dump(study, allow_unicode=True, sort_keys=False), encoding="utf-8")
    return str(folder)
