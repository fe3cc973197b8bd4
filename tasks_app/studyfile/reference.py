"""Generate the tables of docs/study-file.md from the declarations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from django.utils.translation import override

from tasks_app import channels, designs, task_types
from tasks_app.hooks.sections import Json
from tasks_app.settings.checks import CheckSettings
from tasks_app.studyfile.columns import TABLES, TableDeclaration
from tasks_app.studyfile.explain import expected
from tasks_app.studyfile.files.limits import Limits, megabytes
from tasks_app.studyfile.schema import form_schema, whole_schema

_HEAD = ("| name | holds | default | |", "|---|---|---|---|")

# A setting that at least this many members of a registry share, in the same words, is described only once.
SHARED_BY = 10

_LIMITS = {
    "upload_bytes": "a zip as it is uploaded",
    "unpacked_bytes": "all files together, unpacked",
    "files": "files",
    "yaml_bytes": "study.yaml",
    "yaml_values": "names and values in study.yaml",
    "table_bytes": "one table",
    "rows": "rows of one table",
    "lines": "lines of one table, including empty lines and lines within cells",
    "line_characters": "characters of one line of a table",
    "json_values": "values in one line of JSON",
    "ratings_bytes": "a file of ratings, unpacked",
    "ratings_rows": "rows of a file of ratings",
    "text_characters": "characters of one text",
    "media_bytes": "one picture, sound or video",
}


def reference() -> str:
    """Return every table in Markdown, in English under any active language."""
    with override("en"):
        return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    schema = whole_schema()
    yield "### study.yaml"
    for name, part in schema["properties"].items():
        entries: Mapping[str, Json] = part.get("items", part)
        if "properties" in entries:
            kind = "a list of" if "items" in part else "one group of settings"
            yield from (
                "",
                f"**`{name}`** ({kind})" if "items" not in part else f"**`{name}`** (a list; each entry:)",
                "",
            )
            yield from _table(entries)
            yield from _members(name, entries)
    yield from ("", "**`tasks.checks`** (training, exam, controls and repeats; see checks.md)", "")
    yield from _table(form_schema(CheckSettings.Settings))
    for title, members in (
        ("channel", channels.registry),
        ("task type", task_types.registry),
        ("design", designs.registry),
    ):
        for name, member in members.items():
            params = form_schema(member.Settings)
            if params["properties"]:
                yield from ("", f"**Parameters of the {title} `{name}`**", "")
                yield from _table(params)
    for declared in TABLES:
        yield from ("", f"### {' or '.join(f'{declared.stem}.{suffix}' for suffix in declared.suffixes)}", "")
        yield from _columns(declared)
    yield from ("", "### Limits", "", "| what | at most |", "|---|---|")
    for name, description in _LIMITS.items():
        value = getattr(Limits(), name)
        yield f"| {description} | {megabytes(value) if name.endswith('bytes') else f'{value:,}'} |"


def _members(section: str, schema: Mapping[str, Json]) -> Iterator[str]:
    """Yield a table for every member of a registry that a list within a section may name.

    Settings that many members have stand in a table before them, and are only named at each.
    """
    for name, field in schema["properties"].items():
        conditions: Sequence[Json] = field["items"].get("allOf", ()) if "items" in field else ()
        members = [_Member.of(condition) for condition in conditions]
        counts = Counter(row for member in members for row in member.rows.items())
        shared = {key: row for (key, row), n in counts.items() if n >= SHARED_BY}
        if shared:
            yield from ("", f"**`{section}.{name}`**: settings that many entries have", "", *_HEAD, *shared.values())
        for member in members:
            own = [row for key, row in member.rows.items() if shared.get(key) != row]
            also = [f"`{key}`" for key, row in member.rows.items() if shared.get(key) == row]
            yield from ("", f"**`{section}.{name}`: `{member.entry}`** {member.description}".rstrip(), "")
            yield from ([*_HEAD, *own] if own else () if also else ["No settings."])
            if also:
                yield from (*([""] if own else ()), f"{'Also' if own else 'Has'} {', '.join(also)} (see above).")


@dataclass(frozen=True, slots=True)
class _Member:
    """An entry of a list that names a member of a registry: how it is written, and the row of each of its settings."""

    entry: str
    description: str
    rows: Mapping[str, str]

    @classmethod
    def of(cls, condition: Mapping[str, Json]) -> _Member:
        """Read a member from the condition that the schema has for it."""
        ((word, member),) = condition["if"]["properties"].items()
        then = condition["then"]
        settings = {key: value for key, value in then["properties"].items() if key != word}
        rows = dict(zip(settings, _rows({**then, "properties": settings}), strict=True))
        return cls(f"{{{word}: {member['const']}}}", then.get("description", ""), rows)


def _table(schema: Mapping[str, Json]) -> Iterator[str]:
    yield from _HEAD
    yield from _rows(schema)


def _rows(schema: Mapping[str, Json]) -> Iterator[str]:
    needed: Sequence[str] = schema.get("required", ())
    for name, field in schema["properties"].items():
        texts = [field.get("title", ""), field.get("description", "")]
        default = "needed" if name in needed else _plain(field.get("default", ""))
        text = ". ".join(sentence.rstrip(".") for sentence in texts if sentence)
        yield f"| `{name}` | {_holds(field)} | {default} | {text}. |"


def _holds(field: Mapping[str, Json]) -> str:
    text = expected(field)
    return f"{text}, at most {field['maxLength']} characters" if "maxLength" in field else text


def _plain(value: Json) -> str:
    return ("true" if value else "false") if isinstance(value, bool) else str(value)


def _columns(declared: TableDeclaration) -> Iterator[str]:
    yield from ("| column | holds | |", "|---|---|---|")
    for column in declared.columns:
        needed = " (needed)" if column.needed else ""
        yield f"| `{column.name}`{needed} | {str(column.kind.value).replace('|', chr(92) + '|')} | {column.doc} |"
    for prefix in declared.prefixes:
        yield f"| `{prefix.name}…` | {prefix.kind.value} | {prefix.doc} |"
