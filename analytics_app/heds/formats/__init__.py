"""The datasheet as a file: Markdown, LaTeX, and the JSON of the public form of version 3.0."""

from collections.abc import Callable, Mapping

from analytics_app.heds.formats import latex, markdown, public_form
from analytics_app.heds.questions import Version
from analytics_app.heds.sheet import Sheet

WRITERS: Mapping[str, Callable[[Sheet, Version], str]] = {
    "markdown": markdown.write,
    "latex": latex.write,
    "json": lambda sheet, _version: public_form.write(sheet),
}
ENDINGS = {"markdown": "md", "latex": "tex", "json": "json"}
CONTENT_TYPES = {
    "markdown": "text/markdown; charset=utf-8",
    "latex": "application/x-tex; charset=utf-8",
    "json": "application/json",
}
