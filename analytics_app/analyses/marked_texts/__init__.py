"""Places of marked errors in texts: the texts with most marks, a few of each system."""

from collections.abc import Iterator, Mapping
from typing import ClassVar

from django.utils.translation import gettext_lazy as _

from analytics_app.analyses.base import Analysis, Rows, Sample, Words
from analytics_app.analyses.error_spans.looks import errors_of, with_looks
from analytics_app.analyses.marked_texts.stretches import marked
from analytics_app.analyses.registry import register
from analytics_app.ratings import Extra
from analytics_app.ratings.extras.shown import Shown
from analytics_app.ratings.extras.spans import Spans
from analytics_app.results import Row
from tasks_app.task_types.base import Scale


@register
class MarkedTexts(Analysis):
    """The number of raters who marked each stretch of a text, of those who saw it, for the texts with most marks.

    A text is cut wherever a mark begins or ends, so that a stretch is marked by the same raters throughout.
    """

    label = _("Marks in the texts")
    summary = _("How many raters marked each passage, in the texts of each system with the most marks.")
    source = (
        "Freitag, Foster, Grangier, Ratnakar, Tan and Macherey (2021). Experts, errors, and context: a large-scale "
        "study of human evaluation for machine translation. TACL 9, 1460-1474."
    )
    scales = frozenset({Scale.NOMINAL})
    task_types = frozenset({"error_spans"})
    whole_task = True
    leads = False
    splits = False
    needs: ClassVar[frozenset[type[Extra]]] = frozenset({Spans, Shown})
    statistics: ClassVar[Mapping[str, Words]] = {"marks_in_text": _("Raters who marked a stretch of a text")}
    only_drawn = frozenset({"marks_in_text"})

    def compute(self, sample: Sample) -> Iterator[Row]:
        """Yield one row for each stretch, in the order of the text: the number of raters who marked it."""
        if errors_of(sample) is None or not len(sample.extras[Shown].of_part):
            return
        complete, _weights = with_looks(sample)
        make, marks = Rows(self.name, complete), marked(complete)
        for stretch in marks.stretches:
            yield make.row(
                "marks_in_text",
                value=float(stretch.n_raters),
                system=stretch.system,
                label=f"{stretch.item} [{stretch.start}:{stretch.end}]",
                n_raters=stretch.n_looked,
                settings={
                    "text": stretch.text,
                    "item": stretch.item,
                    "start": stretch.start,
                    "end": stretch.end,
                    "words": stretch.words,
                    "severities": stretch.severities,
                    "texts": marks.n_texts,
                    "too_long": marks.n_too_long,
                },
            )
