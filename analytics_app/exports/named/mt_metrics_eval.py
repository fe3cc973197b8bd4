"""A test set in the folders of mt-metrics-eval: texts in line-aligned files, scores of segments, marked errors."""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import IO, Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from analytics_app.exports.named.base import Segment, Writer, Written, register
from tasks_app.models.raters import METRIC
from tasks_app.task_types.error_spans.scoring import weight_of

NO_TRANSLATION = "[No translation supplied]"
_SPACE = re.compile(r"\s+")
_NO_FILE = re.compile(r"[\s/\\:]+")

# What raters said of a text, by rater: their errors in it, or the scores that they gave it.
Errors = dict[tuple[str, str], dict[str, list[dict[str, Any]]]]
Scores = dict[tuple[str, str], dict[str, list[float]]]

# The name of errors that have weights, and so penalties; and that of others.
WEIGHTED, UNWEIGHTED = "mqm", "errors"


@register
class MtMetricsEval(Writer):
    """A test set of mt-metrics-eval."""

    label = gettext_lazy("mt-metrics-eval (folders)")
    about = gettext_lazy("A test set for comparing automatic metrics with these ratings.")
    not_kept = gettext_lazy(
        "labels and preferences, reasons of marks, times, keys of items, line breaks and spaces at the ends of "
        "texts, further texts of one system"
    )
    suffix = ".zip"
    content_type = "application/zip"

    def write(self, written: Written, target: IO[bytes]) -> None:
        """Write the folders of all language pairs into a zip."""
        scores: dict[str, Scores] = {}
        errors: dict[str, Errors] = {}
        for row in written.rows():
            _collect(written, row, scores, errors)
        for text, by_rater in errors.get(WEIGHTED, {}).items():
            penalties = {rater: [-sum(error["score"] for error in marked)] for rater, marked in by_rater.items()}
            scores.setdefault(WEIGHTED, {})[text] = penalties
        pairs = sorted({segment.pair for segment in written.segments})
        with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
            for pair in pairs:
                segments = [segment for segment in written.segments if segment.pair == pair]
                for place, lines in _files(written, pair, segments, scores, errors):
                    archive.writestr(f"{written.study.slug}/{place}", "".join(f"{line}\n" for line in lines))


def _collect(written: Written, row: Mapping[str, Any], scores: dict[str, Scores], errors: dict[str, Errors]) -> None:
    """Keep a rating: an error of its rater, or a score of its criterion.

    Errors that were marked here have their weight as a value, and are no scores. Whoever gave a score after marking
    errors looked at the text, even where there is no error of theirs.
    """
    text, rules = (row["item"], row["system"]), written.rules.get(row["task"])
    of_task = errors.setdefault(WEIGHTED if rules else UNWEIGHTED, {}) if rules is not None else {}
    if row["rater"].startswith(METRIC):
        # The folder is named human-scores, and a mean over people and metrics is neither.
        written.left_out[_("Left out: ratings of automatic metrics (%(n)s).")] += 1
    elif row["variant"]:
        written.left_out[_("Left out: ratings of further texts of one system (%(n)s).")] += 1
    elif rules is not None and row["span_start"] is not None:
        of_task.setdefault(text, {}).setdefault(row["rater"], []).append(
            {
                "start": row["span_start"], "end": row["span_end"], "category": row["category"],
                "severity": row["severity"],
                "score": weight_of(row["category"], row["severity"], rules) if rules else None,
                "is_source_error": row["span_side"] == "source",
            }
        )  # fmt: skip
    elif rules is not None and row["label"] == "none":
        of_task.setdefault(text, {}).setdefault(row["rater"], [])
    elif row["value"] is not None and row["item"] and row["system"]:
        of_criterion = scores.setdefault(_NO_FILE.sub("-", row["criterion"] or row["task"]), {})
        of_criterion.setdefault(text, {}).setdefault(row["rater"], []).append(row["value"])
        if rules is not None:
            of_task.setdefault(text, {}).setdefault(row["rater"], [])
    else:
        written.left_out[_("Left out: ratings that are neither scores nor errors with a place (%(n)s).")] += 1


