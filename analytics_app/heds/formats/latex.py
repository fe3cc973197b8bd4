"""The datasheet in LaTeX: a document for xelatex and lualatex, and for pdflatex where answers are in Latin script."""

from collections.abc import Iterator

from analytics_app.exports.latex import escaped
from analytics_app.heds.formats.parts import CORRECTIONS, NOT_ANSWERED, correction_lines, headline, parts_of, source_of
from analytics_app.heds.questions import Version
from analytics_app.heds.sheet import Sheet

_PREAMBLE = r"""\documentclass[11pt]{article}
\usepackage{iftex}
\ifPDFTeX
  \usepackage[T1]{fontenc}
  \usepackage[utf8]{inputenc}
\else
  \usepackage{fontspec}
\fi
\usepackage[a4paper,margin=2.5cm]{geometry}
\setlength{\parindent}{0pt}
\newcommand{\question}[2]{\medskip\textbf{#1~~#2}\par}
"""


def write(sheet: Sheet, version: Version) -> str:
    """Return the datasheet of a version as a LaTeX document."""
    return "\n".join([_PREAMBLE, *_lines(sheet, version)]) + "\n"


def _lines(sheet: Sheet, version: Version) -> Iterator[str]:
    yield rf"\title{{{escaped(headline(sheet, version))}}}"
    yield r"\author{}"
    yield r"\date{}"
    yield r"\begin{document}"
    yield r"\maketitle"
    yield escaped(source_of(version))
    for part in parts_of(sheet, version):
        yield ""
        yield rf"\section*{{{part.section}. {escaped(part.title)}}}"
        for entry in part.entries:
            yield ""
            yield rf"\question{{{entry.question.number_in(version)}}}{{{escaped(entry.question.words)}}}"
            paragraphs = [line for line in (entry.words or NOT_ANSWERED).split("\n") if line.strip()]
            yield "\n\n".join(map(escaped, paragraphs))
    if sheet.corrections:
        yield ""
        yield rf"\section*{{{escaped(CORRECTIONS)}}}"
    for corrected in sheet.corrections:
        yield ""
        yield rf"\question{{}}{{{escaped(corrected.title)}}}"
        paragraphs = [line for text in correction_lines(corrected) for line in text.split("\n") if line.strip()]
        yield "\n\n".join(map(escaped, paragraphs))
    yield ""
    yield r"\end{document}"
