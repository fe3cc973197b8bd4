"""Studies of whole documents by several systems, for tests of their pages."""

from collections.abc import Mapping
from pathlib import Path

import yaml
from django.contrib.auth.models import User

from tasks_app import studyfile
from tasks_app.models import Study
from tasks_app.services.study import lifecycle
from tests.analytics_app.by_commands import write

QUESTIONS: Mapping[str, list[dict[str, object]]] = {
    "error_spans": [],
    "labels": [{"key": "fluency", "name": "Fluency", "labels": ["good", "bad"]}],
}


def document_folder(
    folder: Path,
    kind: str = "error_spans",
    *,
    documents: int = 1,
    parts: int = 2,
    systems: int = 2,
    task: Mapping[str, object] | None = None,
    language: str = "en",
    words: str = "",
    **params: object,
) -> Path:
    """Write a study whose documents have so many parts by so many systems, all of them for one rater."""
    criteria = QUESTIONS.get(kind, [{"key": "fluency", "name": "Fluency", "question": "How well does it read?"}])
    document = {
        "evalweb": 1,
        "study": {"slug": "documents", "title": "D", "public_title": "Texts", "language": language, "seed": 3},
        "flow": {"allow_back": True},
        "criteria": criteria,
        "tasks": [
            {
                "key": "main", "type": kind, "criteria": [criterion["key"] for criterion in criteria],
                "k": 1, "set_size": documents * parts * systems, "spacing": 1,
                "design": "documents", "design_params": {"all_systems": True},
                "params": {"page": "document", **params}, **(task or {}),
            }
        ],
    }  # fmt: skip
    rows = [
        {
            "item": f"d{number}-{part}", "system": f"system{system:02}", "source": f"Quelle {number}.{part}.",
            "document": f"d{number}", "position": part, "output": f"Text {number}.{part} of system {system:02}.{words}",
        }
        for number in range(1, documents + 1) for part in range(1, parts + 1) for system in range(1, systems + 1)
    ]  # fmt: skip
    folder.mkdir(exist_ok=True)
    (folder / "study.yaml").write_text(yaml.safe_dump(document, allow_unicode=True), encoding="utf-8")
    write(folder / "items.csv", rows)
    return folder


def opened(folder: Path, owner: User | None) -> Study:
    """Return the study of a folder, open."""
    study = studyfile.load(folder, owner=owner)
    lifecycle.move(study_id=study.pk, action="open", by=owner)
    study.refresh_from_db()
    return study
