"""The datasheet in the zip that preregisters a study: the facts known before the first answer."""

from collections.abc import Iterator

from analytics_app.heds.formats import markdown, public_form
from analytics_app.heds.questions import Version
from analytics_app.heds.sheet import sheet_of
from tasks_app.models import Study
from tasks_app.setup import preregistered


def register() -> None:
    """Add the datasheet to preregistrations."""
    preregistered.register(files)


def files(study: Study) -> Iterator[tuple[str, bytes]]:
    """Yield the datasheet to read, and as the public form loads it."""
    sheet = sheet_of(study)
    yield "datasheet.md", markdown.write(sheet, Version.THREE).encode()
    yield "datasheet.json", public_form.write(sheet).encode()
