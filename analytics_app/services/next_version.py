"""The next version of a corpus: take over judgments of texts that an earlier study has judged already.

A unit of the new study whose texts equal those of a unit of the earlier one gets its judgments, as imported ones that
name the judgment they come from; only the other units are planned. docs/next-version.md says what counts as the same
and what stays behind.
"""

from __future__ import annotations

import io
import json
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np
from django.contrib.auth.models import AbstractBaseUser
from django.db.models import Q
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from analytics_app.exports import ratings as ratings_export
from analytics_app.models import Exclusion
from analytics_app.selectors.surroundings import surroundings
from analytics_app.selectors.taken_over import TAKEN, TOOK_OVER
from analytics_app.stats.comparison.two_groups import difference_of_means
from tasks_app.importing import RatingsFile, import_ratings
from tasks_app.models import (
    Assignment,
    Erasure,
    ItemMedia,
    Judgment,
    PartOutput,
    Prefill,
    Rater,
    Rating,
    Study,
    Task,
    TaskCriterion,
    Unit,
    WithdrawnUnit,
)
from tasks_app.models.judgments import TAKEN_FROM
from tasks_app.selectors.screens import ENDS_DOCUMENT
from tasks_app.services import events
from tasks_app.services.arrival.enrolment import new_pseudonym
from tasks_app.services.database import atomically, lock_claims, lock_submissions

SPACES, CASE, UNICODE = "spaces", "case", "unicode"

# How texts may differ and still count as the same, and what is done to both before they are compared.
NORMALISATIONS: Mapping[str, tuple[Any, Callable[[str], str]]] = {
    UNICODE: (
        gettext_lazy("ways of writing the same character (Unicode NFC)"),
        lambda text: unicodedata.normalize("NFC", text),
    ),
    SPACES: (gettext_lazy("number and kind of spaces and line breaks"), lambda text: " ".join(text.split())),
    CASE: (gettext_lazy("capitals"), str.casefold),
}

# Labels whose shares a report has, the most frequent ones.
MOST_LABELS = 12

# Judgments that a page takes over while somebody waits; the command has no limit.
MOST_ON_A_PAGE = 20_000

# Raters who stopped or were sent back: their answers do not leave the study that they were given for.
_LEFT = (Rater.Outcome.WITHDRAWN, Rater.Outcome.RETURNED, Rater.Outcome.TIMED_OUT)
TRAVELLING = (
    Q(kind__in=(Rater.Kind.REAL, Rater.Kind.IMPORTED), erased_at__isnull=True)
    & (Q(outcome__isnull=True) | ~Q(outcome__in=_LEFT))
    & ~Rater.METRICS
)


class NotPossible(ValueError):
    """Nothing can be taken over; the message says why."""


@dataclass(frozen=True, slots=True)
class Request:
    """The earlier study, the least number of judgments of a judged text, and the differences that do not count."""

    origin: Study
    least: int = 1
    normalise: tuple[str, ...] = ()

    def same(self, text: str) -> str:
        """Return a text as it is compared."""
        for name in self.normalise:
            text = NORMALISATIONS[name][1](text)
        return text


@dataclass(frozen=True, slots=True)
class Shift:
    """Mean ratings of judged texts of the earlier study on a question: those kept, those lost, and their difference.

    Of a question with labels there is one for each label, whose share takes the place of the rating.
    """

    criterion: str
    kept: float | None
    lost: float | None
    difference: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class Coverage:
    """The texts of a task: kept and lost ones of the earlier study, and new ones.

    `kept` + `lost` are the texts of the earlier study, and `kept` + `new` those of the new one. `problem` is the reason
    why the task's judgments cannot be taken over; "" if they can.
    """

    task: str
    title: str
    kept: int
    lost: int
    new: int
    judgments: int
    raters: int
    problem: str = ""
    shifts: tuple[Shift, ...] = ()

    @property
    def share(self) -> float | None:
        """Return the share of the new study's texts that are judged already."""
        return self.kept / (self.kept + self.new) if self.kept + self.new else None


