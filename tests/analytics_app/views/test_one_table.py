"""One table of texts and ratings on the page: begun from a card, previewed, changed, checked and stored."""

import gzip
from html.parser import HTMLParser

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from analytics_app.models import Run
from tasks_app.models import Criterion, Output, Rating, Study
from tests.analytics_app.test_analyse_file import TABLE

pytestmark = pytest.mark.django_db


def begin(browser: Client, content: str = TABLE, name: str = "ratings.csv", title: str = "Ratings of a paper") -> str:
    """Send the form of a new study with a table; return the address that it leads to."""
    names = {"texts": "one-table", "title": title}
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
    assert (study.title, study.public_title, study.state) == (
        "Ratings of a paper", "Reading and rating texts", "closed",
    )  # fmt: skip
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


class _Fields(HTMLParser):
    """Collects the text and file fields of a page in order, each with the elements that it stands in."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[int] = []
        self.n = 0
        self.fields: list[tuple[dict[str, str | None], list[int]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.n += 1
        if tag == "input":
            self.fields.append((dict(attrs), list(self.open)))
        elif tag not in {"meta", "link", "br", "img", "hr", "path"}:
            self.open.append(self.n)

    def handle_endtag(self, tag: str) -> None:
        if tag not in {"meta", "link", "br", "img", "hr", "path", "input"}:
            self.open.pop()


def test_a_form_with_a_fault_says_so_above_it_and_keeps_the_title(rosas_browser: Client) -> None:
    """The frame's script puts the name of a chosen file into the first text field three elements above the file's."""
    assert "public_title" not in rosas_browser.get("/admin/studies/new/?texts=one-table").content.decode()
    names = {"texts": "one-table", "title": "Ratings of a paper"}
    answer = rosas_browser.post("/admin/studies/new/", names)
    page = answer.content.decode()
    assert answer.status_code == 422
    assert page.index('role="alert"') < page.index('<form class="ew-card ew-form"')
    assert '<a href="#id_file">Table of texts and ratings</a>: This field is required.' in page
    reader = _Fields()
    reader.feed(page)
    ((_file, above),) = [(about, inside) for about, inside in reader.fields if about.get("type") == "file"]
    near = [about for about, inside in reader.fields if about.get("type") == "text" and above[-3] in inside]
    assert [(about.get("name"), "hidden" in about) for about in near] == [(None, True)]
    assert 'value="Ratings of a paper"' in page
    empty = rosas_browser.post("/admin/studies/new/", {**names, "file": SimpleUploadedFile("outputs.doc", b"no table")})
    assert "nothing was stored" in empty.content.decode()
    assert 'value="Ratings of a paper"' in empty.content.decode()


def test_a_table_that_was_given_up_leaves_no_draft(rosas_browser: Client) -> None:
    begin(rosas_browser, title="First try")
    address = begin(rosas_browser, title="Second try")
    study = Study.objects.get()
    assert (study.title, study.slug) == ("Second try", "second-try")
    path, _query, token = address.partition("?file=")
    page = rosas_browser.get(address).content.decode()
    assert '<button class="ew-button ew-button-main" name="action" value="import">' in page
    text = "columns: {rater: annotator, item: segment, system: model, output: translation, value: fluency}"
    posted = {"file": token, "mode": "text", "text": text, "action": "import"}
    assert rosas_browser.post(path, posted).status_code == 302
    begin(rosas_browser, title="Another paper")
    assert sorted(Study.objects.values_list("title", flat=True)) == ["Another paper", "Second try"]


def test_a_message_that_names_a_page_of_the_help_links_to_it(rosas_browser: Client) -> None:
    address = begin(rosas_browser)
    path, _query, token = address.partition("?file=")
    refused = rosas_browser.post(path, {"file": token, "mode": "text", "text": "# nothing", "action": "check"})
    assert '<a href="/admin/help/ratings-file/">' in refused.content.decode()


class _Form(HTMLParser):
    """Collects what a browser would send of the form with the columns."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.values: dict[str, str] = {}
        self.columns: list[str] = []
        self._select = self._area = ""
        self._is_name = False
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        about = dict(attrs)
        name = about.get("name") or ""
        if tag == "input" and name and "value" in about:
            self.values[name] = about["value"] or ""
        elif tag == "select":
            self._select = name
        elif tag == "option" and "selected" in about and self._select:
            self.values[self._select] = about.get("value") or ""
        elif tag == "textarea":
            self._area = name
            self.values[name] = ""
        self._is_name = tag == "p" and about.get("class") == "ew-column-name"

    def handle_endtag(self, tag: str) -> None:
        self._select = "" if tag == "select" else self._select
        self._area = "" if tag == "textarea" else self._area

    def handle_data(self, data: str) -> None:
        if self._area:
            self.values[self._area] += data
        if self._is_name:
            self.columns.append(data)
            self._is_name = False

    def uses(self) -> dict[str, str]:
        """Return the use of each column."""
        return {name: self.values.get(f"use-{number}", "") for number, name in enumerate(self.columns)}

    def sent(self, action: str, uses: dict[str, str] | None = None, **fields: str) -> dict[str, str]:
        """Return the fields that a button sends, with the uses of some columns changed."""
        changed = {f"use-{self.columns.index(name)}": use for name, use in (uses or {}).items()}
        return {**self.values, **changed, **fields, "action": action}


