"""The methods section as Markdown and LaTeX, and its references as BibTeX."""

from collections.abc import Mapping
from typing import Literal, TypeAlias

from analytics_app.exports import latex, markdown
from analytics_app.methods_text.sentences import MethodsText, Sentence

Format: TypeAlias = Literal["md", "tex", "bib"]

CONTENT_TYPES: Mapping[Format, str] = {
    "md": "text/markdown; charset=utf-8",
    "tex": "application/x-tex; charset=utf-8",
    "bib": "application/x-bibtex; charset=utf-8",
}


def in_format(text: MethodsText, format: Format) -> str:
    """Return the paragraph, or its references, as the text of a file."""
    return {"md": as_markdown, "tex": as_latex, "bib": as_bibtex}[format](text)


def as_markdown(text: MethodsText) -> str:
    """Return the paragraph with citations as authors and years, and the references below."""

    def written(sentence: Sentence) -> str:
        cited = f" ({text.cited(sentence)})" if sentence.cites else ""
        return f"{markdown.escaped(sentence.text + cited)}."

    lines = [
        f"**{markdown.escaped(paragraph.heading)}.** {' '.join(map(written, paragraph.sentences))}"
        for paragraph in text.paragraphs
    ]
    return "\n\n".join(lines) + "\n"


def as_latex(text: MethodsText) -> str:
    r"""Return the paragraph for a paper that loads natbib, with \citep for its references."""

    def written(sentence: Sentence) -> str:
        cited = rf"~\citep{{{','.join(sentence.cites)}}}" if sentence.cites else ""
        return f"{latex.escaped(sentence.text)}{cited}."

    blocks = [
        f"\\paragraph{{{latex.escaped(paragraph.heading)}}}\n" + "\n".join(map(written, paragraph.sentences))
        for paragraph in text.paragraphs
    ]
    return "\n\n".join(blocks) + "\n"


def as_bibtex(text: MethodsText) -> str:
    """Return the references as a BibTeX file."""
    return "\n\n".join(reference.bibtex for reference in text.references) + "\n"
