"""The steps of setting up a study, and which parts of the study file each of them asks for."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from tasks_app.hooks import sections
from tasks_app.hooks.sections import Path
from tasks_app.studyfile.problems import nearest


@dataclass(frozen=True, slots=True)
class Step:
    """A step: its name in addresses, its label, one sentence about its decisions, and the sections that come first.

    `has_numbers` says that it shows numbers that follow from the settings, `shows` which page of raters stands beside
    it at first: unit, consent, instructions, or end.
    """

    slug: str
    label: Promise
    lead: Promise
    first: tuple[str, ...] = ()
    has_numbers: bool = False
    shows: str = "unit"


class State(StrEnum):
    """The state of a step: INCOMPLETE lacks something, PROBLEM has a value that is wrong or to be replaced."""

    DONE = "done"
    INCOMPLETE = "incomplete"
    PROBLEM = "problem"


STEPS: tuple[Step, ...] = (
    Step("task", _("Task"), _("What raters do, and what the study is called."), ("study", "tasks")),
    Step("texts", _("Texts"), _("The texts that are judged, and the systems that wrote them.")),
    Step("questions", _("Questions"), _("What raters are asked about a text, word for word."), ("criteria", "tasks")),
    Step(
        "raters",
        _("Raters"),
        _("How many people judge each text, and where they come from."),
        ("tasks", "channels", "groups"),
        has_numbers=True,
    ),
    Step("checks", _("Checks"), _("How you notice raters who do not read.")),
    Step(
        "consent",
        _("Consent and pay"),
        _("What raters are told, what they agree to, and what they are paid."),
        ("about", "pay", "consent"),
        has_numbers=True,
        shows="consent",
    ),
    Step("analysis", _("Analysis plan"), _("What is computed, decided before the first answer.")),
    Step("review", _("Review"), _("What is still missing, and what opening the study freezes.")),
)

_BY_SLUG = {step.slug: step for step in STEPS}
WITH_NUMBERS = frozenset(step.slug for step in STEPS if step.has_numbers)


def step_called(slug: str) -> Step:
    """Return the step of that name. Raises KeyError."""
    return _BY_SLUG[slug]


# Any entry of a list, or any name.
ANY = "*"

# The step that asks for a part of the study file: of several patterns that fit, the longest counts. Sections of other
# apps name their steps themselves.
_STEP_OF: Mapping[str, str] = {
    "study": "task",
    "tasks": "task",
    "tasks.*.criteria": "questions",
    "tasks.*.criteria_mode": "questions",
    "criteria": "questions",
    "systems": "texts",
    "tasks.*.k": "raters",
    "tasks.*.k_more": "raters",
    "tasks.*.k_more_share": "raters",
    "tasks.*.set_size": "raters",
    "tasks.*.spacing": "raters",
    "tasks.*.design": "raters",
    "tasks.*.design_params": "raters",
    "tasks.*.groups": "raters",
    "tasks.*.opens_after_days": "raters",
    "tasks.*.closes_after_days": "raters",
    "groups": "raters",
    "channels": "raters",
    "flow": "raters",
    "codes": "raters",
    "acceptance": "questions",
    "tasks.*.checks": "checks",
    "about": "consent",
    "consent": "consent",
    "pay": "consent",
    "analysis": "analysis",
}

# Settings that exist only in the study file, and the reason for each.
FILE_ONLY: Mapping[str, Promise] = {
    "evalweb": _("The version of the file's format writes itself."),
    "columns": _("In the browser, columns are matched when a table is uploaded."),
    "quoting": _("In the browser, quotation marks are settled when a table is uploaded."),
    "study.slug": _("Addresses contain it; it is fixed when the study is created."),
}

# Fields that most studies leave as they are: shown after a click, or if filled in or wrong.
_FOLDED = (
    "study.timezone", "study.seed",
    "tasks.*.key", "tasks.*.stage", "tasks.*.keep_identical", "tasks.*.items",
    "groups.*.key", "systems.*.key",
    "criteria.*.key", "criteria.*.kind", "criteria.*.anchors", "criteria.*.wordings",
    "criteria.*.language", "criteria.*.heds",
    "tasks.*.k_more", "tasks.*.k_more_share", "tasks.*.spacing", "tasks.*.groups",
    "tasks.*.opens_after_days", "tasks.*.closes_after_days",
    "flow", "codes", "acceptance",
    "tasks.*.checks.exam_pass", "tasks.*.checks.exam_attempts", "tasks.*.checks.exam_feedback",
    "tasks.*.checks.warm_up",
    "tasks.*.checks.fail_below", "tasks.*.checks.fail_after",
    "tasks.*.checks.fast_seconds", "tasks.*.checks.fast_share", "tasks.*.checks.skip_share",
    "tasks.*.checks.stop_after", "tasks.*.checks.stop_when",
    "about.kept", "about.published", "about.stored", "about.withdraw_until", "about.identities_days",
    "pay.part_amount", "pay.part_by_time", "pay.bonus", "pay.accepted_bonus", "pay.paid",
    "analysis.n_resamples", "analysis.intervals", "analysis.over_raters", "analysis.n_permutations", "analysis.ddof",
    "analysis.constant", "analysis.composites", "analysis.surplus", "analysis.most_judgments", "analysis.reopen",
)  # fmt: skip


# Fields that are in view although their group is not.
_UNFOLDED = ("flow.texts_per_rater",)


# The page of raters on which a value is seen; most are seen on that of the step.
_SEEN_ON: Mapping[str, str] = {
    "tasks.*.instructions": "instructions",
    "study.public_title": "consent",
    "flow.content_warning": "consent",
    "codes": "end",
}


@lru_cache(maxsize=4096)
def seen_on(path: Path) -> str:
    """Return the page of raters on which a value is seen."""
    pattern = _longest(_SEEN_ON, path)
    return _SEEN_ON[pattern] if pattern is not None else step_called(step_of(path) or "task").shows


# What comes first in a group, in front of what a study file has before it: texts before details.
_FIRST_IN: Mapping[str, tuple[str, ...]] = {
    "criteria.*": ("name", "question", "definition"),
    "tasks.*": ("type", "title", "instructions"),
}


def in_order(path: Path, names: Iterable[str]) -> list[str]:
    """Return the names of the values of a group in the order in which the form asks for them."""
    names = list(names)
    fitting = (pattern for pattern in _FIRST_IN if len(pattern.split(".")) == len(path) and fits(pattern, path))
    pattern = next(fitting, "")
    first = [name for name in _FIRST_IN.get(pattern, ()) if name in names]
    return [*first, *(name for name in names if name not in first)]


def fits(pattern: str, path: Path) -> bool:
    """Return whether a pattern names a value or something around it."""
    parts = pattern.split(".")
    return len(parts) <= len(path) and all(part in (ANY, str(step)) for part, step in zip(parts, path, strict=False))


def _longest(patterns: Iterable[str], path: Path) -> str | None:
    return max((pattern for pattern in patterns if fits(pattern, path)), key=len, default=None)


def step_of(path: Path) -> str:
    """Return the step that asks for a value; "" for a value that only the file has, such as an unknown section.

    Raises
    ------
    LookupError
        Where a registered section names no step, or one that there is not.
    """
    step = _placed_in(path)
    return _step_of_section(str(path[0])) if step is None and path else step or ""


@lru_cache(maxsize=4096)
def _placed_in(path: Path) -> str | None:
    """Return the step in which this module places a value; None for an unknown value."""
    if _longest(FILE_ONLY, path) is not None:
        return ""
    pattern = _longest(_STEP_OF, path)
    return _STEP_OF[pattern] if pattern is not None else None


def _step_of_section(name: str) -> str:
    """Return the step that a section of another app names itself."""
    section = next((section for section in sections.registered() if section.name == name), None)
    if section is None:
        return ""
    if section.step not in _BY_SLUG:
        problem = f"is asked for in the step {section.step!r}, which there is not" if section.step else "names no step"
        raise LookupError(f"The section {name!r} {problem}. {nearest(section.step, _BY_SLUG)}")
    return section.step


def patterns() -> list[str]:
    """Return every pattern by which this module names a part of the study file."""
    return [*_STEP_OF, *FILE_ONLY, *_FOLDED, *_UNFOLDED, *_FIRST_IN, *_SEEN_ON, *_EXPLAINED]


@lru_cache(maxsize=4096)
def is_folded(path: Path) -> bool:
    """Return whether most studies leave a value as it is."""
    pattern = _longest((*_FOLDED, *_UNFOLDED), path)
    return pattern is not None and pattern not in _UNFOLDED


# The page of docs/ that explains a part of the study file, with the heading. Parameters of a task type are explained on
# the page of the type.
_EXPLAINED: Mapping[str, str] = {
    "study": "setting-up#begin",
    "tasks": "task-types",
    "tasks.*.items": "setting-up#texts",
    "tasks.*.stage": "checks",
    "criteria": "setting-up#questions",
    "criteria.*.question": "setting-up#questions",
    "criteria.*.wordings": "setting-up#wordings",
    "tasks.*.criteria_mode": "designs#criteria-asked-separately",
    "tasks.*.k": "designs",
    "tasks.*.design": "designs",
    "tasks.*.groups": "waves#groups",
    "tasks.*.opens_after_days": "waves#waves",
    "channels": "recruiting",
    "channels.prolific": "recruiting#prolific",
    "channels.mturk": "recruiting#mechanical-turk",
    "channels.invited": "recruiting#personal-links-and-accounts",
    "channels.account": "recruiting#personal-links-and-accounts",
    "groups": "waves#groups",
    "flow": "recruiting",
    "codes": "recruiting#codes",
    "acceptance": "collecting-texts#when-a-text-is-accepted",
    "tasks.*.checks": "checks",
    "tasks.*.checks.controls": "checks#known-answers",
    "tasks.*.checks.degraded": "checks#degraded-copies",
    "tasks.*.checks.on_failing": "checks#when-too-many-answers-are-wrong",
    "tasks.*.checks.fast_seconds": "checks#too-fast-or-too-many-skips",
    "tasks.*.checks.skip_share": "checks#too-fast-or-too-many-skips",
    "about": "rights",
    "consent": "setting-up#consent",
    "pay": "pay#what-to-set",
    "analysis": "methods",
    "analysis.rules": "methods/quality-rules",
    "analysis.correction": "methods/systems",
}


@lru_cache(maxsize=4096)
def explained_in(path: Path) -> str:
    """Return the page of docs/ that explains a value, with the heading behind #; "" where none is about it alone."""
    return next(
        (page for pattern, page in _EXPLAINED.items() if len(pattern.split(".")) == len(path) and fits(pattern, path)),
        "",
    )


def step_needed(states: Mapping[str, State], after: str) -> str:
    """Return the next step behind one that is not done yet; Review where all of them are."""
    slugs = [step.slug for step in STEPS]
    later = slugs[slugs.index(after) + 1 :]
    return next((slug for slug in later if states.get(slug) != State.DONE), "review")