def test_each_column_is_a_choice_that_writes_the_same_mapping_as_the_text(rosas_browser: Client) -> None:
    address = begin(rosas_browser)
    path = address.partition("?")[0]
    form = _Form(rosas_browser.get(address).content.decode())
    assert form.uses() == {
        "annotator": "rater", "segment": "item", "model": "system", "src": "source", "translation": "output",
        "fluency": "question-value", "adequacy": "question-value", "age": "attribute-rater", "domain": "attribute-text",
    }  # fmt: skip
    page = rosas_browser.post(path, form.sent("look", {"adequacy": "", "src": ""})).content.decode()
    form = _Form(page)
    assert (form.uses()["adequacy"], form.uses()["src"]) == ("", "")
    assert "constant:\n  criterion: fluency" in form.values["text"]
    assert "adequacy" not in form.values["text"]
    read = page[page.index('id="read"') : page.index("More: the mapping as text")]
    assert "<code>value</code>" in read
    assert "<code>source</code>" not in read
    # The text says it as well, and the choices follow.
    text = form.values["text"].replace("source: src", "").replace("value: fluency", "value: adequacy")
    page = rosas_browser.post(path, form.sent("check", text=text)).content.decode()
    assert "4 texts, 8 ratings, 2 raters" in page
    form = _Form(page)
    assert (form.uses()["adequacy"], form.uses()["fluency"]) == ("question-value", "")
    named = {f"name-{form.columns.index('adequacy')}": "Adequacy (0 to 100)"}
    stored = rosas_browser.post(path, form.sent("import", **named))
    assert stored.status_code == 302
    assert (
        Criterion.objects.values_list("name", flat=True).get(task_criteria__task__type="slider")
        == "Adequacy (0 to 100)"
    )


def test_choices_that_contradict_each_other_are_refused_with_the_names_of_the_columns(rosas_browser: Client) -> None:
    address = begin(rosas_browser)
    path = address.partition("?")[0]
    form = _Form(rosas_browser.get(address).content.decode())
    answer = rosas_browser.post(path, form.sent("import", {"segment": "rater"}))
    page = answer.content.decode()
    assert answer.status_code == 422
    sentence = "Only one column can be “rater (who rated)”. Choose one of “annotator”, “segment”."
    assert f'<a href="#id_use-1" dir="auto">segment</a>: {sentence}' in page
    assert 'aria-invalid="true"' in page
    # A change of the text beside another change of the choices: neither is lost in silence.
    both = form.sent("look", {"domain": ""}, text=form.values["text"].replace("item: segment", "item: src"))
    answer = rosas_browser.post(path, both)
    assert answer.status_code == 422
    assert "Both the choices and the text were changed" in answer.content.decode()
    assert not Rating.objects.exists()


def test_a_refused_cell_is_named_by_the_column_of_the_file(rosas_browser: Client) -> None:
    address = begin(rosas_browser, TABLE.replace(",5,80,31", ",good,80,31"))
    path = address.partition("?")[0]
    form = _Form(rosas_browser.get(address).content.decode())
    answer = rosas_browser.post(path, form.sent("check", {"adequacy": "", "fluency": "question-value"}))
    assert answer.status_code == 422
    assert "fluency (value): Expected a number" in answer.content.decode()


def test_a_table_of_sixty_columns_has_a_choice_for_each(rosas_browser: Client) -> None:
    names = ["worker", "text", *(f"trait {n}" for n in range(58))]
    rows = [["w1", "One text here.", *["3"] * 58], ["w2", "One text here.", *["4"] * 58]]
    address = begin(rosas_browser, "\n".join(map(",".join, [names, *rows])))
    page = rosas_browser.get(address).content
    form = _Form(page.decode())
    assert form.columns == names
    assert sum(use == "question-value" for use in form.uses().values()) == 58
    assert len(gzip.compress(page)) < 150_000
