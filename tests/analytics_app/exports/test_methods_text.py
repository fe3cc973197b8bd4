"""The methods section of a run: its numbers are those of the run and of the datasheet, and what it cites is there."""

import re
from io import StringIO

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from analytics_app import analyses, quality
from analytics_app.heds.answers import in_words
from analytics_app.heds.filling import known_of
from analytics_app.heds.questions import questions
from analytics_app.methods_text.references import named_in, references
from analytics_app.models import ResultRow, Run
from tasks_app import designs, task_types
from tasks_app.models import Study
from tasks_app.setup import published
from tests.published.kit import analysed, judged_checked

RULES = """
analysis:
  rules:
    - {rule: manual}
    - {rule: control_accuracy, limit: 0.9}
"""


@pytest.fixture
def run(rosa: User) -> Run:
    """A run over the example with checks, of a closed study with simulated raters."""
    return analysed(judged_checked(), drawn=False).run


def value(run: Run, statistic: str, label: str | None = None) -> int:
    """Return a number of the run about the task that is judged, over what was kept."""
    row = ResultRow.objects.get(run=run, statistic=statistic, label=label, task="messages", basis="kept", slice=None)
    return round(row.value or 0)


@pytest.mark.django_db
def test_the_methods_section_of_a_run(run: Run, client: Client, rosa: User) -> None:
    client.force_login(rosa)
    its_numbers_are_those_of_the_run_and_of_the_datasheet(run, client)
    every_citation_has_its_entry(run, client)


def its_numbers_are_those_of_the_run_and_of_the_datasheet(run: Run, client: Client) -> None:
    text = client.get(reverse("analytics:methods_md", args=[run.study.slug, run.number])).content.decode()
    text = re.sub(r"\\(.)", r"\1", text)
    assert f"{value(run, 'raters_recruited')} raters enrolled and {value(run, 'raters_finished')} finished" in text
    judged, least = value(run, "judgments_analysed"), value(run, "judgments_per_rater", "least")
    assert (
        f"includes {value(run, 'raters_analysed')} raters with {judged} judgments (per rater: minimum {least}," in text
    )
    assert "All raters are simulated; these are not human results." in text
    assert "We evaluated 3 systems (extract, neural and editor), each with 12 outputs, in English." in text
    assert (
        "The wording was “How easy is the message to understand?” (Clarity); possible answers were 1 (very hard),"
        in text
    )
    assert "The analysis was planned: rules, primary criterion, comparisons and correction were frozen" in text
    assert "No ratings were excluded manually." in text
    assert "Raters were screened with the questions “How well do you read English?”" in text
    assert run.code_version in text
    assert str(run.seed) in text

    known = known_of(run.study)
    sheet = {key: in_words(questions()[key], proposal.answer) for key, proposal in known.answers.items()}
    full, part = sheet["3.2.2.2"].removeprefix("Paid in money: ").split(". ", 1)
    assert f"They were paid {full}. Part pay was {part.replace('evaluators', 'raters')}" in text
    for line in (sheet["3.2.4"], *sheet["3.3.3.2"].split("\n")[:4]):
        assert line in text
    for key in ("clarity", "accuracy"):
        measure, agreement = (known.criterion_answers[key][number].answer.text for number in ("4.3.11.1", "4.3.11.2"))
        name, about = measure.removesuffix(")").split(" (", 1)
        agreed, _space, interval = agreement.partition(" ")
        between = f"95% CI {interval}; " if interval else ""
        assert f"was {agreed} ({between}{name}; {about})" in text


def every_citation_has_its_entry(run: Run, client: Client) -> None:
    page = client.get(reverse("analytics:methods", args=[run.study.slug, run.number]))
    assert page.status_code == 200
    files = {
        kind: client.get(reverse(f"analytics:methods_{kind}", args=[run.study.slug, run.number]))
        for kind in ("tex", "bib")
    }
    latex, bibtex = (files[kind].content.decode() for kind in ("tex", "bib"))
    cited = {key for keys in re.findall(r"\\citep\{([^}]+)\}", latex) for key in keys.split(",")}
    assert cited == set(re.findall(r"^@\w+\{([^,]+),$", bibtex, re.MULTILINE))
    assert {"likert-1932", "krippendorff-2004", "shimorina-2022", "evalweb"} <= cited
    assert bibtex in page.content.decode().replace("&#x27;", "'").replace("&amp;", "&").replace("&lt;", "<")
    assert "75\\% correct" in latex


@pytest.mark.django_db
def test_while_results_by_system_are_hidden_systems_are_not_named(study: Study, client: Client, rosa: User) -> None:
    call_command("analyse", study.slug, stdout=StringIO())
    client.force_login(rosa)
    found = Run.objects.filter(study=study).latest("number")
    text = client.get(reverse("analytics:methods_md", args=[study.slug, found.number])).content.decode()
    assert "We evaluated 2 systems, each with" in text
    assert not any(system.key in text for system in study.systems.all())


def test_every_source_that_is_named_has_one_entry() -> None:
    """Of all task types, analyses, rules and published studies; an entry that none of them names is not kept."""
    sources = [
        member.source
        for registry in (task_types.registry, analyses.registry, quality.registry)
        for member in registry.values()
    ]
    named = {key for source in sources for key in named_in(source)}
    assert named | {study.key for study in published.published().values()} == set(references())
    years = re.compile(r"\(\d{4}\)|ISO \d+:\d{4}")
    assert [source for source in sources if len(years.findall(source)) != len(named_in(source))] == []
    for reference in references().values():
        assert reference.surnames
        assert re.fullmatch(r"\d{4}", reference.year)
        assert reference.title


def test_two_papers_of_one_author_and_year_are_told_apart() -> None:
    assert named_in("Amidei, Piwek and Willis (2019). Agreement is overrated. INLG.") == ("amidei-2019",)
    assert named_in("Amidei, Piwek and Willis (2019). The use of rating scales. INLG.") == ("amidei-2019-likert",)
    assert named_in("Nobody (2099). Nothing. Cohen (1960). A coefficient.") == ("cohen-1960",)


def test_every_design_says_how_its_sets_are_made() -> None:
    for design in designs.registry.values():
        words = design.in_words(12, {})
        assert words, design
        assert not words.endswith(".")
