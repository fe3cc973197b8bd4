"""The file to preregister a study with, before it opens: what is asked of whom, the plan, and how it is analysed."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator, Sequence
from typing import IO

from django.utils.translation import gettext as _

from tasks_app import sections
from tasks_app.models import Setup, Study
from tasks_app.services.study.lifecycle import refuse_unchecked
from tasks_app.setup.files import SetupFiles
from tasks_app.studyfile.files.yaml_text import dump_given

# The same bytes whenever the same set-up is written.
_TIME = (1980, 1, 1, 0, 0, 0)


def write(study: Study, target: IO[bytes], facts: Sequence[tuple[str, str]], plans: Sequence[tuple[str, str]]) -> None:
    """Write a zip with preregistration.md and every file of the study as it would be frozen.

    `facts` are names and values of what opening freezes, `plans` the sentences about the plan of each task.

    Raises
    ------
    tasks_app.services.study.lifecycle.NotPossible
        Where the form holds something that was not checked.
    """
    refuse_unchecked(study)
    document = sections.snapshot(study)
    files = SetupFiles(Setup.objects.get(study=study))
    text = "\n".join(_lines(study, document, facts, plans)) + "\n"
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in (
            ("preregistration.md", text.encode()),
            *((name, files.read(name)) for name in files.names),
        ):
            entry = zipfile.ZipInfo(name, _TIME)
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)


def _lines(
    study: Study, document: sections.Document, facts: Sequence[tuple[str, str]], plans: Sequence[tuple[str, str]]
) -> Iterator[str]:
    yield f"# {_('Preregistration')}: {study.title}"
    yield ""
    yield _("Written before the study was opened to raters: no answer had been given.")
    yield ""
    yield f"- {_('SHA-256 of the design')}: `{sections.digest(document)}`"
    yield f"- {_('Seed of all random choices')}: {study.seed}"
    yield f"- {_('Files beside this one')}: {_('the study file from which evalweb makes the same study again')}"
    yield ""
    yield f"## {_('What opening freezes')}"
    yield ""
    yield from (f"- **{name}**: {value}" for name, value in facts)
    yield ""
    yield f"## {_('Plan')}"
    yield ""
    yield from (f"- **{task}**: {sentence}" for task, sentence in plans if sentence)
    yield ""
    yield f"## {_('Questions, word for word')}"
    yield ""
    yield from _questions(document["criteria"])
    yield ""
    yield f"## {_('Analysis plan')}"
    yield ""
    yield _("Computed as the planned run; anything else is shown as exploratory.")
    yield ""
    yield "```yaml"
    yield dump_given({"analysis": document.get("analysis", {})}).partition("\n")[2].rstrip()
    yield "```"


def _questions(criteria: Sequence[sections.Json]) -> Iterator[str]:
    for criterion in criteria:
        ends = criterion["labels"] or [end for end in (criterion["low"], criterion["high"]) if end]
        scale = f" ({' · '.join(ends)})" if ends else ""
        yield f"- **{criterion['name']}**: {criterion['question'] or criterion['name']}{scale}"
        if criterion["definition"]:
            yield f"  {criterion['definition']}"
