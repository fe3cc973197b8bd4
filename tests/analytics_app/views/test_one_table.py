"""One table of texts and ratings on the page: begun from a card, previewed, changed, checked and stored."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from analytics_app.models import Run
from tasks_app.models import Output, Rating, Study
from tests.analytics_app.test_analyse_file import TABLE

pytestmark = pytest.mark.django_db


def begin(browser: Client, content: str = TABLE, name: str = "ratings.csv") -> str:
    """Send the form of a new study with a table; return the address that it leads to."""
    names = {"texts": "one-table", "title": "Ratings of a paper", "public_title": "Short texts"}
    answer = browser.post("/admin/studies/new/", {**names, "file": SimpleUploadedFile(name, content.encode())})
    assert answer.status_code == 302, answer.content.decode()
    return str(answer["Location"])


def test_from_a_table_to_its_results(rosas_browser: Client) -> None:
    assert "?texts=one-table" in rosas_browser.get("/admin/studies/welcome/").content.decode()
    address = begin(rosas_browser)
    page = rosas_browser.get(address).content.decode()
    assert "wide:\n  of: criterion\n  value: [fluency, adequacy]" in page
    assert page.index("The first rows as evalweb reads them") < page.rindex('<td dir="auto">70.5</td>')
    assert "<code>feature_domain</code>" in page
    path, _query, token = address.partition("?file=")
    mapping = "columns: {rater: annotator, item: segment, system: model, output: translation, value: fluency}\n"
    posted = {"file": token, "mode": "text", "text": mapping}
    checked = rosas_browser.post(path, {**posted, "action": "check"}).content.decode()
    assert "This can be stored" in checked
    assert "4 texts, 8 ratings, 2 raters" in checked
    assert not Rating.objects.exists()
    stored = rosas_browser.post(path, {**posted, "action": "import"})
    study = Study.objects.get()
    assert (stored.status_code, stored["Location"]) == (302, f"/admin/studies/{study.slug}/results/")
    assert (study.title, study.public_title, study.state) == ("Ratings of a paper", "Short texts", "closed")
    assert (Output.objects.count(), Rating.objects.count(), Run.objects.count()) == (4, 8, 1)


def test_what_contradicts_is_listed_and_a_study_with_texts_is_left_alone(rosas_browser: Client) -> None:
    address = begin(rosas_browser, TABLE.replace("bob,1,Zürich,Der Zug ist da.,", "bob,1,Zürich,Der Bus ist da.,"))
    path, _query, token = address.partition("?file=")
    text = "columns: {rater: annotator, item: segment, system: model, source: src, output: translation, value: fluency}"
    posted = {"file": token, "mode": "text", "text": text}
    refused = rosas_browser.post(path, {**posted, "action": "import"})
    assert refused.status_code == 422
    assert "This row says something else about the same item than line 2." in refused.content.decode()
    assert not Output.objects.exists()
    without = text.replace("source: src, ", "")
    assert rosas_browser.post(path, {**posted, "text": without, "action": "import"}).status_code == 302
    again = rosas_browser.get(path).content.decode()
    assert "This study has texts or tasks already." in again


def test_two_readings_of_numbered_columns_are_a_choice(rosas_browser: Client) -> None:
    table = "item,text,score1,score2\ni1,One text here.,4,5\ni2,Another text here.,3,3\n"
    address = begin(rosas_browser, table)
    page = rosas_browser.get(address).content.decode()
    assert "can be read in two ways" in page
    assert 'value="import"' not in page
    assert "numbered=raters" in page
    as_raters = rosas_browser.get(f"{address}&numbered=raters").content.decode()
    assert "of: rater" in as_raters
    assert "No column says who rated" not in as_raters
    as_criteria = rosas_browser.get(f"{address}&numbered=criteria").content.decode()
    assert "unknown_raters: true" in as_criteria
    assert "No column says who rated" in as_criteria
