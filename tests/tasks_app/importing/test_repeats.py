"""Second ratings of one place by one rater: refused by line unless the file or the mapping says what they are."""

from pathlib import Path

import pytest

from tasks_app.models import Assignment, Judgment, Study
from tests.tasks_app.importing import kit
from tests.tasks_app.importing.kit import bring, problems_of, ratings

pytestmark = pytest.mark.django_db

HEAD = "rater,item,system,criterion,value\n"
TWICE = HEAD + "ann,i1,alpha,style,1\nann,i1,alpha,fluency,2\nann,i1,alpha,style,3\nann,i1,alpha,style,5\n"


def test_they_are_refused_by_default_and_both_lines_are_named(draft: Study, tmp_path: Path) -> None:
    lines = problems_of(draft, tmp_path, TWICE)
    assert [line.partition(" To keep")[0] for line in lines] == [
        "ratings.csv:4:1: rater: This rater has already rated this, in line 2: '1' there, '3' here.",
        "ratings.csv:5:1: rater: This rater has already rated this, in line 2: '1' there, '5' here.",
    ]
    assert "write “repeats: first” into the mapping" in lines[0]


@pytest.mark.parametrize(
    ("repeats", "kept", "judgments"),
    [("first", [1.0, 2.0], 1), ("last", [2.0, 5.0], 1), ("keep", [1.0, 2.0, 3.0, 5.0], 3)],
)
def test_the_mapping_says_what_becomes_of_them(
    draft: Study, tmp_path: Path, repeats: str, kept: list[float], judgments: int
) -> None:
    done = bring(draft, tmp_path, TWICE, f"repeats: {repeats}")
    assert [row[3] for row in ratings(draft)] == kept
    assert done.counts["ratings"] == len(kept)
    assert Judgment.objects.count() == done.counts["judgments"] == judgments
    assert set(Assignment.objects.values_list("purpose", flat=True)) == {"main"}


def test_what_was_imported_before_is_not_imported_again(draft: Study, tmp_path: Path) -> None:
    bring(draft, tmp_path)
    lines = problems_of(draft, tmp_path, kit.RATINGS)
    (line,) = lines
    assert line.startswith("ratings.csv:2:1: rater: This rater's rating of this was already imported")
    assert line.endswith("6 problems like this, first at 2:1, 3:1, 4:1.")
    more = kit.RATINGS + "ann,i2,alpha,style,4\n"
    assert "6 problems like this" in problems_of(draft, tmp_path, more, "repeats: last")[0]
    assert bring(draft, tmp_path, more, "repeats: first").counts["ratings"] == 1
    assert bring(draft, tmp_path, kit.RATINGS, "repeats: keep").counts["ratings"] == 6
    assert len(ratings(draft)) == 13


def test_skips_that_were_imported_before_are_known_too(draft: Study, tmp_path: Path) -> None:
    content = "rater,item,system,label\nann,i1,alpha,skip\n"
    bring(draft, tmp_path, content)
    assert "already imported" in problems_of(draft, tmp_path, content)[0]
    bring(draft, tmp_path, content.replace("ann", "bob"))
    assert Judgment.objects.filter(skip_reason="other").count() == 2


REPEATED = (
    "judgment,rater,item,system,criterion,value,purpose,repeat_of\n"
    "b,ann,i1,alpha,style,3,repeat,a\nb,ann,i1,alpha,fluency,3,repeat,a\n"
    "a,ann,i1,alpha,style,1,main,\na,ann,i1,alpha,fluency,1,main,\n"
    "c,ann,i1,alpha,style,5,repeat,b\n"
)


def chain() -> list[tuple[str, list[float], list[float]]]:
    """Return (purpose, values, values of what is repeated) of every assignment, in order."""

    def values(one: Assignment) -> list[float]:
        return list(one.judgments.get().ratings.order_by("id").values_list("value", flat=True))

    rows = Assignment.objects.select_related("repeat_of").order_by("id")
    return [(one.purpose, values(one), values(one.repeat_of) if one.repeat_of else []) for one in rows]


def test_a_repeat_says_what_it_repeats(draft: Study, tmp_path: Path) -> None:
    bring(draft, tmp_path, REPEATED)
    assert chain() == [("repeat", [3.0, 3.0], [1.0, 1.0]), ("main", [1.0, 1.0], []), ("repeat", [5.0], [3.0, 3.0])]


def test_or_it_repeats_what_came_before_it(draft: Study, tmp_path: Path) -> None:
    content = HEAD.replace("value", "value,purpose") + (
        "ann,i1,alpha,style,1,main\nann,i1,alpha,fluency,2,main\nbob,i1,alpha,style,3,main\n"
        "ann,i1,alpha,style,4,repeat\nann,i1,alpha,fluency,5,repeat\nann,i1,alpha,style,2,repeat\n"
    )
    bring(draft, tmp_path, content)
    assert chain() == [
        ("main", [1.0, 2.0], []), ("main", [3.0], []), ("repeat", [4.0, 5.0], [1.0, 2.0]),
        ("repeat", [2.0], [4.0, 5.0]),
    ]  # fmt: skip


def test_a_repeat_of_an_earlier_file_is_found(draft: Study, tmp_path: Path) -> None:
    bring(draft, tmp_path)
    content = HEAD.replace("value", "value,purpose") + "ann,i1,alpha,style,1,repeat\n"
    bring(draft, tmp_path, content)
    assert chain()[-1] == ("repeat", [1.0], [4.0, 3.0])


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("repeat,b", "repeat,x", "6:8: repeat_of: The file has no judgment “x” of this rater and unit."),
        ("c,ann,i1,alpha", "c,bob,i1,alpha", "6:8: repeat_of: The file has no judgment “b” of this rater and unit."),
        ("c,ann,i1,alpha", "c,ann,i1,beta", "6:8: repeat_of: The file has no judgment “b” of this rater and unit."),
        ("5,repeat,b", "5,repeat,c", "6:8: repeat_of: The file has no judgment “c” of this rater and unit."),
        ("5,repeat,b", "5,repeat,a", "6:8: repeat_of: The judgment in line 2 repeats the same one."),
        ("c,ann,i1,alpha,style,5,repeat,b", "c,ann,i1,beta,style,5,repeat,", "6:8: repeat_of: This is a repeat, but"),
    ],
)
def test_a_repeat_of_nothing_is_refused(draft: Study, tmp_path: Path, old: str, new: str, said: str) -> None:
    assert REPEATED.count(old) == 1
    lines = problems_of(draft, tmp_path, REPEATED.replace(old, new))
    assert len(lines) == 1
    assert lines[0].startswith(f"ratings.csv:{said}")
