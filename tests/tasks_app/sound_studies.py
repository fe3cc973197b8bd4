"""Sound studies in English and German, of three task types: what a careful researcher would open as it is."""

import csv
from pathlib import Path
from typing import Any

from tasks_app.studyfile.files.yaml_text import dump_given
from tests.about import ABOUT

Given = dict[str, Any]
Row = dict[str, str]

TYPES, LANGUAGES = ("likert", "pairwise", "error_spans"), ("en", "de")
SYSTEMS = ("rules", "neural", "person")

_WORDS: dict[str, dict[str, Any]] = {
    "en": {
        "public_title": "How good are these notices?",
        "consent": (
            "**What you will do.** You read short notices of a town hall and say what you think of them. It takes "
            "about 8 minutes.\n\n**Your rights.** Taking part is voluntary. You can stop at any time, and nobody will "
            "know which answers are yours."
        ),
        "instructions": "Read the facts and then the notice that is based on them. There are no right answers.",
        "question": "How well does this notice read?",
        "better": "Which of the two notices is better?",
        "labels": ["very badly", "badly", "neither well nor badly", "well", "very well"],
        "facts": "{what}, opens at {hour}, closed on {day}",
        "outputs": (
            "The {what} opens at {hour}. It is closed on {day}.",
            "From {hour} you can visit the {what}, but not on {day}.",
            "Come to the {what} at {hour} or later; only {day} is a day of rest.",
        ),
        "what": ("town library", "open-air pool", "clock museum", "bridge café", "music school", "city archive"),
        "day": ("Mondays", "Tuesdays", "Wednesdays", "Thursdays", "Fridays", "Sundays"),
    },
    "de": {
        "public_title": "Wie gut sind diese Aushänge?",
        "consent": (
            "**Was Sie tun.** Sie lesen kurze Aushänge eines Rathauses und sagen, was Sie von ihnen halten. Das dauert "
            "etwa 8 Minuten.\n\n**Ihre Rechte.** Die Teilnahme ist freiwillig. Sie können jederzeit aufhören, und "
            "niemand erfährt, welche Antworten von Ihnen sind."
        ),
        "instructions": "Lesen Sie die Angaben und dann den Aushang, der auf ihnen beruht. Es gibt keine Fehler.",
        "question": "Wie gut liest sich dieser Aushang?",
        "better": "Welcher der beiden Aushänge ist besser?",
        "labels": ["sehr schlecht", "schlecht", "weder gut noch schlecht", "gut", "sehr gut"],
        "facts": "{what}, öffnet um {hour}, geschlossen: {day}",
        "outputs": (
            "Ort: {what}. Geöffnet wird um {hour}. Am {day} ist geschlossen.",
            "Ab {hour} können Sie kommen ({what}), aber nicht am {day}.",
            "Wir freuen uns ab {hour} auf Sie! Nur am {day} ist Ruhetag. {what}",
        ),
        "what": ("Stadtbücherei", "Freibad", "Uhrenmuseum", "Brückencafé", "Musikschule", "Stadtarchiv"),
        "day": ("Montag", "Dienstag", "Mittwoch", "Donnerstag", "Freitag", "Sonntag"),
    },
}


def rows_of(language: str) -> list[Row]:
    """Return six items, each with a text of three systems."""
    words = _WORDS[language]
    rows = []
    for number, (what, day) in enumerate(zip(words["what"], words["day"], strict=True)):
        about = {"what": what, "day": day, "hour": f"{7 + number}:30"}
        rows += [
            {
                "item": f"n{number}",
                "system": system,
                "output": output.format(**about),
                "source": words["facts"].format(**about),
                "language": language,
                "source_language": language,
            }
            for system, output in zip(SYSTEMS, words["outputs"], strict=True)
        ]
    return rows


def study_of(kind: str, language: str) -> Given:
    """Return the study file of a sound study, without its texts."""
    words = _WORDS[language]
    quality: Given = {"key": "quality", "name": "Quality", "question": words["question"], "labels": words["labels"]}
    asked: dict[str, list[Given]] = {
        "likert": [quality],
        "pairwise": [{"key": "quality", "name": "Quality", "question": words["better"]}],
        "error_spans": [],
    }
    params: dict[str, Given] = {"likert": {"points": 5}, "pairwise": {"ties": True}, "error_spans": {"scheme": "esa"}}
    task: Given = {
        "key": "notices",
        "title": words["public_title"],
        "type": kind,
        "instructions": words["instructions"],
        "params": {**params[kind], "show_source": True},
        "k": 3,
        "set_size": 6,
        "spacing": 2,
    }
    if asked[kind]:
        task["criteria"] = [row["key"] for row in asked[kind]]
    return {
        "study": {
            "slug": f"sound-{kind.replace('_', '-')}-{language}",
            "title": "Notices of a town hall",
            "public_title": words["public_title"],
            "language": language,
            "timezone": "Europe/Berlin",
            "seed": 20_261_127,
        },
        "about": dict(ABOUT),
        "pay": {"amount": 1.8, "minutes": 8, "currency": "EUR", "minimum_hourly": 12},
        "consent": {language: words["consent"]},
        **({"criteria": asked[kind]} if asked[kind] else {}),
        "tasks": [task],
        "systems": [
            {"key": "rules", "name": "Rules"},
            {"key": "neural", "name": "Parrot-7b"},
            {"key": "person", "name": "Town hall", "kind": "human"},
        ],
        "analysis": {"rules": [{"rule": "manual"}, {"rule": "page_time"}]},
    }


def write(folder: Path, kind: str, language: str) -> Path:
    """Write a sound study as files into an empty folder, and return it."""
    (folder / "study.yaml").write_text(dump_given({"evalweb": 1, **study_of(kind, language)}), encoding="utf-8")
    rows = rows_of(language)
    with (folder / "items.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return folder
