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

# A rater's errors in a text; None stands for a text without a rating.
Ratings = dict[tuple[str, str], dict[str, list[dict[str, Any]]]]


@register
class MtMetricsEval(Writer):
    """A test set of mt-metrics-eval."""

    label = gettext_lazy("mt-metrics-eval (folders)")
    about = gettext_lazy("A test set for comparing automatic metrics with these ratings.")
    not_kept = gettext_lazy(
        "who gave which score (scores are means over raters), labels and preferences, times, line breaks and spaces at "
        "the ends of texts, further texts of one system"
    )
    suffix = ".zip"
    content_type = "application/zip"

    def write(self, written: Written, target: IO[bytes]) -> None:
        """Write the folders of all language pairs into a zip."""
        scores: dict[str, dict[tuple[str, str], list[float]]] = {}
        errors: Ratings = {}
        for row in written.rows():
            _collect(written, row, scores, errors)
        for text, by_rater in errors.items():
            penalties = [sum(error["score"] for error in of_rater) for of_rater in by_rater.values()]
            scores.setdefault("mqm", {})[text] = [-penalty for penalty in penalties]
        pairs = sorted({segment.pair for segment in written.segments})
        with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
            for pair in pairs:
                segments = [segment for segment in written.segments if segment.pair == pair]
                for place, lines in _files(written, pair, segments, scores, errors):
                    archive.writestr(f"{written.study.slug}/{place}", "".join(f"{line}\n" for line in lines))


def _collect(
    written: Written, row: Mapping[str, Any], scores: dict[str, dict[tuple[str, str], list[float]]], errors: Ratings
) -> None:
    """Keep a rating: a score of its criterion, or an error of its rater."""
    text = (row["item"], row["system"])
    if row["rater"].startswith(METRIC):
        # The folder is named human-scores, and a mean over people and metrics is neither.
        written.left_out[_("Left out: ratings of automatic metrics (%(n)s).")] += 1
    elif row["variant"]:
        written.left_out[_("Left out: ratings of further texts of one system (%(n)s).")] += 1
    elif row["value"] is not None and row["item"] and row["system"]:
        scores.setdefault(_NO_FILE.sub("-", row["criterion"] or row["task"]), {}).setdefault(text, []).append(
            row["value"]
        )
    elif row["task"] in written.rules and row["label"] == "none":
        errors.setdefault(text, {}).setdefault(row["rater"], [])
    elif row["task"] in written.rules and row["span_start"] is not None:
        weight = weight_of(row["category"], row["severity"], written.rules[row["task"]])
        errors.setdefault(text, {}).setdefault(row["rater"], []).append(
            {
                "start": row["span_start"], "end": row["span_end"], "category": row["category"],
                "severity": row["severity"], "score": weight, "is_source_error": row["span_side"] == "source",
            }
        )  # fmt: skip
    else:
        written.left_out[_("Left out: ratings that are neither scores nor errors with a place (%(n)s).")] += 1


def _files(
    written: Written, pair: str, segments: Sequence[Segment],
    scores: Mapping[str, Mapping[tuple[str, str], list[float]]], errors: Ratings,
) -> Iterator[tuple[str, Iterator[str]]]:  # fmt: skip
    """Yield the place of each file of a language pair and its lines."""
    shown = [system for system in written.systems if any(system in segment.texts for segment in segments)]
    systems = _names(shown)
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
            yield (
                f"human-scores/{pair}.{name}.seg.score",
                (
                    f"{systems[system]}\t{_mean(by_text.get((segment.key, system)))}"
                    for system in systems
                    for segment in segments
                ),
            )
            yield (
                f"human-scores/{pair}.{name}.sys.score",
                (f"{systems[system]}\t{_mean_of_means(by_text, segments, system)}" for system in systems),
            )
    raters = sorted({rater for by_rater in errors.values() for rater in by_rater})
    for rater in raters:
        name = _NO_FILE.sub("-", rater)
        yield (
            f"human-scores/{pair}.mqm.{name}.seg.rating",
            (
                _rating(systems[system], rater, errors.get((segment.key, system), {}).get(rater))
                for system in systems
                for segment in segments
            ),
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
