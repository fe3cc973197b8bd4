"""Figures and agreement on a page of results: what stands open, what folded, and that nothing is shown twice."""

import re
from dataclasses import replace
from html import unescape

import pytest
from django.test import Client

from analytics_app.models import Plot, Run
from analytics_app.views import run_sections
from tasks_app.models import Study
from tests.analytics_app.builders import add_plots, build_run, likert_rows, slider_rows
from tests.analytics_app.views.reading import page, results, table, text

pytestmark = pytest.mark.django_db


def section(html: str, key: str) -> str:
    """Return a section of a page of results."""
    return html.split(f'id="main--{key}"', 1)[1].split("</section>", 1)[0]


def kinds(html: str, run: Run) -> list[str]:
    """Return the kinds of the plots in a piece of a page, in its order."""
    called = {str(plot.pk): plot.key.rpartition("/")[2] for plot in run.plots.all()}
    return [called[pk] for pk in re.findall(r"/plots/(\d+)\.svg", html)]


def test_what_the_summary_shows_is_folded_in_the_section(rosas_browser: Client, closed: Study) -> None:
    run = build_run(closed, slider_rows())
    add_plots(run, "content")
    here = section(page(rosas_browser, results(closed)), "content")
    seen, _fold, folded = here.partition("Further charts")
    assert kinds(seen, run) == ["distribution"]
    # Means stand in the forest, differences in the matrix of pairs, alpha in words.
    assert kinds(folded, run) == ["means", "differences", "means-z", "agreement"]
    # Other values than those of the summary are no repetition.
    means, z = (run.plots.get(key=f"main/content/{kind}") for kind in ("means", "means-z"))
    Plot.objects.filter(pk=means.pk).update(spec=z.spec | {"usermeta": means.spec["usermeta"]})
    seen, _fold, folded = section(page(rosas_browser, results(closed)), "content").partition("Further charts")
    assert kinds(seen, run) == ["means", "distribution"]


def test_while_systems_are_hidden_nothing_is_left_that_tells_them_apart(rosas_browser: Client, study: Study) -> None:
    Study.objects.filter(pk=study.pk).update(state=Study.State.OPEN)
    run = build_run(study, slider_rows())
    add_plots(run, "content")
    here = section(page(rosas_browser, results(study)), "content")
    assert set(kinds(here, run)) <= {"distribution", "agreement"}
    assert "HIGH" not in here


def test_on_steps_shares_and_superiority_stand_open(rosas_browser: Client, closed: Study) -> None:
    run = build_run(closed, likert_rows())
    add_plots(run, "fluency")
    seen, _fold, folded = section(page(rosas_browser, results(closed)), "fluency").partition("Further charts")
    assert kinds(seen, run) == ["shares", "superiority"]
    assert kinds(folded, run) == ["means", "means-z", "differences", "distribution", "agreement"]


def test_one_measure_of_agreement_stands_open_with_the_reason_and_all_are_folded(
    rosas_browser: Client, closed: Study
) -> None:
    build_run(closed, slider_rows())
    whole = page(rosas_browser, results(closed))
    here = section(whole, "content")
    seen, _fold, folded = here.partition("<details")
    said = unescape(text(seen))
    assert "Agreement between raters Krippendorff's alpha (interval): 0.71 (interval 0.65 to 0.76)" in said
    # The reason stands once on the page, in the summary.
    assert unescape(text(whole)).count("since the scale is numeric and texts need not have the same raters") == 1
    measures = [row["Measure"] for row in table(folded, "Agreement between raters")]
    assert len(measures) > 1
    assert f"Agreement between raters (all {len(measures)} measures)" in text(folded)
    assert "choosing the highest value among them would overstate agreement" in text(folded)
    assert all(measure not in said for measure in measures[1:] if "alpha" not in measure)


def test_a_measure_without_a_value_says_why(rosas_browser: Client, closed: Study) -> None:
    rows = [
        replace(row, value=None, low=None, high=None, note="No two raters rated the same text.")
        if row.statistic == "alpha"
        else row
        for row in slider_rows()
    ]
    build_run(closed, rows)
    said = unescape(text(section(page(rosas_browser, results(closed)), "content").partition("<details")[0]))
    assert "Krippendorff's alpha (interval): No two raters rated the same text." in said


def test_a_page_has_one_drawing_for_a_desk_and_one_for_a_telephone(rosas_browser: Client, closed: Study) -> None:
    run = build_run(closed, slider_rows())
    add_plots(run, "content")
    html = page(rosas_browser, results(closed))
    assert html.count('class="ew-plot-wide"') == html.count('class="ew-plot-narrow"') == 5
    # Runs of earlier versions have one.
    run.plots.update(narrow="")
    html = page(rosas_browser, results(closed))
    assert (html.count('class="ew-plot-wide"'), html.count('class="ew-plot-narrow"')) == (0, 5)


def test_a_page_with_many_drawings_shows_one_criterion_at_a_time(
    rosas_browser: Client, closed: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = build_run(closed, [*slider_rows(), *likert_rows()])
    add_plots(run, "content", "fluency")
    address = results(closed, f"{run.number}/")
    assert "one criterion is shown at a time" not in page(rosas_browser, address)
    drawings = sum(len(plot.svg) + len(plot.narrow) for plot in run.plots.all())
    monkeypatch.setattr(run_sections, "MOST_BYTES", drawings)
    html = page(rosas_browser, address)
    assert "one criterion is shown at a time" in html
    assert ('id="main--content"' in html) != ('id="main--fluency"' in html)
    # The summary still has all criteria, and leads to the sections that are not on the page.
    summary = html.split('id="summary"', 1)[1].split("</section>", 1)[0]
    (other,) = re.findall(r'<a href="([^"]*section=main--fluency[^"]*)">', summary)
    assert 'id="main--fluency"' in page(rosas_browser, address + other.partition("#")[0])
