"""Problems between rows of a file: the message, and the cell it points at."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from tasks_app.services.imports.storing import Conflict
from tasks_app.studyfile.problems import LISTED, quoted

# By kind of conflict: the column to look at, and the sentence.
_SENTENCES: Mapping[str, tuple[str, Promise]] = {
    "identical": (
        "system",
        gettext_lazy(
            "The output named in line %(line)d has the same text, and this study shows it once, so both ratings would "
            "fall on one place. Set keep_identical: true in the task of study.yaml and load the study again."
        ),
    ),
    "twice": (
        "rater",
        gettext_lazy(
            "This rater has already rated this, in line %(line)d: %(about)s. To keep the first rating, write "
            "“repeats: first” into the mapping; “repeats: last” keeps the last one, and “repeats: keep” both. If the "
            "rater was shown the text a second time on purpose, write “repeat” into the column purpose of this row."
        ),
    ),
    "stored": (
        "rater",
        gettext_lazy(
            "This rater's rating of this was already imported, and stored ratings never change. Remove "
            "the row, or write “repeats: first” into the mapping to skip such rows, or “repeats: keep” to store them "
            "as further ratings."
        ),
    ),
    "two_in_one": (
        "judgment",
        gettext_lazy("The judgment that begins in line %(line)d has a rating of this already. Keep one of them."),
    ),
    "label_twice": (
        "label",
        gettext_lazy(
            "The same judgment has this label in line %(line)d already. Remove one of the two rows, or name the "
            "judgments in the column judgment if there are two."
        ),
    ),
    "contradiction": (
        "label",
        gettext_lazy(
            "This label cannot be chosen together with others, but line %(line)d has another label of the same "
            "judgment. Remove one of the two rows."
        ),
    ),
    "unlike": (
        "",
        gettext_lazy("All rows of a judgment must agree on this; line %(line)d is of the same one and says otherwise."),
    ),
    "nothing_and_error": (
        "label",
        gettext_lazy(
            "This row says that the rater found nothing or skipped the text, but line %(line)d has an error that the "
            "same rater marked in it. Remove one of the two."
        ),
    ),
    "beyond": (
        "span_end",
        gettext_lazy(
            "The text has only %(about)s characters, so a span cannot end here. Offsets count characters from 0."
        ),
    ),
    "other_words": (
        "text",
        gettext_lazy(
            "The text at these offsets is %(about)s. Offsets count characters (code points) from 0, and the end is the "
            "character after the span."
        ),
    ),
    "no_original": (
        "repeat_of",
        gettext_lazy(
            "This is a repeat, but the rater has no earlier judgment of this unit in the file or study. Take the row "
            "out (where in the mapping), or leave its purpose empty if it is the first."
        ),
    ),
    "two_repeats": (
        "repeat_of",
        gettext_lazy(
            "The judgment in line %(line)d repeats the same one. A judgment is repeated once, and that one once again."
        ),
    ),
}


def in_words(conflict: Conflict) -> tuple[str, str]:
    """Return the column of a conflict, and the sentence that explains it."""
    column, sentence = _SENTENCES[conflict.kind]
    if conflict.kind == "no_original" and conflict.about:
        named = _("The file has no judgment “%(name)s” of this rater and unit.")
        return column, named % {"name": conflict.about}
    about = quoted(conflict.about) if conflict.kind == "other_words" else conflict.about
    if conflict.kind == "twice":
        first, second = map(quoted, json.loads(conflict.about))
        about = _("%(first)s there, %(second)s here") % {"first": first, "second": second}
    return column or conflict.about, str(sentence) % {"line": conflict.first, "about": about}


def left_out_in_words(left_out: Mapping[str, Mapping[str, Any]], n_rows: int) -> Iterator[str]:
    """Yield a sentence about second ratings that were left out: how many of the rows, why, and the first lines.

    `left_out` gives the number of rows and the first lines by why, as the study's log has them.
    """
    for kind, found in left_out.items():
        n, lines = found["rows"], [f"{line:,}" for line in found["lines"][:LISTED]]
        sentence = ngettext(
            "%(n)s of %(all)s rows left out: %(why)s (line %(lines)s).",
            "%(n)s of %(all)s rows left out: %(why)s (lines %(lines)s).",
            n,
        )
        listed = ", ".join(lines + (["…"] if n > len(lines) else []))
        yield sentence % {"n": f"{n:,}", "all": f"{n_rows:,}", "why": _LEFT_OUT[kind], "lines": listed}


# Why second ratings were left out.
_LEFT_OUT: Mapping[str, Promise] = {
    "stored": gettext_lazy("the rater's rating of the same text was imported before"),
    "first": gettext_lazy("a second rating of the same text by the same rater"),
    "last": gettext_lazy("an earlier rating of the same text by the same rater"),
}
