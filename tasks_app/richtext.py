"""Markdown that researchers write, as safe HTML: no raw HTML passes, no address but http, https and mailto."""

from functools import lru_cache

import nh3
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt

_markdown = MarkdownIt("commonmark", {"html": False}).enable("table")

TAGS = {
    "a", "blockquote", "br", "code", "em", "h2", "h3", "h4", "hr", "li", "ol", "p", "pre", "strong",
    "table", "tbody", "td", "th", "thead", "tr", "ul",
}  # fmt: skip

# A page has one h1 of its own, so a researcher's headings begin one level lower.
_LOWER = {"h1": "h2", "h2": "h3", "h3": "h4", "h4": "h4", "h5": "h4", "h6": "h4"}


@lru_cache(maxsize=512)
def to_html(text: str) -> SafeString:
    """Render Markdown; whatever is not in `TAGS` is dropped by nh3."""
    tokens = _markdown.parse(text)
    for token in tokens:
        token.tag = _LOWER.get(token.tag, token.tag)
    html = _markdown.renderer.render(tokens, _markdown.options, {})
    clean = nh3.clean(html, tags=TAGS, attributes={"a": {"href"}}, url_schemes={"http", "https", "mailto"})
    return mark_safe(clean)  # noqa: S308  cleaned above
