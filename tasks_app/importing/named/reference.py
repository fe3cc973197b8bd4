"""The table of formats in docs/formats.md, made of the readers' declarations."""

from __future__ import annotations

from collections.abc import Iterator

from django.utils.translation import gettext_lazy

from tasks_app.importing.named.registry import registry

_BEGIN = "| format | what it is | kept | not kept |\n|---|---|---|---|\n"


_OPTIONS = "\n| format | option | what it says | values |\n|---|---|---|---|\n"
_ANY = gettext_lazy("the name of a field or the like")


def reference() -> str:
    """Return a table of all formats, and one of their options, as Markdown."""
    return "".join([_BEGIN, *_rows(), _OPTIONS, *_options()])


def _rows() -> Iterator[str]:
    for reader in registry.values():
        yield f"| `{reader.name}` | {reader.label}. {reader.about} | {reader.kept} | {reader.not_kept} |\n"


def _options() -> Iterator[str]:
    for reader in registry.values():
        for name, option in reader.options.items():
            values = "; ".join(f"`{value}`: {words}" for value, words in option.choices.items())
            yield f"| `{reader.name}` | `--option {name}=…` | {option.label} | {values or _ANY} |\n"
