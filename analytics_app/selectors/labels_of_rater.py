"""Answers of a rater, text by text, with those of others to the same texts. No system is named."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from django.db.models import Count, Exists, OuterRef, QuerySet

from tasks_app.models import Assignment, Judgment, PartOutput, Rater, Rating, output_in_words
from tasks_app.models.judgments import is_current
from tasks_app.models.statements import rows
from tasks_app.selectors import pair_order

# The most other raters that are listed, those who share most texts first.
OTHERS_LISTED = 20

# Labels of a rater and of others for the same part of a unit and criterion, in current answers to main texts.
_SHARED = f"""
SELECT other.pseudonym, c.key, COALESCE(NULLIF(c.name, ''), c.key), count(*),
       count(*) FILTER (WHERE {pair_order.label("r")} = {pair_order.label("o")})
  FROM tasks_app_rating r
  JOIN tasks_app_judgment j ON j.id = r.judgment_id AND {is_current("j")}
  JOIN tasks_app_assignment a ON a.id = j.assignment_id AND a.purpose = 'main'
  JOIN tasks_app_rating o ON o.unit_id = r.unit_id AND o.criterion_id = r.criterion_id AND o.rater_id <> r.rater_id
       AND {pair_order.part("o")} IS NOT DISTINCT FROM {pair_order.part("r")}
       AND {pair_order.part_b("o")} IS NOT DISTINCT FROM {pair_order.part_b("r")}
       AND o.number = r.number AND o.label IS NOT NULL
  JOIN tasks_app_judgment k ON k.id = o.judgment_id AND {is_current("k")}
  JOIN tasks_app_assignment b ON b.id = k.assignment_id AND b.purpose = 'main' AND b.rater_kind <> 'sandbox'
  JOIN tasks_app_rater other ON other.id = o.rater_id
  JOIN tasks_app_criterion c ON c.id = r.criterion_id
 WHERE r.rater_id = %(rater)s AND r.label IS NOT NULL
 GROUP BY other.id, other.pseudonym, c.id, c.key, c.name
 ORDER BY count(*) DESC, other.id, c.id
 LIMIT %(most)s
"""  # noqa: S608  conditions of ours


# Criterion, parts and number of a rating, and its label.
Labelled = tuple[tuple[int | None, int | None, int | None, int], str | None]


@dataclass(frozen=True, slots=True)
class Shared:
    """The number of equal labels of another rater on the texts that both labelled, for a criterion."""

    other: str
    criterion: str
    name: str
    texts: int
    same: int

    @property
    def share(self) -> float:
        """Return the share of shared texts with the same label."""
        return self.same / self.texts


@dataclass(slots=True)
class AnswerRow:
    """An answer of a rater: the texts of its screen, its labels and other values by criterion, and others' labels."""

    judgment: Judgment
    source: str
    texts: Sequence[str]
    labels: list[tuple[str, str]] = field(default_factory=list)
    values: list[tuple[str, str]] = field(default_factory=list)
    others: list[tuple[str, str]] = field(default_factory=list)
    differs: bool = False


def answers_of(rater: Rater) -> QuerySet[Judgment]:
    """Return the current answers of a rater to texts to judge, in the order in which they were shown."""
    judged = Judgment.objects.current().filter(assignment__rater=rater, assignment__purpose=Assignment.Purpose.MAIN)
    return judged.select_related("assignment__unit__item", "assignment__unit__task").order_by("assignment__order", "id")


def with_label(answers: QuerySet[Judgment], criterion: str, label: str) -> QuerySet[Judgment]:
    """Return the answers that have a label for a criterion."""
    return answers.filter(ratings__criterion__key=criterion, ratings__label=label).distinct()


def that_differ(answers: QuerySet[Judgment]) -> QuerySet[Judgment]:
    """Return the answers with a label that differs from another rater's label of the same text."""
    other = Rating.objects.filter(
        unit=OuterRef("unit"), criterion=OuterRef("criterion"), number=OuterRef("number"), label__isnull=False,
        judgment__in=_counted(),
    ).exclude(rater=OuterRef("rater")).exclude(label=OuterRef("label"))  # fmt: skip
    own_ratings = Rating.objects.filter(Exists(other), judgment=OuterRef("pk"), label__isnull=False)
    return answers.filter(Exists(own_ratings))