def _files(
    written: Written, pair: str, segments: Sequence[Segment], scores: Mapping[str, Scores], errors: Mapping[str, Errors]
) -> Iterator[tuple[str, Iterator[str]]]:
    """Yield the place of each file of a language pair and its lines."""
    shown = [system for system in written.systems if any(system in segment.texts for segment in segments)]
    systems = _names(shown)
    if changed := sum(systems[key] != key for key in shown):
        written.left_out[_("Names of systems are written without spaces and slashes (%(n)s).")] = changed
    yield f"sources/{pair}.txt", (written.one_line(segment.source) for segment in segments)
    yield (
        f"documents/{pair}.docs",
        (f"{_SPACE.sub('-', segment.domain)} {_SPACE.sub('-', segment.document)}" for segment in segments),
    )
    if any(segment.reference for segment in segments):
        yield (
            f"references/{pair}.refA.txt",
            (written.one_line(segment.reference) or NO_TRANSLATION for segment in segments),
        )
    for system in systems:
        yield f"system-outputs/{pair}/{systems[system]}.txt", (_line(written, segment, system) for segment in segments)
    for name, by_text in scores.items():
        if any((segment.key, system) in by_text for segment in segments for system in systems):
            yield from _scores(pair, name, by_text, segments, systems)
    for name, marked in errors.items():
        raters = sorted({rater for by_rater in marked.values() for rater in by_rater})
        for rater, of_rater in _names(raters).items():
            yield (
                f"human-scores/{pair}.{name}.{of_rater}.seg.rating",
                (
                    _rating(systems[system], rater, marked.get((segment.key, system), {}).get(rater))
                    for system in systems
                    for segment in segments
                ),
            )


def _scores(
    pair: str, name: str, by_text: Scores, segments: Sequence[Segment], systems: Mapping[str, str]
) -> Iterator[tuple[str, Iterator[str]]]:
    """Yield the files of a score: means over raters by segment and system, and the scores of each of several raters.

    Penalties of a rater follow from the errors, which have files of their own.
    """
    means = {text: [value for values in by_rater.values() for value in values] for text, by_rater in by_text.items()}
    raters = sorted({rater for by_rater in by_text.values() for rater in by_rater})
    of_each = {name: means}
    if len(raters) > 1 and name != WEIGHTED:
        for rater, of_rater in _names(raters).items():
            of_each[f"{name}-{of_rater}"] = {text: by_rater.get(rater, []) for text, by_rater in by_text.items()}
    for scorer, values in of_each.items():
        yield (
            f"human-scores/{pair}.{scorer}.seg.score",
            (
                f"{systems[system]}\t{_mean(values.get((segment.key, system)))}"
                for system in systems
                for segment in segments
            ),
        )
    yield (
        f"human-scores/{pair}.{name}.sys.score",
        (f"{systems[system]}\t{_mean_of_means(means, segments, system)}" for system in systems),
    )


def _names(keys: Iterable[str]) -> dict[str, str]:
    """Return a name for each key that a file may have and no blank is in, no two the same."""
    names: dict[str, str] = {}
    for key in keys:
        base = name = _NO_FILE.sub("-", key)
        while name in names.values():
            name = f"{base}-{len(names) + 1}"
        names[key] = name
    return names


def _line(written: Written, segment: Segment, system: str) -> str:
    text = segment.texts.get(system)
    if text is None:
        return NO_TRANSLATION
    if text != text.rstrip():
        written.left_out[_("Readers of the format drop the spaces at the ends of texts (%(n)s).")] += 1
    return written.one_line(text)


def _mean(values: Sequence[float] | None) -> str:
    return "None" if not values else repr(sum(values) / len(values))


def _mean_of_means(by_text: Mapping[tuple[str, str], list[float]], segments: Sequence[Segment], system: str) -> str:
    values_of_texts = [values for segment in segments if (values := by_text.get((segment.key, system)))]
    return _mean([sum(values) / len(values) for values in values_of_texts])


def _rating(system: str, rater: str, errors: list[dict[str, Any]] | None) -> str:
    if errors is None:
        return f"{system}\tNone"
    return f"{system}\t{json.dumps({'errors': errors}, ensure_ascii=False)}\t{rater}"
