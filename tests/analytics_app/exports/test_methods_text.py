"""The methods section of a run: what it does not say, and what it cites. Its numbers: `heds/test_filling.py`."""

import re
from io import StringIO

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from analytics_app import analyses, quality
from analytics_app.heds.filling.wording import rule_in_words
from analytics_app.methods_text.raters import ENDED
from analytics_app.methods_text.references import named_in, references
from analytics_app.models import Run
from tasks_app import designs, task_types
from tasks_app.models import Rater, Study
from tasks_app.setup import published


@pytest.mark.django_db
def test_while_results_by_system_are_hidden_systems_are_not_named(study: Study, client: Client, rosa: User) -> None:
    call_command("analyse", study.slug, stdout=StringIO())
    client.force_login(rosa)
    found = Run.objects.filter(study=study).latest("number")
    text = client.get(reverse("analytics:methods_md", args=[study.slug, found.number])).content.decode()
    assert "We evaluated 2 systems, each with" in text
    assert not any(system.key in text for system in study.systems.all())


def test_rules_are_told_with_labels_of_settings_and_no_raw_values() -> None:
    entry = {"rule": "control_accuracy", "share": 0.7, "attention": True, "copies": False}
    said = rule_in_words(entry)
    assert "Count attention checks, such as “choose 3 here”" in said
    assert "True" not in said
    assert "degraded copies" not in said


def test_raters_who_stopped_are_not_said_to_have_withdrawn() -> None:
    assert ENDED[Rater.Outcome.WITHDRAWN] == "stopped before the end"


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
    for name, design in designs.registry.items():
        words = design({"routed_from": "crowd"} if name == "on_request" else {}).in_words(12)
        assert words, name
        assert not words.endswith(".")