@dataclass(frozen=True, slots=True)
class Preview:
    """The coverage of each task, the new unit of each kept unit, and the judgments to take over."""

    coverage: tuple[Coverage, ...]
    units: Mapping[int, int] = field(default_factory=dict)
    judgments: frozenset[int] = frozenset()

    @property
    def n(self) -> int:
        """Return the number of judgments to take over."""
        return len(self.judgments)


def problem_of_target(study: Study) -> str:
    """Return why a study cannot take judgments over; "" if it can."""
    if study.is_frozen:
        return _("Judgments are taken over before a study is opened. This one was opened, or has imported ratings.")
    if not Unit.objects.filter(task__study=study, until=None).exists():
        return _("Put the texts of the new version in first, then press “Check everything” on Review.")
    return ""


def problem_of_origin(study: Study) -> str:
    """Return why the judgments of a study cannot be taken over yet; "" if they can."""
    if study.state == Study.State.CLOSED:
        return ""
    return _("Close the earlier study first: answers that come later would be missing from the new one.")


def preview(study: Study, request: Request) -> Preview:
    """Match the units of a study with those of an earlier one, task by task. Raises NotPossible."""
    if sentence := problem_of_target(study) or problem_of_origin(request.origin):
        raise NotPossible(sentence)
    earlier = {task.key: task for task in _tasks(request.origin)}
    coverage: list[Coverage] = []
    units: dict[int, int] = {}
    taken: set[int] = set()
    for task in _tasks(study):
        before = earlier.get(task.key)
        if before is None:
            continue
        problem = _difference(before, task, request)
        matched, of_task = _match(before, task, request, comparable=not problem)
        units |= matched
        ids = {pk for given in of_task.judged.values() for pk, _rater in given}
        of_kept = {pk for unit in matched for pk, _rater in of_task.judged[unit]}
        raters = {rater for unit in matched for _pk, rater in of_task.judged[unit]}
        taken |= of_kept
        coverage.append(
            Coverage(
                task=task.key,
                title=str(task),
                kept=len(matched),
                lost=of_task.n_earlier - len(matched),
                new=of_task.n_new - len(matched),
                judgments=len(of_kept),
                raters=len(raters),
                problem=problem,
                shifts=tuple(_shifts(before, ids, set(matched))),
            )
        )
    if not coverage:
        raise NotPossible(_("The two studies have no task with the same key, so nothing can be matched."))
    return Preview(tuple(coverage), units, frozenset(taken))


def _tasks(study: Study) -> list[Task]:
    return list(Task.objects.filter(study=study, until=None, stage=Task.Stage.MAIN).order_by("order", "id"))


def _difference(before: Task, after: Task, request: Request) -> str:
    """Return why the judgments of a task do not answer the questions of another; "" if they do."""
    if (before.type, before.params) != (after.type, after.params):
        return _("The task has another type or other settings than in the earlier study.")
    if _questions(before) != _questions(after):
        return _("The questions, their wording or their scales differ from those of the earlier study.")
    if request.normalise and any(outcome.per == "span" for outcome in after.kind.outcomes):
        return _("Marks have places in the text, so texts must be exactly the same. Choose no differences.")
    return ""


def _questions(task: Task) -> list[tuple[Any, ...]]:
    columns = ("key", "kind", "name", "definition", "question", "ends", "language")
    rows = TaskCriterion.objects.filter(task=task).order_by("order")
    return list(rows.values_list(*(f"criterion__{name}" for name in columns)))


@dataclass(frozen=True, slots=True)
class _OfTask:
    """The judgments of each earlier unit that may travel, each with its rater, and the numbers of units."""

    judged: Mapping[int, Sequence[tuple[int, int]]]
    n_earlier: int
    n_new: int


