"""A table in LaTeX, with the rules of the package booktabs."""

import re
import unicodedata
from collections.abc import Iterator

from analytics_app.show.cells import Cell
from analytics_app.show.table import Table

# Signs that are commands in LaTeX, or that its default fonts lack, in a form that pdfLaTeX, XeLaTeX and LuaLaTeX print.
SIGNS = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "`": r"\textasciigrave{}",
    "\u00a0": "~",
    "\u202f": r"\,",
    "\u2009": r"\,",
    "−": "$-$",
    "–": "--",
    "—": "---",
    "…": r"\ldots{}",
    "“": "``",
    "”": "''",
    "‘": "`",
    "’": r"\textquoteright{}",
    "′": "$'$",
    "×": r"$\times$",
    "·": r"$\cdot$",
    "±": r"$\pm$",
    "≤": r"$\leq$",
    "≥": r"$\geq$",
    "≈": r"$\approx$",
    "≠": r"$\neq$",
    "→": r"$\rightarrow$",
    "∞": r"$\infty$",
    "²": r"$^2$",
    "³": r"$^3$",
    "α": r"$\alpha$",
    "β": r"$\beta$",
    "γ": r"$\gamma$",
    "δ": r"$\delta$",
    "Δ": r"$\Delta$",
    "η": r"$\eta$",
    "κ": r"$\kappa$",
    "λ": r"$\lambda$",
    "μ": r"$\mu$",
    "π": r"$\pi$",
    "ρ": r"$\rho$",
    "σ": r"$\sigma$",
    "τ": r"$\tau$",
    "φ": r"$\varphi$",
    "χ": r"$\chi$",
    "ω": r"$\omega$",
}
# Two of these in a row would become a dash, a quotation mark or a low comma.
LIGATURES = "-',"
_WORD = re.compile("[^ ]+")
_LATIN_END = "\u024f"

NEEDS_UNICODE = "% pdfLaTeX cannot print every letter of this table: use XeLaTeX or LuaLaTeX and a font with them."


def write(table: Table, *, title: str, label: str, origin: str) -> str:
    """Return a table as a float with caption and label, with `origin` as a comment above it."""
    body = list(_table(table, title, label))
    letters = "".join(body)
    head = [f"% {_line(origin)}", r"% Needs \usepackage{booktabs} and \usepackage[T1]{fontenc} in the preamble."]
    if any(letter > _LATIN_END for letter in letters):
        head.append(NEEDS_UNICODE)
    return "\n".join([*head, *body, ""])


def escaped(text: str) -> str:
    """Return a text escaped for LaTeX, on one line, without control characters."""
    return _WORD.sub(lambda word: "".join(_signs(word[0])), _line(text))


def _signs(word: str) -> Iterator[str]:
    """Yield the LaTeX of each sign of a word. A Greek letter is a symbol only if the word has no other Greek letter."""
    symbols = sum(unicodedata.category(letter)[0] == "L" and letter > _LATIN_END for letter in word) <= 1
    before = ""
    for letter in word:
        if letter == before and letter in LIGATURES:
            yield "{}"
        before = letter
        keep = not symbols and letter > _LATIN_END and letter.isalpha()
        yield letter if keep else SIGNS.get(letter, letter)


def _line(text: str) -> str:
    """Return a text on one line without unprintable signs; joiners are kept, since emoji and Persian need them."""
    flat = " ".join(re.split(r"[^\S\u00a0\u2009\u202f]+", text)).strip(" ")
    return "".join(
        sign for sign in flat if unicodedata.category(sign) not in {"Cc", "Cf", "Cs"} or sign in "\u200c\u200d"
    )


def _table(table: Table, title: str, label: str) -> Iterator[str]:
    kinds = "".join("r" if column.number else "l" for column in table.columns)
    yield r"\begin{table}"
    yield r"  \centering"
    yield rf"  \caption{{{escaped(title)}}}"
    yield rf"  \label{{{label}}}"
    yield rf"  \begin{{tabular}}{{{kinds}}}"
    yield r"    \toprule"
    yield rf"    {' & '.join(_braced(escaped(str(column.label))) for column in table.columns)} \\"
    yield r"    \midrule"
    for row in table.rows:
        yield rf"    {' & '.join(map(_cell, row))} \\"
    yield r"    \bottomrule"
    yield r"  \end{tabular}"
    if table.notes:
        yield r"  \par\medskip"
        yield r"  \begin{minipage}{\linewidth}"
        yield r"    \footnotesize"
        for note in table.notes:
            yield rf"    {escaped(str(note))}\par"
        yield r"  \end{minipage}"
    yield r"\end{table}"


def _cell(cell: Cell) -> str:
    text = escaped(cell.text)
    return rf"\textbf{{{text}}}" if cell.strong else _braced(text)


def _braced(text: str) -> str:
    """Return a cell with a leading bracket or star in braces, which LaTeX would read as an argument."""
    return f"{{{text}}}" if text[:1] in {"[", "*"} else text
