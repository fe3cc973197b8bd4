"""Columns that are numbered or lettered, such as annotator1 to annotator3: of one rater each, or of something else."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from tasks_app.hooks.sections import Json
from tasks_app.importing.guessing import plain_name

# Words for a person who rates, in small letters, as they stand in names of columns.
RATER_WORDS = frozenset(
    {"annotator", "rater", "judge", "worker", "evaluator", "assessor", "coder", "person", "participant",
     "expert", "reviewer", "labeler", "labeller", "user", "subject", "annotateur", "annotatrice", "évaluateur",
     "evaluateur", "juge", "bewerter", "bewerterin", "gutachter", "teilnehmer", "anotador", "anotadora",
     "evaluador", "evaluadora", "avaliador", "avaliadora", "annotatore", "valutatore", "giudice",
     "beoordelaar", "bedömare", "arvioija", "oceniający", "hodnotitel", "аннотатор", "эксперт", "оценщик",
     "评估员", "评估者", "标注者", "标注员", "評価者", "評定者", "평가자", "مقيم"}
)  # fmt: skip

# A name that ends in a number, or in one letter after a sign that parts words.
_NUMBERED = re.compile(r"(?P<stem>.*?[^\W\d_])[\s_.#\-]*(?P<number>\d{1,3})|(?P<stem_of_letter>.+?)[\s_.\-]+[^\W\d_]")

# A name of two parts, the first of which may mean a rater.
_NAMED = re.compile(r"(?P<stem>[^\W\d_]+)[\s_.\-]+\S.*")

# A word and a number side by side, such as fluency1.
_SIDE_BY_SIDE = re.compile(r"(.*[^\W\d_])(\d{1,3})")

# A word that numbers, such as r1, annotator2 or b.
_SHORT = re.compile(r"[^\W\d_]*[\s\-]*\d{1,3}|[^\W\d_]")


@dataclass(frozen=True, slots=True)
class Family:
    """Columns that have a stem in common and hold answers; `is_rater` says whether the stem means a person.

    `is_sure` says whether the rest of each name is a number or a letter, and not a word.
    """

    stem: str
    columns: Sequence[str]
    is_rater: bool
    is_sure: bool = True


def family_of(columns: Sequence[str], is_answer: Callable[[str], bool]) -> Family | None:
    """Return the largest family of two or more columns that hold answers; those of raters come first."""
    families = [
        Family(stem, names, _means_rater(stem), is_sure)
        for is_sure, by_stem in ((True, _by_stem(columns, _NUMBERED)), (False, _by_stem(columns, _NAMED)))
        for stem, names in by_stem.items()
        if len(names) > 1 and all(map(is_answer, names)) and (is_sure or _means_rater(stem))
    ]
    return max(families, key=lambda family: (family.is_rater, family.is_sure, len(family.columns)), default=None)


@dataclass(frozen=True, slots=True)
class Grid:
    """Columns for each pair of a criterion and a rater, such as fluency_r1; `is_sure` where a word means a rater."""

    pattern: str
    words: Mapping[str, Sequence[str]]
    is_sure: bool

    @property
    def columns(self) -> Sequence[str]:
        """Return the names of the columns."""
        return [
            self.pattern.format(criterion=criterion, rater=rater)
            for criterion in self.words["criterion"]
            for rater in self.words["rater"]
        ]

    @property
    def document(self) -> dict[str, Json]:
        """Return the part of a mapping that lists the possible words in braces."""
        return {"only": {name: list(words) for name, words in self.words.items()}}


def grid_of(columns: Sequence[str], is_answer: Callable[[str], bool]) -> Grid | None:
    """Return columns of answers that are named by two words each, where every pair of words has its column."""
    for sign in "_ .-":
        pairs = [tuple(name.rsplit(sign, 1)) for name in columns if sign in name and is_answer(name)]
        first, second = (list(dict.fromkeys(pair[side] for pair in pairs)) for side in (0, 1))
        if min(len(first), len(second)) < 2 or len(set(pairs)) != len(first) * len(second):
            continue
        if all(map(_means_rater, first)):
            return Grid(f"{{rater}}{sign}{{criterion}}", {"criterion": second, "rater": first}, is_sure=True)
        if all(map(_SHORT.fullmatch, second)):
            is_sure = all(map(_means_rater, second))
            return Grid(f"{{criterion}}{sign}{{rater}}", {"criterion": first, "rater": second}, is_sure)
    return _side_by_side(columns, is_answer)


def _side_by_side(columns: Sequence[str], is_answer: Callable[[str], bool]) -> Grid | None:
    """Return columns such as fluency1, fluency2, adequacy1, adequacy2, with numbers of raters or of something else."""
    pairs = [match.groups() for name in columns if (match := _SIDE_BY_SIDE.fullmatch(name)) and is_answer(name)]
    words, numbers = (list(dict.fromkeys(pair[side] for pair in pairs)) for side in (0, 1))
    if min(len(words), len(numbers)) < 2 or len(set(pairs)) != len(words) * len(numbers):
        return None
    return Grid("{criterion}{rater}", {"criterion": words, "rater": numbers}, is_sure=False)


def _by_stem(columns: Sequence[str], pattern: re.Pattern[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name in columns:
        matched = pattern.fullmatch(name)
        if matched is not None:
            stem = next(text for group, text in matched.groupdict().items() if group.startswith("stem") and text)
            found.setdefault(stem, []).append(name)
    return found


def _means_rater(stem: str) -> bool:
    words = {*plain_name(stem).split(), *re.split(r"[\s_.\-\d]+", stem.casefold())}
    words |= {word.rstrip("0123456789") for word in words}
    return bool(RATER_WORDS & words)
