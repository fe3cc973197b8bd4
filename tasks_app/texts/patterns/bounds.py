"""Bounds of a pattern that somebody wrote, measured on its parsed form before the engine compiles it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

import regex
from django.utils.translation import gettext as _
from regex import _regex_core

# The stubs of the package declare none of its parser.
engine: Any = _regex_core
Node: TypeAlias = Any

LONGEST = 4_000
# The engine writes repeats out, at some 100 bytes for each step: a compiled pattern stays below 2 MB.
MOST_STEPS = 20_000
# The engine goes into groups by recursion, several frames each.
DEEPEST = 50
MOST_GROUPS = 100


class BadPattern(ValueError):
    """A pattern that is wrong or too large; `place` is the index of the character that is wrong, 0 for the whole."""

    def __init__(self, sentence: str, place: int = 0) -> None:
        super().__init__(sentence)
        self.place = place


def check(pattern: str) -> None:
    """Check that a pattern is a regular expression within the bounds. Raises BadPattern."""
    if len(pattern) > LONGEST:
        sentence = _("The regular expression has %(n)s characters; at most %(most)s are allowed. Make it shorter.")
        raise BadPattern(sentence % {"n": f"{len(pattern):,}", "most": f"{LONGEST:,}"}, LONGEST)
    try:
        _check_size(_parsed(pattern))
        # Not kept: the engine's own cache holds 500 patterns of any size.
        regex.compile(pattern, cache_pattern=False)
    except RecursionError:
        raise _too_deep() from None
    except regex.error as problem:
        raise _wrong(getattr(problem, "msg", str(problem)), getattr(problem, "pos", None) or 0) from problem
    except ValueError as problem:
        if isinstance(problem, BadPattern):
            raise
        raise _wrong(str(problem)) from problem  # flags that exclude each other


def _wrong(problem: str, place: int = 0) -> BadPattern:
    return BadPattern(_("The regular expression is wrong: %(problem)s.") % {"problem": problem}, place)


def _too_deep() -> BadPattern:
    sentence = _("The regular expression nests groups more than %(most)d deep. Nest fewer groups.")
    return BadPattern(sentence % {"most": DEEPEST})


def _parsed(pattern: str) -> Node:
    """Parse a pattern as `regex.compile` does first; the result has a node for each part and none written out."""
    flags = 0
    while True:
        source = engine.Source(pattern)
        info = engine.Info(flags, source.char_type, {})
        info.guess_encoding = engine.UNICODE
        source.ignore_space = bool(info.flags & engine.VERBOSE)
        try:
            return engine._parse_pattern(source, info)
        except engine._UnscopedFlagSet:
            # A flag for the whole pattern, such as (?i), was met behind its beginning.
            flags = info.global_flags


def _check_size(parsed: Node) -> None:
    """Refuse a pattern that is too large once it is written out, by going through all nodes without recursion."""
    n_groups, sizes = 0, dict[int, int]()
    waiting: list[tuple[Node, int, bool]] = [(parsed, 1, False)]
    while waiting:
        node, depth, is_measured = waiting.pop()
        if is_measured:
            sizes[id(node)] = _times(node) * (1 + sum(sizes[id(part)] for part in _parts(node)))
            continue
        if depth > DEEPEST:
            raise _too_deep()
        if isinstance(node, engine.CallGroup):
            sentence = _(
                "The regular expression calls one of its groups with (?R), (?1) or (?&name), so the search may never "
                "end. Write the group out again instead."
            )
            raise BadPattern(sentence, node.position)
        n_groups += isinstance(node, engine.Group)
        waiting.append((node, depth, True))
        # A sequence or a repeat is no group within a group.
        inner = depth + (not isinstance(node, engine.Sequence | engine.GreedyRepeat))
        waiting += [(part, inner, False) for part in _parts(node)]
    if n_groups > MOST_GROUPS:
        sentence = _(
            "The regular expression has %(n)d capturing groups; at most %(most)d are allowed. Write (?:…) "
            "instead of (…)."
        )
        raise BadPattern(sentence % {"n": n_groups, "most": MOST_GROUPS})
    if sizes[id(parsed)] > MOST_STEPS:
        sentence = _(
            "The regular expression is too large: its repeats make more than %(most)s steps. Write smaller numbers "
            "in the braces, don't nest repeats, or write + or * for any number."
        )
        raise BadPattern(sentence % {"most": f"{MOST_STEPS:,}"})


def _times(node: Node) -> int:
    """Return the most times that the engine may write out a node: the number in braces of a repeat."""
    if not isinstance(node, engine.GreedyRepeat):  # of which lazy and possessive repeats are kinds
        return 1
    return max(1, int(node.min_count), int(node.max_count or 0))


def _parts(node: Node) -> Iterator[Node]:
    """Yield the nodes of which a node consists."""
    values: list[Any] = list(vars(node).values())
    for value in values:
        if isinstance(value, engine.RegexBase):
            yield value
        elif isinstance(value, list | tuple):
            yield from (part for part in value if isinstance(part, engine.RegexBase))
