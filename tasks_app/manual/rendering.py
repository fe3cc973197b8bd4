"""Render a page of the manual as HTML: headings have anchors, links and pictures are those of Help, tables scroll."""

import posixpath
import re
from collections.abc import Callable
from functools import lru_cache

import nh3
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt
from markdown_it.token import Token

from tasks_app.manual.pages import PICTURES, Anchors, Page, pages, picture, plain

_markdown = MarkdownIt("commonmark", {"html": False}).enable("table")

TAGS = {
    "a", "blockquote", "br", "code", "em", "h2", "h3", "h4", "h5", "h6", "hr", "img", "li", "ol", "p", "pre", "strong",
    "table", "tbody", "td", "th", "thead", "tr", "ul",
}  # fmt: skip

_HEADINGS = ("h2", "h3", "h4", "h5", "h6")
_BETWEEN_CELLS = re.compile(r"\n(?=</?(?:table|thead|tbody|tr|td|th)>)")
_ELSEWHERE = re.compile(r"^(?:https?:|mailto:)")
_EXAMPLE = re.compile(r"^examples/((?:published/)?[a-z0-9_]+)(?:/study\.yaml)?/?$")

# A function that returns an address: of a page of the manual, of a new study from an example, or of a picture, by name.
Address = Callable[[str], str]


@lru_cache(maxsize=128)
def to_html(page: Page, page_url: Address, example_url: Address, picture_url: Address) -> SafeString:
    """Render a page. Raw HTML in it is shown as it was written."""
    tokens = _markdown.parse(page.body)
    anchors = Anchors()
    for place, token in enumerate(tokens):
        if token.type == "heading_open":
            token.attrSet("id", anchors.take(plain(tokens[place + 1].content)))
        elif token.type == "inline":
            token.children = _linked(token.children or [], page, page_url, example_url, picture_url)
    html = str(_markdown.renderer.render(tokens, _markdown.options, {}))
    attributes = {"a": {"href"}, "img": {"src", "alt", "loading"}, **{heading: {"id"} for heading in _HEADINGS}}
    clean = nh3.clean(html, tags=TAGS, attributes=attributes, url_schemes={"http", "https", "mailto"})
    # Lines between cells are nothing to a browser, and some hundred in a long table.
    clean = _BETWEEN_CELLS.sub("", clean)
    # A column that needs no name has no heading.
    clean = clean.replace("<th></th>", "<td></td>")
    for tag, words in (("table", "Table"), ("pre", "Code")):
        # In what nh3 writes, these are tags and never text, where < is &lt;.
        box = f'<div class="ew-scroll" role="group" tabindex="0" aria-label="{escape(words)}">'
        clean = clean.replace(f"<{tag}>", f"{box}<{tag}>").replace(f"</{tag}>", f"</{tag}></div>")
    return mark_safe(clean)  # noqa: S308  cleaned above, and what was added is ours


def _linked(
    tokens: list[Token], page: Page, page_url: Address, example_url: Address, picture_url: Address
) -> list[Token]:
    """Let links lead to pages of the manual, and show screenshots; other links stay as words."""
    linked: list[Token] = []
    dropped = 0
    for token in tokens:
        if token.type == "image":
            folder, _slash, name = str(token.attrGet("src") or "").rpartition("/")
            if posixpath.normpath(posixpath.join(page.folder, folder)) == PICTURES and picture(name):
                token.attrSet("src", picture_url(name))
                token.attrSet("loading", "lazy")
                linked.append(token)
            else:
                linked.append(Token("text", "", 0, content=token.content))
        elif token.type == "link_open":
            href = target(str(token.attrGet("href") or ""), page, page_url, example_url)
            if href:
                token.attrSet("href", href)
                linked.append(token)
            else:
                dropped += 1
        elif token.type == "link_close" and dropped:
            dropped -= 1
        else:
            linked.append(token)
    return linked


def target(href: str, page: Page, page_url: Address, example_url: Address) -> str:
    """Return the address in the product to which a link of a page leads; "" where there is none."""
    if _ELSEWHERE.match(href) or href.startswith("#"):
        return href
    path, _hash, anchor = href.partition("#")
    whole = posixpath.normpath(posixpath.join("docs", page.folder, path))
    if example := _EXAMPLE.match(whole):
        return example_url(example.group(1))
    name = whole.removeprefix("docs/").removesuffix(".md").removesuffix("README").rstrip("/")
    if not whole.startswith("docs/") or name not in pages():
        return ""
    return page_url(name) + (f"#{anchor}" if anchor else "")
