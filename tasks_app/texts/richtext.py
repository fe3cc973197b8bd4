"""Render Markdown as safe HTML: raw HTML is escaped, and nothing is loaded from elsewhere.

Texts of a researcher, such as instructions, may link to http, https and mailto. Texts to be judged may not: a link
would lead raters away from their answer, and whoever made a text decides where to.
"""

from functools import lru_cache

import nh3
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language, gettext
from markdown_it import MarkdownIt

_markdown = MarkdownIt("commonmark", {"html": False}).enable("table")

# Pictures would be loaded from another site, so their Markdown is shown as it was written.
_judged = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")

TAGS = {
    "a", "blockquote", "br", "code", "em", "h2", "h3", "h4", "hr", "li", "ol", "p", "pre", "strong",
    "table", "tbody", "td", "th", "thead", "tr", "ul",
}  # fmt: skip

# A page has one h1 of its own, so a researcher's headings begin one level lower.
_LOWER = {"h1": "h2", "h2": "h3", "h3": "h4", "h4": "h4", "h5": "h4", "h6": "h4"}


@lru_cache(maxsize=512)
def to_html(text: str) -> SafeString:
    """Render Markdown; nh3 drops every tag that is not in `TAGS`."""
    clean = nh3.clean(
        _lowered(_markdown, text), tags=TAGS, attributes={"a": {"href"}}, url_schemes={"http", "https", "mailto"}
    )
    return mark_safe(clean)  # noqa: S308  cleaned above


def split_at_rule(text: str) -> tuple[str, str]:
    """Return the part of a Markdown text above its first rule (`---`), and the part below it.

    Without a rule, or with nothing on one of its sides, the whole text is below.
    """
    rule = next((token for token in _markdown.parse(text) if token.type == "hr" and token.level == 0), None)
    if rule is None or rule.map is None:
        return "", text
    lines = text.splitlines(keepends=True)
    above, below = "".join(lines[: rule.map[0]]), "".join(lines[rule.map[1] :])
    return (above, below) if above.strip() and below.strip() else ("", text)


def judged_html(text: str) -> SafeString:
    """Render Markdown that is judged, or stands beside such a text: links lead nowhere, pictures stay words.

    What can be wider than its place, tables and code, lies in a box of its own that scrolls, also with the keyboard.
    """
    return _judged_html(text, get_language() or "")


@lru_cache(maxsize=512)
def _judged_html(text: str, language: str) -> SafeString:
    # An ordered list keeps the number it begins with: it is part of the text.
    clean = nh3.clean(_lowered(_judged, text), tags=TAGS, attributes={"ol": {"start"}}, link_rel=None)
    for tag, words in (("table", gettext("Table")), ("pre", gettext("Code"))):
        # In what nh3 writes, these are tags and never text, where < is &lt;.
        box = f'<div class="scroll" role="group" tabindex="0" aria-label="{escape(words)}">'
        clean = clean.replace(f"<{tag}>", f"{box}<{tag}>").replace(f"</{tag}>", f"</{tag}></div>")
    return mark_safe(clean)  # noqa: S308  cleaned above, and what was added is ours


def _lowered(markdown: MarkdownIt, text: str) -> str:
    tokens = markdown.parse(text)
    for token in tokens:
        token.tag = _LOWER.get(token.tag, token.tag)
    return str(markdown.renderer.render(tokens, markdown.options, {}))
