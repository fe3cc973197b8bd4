"""Multidimensional Quality Metrics: the weights that were published, and the scheme that a file uses."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from django.utils.translation import gettext_lazy as _

from tasks_app.hooks.sections import Json
from tasks_app.importing.named.base import Option

FREITAG, MAROT = "freitag2021", "marot"

# Two weightings are in use. Freitag et al. (2021) weigh an error in the source like any other; the tool Marot, with
# which data from 2023 on come, weighs it 0.
WEIGHTS = Option(
    _("Weights of errors"),
    {
        FREITAG: _(
            "Freitag et al. 2021: major 5, minor 1, minor fluency/punctuation 0.1, non-translation 25, neutral 0"
        ),
        MAROT: _(
            "Marot (data from 2023 on): as above, critical 5, any minor punctuation and trivial 0.1, errors of the "
            "source and creative reinterpretations 0"
        ),
    },
)

SEVERITIES = ("neutral", "trivial", "minor", "major", "critical")
# A scheme has at most so many severities and kinds of error.
_MOST_SEVERITIES, _MOST_KINDS = 4, 60

_NO_KEY = re.compile(r"[^a-z0-9_-]+")


def key_of(name: str) -> str:
    """Return the key of a severity or of one part of a kind of error."""
    return _NO_KEY.sub("-", name.strip().casefold()).strip("-_")[:60]


def path_of(category: str) -> str:
    """Return the key of a kind of error, such as fluency/punctuation."""
    return "/".join(filter(None, (key_of(part) for part in category.split("/", 1))))


def params_of(weights: str, severities: Iterable[str], categories: Iterable[str]) -> dict[str, Json]:
    """Return the parameters of a task with these severities and categories of errors, by the names in a file."""
    used = {key_of(severity) for severity in severities}
    known = [key for key in SEVERITIES if key in used or key in {"minor", "major"}]
    others = sorted(used - set(SEVERITIES) - {""})
    keys = [*known, *others][:_MOST_SEVERITIES]
    kinds = _kinds(categories)
    params: dict[str, Json] = {
        "scheme": "mqm",
        "severities": [{"key": key, "name": key.capitalize()} for key in keys],
        "max_spans": 100,
        "overlaps": True,
    }
    paths = {f"{group}/{child}" if child else group for group, children in kinds.items() for child in children or [""]}
    if kinds:
        params["categories"] = [_group(group, children) for group, children in kinds.items()]
    params["weights"] = list(_rules(weights, keys, paths | set(kinds)))
    return params


def _kinds(categories: Iterable[str]) -> dict[str, dict[str, str]]:
    """Return the groups of kinds of error by their keys, each with the names of those below it by their keys."""
    kinds: dict[str, dict[str, str]] = {}
    for category in sorted(set(categories)):
        group, _slash, child = category.partition("/")
        if (key := key_of(group)) and sum(map(len, kinds.values())) + len(kinds) < _MOST_KINDS:
            children = kinds.setdefault(key, {})
            if key_of(child):
                children.setdefault(key_of(child), child.strip())
    return kinds


def _group(key: str, children: Mapping[str, str]) -> dict[str, Json]:
    below = [{"key": child, "name": name} for child, name in children.items()]
    return {"key": key, "name": key.replace("-", " ").capitalize(), **({"children": below} if below else {})}


def _rules(weights: str, severities: list[str], paths: set[str]) -> Iterable[dict[str, Json]]:
    """Yield the rules of a weighting that are about severities and kinds of error that there are; the first counts."""
    nontranslation = [path for path in sorted(paths) if re.match(r"non.translation", path)]
    if weights == MAROT:
        for path in sorted(paths):
            if "punctuation" in path and "minor" in severities:
                yield {"severity": "minor", "category": path, "weight": 0.1}
        if "trivial" in severities:
            yield {"severity": "trivial", "weight": 0.1}
        for path in sorted(paths):
            if "reinterpretation" in path or path.startswith("source"):
                yield {"category": path, "weight": 0}
    for path in nontranslation:
        yield {"category": path, "weight": 25}
    if "neutral" in severities:
        yield {"severity": "neutral", "weight": 0}
    if weights == FREITAG and "fluency/punctuation" in paths:
        yield {"severity": "minor", "category": "fluency/punctuation", "weight": 0.1}
    yield {"severity": "major", "weight": 5}
    yield {"severity": "minor", "weight": 1}
    if weights == MAROT and "critical" in severities:
        yield {"severity": "critical", "weight": 5}
