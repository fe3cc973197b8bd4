"""crowd-kit's tables: task, worker and label, or worker, left, right and label."""

from __future__ import annotations

from collections.abc import Mapping

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tasks_app.importing.named.base import LIKELY, NamedFormat, Option, Sign
from tasks_app.importing.named.collected import Collected
from tasks_app.importing.named.fields import number_of
from tasks_app.importing.named.files import Files, refused
from tasks_app.importing.named.registry import register
from tasks_app.importing.named.scales import Labels, Preferences, Scores

_LABELLED, _COMPARED = ("task", "worker", "label"), ("worker", "left", "right", "label")
_ENDINGS = (".csv", ".tsv")


@register
class CrowdKit(NamedFormat):
    """Tables of crowd-kit."""

    label = gettext_lazy("crowd-kit")
    about = gettext_lazy(
        "A table with the columns task, worker and label, or worker, left, right and label, as crowd-kit takes them. A "
        "second table with task and text in the same zip has the texts."
    )
    kept = gettext_lazy("tasks, workers, labels, comparisons; texts of the second table")
    not_kept = gettext_lazy("further columns")
    options = {
        "labels": Option(
            gettext_lazy("The labels are"), {"words": gettext_lazy("categories"), "numbers": gettext_lazy("scores")}
        )
    }

    def recognise(self, files: Files) -> Sign | None:
        """Return a sign where the header has crowd-kit's columns."""
        for name in files.ending(*_ENDINGS):
            header = set(_header(files, name))
            for wanted in (_COMPARED, _LABELLED):
                if header >= set(wanted) and len(header) <= len(wanted) + 2:
                    return Sign(
                        LIKELY, _("%(file)s has the columns %(names)s.") % {"file": name, "names": ", ".join(wanted)}
                    )
        return None

    def read(self, files: Files, study: Collected, options: Mapping[str, str]) -> None:
        """Collect the labels and comparisons."""
        texts: dict[str, str] = {}
        tables = [(name, set(_header(files, name))) for name in files.ending(*_ENDINGS)]
        for name, header in tables:
            if header >= {"task", "text"} and "worker" not in header:
                texts |= {row["task"]: row["text"] for _line, row in files.table(name, _delimiter(name))}
        labels, scores, pairs = Labels(study), Scores(study), Preferences(study)
        are_numbers = self.option(options, "labels") == "numbers"
        for name, header in tables:
            if header >= set(_COMPARED):
                _compare(files, name, study, pairs, texts)
            elif header >= set(_LABELLED):
                for line, row in files.table(name, _delimiter(name)):
                    item = study.item(row["task"])
                    text = study.text(item, "", texts.get(row["task"]) or f"[{row['task']}]")
                    number = number_of(row["label"]) if are_numbers else None
                    if are_numbers and number is None:
                        raise refused(name, line, _("“%(label)s” is no number.") % {"label": row["label"]})
                    if number is not None:
                        scores.rate("label", row["worker"], text, number)
                    else:
                        labels.rate("label", row["worker"], text, [row["label"]])
        labels.finish()
        scores.finish()


def _compare(files: Files, name: str, study: Collected, pairs: Preferences, texts: Mapping[str, str]) -> None:
    """Write comparisons: each compared object is a system, since crowd-kit ranks it as a whole."""
    for _line, row in files.table(name, _delimiter(name)):
        left, right, label = row["left"], row["right"], row["label"]
        item = study.item(row.get("task") or "comparison")
        first, second = (study.text(item, side, texts.get(side) or f"[{side}]") for side in (left, right))
        if first == second or label not in {left, right}:
            study.left_out[_("Left out: comparisons whose label is neither side (%(n)s).")] += 1
            continue
        pairs.rate("label", row["worker"], first, second, "first" if label == left else "second")


def _header(files: Files, name: str) -> list[str]:
    return [cell.strip().strip('"') for cell in files.head(name).split("\n", 1)[0].strip().split(_delimiter(name))]


def _delimiter(name: str) -> str:
    return "\t" if name.lower().removesuffix(".gz").endswith(".tsv") else ","
