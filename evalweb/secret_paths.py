"""Hide the secret parts of addresses in a text, as the site's own table of addresses declares them.

Each address is a path of nodes in a tree, whose edges are words, plain values and hidden values
(`tasks_app.links.converters.HiddenInLogs`). A text is walked through the tree wherever a path may begin, so that an
address is found behind another host, in a message, with capitals, doubled slashes or percent signs, and whether or not
it leads anywhere. A hidden value is replaced by `…`.
"""

import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import import_module
from urllib.parse import unquote

from django.conf import settings
from django.urls import URLPattern, URLResolver, get_resolver, get_urlconf
from django.urls.resolvers import RoutePattern

from tasks_app.links.converters import HiddenInLogs

GONE = "…"

_PARAMETER = re.compile(r"<(?:[^>:]+:)?([^>]+)>")
# A segment, or what separates two: slashes, also percent-encoded as often as anybody likes, and the backslash of JSON
# (`\"`, `\n`), which belongs to what follows. Two backslashes are one that was written.
_SLASH = r"%(?:25)*(?:2[fF]|5[cC])"
_SEPARATOR = re.compile(rf"{_SLASH}|[/\\]")
_PIECE = re.compile(rf"(?:[^/\\%]|\\\\|(?!{_SLASH})%)+|{_SLASH}|[/\\]")
_ENCODED_AGAIN = re.compile("%(?:25)+")
_NOTHING = {"", ".", ".."}


@dataclass
class Node:
    """A place between two segments of addresses, and where each kind of segment leads."""

    words: "dict[str, Node]" = field(default_factory=dict)
    plain: "Node | None" = None
    hidden: "Node | None" = None


def hide(text: str) -> str:
    """Return a word of a log with the hidden values of all addresses in it replaced; the query is not looked at."""
    tree = _tree()
    if tree is None or ("/" not in text and "%" not in text):
        return text
    path, mark, query = text.partition("?")
    pieces = _PIECE.findall(path)
    segments = [(place, _normal(piece)) for place, piece in enumerate(pieces) if not _SEPARATOR.fullmatch(piece)]
    segments = [(place, segment) for place, segment in segments if segment not in _NOTHING]
    for place in _hidden(tree, segments):
        pieces[place] = GONE
    return f"{''.join(pieces)}{mark}{query}"


def is_cut_before_secret(text: str) -> bool:
    """Return whether a word ends where a hidden value would follow: `/r/` before a space that was in the address."""
    return text.endswith("/") and hide(f"{text}x") == f"{hide(text)}{GONE}"


def load() -> None:
    """Import the table of addresses. Nothing is hidden by it before: a formatter must not import, holding its lock."""
    import_module(settings.ROOT_URLCONF)


def _normal(segment: str) -> str:
    """Return a segment as it is compared: decoded however often it was encoded, in small letters."""
    return unquote(_ENCODED_AGAIN.sub("%", segment)).strip().casefold()


def _hidden(tree: Node, segments: Sequence[tuple[int, str]]) -> Iterator[int]:
    """Yield the places of hidden values."""
    words = [segment for _place, segment in segments]
    first = _first(words)
    # Segments of a page that has no secret there: its address has the same words elsewhere (…/results/5/).
    is_known = [False] * len(words)
    for start in [first, *(start for start in range(len(words)) if start != first)]:
        nodes = [tree]
        for at in range(start, len(words)):
            plain = [node.words[words[at]] for node in nodes if words[at] in node.words]
            named = bool(plain)
            plain += [node.plain for node in nodes if node.plain is not None]
            hidden = [node.hidden for node in nodes if node.hidden is not None]
            if hidden and not named and not is_known[at]:
                yield segments[at][0]
            elif start == first and plain:
                is_known[at] = True
            nodes = [*plain, *hidden]
            if not nodes:
                break


def _first(words: Sequence[str]) -> int:
    """Return the segment with which the path begins: that after the host, where there is one."""
    return 2 if len(words) > 2 and words[0].endswith(":") else 0


def _tree() -> Node | None:
    """Return the tree of the current table of addresses; None while it is not yet imported."""
    if not settings.configured:
        return None
    name = get_urlconf() or settings.ROOT_URLCONF
    module = sys.modules.get(name)
    if module is None or getattr(module.__spec__, "_initializing", False):
        return None
    return _tree_of(name)


@lru_cache(maxsize=8)
def _tree_of(name: str) -> Node:
    tree = Node()
    for route, converters in routes(get_resolver(name).url_patterns):
        node: Node | None = tree
        for segment in route.strip("/").split("/"):
            if node is None:
                break
            node = _next(node, segment, converters)
    return tree


def _next(node: Node, segment: str, converters: "dict[str, object]") -> Node | None:
    """Return the node behind a segment of a route, made where it is new; None where anything may follow."""
    kinds = [converters[name] for name in _PARAMETER.findall(segment)]
    if not kinds:
        return node.words.setdefault(segment.casefold(), Node())
    if any(isinstance(kind, HiddenInLogs) for kind in kinds):
        node.hidden = node.hidden or Node()
        return node.hidden
    if any("/" in _example(kind) for kind in kinds):
        return None
    node.plain = node.plain or Node()
    return node.plain


def _example(kind: object) -> str:
    """Return a text with a slash if a converter lets one in, such as that of `<path:…>`."""
    return "a/b" if re.fullmatch(str(getattr(kind, "regex", "")), "a/b") else ""


def routes(
    patterns: "Sequence[URLPattern | URLResolver]", before: str = "", known: "dict[str, object] | None" = None
) -> "Iterator[tuple[str, dict[str, object]]]":
    """Yield each address as it is written in the table, with its converters; not those written as expressions."""
    for entry in patterns:
        if not isinstance(entry.pattern, RoutePattern):
            continue
        route, converters = f"{before}{entry.pattern}", {**(known or {}), **entry.pattern.converters}
        if isinstance(entry, URLResolver):
            yield from routes(entry.url_patterns, route, converters)
        else:
            yield route, converters
