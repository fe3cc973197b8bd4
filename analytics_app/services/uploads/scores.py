"""Upload scores of automatic metrics, of texts or of systems as wholes."""

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from typing import Any, NamedTuple

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from analytics_app.models import MetricScore
from analytics_app.ratings.metric_directions import lower_is_better
from analytics_app.services.uploads.flow import Uploaded
from analytics_app.services.uploads.named import NamedValues
from tasks_app.models import Item, Output, System
from tasks_app.studyfile.columns import Column, Kind
from tasks_app.studyfile.files.tables import Row
from tasks_app.studyfile.problems import nearest


class Text(NamedTuple):
    """A text, or a system as a whole where there is no item."""

    item: int | None
    system: int
    variant: str = ""


class Scores(NamedValues[Text]):
    """A row is a text (item and system, perhaps variant), or a system as a whole where the item is empty."""

    stem, name, counted, verb = "scores", "metric", "scores", "imported scores"
    deleted_verb = "deleted scores"
    noun, nouns = gettext_lazy("metric"), gettext_lazy("metrics")
    model = MetricScore
    columns = (
        Column("item", Kind.WORD, gettext_lazy("Key of the item; empty where a system as a whole is scored.")),
        Column("system", Kind.WORD, gettext_lazy("Key of the system."), needed=True),
        Column("variant", Kind.WORD, gettext_lazy("Only where a system has several texts for an item.")),
    )
    named_doc = gettext_lazy("Columns that hold scores. Those that look like scores are ticked; check them.")
    empty = gettext_lazy("There are no scores below the header.")
    twice = gettext_lazy("There is a score of this metric already, in line %(line)d. Keep one of them.")
    draft = gettext_lazy("The study is a draft, whose items may still change. Open it, or import its ratings first.")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # Of the versions of an item the newest counts: its key is what a file knows.
        self._items = dict(Item.objects.filter(study=self.study).order_by("id").values_list("key", "id"))
        self._systems = dict(System.objects.filter(study=self.study).values_list("key", "id"))
        outputs = Output.objects.filter(item__study=self.study).values_list("item__key", "system_id", "variant")
        self._variants: dict[tuple[str, int], set[str]] = {}
        for item, system, variant in outputs:
            self._variants.setdefault((item, system), set()).add(variant)

    @classmethod
    def looks_like_values(cls, numbers: Sequence[float]) -> bool:
        """Return whether not all are whole numbers, as ids and counts are."""
        return any(not number.is_integer() for number in numbers)

    def stored(self) -> Iterator[tuple[Text, str]]:
        """Yield the keys of all stored scores."""
        scores = MetricScore.objects.filter(study=self.study)
        for item, system, metric in scores.values_list("item_id", "system_id", "metric"):
            yield Text(item, system), metric

    def fault(self, key: tuple[Text, str], value: float) -> str:
        """Refuse a score that is stored already: of all variants of a text there is one."""
        text, metric = key
        return super().fault((text._replace(variant=""), metric), value)

    def rows(self, values: Mapping[tuple[Text, str], float]) -> Iterator[MetricScore]:
        """Yield the scores; of a text in several variants their mean."""
        for (text, metric), each in _by_text(values).items():
            yield MetricScore(
                study=self.study, metric=metric, item_id=text.item, system_id=text.system, value=sum(each) / len(each),
                source=MetricScore.Source.UPLOADED,
            )  # fmt: skip

    def uploaded(self, values: Mapping[tuple[Text, str], float]) -> Uploaded:
        """Count scores and metrics, and note how many scores are means."""
        by_text, names = _by_text(values), self.names(values)
        of_systems = sum(text.item is None for text, _metric in by_text)
        counts = {"scores": len(by_text), "metrics": len(names), "of systems as wholes": of_systems}
        summary = ngettext("%(n)d score: %(names)s", "%(n)d scores: %(names)s", len(by_text))
        words = {"n": len(by_text), "names": ", ".join(names)}
        notes = [*self.notes()]
        if averaged := sum(len(each) > 1 for each in by_text.values()):
            sentence = ngettext(
                "%(n)d score is the mean over the variants of a text.",
                "%(n)d scores are means over the variants of a text.",
                averaged,
            )
            notes.append(sentence % {"n": averaged})
        notes += _directions(names)
        return Uploaded(counts, summary % words, tuple(notes), tuple(names))

    def about(self, row: Row) -> Text | None:
        """Return the text, or the system as a whole, of a row."""
        item, system = self.word(row, "item"), self.word(row, "system")
        code = self._systems.get(system)
        if not system:
            self.report(row, self.theirs("system"), _("Enter a system: every row needs one."))
        elif code is None:
            self._unknown(row, "system", _("The study has no system “%(key)s”.") % {"key": system}, self._systems)
        if item and item not in self._items:
            self._unknown(row, "item", _("The study has no item “%(key)s”.") % {"key": item}, self._items)
            return None
        if code is None:
            return None
        if not item:
            return Text(None, code)
        variants = self._variants.get((item, code))
        if variants is None:
            sentence = _("The study has no text of “%(system)s” for this item.") % {"system": system}
            self.report(row, self.theirs("system"), sentence)
            return None
        return self._variant(row, variants, Text(self._items[item], code))

    def _variant(self, row: Row, variants: Set[str], text: Text) -> Text | None:
        """Find the text of a system that has several; without the column a score is of all of them."""
        given = self.word(row, "variant")
        if given in variants or (not given and not self.has("variant")):
            return text._replace(variant=given)
        if given:
            self._unknown(row, "variant", _("The system has no such variant here."), sorted(variants))
        else:
            sentence = _("The system has several texts. Say which one: give variant.")
            self.report(row, self.theirs("variant"), sentence)
        return None

    def _unknown(self, row: Row, column: str, sentence: str, known: Iterable[str]) -> None:
        """Report a name that the study does not have, with the nearest one that it has."""
        column = self.theirs(column)
        self.report(row, column, f"{sentence} {nearest(str(row.cells[column]), known)}".rstrip())


def _directions(names: Iterable[str]) -> Iterator[str]:
    """Yield notes on metrics that are known to be better when lower, and on those with names that do not say."""
    by_direction: dict[bool | None, list[str]] = {}
    for name in names:
        by_direction.setdefault(lower_is_better(name), []).append(name)
    if lower := by_direction.get(True):
        yield _("Lower is better, as the name says: %(names)s.") % {"names": ", ".join(lower)}
    if unknown := by_direction.get(None):
        sentence = _(
            "Is a higher score better? Analyses assume so for %(names)s. If lower is better, name the metric in the "
            "analysis plan under lower_is_better."
        )
        yield sentence % {"names": ", ".join(unknown)}


def _by_text(values: Mapping[tuple[Text, str], float]) -> dict[tuple[Text, str], list[float]]:
    """Return the scores of each text and metric, of all variants together."""
    by_text: dict[tuple[Text, str], list[float]] = {}
    for (text, metric), value in values.items():
        by_text.setdefault((text._replace(variant=""), metric), []).append(value)
    return by_text
