"""A small study, a sound file of its ratings, and ways to import it."""

import gzip
import itertools
from pathlib import Path
from typing import Any

from tasks_app import importing, studyfile
from tasks_app.importing import ColumnMapping, Imported, RatingsFile
from tasks_app.models import Assignment, Judgment, Rater, Rating, Study
from tasks_app.studyfile import StudyFileError
from tests.tasks_app.studyfile.kit import STUDY, put

ITEMS = """\
item,system,output,source,feature_domain
i1,alpha,First text.,One,news
i1,beta,Another text.,One,news
i2,alpha,Third text.,Two,talk
i2,beta,Fourth text.,Two,talk
i3,alpha,Same.,Three,talk
i3,beta,Same.,Three,talk
"""

RATINGS = """\
rater,item,system,criterion,value
ann,i1,alpha,fluency,4
ann,i1,alpha,style,3
ann,i1,beta,fluency,2
ann,i1,beta,style,1
bob,i1,alpha,fluency,5
bob,i1,alpha,style,5
"""

_numbers = itertools.count()


def study(folder: Path, *, slug: str = "fluency", items: str = ITEMS, **changes: str) -> Study:
    """Load a draft; `changes` replaces passages of study.yaml (old=new is not Python, so pairs come as `old:new`).

    It takes the place of the draft of its slug, such as the one that a file of tests shares.
    """
    text = STUDY.replace("slug: fluency", f"slug: {slug}")
    for change in changes.values():
        old, new = change.split("=>")
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return studyfile.load(put(folder / slug, study_yaml=text, items_csv=items), owner=None, replace=True)


def a_file(folder: Path, content: str | bytes = RATINGS, name: str = "ratings.csv") -> RatingsFile:
    """Write a file of ratings; `.gz` is packed."""
    data = content.encode() if isinstance(content, str) else content
    path = folder / f"{next(_numbers)}" / name
    path.parent.mkdir(parents=True)
    path.write_bytes(gzip.compress(data) if name.endswith(".gz") and not isinstance(content, bytes) else data)
    return RatingsFile.at(str(path))


def bring(
    study: Study,
    folder: Path,
    content: str | bytes = RATINGS,
    mapping: str = "",
    name: str = "ratings.csv",
    **rest: Any,
) -> Imported:
    """Import a file as the command does."""
    return importing.import_ratings(
        study=study, file=a_file(folder, content, name), mapping=mapped(mapping), by=rest.pop("by", None), **rest
    )


def mapped(text: str) -> ColumnMapping:
    """Read a mapping."""
    return importing.from_yaml("map.yaml", text) if text else importing.NO_MAPPING


def problems_of(
    study: Study, folder: Path, content: str | bytes, mapping: str = "", name: str = "ratings.csv"
) -> list[str]:
    """Return the problems of a file that must be refused, and make sure that nothing of it was stored."""
    before = stored()
    try:
        bring(study, folder, content, mapping, name)
    except StudyFileError as error:
        assert stored() == before, "something was stored"
        return error.lines()
    raise AssertionError("this file was accepted")


def stored() -> tuple[int, ...]:
    """Count what an import stores."""
    return tuple(model.objects.count() for model in (Rater, Assignment, Judgment, Rating))


def ratings(study: Study) -> list[tuple[Any, ...]]:
    """Return (rater, unit, criterion, value) of every stored rating, in order."""
    rows = Rating.objects.filter(task__study=study).order_by("id")
    return list(rows.values_list("rater__pseudonym", "unit__key", "criterion__key", "value"))
