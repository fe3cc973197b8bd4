"""Known errors: whether a rater found them, and the words for it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext

from tasks_app.task_types.base import GoldAnswer
from tasks_app.task_types.error_spans.marks import Limits, Mark, shortened

_NAMES = {"side", "start", "end", "severity", "category", "part"}


@dataclass(frozen=True, slots=True)
class Known:
    """An error that is known to be there. Severity and category count where they are named."""

    part: int
    mark: Mark

    def found_in(self, marks: Sequence[Mark]) -> bool:
        """Return whether one of the marks shares a character with the known error, and is of the same kind."""
        known = self.mark
        return any(
            mark.overlaps(known)
            and known.severity in ("", mark.severity)
            and (known.category in ("", mark.category) or mark.category.startswith(f"{known.category}/"))
            for mark in marks
        )


def known_errors(gold: GoldAnswer, limits: Mapping[int, Limits]) -> list[Known]:
    """Read a known answer of kind span: an error or a list of them; an empty list is a text without errors.

    `limits` holds what may be marked in each part.

    Raises
    ------
    ValueError
        With a sentence, where it is no such thing or lies outside of the text.
    """
    entries = gold.answer if isinstance(gold.answer, list | tuple) else [gold.answer]
    return [_known(entry, gold, limits) for entry in entries]


def part_of(gold: GoldAnswer, entry: Mapping[str, object], limits: Mapping[int, Limits]) -> int:
    """Return the part that a known error is in: the one named, or the only one there is."""
    if gold.part is not None:
        return gold.part
    number = entry.get("part", 1 if len(limits) == 1 else None)
    if not isinstance(number, int) or number - 1 not in limits:
        raise ValueError(gettext("Several texts are shown: say which one has the error, such as “part”: 1."))
    return number - 1


def _known(entry: object, gold: GoldAnswer, limits: Mapping[int, Limits]) -> Known:
    if not isinstance(entry, Mapping) or not {"start", "end"} <= set(entry) <= _NAMES:
        raise ValueError(gettext("A known error has a start and an end, and maybe side, severity, category and part."))
    part, side = part_of(gold, entry, limits), str(entry.get("side", "output"))
    start, end = entry["start"], entry["end"]
    part_limits = limits[part]
    if side not in part_limits.texts or type(start) is not int or type(end) is not int:
        raise ValueError(gettext("A known error is in a text that can be marked, from a character to another."))
    if not 0 <= start < end <= len(part_limits.texts[side]) + (part_limits.missing and side == "output"):
        length = len(part_limits.texts[side])
        raise ValueError(gettext("A known error lies outside of the text, which has %(n)d characters.") % {"n": length})
    severity, category = str(entry.get("severity") or ""), str(entry.get("category") or "")
    groups = {group.key for group in part_limits.scheme.groups}
    if severity and severity not in part_limits.scheme.severity_keys:
        raise ValueError(gettext("There is no severity “%(key)s”.") % {"key": severity})
    if category and category not in {*part_limits.scheme.categories, *groups}:
        raise ValueError(gettext("There is no category “%(key)s”.") % {"key": category})
    return Known(part, Mark(side, start, end, severity, category))


def sentence(missed: Sequence[Known], extra: Sequence[Mark], limits: Mapping[int, Limits]) -> str:
    """Return the feedback on a known answer: which errors were missed, or that there was none to mark."""
    if missed:
        worded = [
            _worded(
                limits[error.part].words(error.mark),
                limits[error.part].scheme.in_words(error.mark.severity, error.mark.category),
            )
            for error in missed
        ]
        return gettext("Not found, or marked as something else: %(errors)s.") % {"errors": "; ".join(worded)}
    if extra:
        return gettext("There is no error in this text, but you marked one.")
    return gettext("Right: you found what is wrong here.")


def _worded(words: str, kind: str) -> str:
    return f"“{shortened(words)}” ({kind})" if kind else f"“{shortened(words)}”"
