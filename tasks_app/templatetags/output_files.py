"""Template tags that show outputs which are pictures, sounds or films on researchers' pages."""

from collections.abc import Mapping
from dataclasses import dataclass

from django import template
from django.urls import reverse

from tasks_app.models import Output, Study
from tasks_app.studyfile.files.media import CAPTIONS, OUTPUT_FILE, kind_of_name

register = template.Library()


@dataclass(frozen=True, slots=True)
class OutputFile:
    """A file on a page: image, audio or video, its address, its description, and the address of its captions."""

    kind: str
    address: str
    words: str
    captions: str = ""

    @property
    def label(self) -> str:
        """The kind in words."""
        return str(Output.Kind(self.kind).label).capitalize()


@register.simple_tag
def file_of_output(output: Output, study: Study) -> OutputFile | None:
    """Return the file of a stored output; None where the output is a text."""
    if output.media is None:
        return None
    captions = _address(study, output.captions.sha256) if output.captions is not None else ""
    return OutputFile(output.kind, _address(study, output.media.sha256), output.text, captions)


@register.simple_tag
def file_of_row(cells: Mapping[str, str], study: Study) -> OutputFile | None:
    """Return the file of a row of the texts of a draft; None where its output is a text."""
    name = cells.get(OUTPUT_FILE, "")
    kind = kind_of_name(name).partition("/")[0]
    if kind not in Output.Kind.values:
        return None
    captions = _address(study, _sha256(cells[CAPTIONS])) if cells.get(CAPTIONS) else ""
    return OutputFile(kind, _address(study, _sha256(name)), cells.get("output", ""), captions)


def _sha256(name: str) -> str:
    """Return the digest that a stored file is named by."""
    return name.rpartition("/")[2].partition(".")[0]


def _address(study: Study, sha256: str) -> str:
    return reverse("researcher:setup_media", args=[study.slug, sha256])
