"""Studies whose ratings come from elsewhere: no plan is drawn, and nothing is asked for that only raters need."""

import re
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.test import Client

from tasks_app import studyfile
from tasks_app.models import Booklet, Study
from tasks_app.services.plan import plans
from tasks_app.services.study import lifecycle
from tests.tasks_app.importing import kit as ratings
from tests.tasks_app.studyfile import kit

pytestmark = pytest.mark.django_db

IMPORTED = kit.STUDY + "flow: {imported: true}\n"
ME = IMPORTED.replace("type: likert", "type: magnitude").replace("      points: 5\n", "      layout: rankme\n")


@pytest.mark.parametrize(("study_yaml", "n"), [(kit.STUDY, 1), (IMPORTED, 0)])
def test_no_advice_is_given_that_imported_ratings_cannot_use(tmp_path: Path, study_yaml: str, n: int) -> None:
    """Nobody reads a consent text or spends minutes on a study whose ratings are there already."""
    without_consent = re.sub(r"^consent:.*\n(  .*\n)*", "", study_yaml, flags=re.MULTILINE)
    folder = kit.put(tmp_path / "study", study_yaml=without_consent)
    _study, loaded = studyfile.load_with_notes(folder, owner=None)
    assert sum("There is no consent text" in note for note in loaded.notes) == n
    assert bool(loaded.load) == bool(n)


def test_no_plan_is_drawn_until_the_study_is_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rosa: User, rosas_browser: Client
) -> None:
    drawn: list[int] = []
    real = plans.draw_booklets

    def counted(*args: object, **kwargs: object) -> object:
        drawn.append(1)
        return real(*args, **kwargs)

    monkeypatch.setattr(plans, "draw_booklets", counted)
    study, loaded = studyfile.load_with_notes(kit.put(tmp_path / "study", study_yaml=IMPORTED), owner=rosa)
    assert loaded.counts["units"] == 5
    assert not {"places", "booklets"} & set(loaded.counts)
    ratings.bring(study, tmp_path, "rater,item,system,criterion,value\nann,i1,alpha,fluency,4\n")
    page = rosas_browser.get(f"/admin/studies/{study.slug}/design/")
    assert "so no plan is drawn before raters come" in page.content.decode()
    assert (drawn, Booklet.objects.count()) == ([], 0)
    study.refresh_from_db()
    assert study.state == Study.State.CLOSED
    # Raters may come later all the same, and their plan is drawn then.
    lifecycle.move(study_id=study.pk, action="open", by=None, reason="More ratings")
    assert drawn
    assert Booklet.objects.exists()
    # Other studies are told at once whether there is a plan.
    studyfile.read(kit.put(tmp_path / "other"))
    assert len(drawn) == 2


def test_settings_without_a_plan_matter_only_to_raters(tmp_path: Path) -> None:
    """Five units, of which two are of one item, cannot be judged in sets of five."""
    text = IMPORTED.replace("set_size: 4", "set_size: 500")
    with pytest.raises(studyfile.StudyFileError, match="set_size"):
        studyfile.read(kit.put(tmp_path / "own", study_yaml=text.replace("imported: true", "imported: false")))
    study = studyfile.load(kit.put(tmp_path / "study", study_yaml=text), owner=None)
    ratings.bring(study, tmp_path, "rater,item,system,criterion,value\nann,i1,alpha,fluency,4\n")
    with pytest.raises(plans.PlanImpossible, match="set"):
        lifecycle.move(study_id=study.pk, action="open", by=None, reason="More ratings")
    study.refresh_from_db()
    assert study.state == Study.State.CLOSED


def test_magnitudes_without_their_reference(tmp_path: Path, rosa: User) -> None:
    text = ME.replace("imported: true", "imported: false")
    with pytest.raises(studyfile.StudyFileError, match="has no reference to compare its texts with"):
        studyfile.read(kit.put(tmp_path / "own", study_yaml=text))
    study = studyfile.load(kit.put(tmp_path / "study", study_yaml=ME), owner=rosa)
    rows = "rater,item,system,criterion,value\nann,i1,alpha,fluency,150\nann,i1,beta,fluency,90\n"
    assert ratings.bring(study, tmp_path, rows).counts["ratings"] == 2
    with pytest.raises(
        lifecycle.NotPossible, match=r"Task “Magnitude estimation .RankME.”, item “i1”: has no reference to compare"
    ):
        lifecycle.move(study_id=study.pk, action="open", by=rosa, reason="More ratings")
    study.refresh_from_db()
    assert (study.state, Booklet.objects.count()) == (Study.State.CLOSED, 0)


def test_it_can_be_opened_where_the_reference_is_known(tmp_path: Path) -> None:
    text = ME.replace("      layout: rankme\n", "      layout: rankme\n      reference_text: R\n").replace(
        "set_size: 4", "set_size: 1"
    )
    study = studyfile.load(kit.put(tmp_path / "study", study_yaml=text), owner=None)
    assert lifecycle.move(study_id=study.pk, action="open", by=None, reason="More ratings").state == Study.State.OPEN
