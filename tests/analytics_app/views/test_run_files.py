"""Tables and plots as files: linked from the page, named alike for ever, and hidden as the page hides them."""

import re
import struct
from dataclasses import replace

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from analytics_app.charts import pictures
from tasks_app.models import Study
from tests.analytics_app.builders import SLIDER, add_plots, build_run, funnel, slider_rows
from tests.analytics_app.views.reading import page, results

pytestmark = pytest.mark.django_db

LINK = re.compile(r'href="([^"]+/results/1/(?:tables|plots)/[^"]+)"')
BEGINS = {".png": b"\x89PNG", ".pdf": b"%PDF", ".svg": b"<svg", ".tex": b"% Study", ".md": b"**", ".csv": b""}


def test_every_link_of_the_page_leads_to_a_file(
    rosas_browser: Client, closed: Study, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    add_plots(build_run(closed, [*funnel(), *slider_rows()]), "content")
    links = LINK.findall(page(rosas_browser, results(closed)) + page(rosas_browser, results(closed, "1/raters/")))
    assert len(links) == len(set(links)) == 5 * 3 + (5 + 2 + 1 + 4) * 3
    for link in links:
        with django_assert_max_num_queries(15):
            answer = rosas_browser.get(link)
        kind = link[link.rindex(".") :]
        assert answer.status_code == 200, link
        assert answer.content.startswith(BEGINS[kind])
        assert re.search(rf'filename="{closed.slug}-run-1-[a-z0-9-]+\{kind}"', answer["Content-Disposition"])


def test_a_table_has_the_same_address_in_every_run(rosas_browser: Client, closed: Study) -> None:
    build_run(closed, slider_rows())
    build_run(closed, [row for row in slider_rows() if row.statistic != "difference"])
    for number in (1, 2):
        for key in ("systems", "agreement-between-raters", "pairs-of-raters"):
            answer = rosas_browser.get(results(closed, f"{number}/tables/main--content/{key}.tex"))
            assert f"run {number}," in answer.content.decode()


def test_a_table_that_is_none_is_not_found(rosas_browser: Client, closed: Study) -> None:
    build_run(closed, slider_rows())
    for rest in ("main--content/none.tex", "main--none/systems.csv", "none/systems.md", "run/x.csv"):
        assert rosas_browser.get(results(closed, f"1/tables/{rest}")).status_code == 404, rest


def test_while_a_study_is_open_no_file_tells_systems_apart(rosas_browser: Client, study: Study) -> None:
    run = build_run(study, [*funnel(), *slider_rows()])
    add_plots(run, "content")
    for key in ("systems", "pairs-of-systems", "plot-main-content-means"):
        assert rosas_browser.get(results(study, f"1/tables/main--content/{key}.csv")).status_code == 404
    assert rosas_browser.get(results(study, "1/tables/run/excluded-main-by-system.csv")).status_code == 404
    plot = run.plots.get(key="main/content/means")
    for kind in pictures.CONTENT_TYPES:
        assert rosas_browser.get(results(study, f"1/plots/{plot.pk}.{kind}")).status_code == 404
    links = LINK.findall(page(rosas_browser, results(study)))
    assert links
    for link in links:
        body = rosas_browser.get(link).content
        assert not any(system.encode() in body for system in SLIDER), link


def test_names_of_systems_come_through(rosas_browser: Client, closed: Study) -> None:
    named = [replace(row, system=r"a_b & \c" if row.system == "HIGH" else row.system) for row in slider_rows()]
    build_run(closed, named)
    source = rosas_browser.get(results(closed, "1/tables/main--content/systems.tex")).content.decode()
    assert r"    a\_b \& \textbackslash{}c & " in source


def test_a_png_is_sharp_and_a_pdf_names_emoji() -> None:
    drawing = (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 20" width="40" height="20">'
        '<text x="2" y="15" font-size="8">Ärger 🎉</text></svg>'
    )
    size = struct.unpack(">II", pictures.write(drawing, "png")[16:24])
    assert size == (80, 40)
    assert pictures.write(drawing, "pdf").startswith(b"%PDF")
    assert pictures.without_emoji("Ärger 🎉") == "Ärger [party popper]"
