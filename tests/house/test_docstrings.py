"""First lines of docstrings name their object, with no "whose", "whoever", "whatever" or "what" in its place."""

import ast
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
OURS = ("tasks_app/*.py", "evalweb/*.py", "analytics_app/*.py", "bench/*.py", "scripts/*.py")
PRONOUN = re.compile(r"\b(whose|whoever|whatever|what)\b", re.IGNORECASE)
# Names in backticks or quotation marks are quoted as they are, such as the key `what`.
NAME = re.compile(r"`[^`]*`|“[^”]*”|\"[^\"]*\"")


def modules() -> list[Path]:
    files = subprocess.check_output(["git", "ls-files", *OURS], cwd=ROOT, text=True)
    return [ROOT / name for name in files.split() if "/migrations/" not in name]


def first_lines(text: str) -> Iterator[tuple[str, str]]:
    """Yield the name of each module, class and function of a text with the first line of its docstring."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            line = (ast.get_docstring(node) or "").partition("\n")[0]
            yield getattr(node, "name", "module"), line


def unclear(text: str) -> dict[str, str]:
    return {name: line for name, line in first_lines(text) if PRONOUN.search(NAME.sub("", line))}


def test_first_lines_name_their_object() -> None:
    found = {str(path.relative_to(ROOT)): lines for path in modules() if (lines := unclear(path.read_text()))}
    assert found == {}, "Put the noun in place of the pronoun"


@pytest.mark.parametrize(
    ("line", "is_unclear"),
    [
        ("Return what a rater sees next.", True),
        ("Return the rater whose link this is.", True),
        ("Tell whoever opens the page", True),
        ("Return the page, whatever the language.", True),
        ("What a rater sees.", True),
        ("Return the texts that a rater sees next.", False),
        ("Return the holder's state: `what`, pid, since.", False),
        ("Read the field “What is the URL of your study?”", False),
        ("Return somewhat larger numbers.", False),
    ],
)
def test_pronouns_are_found(line: str, *, is_unclear: bool) -> None:
    module = f'"""{line}"""\n'
    method = (
        f'class Box:\n    def open(self) -> None:\n        """{line}\n\n        This is what follows.\n        """\n'
    )
    assert bool(unclear(module)) is is_unclear
    assert bool(unclear(method)) is is_unclear
