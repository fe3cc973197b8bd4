"""manage.py take_away: a folder with every table and plot of a run, and an index of it."""

import re
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from tasks_app.models import Study
from tasks_app.services.study import lifecycle
from tests.analytics_app.builders import SLIDER, add_plots, build_run, funnel, slider_rows

pytestmark = pytest.mark.django_db


def taken(study: Study, folder: Path, **options: int) -> tuple[str, str]:
    """Run the command; return what it said, and its complaints."""
    out, errors = StringIO(), StringIO()
    call_command("take_away", study.slug, str(folder), stdout=out, stderr=errors, **options)
    return out.getvalue(), errors.getvalue()


def test_every_table_and_plot_is_written_and_listed(study: Study, tmp_path: Path) -> None:
    lifecycle.move(study_id=study.pk, action="close", by=None)
    study.runs.all().delete()
    add_plots(build_run(study, [*funnel(), *slider_rows()]), "content")
    folder = tmp_path / "new" / "paper"
    said, errors = taken(study, folder)
    assert said == (
        f"Wrote the summary, the methods section and 18 tables and plots to {folder}; index.md lists them.\n"
    )
    assert errors == ""
    links = re.findall(r"\]\(([^)]+)\)", (folder / "index.md").read_text(encoding="utf-8"))
    assert sorted(links) == sorted(
        str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file() and path.name != "index.md"
    )
    assert len(links) == 18 * 3 + 3 + 1
    assert "run 1," in (folder / "index.md").read_text(encoding="utf-8")
    assert r"\toprule" in (folder / "tables/main--content-systems.tex").read_text(encoding="utf-8")
    assert (folder / "plots/main-content-means.pdf").read_bytes().startswith(b"%PDF")
    with pytest.raises(CommandError, match="is not empty"):
        taken(study, folder)


def test_while_a_study_is_open_nothing_tells_systems_apart(study: Study, tmp_path: Path) -> None:
    add_plots(build_run(study, [*funnel(), *slider_rows()]), "content")
    _said, errors = taken(study, tmp_path, run=1)
    assert "results by system are left out" in errors
    written = [path for path in tmp_path.rglob("*") if path.suffix in {".tex", ".md", ".csv", ".svg"}]
    assert written
    for path in written:
        assert not any(system in path.read_text(encoding="utf-8") for system in SLIDER), path.name


def test_of_a_run_that_is_none_nothing_is_written(study: Study, tmp_path: Path) -> None:
    folder = tmp_path / "none"
    with pytest.raises(CommandError, match="no run 7"):
        taken(study, folder, run=7)
    with pytest.raises(CommandError, match="no run that is done"):
        taken(study, folder)
    assert not folder.exists()