def _match(before: Task, after: Task, request: Request, *, comparable: bool) -> tuple[dict[int, int], _OfTask]:
    """Match units that show the same; of several that are alike, the first with the first, and so on."""
    judged: dict[int, list[tuple[int, int]]] = defaultdict(list)
    withdrawn = WithdrawnUnit.objects.filter(unit__task=before, withdrawal__taken_back_at=None).values("unit")
    # The new study would count them under a name that tells nobody whose they are.
    excluded = Exclusion.objects.filter(study=before.study_id, run=None, lifted_at=None)
    answers = (
        Judgment.objects.current()
        .filter(
            assignment__unit__task=before,
            assignment__purpose=Assignment.Purpose.MAIN,
            assignment__state=Assignment.State.SUBMITTED,
            assignment__wave=1,
            assignment__rater__in=Rater.objects.filter(TRAVELLING, study=before.study_id),
            skip_reason="",
        )
        .exclude(assignment__unit__in=withdrawn)
        .exclude(assignment__rater__in=excluded.exclude(rater=None).values("rater"))
        .exclude(pk__in=excluded.exclude(judgment=None).values("judgment"))
        .order_by("pk")
    )
    for pk, unit, rater in answers.values_list("pk", "assignment__unit", "assignment__rater"):
        judged[unit].append((pk, rater))
    there, wanted = _shown(before, request), _shown(after, request)
    free: dict[Any, list[int]] = defaultdict(list)
    for unit, content in there.items():
        if len(judged.get(unit, ())) >= request.least:
            free[content].append(unit)
    matched: dict[int, int] = {}
    for unit, content in wanted.items() if comparable else ():
        if free[content]:
            matched[free[content].pop(0)] = unit
    return matched, _OfTask(judged, len(there), len(wanted))


def _shown(task: Task, request: Request) -> dict[int, Any]:
    """Return the content of each unit of a task: all that raters see of it, and of its document if they see that.

    That is source, reference and files of its items, its texts in order, and the marks that they came with.
    """
    files: dict[int, list[str]] = defaultdict(list)
    media = ItemMedia.objects.filter(item__study=task.study_id).order_by("item", "role", "order")
    for item, role, sha256 in media.values_list("item", "role", "media__sha256"):
        files[item].append(f"{role}:{sha256}")
    shown: dict[int, list[Any]] = {}
    units = Unit.objects.filter(task=task, until=None, gold=None).order_by("pk")
    columns = ("pk", "item", "item__source", "item__reference", "item__format", "item__options", "item__highlights")
    for unit, item, source, reference, *about_item, features in units.values_list(*columns, "features"):
        about = [request.same(text or "") for text in (source, reference)]
        # The criterion of the unit, and whether it asks about its whole document.
        asked = [features.get(name, "") for name in ("criterion", ENDS_DOCUMENT)]
        shown[unit] = [*about, json.dumps(about_item, sort_keys=True), *files.get(item, ()), *asked]
    parts = PartOutput.objects.filter(part__unit__in=shown).order_by("part__unit", "part__number", "pk")
    texts = parts.values_list(
        "part__unit", "part__number", "output__kind", "output__text", "output__digest", "output__highlights",
        "output__item__source", "output__item__reference",
    )  # fmt: skip
    seen: set[tuple[int, int]] = set()
    for unit, number, kind, text, digest, highlights, source, reference in texts:
        if (unit, number) not in seen:  # outputs of one part look alike
            seen.add((unit, number))
            content = (request.same(text), json.dumps(highlights)) if kind == "text" else (digest,)
            shown[unit] += [number, kind, *content, request.same(source), request.same(reference)]
    marks = Prefill.objects.filter(part__unit__in=shown).order_by("part__unit", "part__number", "pk")
    for unit, *mark in marks.values_list("part__unit", "part__number", "given_by", "payload"):
        shown[unit].append(json.dumps(mark, sort_keys=True))
    for unit, around in surroundings(task, request.same).items():
        shown[unit].append(around)
    return {unit: tuple(content) for unit, content in shown.items()}


