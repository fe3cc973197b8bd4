"""The order of a datasheet as a document: sections, and within section 4 the criteria one after the other."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from analytics_app.heds.questions import SECTIONS, Version
from analytics_app.heds.sheet import Entry, Sheet
from tasks_app.services.study.correcting import Corrected

NOT_ANSWERED = "Not answered."
CORRECTIONS = "Texts corrected while the study was open"


@dataclass(frozen=True, slots=True)
class Part:
    """A section, or one criterion of section 4; `title` is empty if it follows the section's own title."""

    section: str
    title: str
    criterion: str
    entries: Sequence[Entry]


def parts_of(sheet: Sheet, version: Version) -> Iterator[Part]:
    """Yield the parts of a datasheet in their order."""
    entries = sheet.of(version)
    for section, title in SECTIONS.items():
        if section != "4":
            chosen = [entry for entry in entries if entry.question.section == section]
            yield Part(section, title, "", chosen)
        for key, name in sheet.names.items() if section == "4" else ():
            chosen = [entry for entry in entries if entry.criterion == key]
            yield Part(section, f"{title}: {name}", key, chosen)


def headline(sheet: Sheet, version: Version) -> str:
    """Return the title of a datasheet."""
    return f"Human Evaluation Datasheet {version}: {sheet.study.title}"


def correction_lines(corrected: Corrected) -> list[str]:
    """Return the change of a correction, with its time, author and reason, in paragraphs."""
    by = corrected.by or "a deleted account"
    return [
        f"Before: {corrected.before}",
        f"After: {corrected.after}",
        f"Corrected on {corrected.at:%-d %b %Y} by {by}. Reason: {corrected.reason}",
    ]


def source_of(version: Version) -> str:
    """Return the publication of a version."""
    if version == Version.TWO:
        return "Shimorina and Belz (2022). The human evaluation datasheet. HumEval, 54-75."
    return (
        "Belz and Thomson (2025). HEDS 3.0. GEM. Questions are worded by evalweb; the numbers are those of the sheet."
    )
