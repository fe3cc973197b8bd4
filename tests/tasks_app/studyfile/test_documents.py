"""Keys of documents: what corpora call them is taken as it is."""

from pathlib import Path

import pytest

from tasks_app import studyfile
from tasks_app.models import Document
from tests.tasks_app.studyfile import kit

pytestmark = pytest.mark.django_db

STUDY = kit.STUDY.replace("set_size: 4", "set_size: 1")


@pytest.mark.parametrize("key", ["news:2020-05-01/17#2", "a@b+c", ":a b", "x" * 100])
def test_documents_as_corpora_name_them(tmp_path: Path, key: str) -> None:
    items = f"item,system,output,document\ni1,alpha,One.,{key}\ni2,alpha,Two.,{key}\n"
    folder = kit.put(tmp_path / "study", items_csv=items, study_yaml=STUDY)
    study = studyfile.load(folder, owner=None)
    assert Document.objects.get(study=study).key == key
    studyfile.export(study, tmp_path / "out")
    assert studyfile.read(tmp_path / "out").document["items"][1]["document"] == key


@pytest.mark.parametrize("key", ["x" * 101, "a\u200b"])
def test_other_names_of_documents_are_refused(tmp_path: Path, key: str) -> None:
    rows = "".join(f"i{n},alpha,Text {n}.,{key}\n" for n in range(70))
    folder = kit.put(tmp_path / "study", items_csv="item,system,output,document\n" + rows, study_yaml=STUDY)
    (line,) = kit.problems_of(folder)
    assert line.startswith(
        "items.csv:2:4: document: Use at most 100 characters that can be seen, without line breaks; this is"
    )
    assert line.endswith("70 problems like this, first at 2:4, 3:4, 4:4.")
