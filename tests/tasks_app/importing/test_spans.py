"""Marked errors that cannot stand where a file says, or that contradict what else it says, are refused by line."""

from pathlib import Path

import pytest

from tasks_app.models import Rating, Study
from tests.tasks_app.importing import kit
from tests.tasks_app.importing.kit import bring, problems_of

pytestmark = pytest.mark.django_db

ITEMS = """\
item,system,output,source
i1,alpha,Ein Stück 🙂 Text.,A piece of text.
i1,beta,Another text.,A piece of text.
"""
HEAD = "rater,item,system,severity,span_side,span_start,span_end,text,label\n"


@pytest.fixture
def marks(db: None, tmp_path: Path) -> Study:
    """A draft in which errors are marked in outputs of 17 and 13 characters, or in the source."""
    return kit.study(
        tmp_path, items=ITEMS, kind="type: likert=>type: error_spans", asks="criteria: [fluency, style]=>k: 1",
        params="points: 5=>scheme: mqm", k="    k: 2\n=>", size="set_size: 4=>set_size: 2",
    )  # fmt: skip


def test_spans_are_held_against_the_text(marks: Study, tmp_path: Path) -> None:
    rows = (
        "ann,i1,alpha,major,output,4,9,Stück,",
        "ann,i1,alpha,minor,output,10,11,🙂,",
        "ann,i1,alpha,minor,source,2,7,piece,",
        "ann,i1,alpha,minor,output,17,18,[missing],",
        "ann,i1,beta,minor,output,8,12,,",
    )
    assert bring(marks, tmp_path, HEAD + "\n".join(rows) + "\n").counts["ratings"] == 5
    assert Rating.objects.get(text="🙂").span_start == 10


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("ann,i1,alpha,major,output,5,10,Stück,",
         "8: text: The text at these offsets is 'tück'. Offsets count characters (code points) from 0, and the end is "
         "the character after the span."),
        ("ann,i1,alpha,major,source,2,7,Piece,", "8: text: The text at these offsets is 'piece'."),
        ("ann,i1,alpha,major,output,4,90,,",
         "7: span_end: The text has only 17 characters, so a span cannot end here. Offsets count characters from 0."),
        ("ann,i1,alpha,major,output,17,19,,", "7: span_end: The text has only 17 characters"),
        ("ann,i1,alpha,major,source,16,17,,", "7: span_end: The text has only 16 characters"),
    ],
)  # fmt: skip
def test_a_span_that_is_not_of_the_text(marks: Study, tmp_path: Path, row: str, said: str) -> None:
    good = "ann,i1,alpha,major,output,0,3,Ein,\n"
    (line,) = problems_of(marks, tmp_path, f"{HEAD}{good}{row}\n")
    assert line.startswith(f"ratings.csv:3:{said}")


@pytest.mark.parametrize("word", ["none", "skip"])
def test_nothing_found_together_with_an_error(marks: Study, tmp_path: Path, word: str) -> None:
    error, silent = "ann,i1,alpha,major,output,0,3,Ein,\n", f"ann,i1,alpha,,,,,,{word}\n"
    assert problems_of(marks, tmp_path, HEAD + error + silent) == [
        "ratings.csv:3:9: label: This row says that the rater found nothing or skipped the text, but line 2 has an "
        "error that the same rater marked in it. Remove one of the two."
    ]
    # Another rater, or another text, is no contradiction.
    others = error + silent.replace("ann", "bob") + silent.replace("alpha", "beta")
    assert bring(marks, tmp_path, HEAD + others).counts["judgments"] == 3


def test_second_judgments_that_are_meant(marks: Study, tmp_path: Path) -> None:
    """With `repeats: keep` only what one judgment says contradicts itself."""
    head = HEAD.replace("label", "label,judgment")
    rows = ["ann,i1,alpha,major,output,0,3,Ein,,j1", "ann,i1,alpha,,,,,,none,j2"]
    assert len(problems_of(marks, tmp_path, head + "\n".join(rows) + "\n")) == 1
    same = head + "\n".join(rows).replace("j2", "j1") + "\n"
    assert len(problems_of(marks, tmp_path, same, "repeats: keep")) == 1
    assert bring(marks, tmp_path, head + "\n".join(rows) + "\n", "repeats: keep").counts["judgments"] == 2