def labels_given(rater: Rater) -> list[tuple[str, str, str, int]]:
    """Return the counts of a rater's labels: criterion, its name, label and number of answers."""
    ratings = Rating.objects.filter(rater=rater, label__isnull=False, judgment__in=_counted(), criterion__isnull=False)
    counted = ratings.order_by().values_list("criterion", "criterion__key", "criterion__name", "label")
    counts = sorted(counted.annotate(n=Count("id")), key=lambda row: (row[0], -row[4], row[3]))
    return [(key, name or key, label, n) for _criterion, key, name, label, n in counts]


def shared_with(rater: Rater) -> list[Shared]:
    """Return the agreement of a rater with each other rater on the texts that both labelled."""
    return [Shared(*row) for row in rows(_SHARED, {"rater": rater.pk, "most": OTHERS_LISTED})]


def answer_rows(rater: Rater, judgments: Iterable[Judgment]) -> list[AnswerRow]:
    """Return answers with their texts and with the labels of others; four queries."""
    listed = list(judgments)
    units = [judgment.assignment.unit_id for judgment in listed]
    texts: dict[int, dict[int, str]] = defaultdict(dict)
    shown = PartOutput.objects.filter(part__unit__in=units).order_by("part__number", "id")
    for unit, part, kind, text in shown.values_list("part__unit", "part", "output__kind", "output__text"):
        texts[unit].setdefault(part, output_in_words(kind, text))
    row_of_judgment = {
        judgment.pk: AnswerRow(
            judgment,
            judgment.assignment.unit.item.source if judgment.assignment.unit.item else "",
            list(texts[judgment.assignment.unit_id].values()),
        )
        for judgment in listed
    }
    place: dict[int | None, int] = {
        part: n for parts in texts.values() for n, part in enumerate(parts, start=1) if len(parts) > 1
    }
    own = Rating.objects.filter(judgment__in=list(row_of_judgment)).select_related("criterion")
    labels: dict[int, set[Labelled]] = defaultdict(set)
    for rating in own.order_by("judgment", "criterion", "part", "part_b", "number"):
        row = row_of_judgment[rating.judgment_id]
        if rating.label is not None:
            row.labels.append((_about(rating, place), str(_labelled(rating)[1])))
        else:
            row.values.append((_about(rating, place), _value(rating)))
        labels[rating.judgment_id].add(_labelled(rating))
    of_unit = {judgment.assignment.unit_id: judgment.pk for judgment in listed}
    for rating in _of_others(rater, units):
        row = row_of_judgment[of_unit[rating.unit_id]]
        about_other, label_of_other = _labelled(rating)
        row.others.append((rating.rater.pseudonym, f"{_about(rating, place)}: {label_of_other}"))
        own_labels = {label for about, label in labels[row.judgment.pk] if about == about_other}
        row.differs = row.differs or (bool(own_labels) and label_of_other not in own_labels)
    return list(row_of_judgment.values())


def _of_others(rater: Rater, units: Sequence[int]) -> QuerySet[Rating]:
    ratings = Rating.objects.filter(unit__in=units, label__isnull=False, judgment__in=_counted()).exclude(rater=rater)
    return ratings.select_related("rater", "criterion").order_by("rater", "criterion", "part", "part_b", "number")


def _counted() -> QuerySet[Judgment]:
    """Return the current answers to main texts, without those of sandbox raters."""
    current = Judgment.objects.current().filter(assignment__purpose=Assignment.Purpose.MAIN)
    return current.exclude(assignment__rater_kind=Rater.Kind.SANDBOX)


def _labelled(rating: Rating) -> Labelled:
    """Return the criterion, parts and number of a rating, and its label, with the first text of a pair first."""
    parts, label = pair_order.of(rating)
    return (rating.criterion_id, *parts, rating.number), label


def _about(rating: Rating, place: Mapping[int | None, int]) -> str:
    """Return the name of a value's criterion and, on a screen with several texts, the place of its text."""
    name = (rating.criterion.name or rating.criterion.key) if rating.criterion else ""
    return " ".join([name, *(str(place[part]) for part in pair_order.of(rating)[0] if part in place)])


def _value(rating: Rating) -> str:
    """Return the value of an answer without a label: a mark, a number or a text."""
    marked = " ".join(filter(None, (rating.category, rating.severity)))
    number = f"{rating.value:g}" if rating.value is not None else ""
    return marked or number or rating.text or "–"
