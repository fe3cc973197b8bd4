"""Regular expressions are literals of our code, or go through tasks_app/texts/patterns, which bounds the rest."""

import ast
import importlib
import pkgutil
import re
import re._parser as parser  # type: ignore[import-not-found]  # typeshed leaves it out
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tasks_app import readiness, setup
from tasks_app.texts import findings as text_findings

ROOT = Path(__file__).parents[2]
PACKAGE = "tasks_app/texts/patterns/"
ENGINES = {"re", "regex"}
FUNCTIONS = {"compile", "template", "search", "match", "fullmatch", "sub", "subn", "subf", "split", "splititer"} | {
    "findall", "finditer", "Regex", "Scanner"
}  # fmt: skip
CLASSES = {"RegexField", "RegexValidator"}
LOOKUPS = ("regex", "iregex")

# Patterns that no person wrote, by file and expression, and where they come from.
OURS = {
    ("tasks_app/studyfile/explain.py", "pattern"): "patternProperties of the schema, which our forms declare",
    ("evalweb/secret_paths.py", "str(getattr(kind, 'regex', ''))"): "the expressions of converters of addresses",
}


def modules() -> list[Path]:
    apps = ["tasks_app/*.py", "analytics_app/*.py", "evalweb/*.py"]
    files = subprocess.check_output(["git", "ls-files", *apps], cwd=ROOT, text=True)
    return [ROOT / name for name in files.split() if "/migrations/" not in name and not name.startswith(PACKAGE)]


def is_literal(node: ast.expr | None) -> bool:
    """Say whether an expression is made of literals and constants alone."""
    match node:
        case ast.Constant():
            return True
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name.lstrip("_").isupper()
        case ast.BinOp(op=ast.Add()):
            return is_literal(node.left) and is_literal(node.right)
        case ast.IfExp():
            return is_literal(node.body) and is_literal(node.orelse)
        case ast.JoinedStr():
            return all(is_literal(part.value) if isinstance(part, ast.FormattedValue) else True for part in node.values)
    return False


def patterns_in(tree: ast.Module) -> Iterator[ast.expr | None]:
    """Yield the patterns that a module compiles as it runs. On import, nobody's text is there yet."""
    imported = {
        name.asname or name.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module in ENGINES
        for name in node.names
        if name.name in FUNCTIONS
    }
    for function in ast.walk(tree):
        if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            continue
        body = function.body if isinstance(function.body, list) else [function.body]
        for call in (node for statement in body for node in ast.walk(statement) if isinstance(node, ast.Call)):
            if compiles(call, imported):
                named = [keyword.value for keyword in call.keywords if keyword.arg in {"pattern", "regex"}]
                yield next(iter([*call.args, *named]), None)
            yield from (keyword.value for keyword in call.keywords if (keyword.arg or "").split("__")[-1] in LOOKUPS
                        and "__" in (keyword.arg or ""))  # fmt: skip


def compiles(call: ast.Call, imported: set[str]) -> bool:
    function = call.func
    if isinstance(function, ast.Name):
        return function.id in CLASSES | imported
    if not isinstance(function, ast.Attribute):
        return False
    of_engine = isinstance(function.value, ast.Name) and function.value.id in ENGINES
    return function.attr in CLASSES or (of_engine and function.attr in FUNCTIONS)


def written_by_people(text: str) -> list[str]:
    return [ast.unparse(node) if node else "" for node in patterns_in(ast.parse(text)) if not is_literal(node)]


def test_no_pattern_is_compiled_past_its_bounds() -> None:
    found = {
        (str(path.relative_to(ROOT)), pattern)
        for path in modules()
        for pattern in written_by_people(path.read_text(encoding="utf-8"))
    }
    assert found == set(OURS), "give what people write to tasks_app.texts.patterns, which bounds it"


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("re.compile(given)", ["given"]),
        ("regex.search(f'^{given}$', text)", ["f'^{given}$'"]),
        ("re.split('|'.join(map(re.escape, words)), text)", ["'|'.join(map(re.escape, words))"]),
        ("re.sub(pattern=given, repl='', string=text)", ["given"]),
        ("fullmatch(given, text)", ["given"]),
        ("forms.RegexField(regex=given)", ["given"]),
        ("RegexValidator(given)", ["given"]),
        ("Item.objects.filter(text__iregex=given)", ["given"]),
        ("Item.objects.filter(text__regex=r'[0-9]')", []),
        ("re.compile(r'[0-9]')", []),
        ("re.fullmatch(KEY_PATTERN, text)", []),
        ("re.fullmatch(rf'{_KEY}|{fields.NONE}' + '$', text)", []),
        ("compiled.search(text)", []),
    ],
)
def test_what_counts_as_a_pattern_that_somebody_wrote(line: str, found: list[str]) -> None:
    assert written_by_people(f"from re import fullmatch\ndef answer(given, text):\n    return {line}") == found
    assert written_by_people(f"from re import fullmatch\n{line}") == [], "on import"


def test_no_sql_matches_a_pattern_from_a_parameter() -> None:
    operators = ("~ %", "~* %", "!~ %", "SIMILAR TO %", "regexp_matches(%", "regexp_match(%")
    texts = {str(path.relative_to(ROOT)): path.read_text(encoding="utf-8") for path in modules()}
    # The beginning of a formula is a constant of tasks_app/texts/plaintext.py.
    texts = {name: text.replace("~ %(formula)s", "") for name, text in texts.items()}
    assert [name for name, text in texts.items() if any(sign in text for sign in operators)] == []


def begins_without_end(nodes: parser.SubPattern, *, more: bool = False) -> bool:
    """Say whether a search would read on without a bound from each character of a text.

    What begins so is tried anew from every character, so that the work grows with the square of the text's length. An
    assertion before it, such as that a word begins here, is taken to leave few places. Where nothing comes behind it
    (`more` says that something does), it is found at once.
    """
    for place, (operator, argument) in enumerate(nodes):
        behind = more or place + 1 < len(nodes)
        if operator is parser.SUBPATTERN:
            return begins_without_end(argument[-1], more=behind)
        if operator is parser.BRANCH:
            return any(begins_without_end(branch, more=behind) for branch in argument[1])
        if operator not in {parser.MAX_REPEAT, parser.MIN_REPEAT}:
            return False
        least, most, repeated = argument
        if (most is parser.MAXREPEAT and behind) or begins_without_end(repeated, more=behind):
            return True
        if least:
            return False
    return False


def test_no_search_through_peoples_texts_reads_on_from_every_character() -> None:
    modules = [text_findings]
    for package in (readiness, setup):
        names = [found.name for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")]
        modules += [package, *map(importlib.import_module, names)]
    patterns = {
        f"{module.__name__}.{name}": pattern
        for module in modules
        for name, pattern in vars(module).items()
        if isinstance(pattern, re.Pattern) and isinstance(pattern.pattern, str)
    }
    assert len(patterns) > 20
    found = {name for name, pattern in patterns.items() if begins_without_end(parser.parse(pattern.pattern))}
    assert found <= ONE_CELL


# These match one cell of a table as a whole, and search nothing.
ONE_CELL = {f"tasks_app.importing.formats.structure.{name}" for name in ("_REFERENCE", "_DIGITS")}


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        (r"[\w.+-]*@", True),
        (r"(?:x?\s*|y)b", True),
        (r"(?:a+)?b", True),
        (r"(?<!\w)\w{1,64}@", False),
        (r"ab*", False),
        (r"_{5,}", False),
    ],
)
def test_what_reads_on_from_every_character(pattern: str, expected: bool) -> None:
    assert begins_without_end(parser.parse(pattern)) is expected