def _shifts(task: Task, judgments: set[int], kept: set[int]) -> Iterator[Shift]:
    """Yield how kept and lost texts were rated, means over the means of texts; of labels, the share of each."""
    values: dict[str, dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
    labels: dict[str, dict[int, list[str]]] = defaultdict(lambda: defaultdict(list))
    ratings = Rating.objects.filter(task=task, judgment__in=judgments).order_by("pk")
    for criterion, unit, value, label in ratings.values_list("criterion__name", "unit", "value", "label").iterator():
        if value is not None:
            values[criterion or ""][unit].append(value)
        elif label:
            labels[criterion or ""][unit].append(label)
    for criterion, of_units in values.items():
        yield _shift(criterion, {unit: float(np.mean(given)) for unit, given in of_units.items()}, kept)
    for criterion, given_labels in labels.items():
        counts = Counter(label for given in given_labels.values() for label in given)
        for label, _n in counts.most_common(MOST_LABELS):
            shares = {unit: given.count(label) / len(given) for unit, given in given_labels.items()}
            yield _shift(f"{criterion}: {label}".removeprefix(": "), shares, kept)


def _shift(name: str, means: Mapping[int, float], kept: set[int]) -> Shift:
    """Return the shift of the means of texts, by unit."""
    groups = [np.array([mean for unit, mean in means.items() if (unit in kept) is own]) for own in (True, False)]
    kept_mean, lost_mean = (float(group.mean()) if group.size else None for group in groups)
    if kept_mean is None or lost_mean is None:
        return Shift(name, kept_mean, lost_mean, None, None, None)
    difference = difference_of_means(*groups).estimate
    return Shift(name, kept_mean, lost_mean, difference.value, difference.low, difference.high)


@atomically
def take_over(*, study: Study, request: Request, by: AbstractBaseUser | None) -> Preview:
    """Take judgments over into a draft, which is frozen and closed until somebody opens it for the other texts.

    Raises
    ------
    NotPossible
        Where the draft was opened meanwhile, the earlier study is not closed, or no text was judged there.
    tasks_app.studyfile.problems.StudyFileError
        Where a judgment does not fit the new study.
    """
    # An erasure in the earlier study happens before or after, never meanwhile. Order of locks: claims before studies.
    lock_claims(request.origin.pk)
    lock_submissions(request.origin.pk)
    study = Study.objects.select_for_update().get(pk=study.pk)
    # Read again: it may have been opened once more since it was chosen.
    request = replace(request, origin=Study.objects.get(pk=request.origin.pk))
    found = preview(study, request)
    if not found.units:
        raise NotPossible(_("No text of this study was judged in the earlier one, so there is nothing to take over."))
    # No more judgments are needed of these: whoever draws the plan leaves them out.
    Unit.objects.filter(pk__in=found.units.values()).update(k=0)
    names = _names(request.origin, study, found.judgments)
    lines = [json.dumps(row, ensure_ascii=False).encode() for row in _rows(study, request.origin, found, names)]
    file = RatingsFile("taken-over.jsonl", lambda: io.BytesIO(b"\n".join(lines)))
    import_ratings(study=study, file=file, by=by)
    _link(study, names)
    after = {
        "origin": request.origin.slug,
        "title": request.origin.title,
        "least": request.least,
        "normalise": list(request.normalise),
        "tasks": [asdict(coverage) for coverage in found.coverage],
    }
    events.log(study, by, TOOK_OVER, about=request.origin.slug, after=after)
    events.log(request.origin, by, TAKEN, about=study.slug, after={"judgments": found.n})
    return found


def _names(origin: Study, study: Study, judgments: frozenset[int]) -> dict[int, tuple[str, str]]:
    """Return for each rater their pseudonym in the earlier study, and a new one, by their id."""
    raters = Rater.objects.filter(study=origin, assignments__judgments__in=judgments).distinct().order_by("pk")
    return {pk: (pseudonym, new_pseudonym(study)) for pk, pseudonym in raters.values_list("pk", "pseudonym")}


def _link(study: Study, names: Mapping[int, tuple[str, str]]) -> None:
    """Store the earlier rater of each new one, so that an erasure reaches both."""
    by_name = {new: pk for pk, (_old, new) in names.items()}
    raters = list(Rater.objects.filter(study=study, pseudonym__in=by_name))
    for rater in raters:
        rater.taken_from_id = by_name[rater.pseudonym]
    Rater.objects.bulk_update(raters, ["taken_from"])


# What a row says of an answer, wherever its text stands.
_ANSWER = (
    "criterion", "value", "label", "text", "shown_value", "arrangement", "span_side", "span_start", "span_end",
    "category", "severity", "mark_origin", "mark_of", "mark_reason", "seconds", "submitted_at", "position",
)  # fmt: skip


def _rows(
    study: Study, origin: Study, found: Preview, names: Mapping[int, tuple[str, str]]
) -> Iterator[dict[str, Any]]:
    """Yield the rows of an export of the earlier study that are taken over, with the keys of the new study."""
    places = _places(found.units)
    new_names = dict(names.values())
    tasks = [coverage.task for coverage in found.coverage if coverage.kept]
    done: set[tuple[int, Any]] = set()
    stream = ratings_export.stream(origin, format="jsonl", tasks=tasks, include=(Assignment.Purpose.MAIN.value,))
    for line in io.BytesIO(b"".join(stream)):
        row = json.loads(line)
        if row["judgment"] not in found.judgments:
            continue
        # A text that several systems produced has a row for each; the new study may have others.
        if row.get("rating") is not None:
            if row["rating"] in done:
                continue
            done.add(row["rating"])
        unit, outputs = places[row["task"], row["unit"]]
        said = {name: row[name] for name in _ANSWER if row.get(name) is not None}
        item, system, variant = outputs.get(
            (row["item"], row["system"], row.get("variant") or ""), (outputs["item"], None, None)
        )
        other = outputs.get(("system", row.get("system_b")))
        about = {"item": item, "system": system, "variant": variant, "system_b": other}
        yield {
            "judgment": f"{TAKEN_FROM}{origin.slug}/{row['judgment']}",
            "task": row["task"],
            "unit": unit,
            "rater": new_names[row["rater"]],
            **{name: key for name, key in about.items() if key},
            **said,
        }


def _places(units: Mapping[int, int]) -> dict[tuple[str, str], tuple[str, dict[Any, Any]]]:
    """Return for each earlier unit, by task and key, the key of the new unit and the new names of its texts.

    The names are those of item, system and variant of a text, by those of the earlier one; the new system of an earlier
    system of the unit; and the key of the new item.
    """
    of_parts: dict[int, dict[int, list[tuple[str, str, str]]]] = defaultdict(lambda: defaultdict(list))
    every = [*units, *units.values()]
    outputs = PartOutput.objects.filter(part__unit__in=every).order_by("part__unit", "part__number", "pk")
    columns = ("part__unit", "part__number", "output__item__key", "output__system__key", "output__variant")
    for unit, number, *names in outputs.values_list(*columns):
        of_parts[unit][number].append(tuple(names))
    keys = {
        unit: (task, key, item)
        for unit, task, key, item in Unit.objects.filter(pk__in=every).values_list(
            "pk", "task__key", "key", "item__key"
        )
    }
    places = {}
    for before, after in units.items():
        task, key, _item = keys[before]
        _task, new_key, new_item = keys[after]
        texts: dict[Any, Any] = {"item": new_item}
        for number, names in of_parts[before].items():
            first = of_parts[after][number][0]
            texts |= dict.fromkeys(names, first)
            texts |= {("system", system): first[1] for _item, system, _variant in names}
        places[task, key] = new_key, texts
    return places


def erased_since(study: Study) -> int:
    """Return the judgments that were taken over and erased since, with those of their raters in the earlier study."""
    return Erasure.objects.filter(study=study, assignment__rater_kind=Rater.Kind.IMPORTED).count()
