"""Every published study is offered, begins as its paper says, opens, and is a page of the manual."""

import pytest
from django.conf import settings
from django.test import Client

from analytics_app.methods_text.references import references
from tasks_app.models import Study
from tasks_app.setup import published
from tests.published.kit import NEW, begun, opened

pytestmark = pytest.mark.django_db

STUDIES = published.published()
every_study = pytest.mark.parametrize("study", STUDIES.values(), ids=list(STUDIES))


@every_study
def test_it_is_offered_and_says_what_is_as_published(rosas_browser: Client, study: published.Published) -> None:
    path = f"{NEW}?published={study.name}"
    assert f'href="{path}"' in rosas_browser.get(NEW).content.decode()
    page = rosas_browser.get(path)
    for sentence in (study.judged, study.result, study.source, *study.as_published, *study.differs):
        assert sentence in page.content.decode().replace("&#x27;", "'").replace("&amp;", "&")
    assert study.as_published
    assert study.differs


# With training and checks, magnitudes, documents, labels of errors, and triangles.
OPENED = {"coreference", "detoxification", "paracrawl", "rankme", "triangle_weather"}


@pytest.mark.parametrize(
    "study",
    [
        pytest.param(study, id=name, marks=() if name in OPENED else pytest.mark.exhaustive)
        for name, study in STUDIES.items()
    ],
)
def test_it_begins_and_opens(rosas_browser: Client, study: published.Published) -> None:
    begun_study = opened(begun(rosas_browser, study.name))
    assert begun_study.state == Study.State.OPEN


@every_study
def test_its_paper_can_be_cited(study: published.Published) -> None:
    assert study.key in references()


def test_the_manual_lists_the_published_studies() -> None:
    page = settings.BASE_DIR / "docs" / "published-studies.md"
    assert page.read_text(encoding="utf-8") == published.docs_page(), "Run `make docs`."


def test_an_unknown_study_is_not_found(rosas_browser: Client) -> None:
    assert rosas_browser.get(f"{NEW}?published=nothing").status_code == 404


def test_new_study_names_the_methods_that_researchers_look_for(rosas_browser: Client) -> None:
    page = rosas_browser.get(NEW).content.decode()
    cards = page.split('id="published"')[0]
    assert "as in MQM and ESA" in cards, "the card of error spans"
    for method in ("ESA", "Contrastive ESA", "ESA with AI", "MQM", "MQM re-annotation"):
        assert f'<span class="ew-help">{method} · ' in page
