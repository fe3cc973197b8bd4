"""Scripts and style sheets of a rater's page, joined when static files are collected.

In development a browser follows the imports of the sources as they are. Collected, each entry below holds the modules
that it imports, so that a rater's first page asks for few files (docs/decisions/0128). Every module becomes a function
that runs once and returns its exports:

    const _core_words = (() => {
    …the module, with `const { announce } = _core_announce;` for an import…
    return { word, fill };
    })();

Sources may import and export as ours do: at the beginning of a line, by name or as a whole (`* as name`), functions,
classes and constants only. Everything else is refused with its file and line.
"""

import posixpath
import re
from collections.abc import Callable
from fnmatch import fnmatchcase

# The script of every rater's page. It exports its modules to the scripts of task types, so that none runs twice.
PAGE_SCRIPT = "js/core/main.js"
SCRIPTS_OF_TYPES = "js/task_types/*.js"
# The style sheet of every rater's page imports others, as may the sheets of task types.
STYLE_SHEETS = ("css/page.css", "css/task_types/*.css")

IMPORT = re.compile(
    r'^import\s+(?:(?P<names>\{[^{}]*\}|\*\s+as\s+\w+)\s+from\s+)?"(?P<path>\.{1,2}/[^"\n]+)";[^\S\n]*$', re.MULTILINE
)
EXPORT = re.compile(r"^export\s+(?P<declared>(?:async\s+)?function\*?|class|const)\s+(?P<name>\w+)", re.MULTILINE)
OTHER = re.compile(r"^(?:import|export)\b|\bimport\s*[(.]", re.MULTILINE)
RENAMED = re.compile(r"(\w+)\s+as\s+(\w+)")
STYLE_IMPORT = re.compile(r'^@import\s+"(?P<path>[^"\n]+)";[^\S\n]*\n?', re.MULTILINE)

Read = Callable[[str], str]


class JoiningError(Exception):
    """A source that cannot be joined: its name under static/, its line and the reason."""

    def __init__(self, name: str, line: int, reason: str) -> None:
        super().__init__(f"static/{name}, line {line}: {reason}")


def is_joined(name: str) -> bool:
    """Return whether a static file is served joined."""
    is_of_type = fnmatchcase(name, SCRIPTS_OF_TYPES) and name.count("/") == SCRIPTS_OF_TYPES.count("/")
    return name == PAGE_SCRIPT or is_of_type or any(fnmatchcase(name, sheet) for sheet in STYLE_SHEETS)


def joined(name: str, read: Read) -> str:
    """Return the text of an entry with everything that it imports.

    `read` returns the text of a source by its name under static/. Raises JoiningError.
    """
    if name.endswith(".css"):
        return _joined_styles(name, read)
    return _joined_scripts(name, read)


def _joined_styles(name: str, read: Read) -> str:
    def content(match: re.Match[str]) -> str:
        return _joined_styles(_beside(name, match["path"]), read)

    return STYLE_IMPORT.sub(content, read(name))


def _joined_scripts(name: str, read: Read) -> str:
    modules = modules_of(name, read)
    if name == PAGE_SCRIPT:
        offered = ", ".join(_variable(module) for module in modules if module != name)
        return "\n".join([*(_as_function(module, read(module)) for module in modules), f"export {{ {offered} }};", ""])
    on_page = modules_of(PAGE_SCRIPT, read)
    own = [module for module in modules if module not in on_page]
    wanted = [_variable(module) for module in modules if module in on_page]
    path = posixpath.relpath(PAGE_SCRIPT, posixpath.dirname(name))
    first = [f'import {{ {", ".join(wanted)} }} from "{path}";'] if wanted else []
    return "\n".join([*first, *(_as_function(module, read(module)) for module in own), ""])


def modules_of(name: str, read: Read) -> list[str]:
    """Return the names of a script and of the modules that it imports, each after those that it imports itself.

    Raises JoiningError where modules import each other.
    """
    ordered: list[str] = []

    def visit(module: str, importers: tuple[str, ...]) -> None:
        if module in ordered:
            return
        text = read(module)
        for match in IMPORT.finditer(text):
            imported = _beside(module, match["path"])
            if imported in (*importers, module):
                raise JoiningError(module, _line(text, match), f"{imported} imports this module, too.")
            visit(imported, (*importers, module))
        ordered.append(module)

    visit(name, ())
    return ordered


def _as_function(name: str, text: str) -> str:
    """Return a module as a constant: what a function that runs at once returns, an object of its exports."""
    exports = [match["name"] for match in EXPORT.finditer(text)]
    body = EXPORT.sub(lambda match: f"{match['declared']} {match['name']}", text)
    body = IMPORT.sub(lambda match: _binding(match["names"], _beside(name, match["path"])), body)
    if other := OTHER.search(body):
        reason = "only `import { … } from`, `import * as … from`, and exports of functions, classes and constants can"
        raise JoiningError(name, _line(body, other), f"{reason} be joined.")
    returned = f"return {{ {', '.join(exports)} }};\n" if exports else ""
    return f"const {_variable(name)} = (() => {{\n{body.rstrip()}\n{returned}}})();"


def _binding(names: str | None, imported: str) -> str:
    """Return the statement in place of an import, on as many lines."""
    if names is None:
        return ""
    if names.startswith("*"):
        return f"const {names.split()[-1]} = {_variable(imported)};"
    parts = RENAMED.sub(r"\1: \2", names)
    return f"const {parts} = {_variable(imported)};"


def _variable(name: str) -> str:
    return re.sub(r"\W", "_", name.removeprefix("js").removesuffix(".js"))


def _beside(name: str, path: str) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(name), path))


def _line(text: str, match: re.Match[str]) -> int:
    return text.count("\n", 0, match.start()) + 1
