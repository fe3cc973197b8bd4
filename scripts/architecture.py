"""Draw docs/img/architecture.svg: the layers of the three apps, as the import contracts in pyproject.toml state them.

    .venv/bin/python scripts/architecture.py

Each box is a module or package with the first sentence of its docstring. Code imports from its own row and below only.
"""

import ast
import re
import sys
import textwrap
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import escape

ROOT = Path(__file__).resolve().parent.parent
PICTURE = ROOT / "docs" / "img" / "architecture.svg"

WIDTH, MARGIN, GAP, LINE, PAD = 1200, 24, 8, 16, 10
# Most boxes side by side, and the width of a letter of the small text in pixels.
MOST_BESIDE, LETTER = 5, 6.3


@dataclass(frozen=True, slots=True)
class App:
    """An app with its layers from the top; each layer holds the names of its modules."""

    name: str
    layers: tuple[tuple[str, ...], ...]


def main() -> None:
    """Write the picture."""
    PICTURE.write_text(drawn(), encoding="utf-8")
    sys.stdout.write(f"{PICTURE.relative_to(ROOT)}\n")


def apps() -> list[App]:
    """Return the apps from the top, with the layers of those that a contract orders."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = settings["tool"]["importlinter"]["contracts"]
    exhaustive = {contract["containers"][0]: contract["layers"] for contract in contracts if contract.get("exhaustive")}
    order = next(
        contract["layers"] for contract in contracts if not contract.get("containers") and contract["type"] == "layers"
    )
    return [App(name, tuple(filter(None, (_present(name, row) for row in exhaustive.get(name, ()))))) for name in order]


def _present(app: str, row: str) -> tuple[str, ...]:
    """Return the modules of a row that exist: a contract may name one for the day it is needed."""
    names = re.findall(r"\w+", row)
    return tuple(name for name in names if (ROOT / app / name).is_dir() or (ROOT / app / f"{name}.py").exists())


def drawn() -> str:
    """Return the picture as SVG; it depends on the contracts and the docstrings alone."""
    body: list[str] = []
    top = MARGIN
    for app in apps():
        body.append(_text(MARGIN, top + 20, app.name, "app"))
        body.append(_text(MARGIN + 170, top + 20, about(app.name), "about"))
        top += 32
        for layer in app.layers:
            for start in range(0, len(layer), MOST_BESIDE):
                boxes, height = _row(app.name, layer[start : start + MOST_BESIDE], top)
                body += boxes
                top += height + GAP
            top += GAP
        top += 20
    return _FRAME.format(width=WIDTH, height=top, body="\n".join(body))


def about(dotted: str) -> str:
    """Return the first sentence of the docstring of a module or package, or nothing where it has none."""
    path = ROOT / dotted.replace(".", "/")
    source = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    words = ast.get_docstring(ast.parse(source.read_text(encoding="utf-8"))) or ""
    first = " ".join(words.split("\n\n")[0].split())
    return re.split(r"(?<=[.;])\s", first)[0].rstrip(".;:")


def _row(app: str, names: tuple[str, ...], top: int) -> tuple[list[str], int]:
    """Return the boxes of one row and its height in pixels."""
    width = (WIDTH - 2 * MARGIN - GAP * (len(names) - 1)) // len(names)
    texts = [textwrap.wrap(about(f"{app}.{name}"), int((width - 2 * PAD) / LETTER)) for name in names]
    height = PAD + LINE * (1 + max(map(len, texts))) + PAD
    boxes = []
    for number, (name, lines) in enumerate(zip(names, texts, strict=True)):
        left = MARGIN + number * (width + GAP)
        boxes.append(f'<rect x="{left}" y="{top}" width="{width}" height="{height}" rx="4"/>')
        boxes.append(_text(left + PAD, top + PAD + 12, name, "name"))
        boxes += list(_lines(left + PAD, top + PAD + 12 + LINE, lines))
    return boxes, height


def _lines(left: int, top: int, lines: list[str]) -> Iterator[str]:
    for number, line in enumerate(lines):
        yield _text(left, top + number * LINE, line, "about")


def _text(left: int, top: int, words: str, kind: str) -> str:
    return f'<text x="{left}" y="{top}" class="{kind}">{escape(words)}</text>'


_FRAME = """\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" aria-label="Layers of the three apps">
<style>
text {{ font: 12px system-ui, sans-serif; fill: #333 }}
.app {{ font-size: 20px; font-weight: 600; fill: #111 }}
.name {{ font-size: 14px; font-weight: 600; fill: #111 }}
rect {{ fill: #f4f6f8; stroke: #b8c0c8 }}
</style>
<rect width="{width}" height="{height}" style="fill: #fff; stroke: none"/>
{body}
</svg>
"""


if __name__ == "__main__":
    main()
