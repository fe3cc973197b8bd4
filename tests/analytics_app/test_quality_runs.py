"""Several quality rules in one run: their order, the funnel, the reasons that are stored, and the pages about them."""

from collections.abc import Iterable
from typing import Any

import numpy as np
import pytest
from django.test import Client

from analytics_app import quality
from analytics_app.models import Exclusion, Run
from analytics_app.ratings import Extra, Extras
from analytics_app.services.exclusions import exclude_rater
from tasks_app.models import Assignment, Study
from tests.analytics_app.builders import store
from tests.analytics_app.filling import Filler, new_run, work
from tests.analytics_app.test_quality import GIVEN, ITEMS, SYSTEMS, four_raters, funnel
from tests.analytics_app.views.reading import page, tables, text

pytestmark = pytest.mark.django_db

ALPHA = [{"analysis": "krippendorff"}]
SPREAD = [{"analysis": "distribution"}]


@pytest.fixture
def filler(study: Study) -> Filler:
    """Four raters of all eight outputs: eve has one wild value, sam would not judge two texts."""
    filler = four_raters(study)
    for item in ITEMS[:2]:
        filler.judge("sam", item, "beta-mt", {}, skip_reason="cannot_judge", state="skipped")
    return filler


def test_each_rule_sees_what_the_ones_before_it_left(filler: Filler) -> None:
    rules = [
        {"rule": "skips", "n": 2},
        {"rule": "inconsistency"},
        {"rule": "burn_in", "n": 1},
        {"rule": "iqr", "factor": 0.4},
    ]
    found = work(new_run(filler.study, rules=rules, analyses=ALPHA))
    rows = {(one.statistic, one.label): one for one in found.rows if one.analysis == "funnel" and not one.by_system}
    assert funnel(found.rows)[0] == ("collected", None, 32)
    assert {label: rows["removed", label].n_ratings for label in ("skips", "inconsistency", "burn_in", "iqr")} == {
        "skips": 8,
        "inconsistency": 0,
        "burn_in": 3,
        "iqr": 1,
    }
    assert rows["kept", None].n_ratings == 20
    assert rows["removed", "inconsistency"].note == "Nothing was asked twice on a numeric scale, so nobody was tested."
    said = {(one.rule, one.reason) for one in found.exclusions}
    assert ("skips", "2 units skipped as “cannot judge” or “other”, fewer than 2 are accepted") in said
    assert {one.rule for one in found.exclusions} == {"skips", "burn_in", "iqr"}
    # Both bases: before any rule, and after all.
    assert {one.basis: one.n_ratings for one in found.rows if one.statistic == "alpha"} == {"all": 32, "kept": 20}


def test_the_fence_is_on_z_of_what_the_rules_before_it_left(filler: Filler) -> None:
    """Burn-in first, then z on what is left, then the fence (Kim and Kim 2022)."""
    rules = [{"rule": "skips", "n": 2}, {"rule": "burn_in", "n": 1}, {"rule": "iqr", "factor": 0.4}]
    found = work(new_run(filler.study, rules=rules, analyses=ALPHA))
    (gone,) = [one for one in found.exclusions if one.rule == "iqr"]
    z = []
    for rater in ("ada", "bob", "eve"):
        left = np.array(GIVEN[rater][1:], dtype=float)
        z += ((left - left.mean()) / left.std(ddof=1)).tolist()
    q1, q3 = np.quantile(z, [0.25, 0.75])
    assert gone.limit == pytest.approx(q1 - 0.4 * (q3 - q1))
    assert gone.value == pytest.approx(min(z))


def test_only_the_material_of_the_rules_in_use_is_read(filler: Filler, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    load = Extras.load.__func__

    def watched(cls: type[Extras], loading: Any, needs: Iterable[type[Extra]]) -> Any:
        wanted = frozenset(needs)
        read.extend(one.__name__ for one in wanted)
        return load(cls, loading, wanted)

    monkeypatch.setattr(Extras, "load", classmethod(watched))
    work(new_run(filler.study, rules=[{"rule": "manual"}, {"rule": "iqr", "factor": 0.4}], analyses=SPREAD))
    assert read == []
    work(new_run(filler.study, rules=[{"rule": "skips"}], analyses=SPREAD))
    assert read == ["Skips"]


def finished(study: Study, rules: list[dict[str, object]]) -> Run:
    """Run and store everything, as a worker would."""
    run = new_run(study, rules=rules, analyses=ALPHA)
    run.facts = {"manual_exclusions": list(Exclusion.objects.filter(run=None).values_list("pk", flat=True))}
    run.save()
    found = work(run)
    store(run, found.rows)
    run.state, run.facts = Run.State.DONE, {**run.facts, **found.facts}
    run.save()
    return run


def test_the_funnel_leads_to_reasons_and_to_a_run_without_a_rule(filler: Filler, rosas_browser: Client) -> None:
    exclude_rater(rater=filler.raters["bob"], by=None, reason="Told us that they were not well.")
    run = finished(filler.study, [{"rule": "manual"}, {"rule": "skips", "n": 2}, {"rule": "iqr", "factor": 0.4}])
    address = f"/admin/studies/{filler.study.slug}/results/{run.number}/"
    html = page(rosas_browser, address)
    said = text(html)
    for rule in ("By hand", "Skipped units", "Interquartile range"):
        assert f"Run without “{rule}”" in said
        assert f"Whom and why : “{rule}”" in said
    rosas_browser.post(f"{address}without/", {"rule": "skips"})
    again = Run.objects.get(study=filler.study, number=run.number + 1)
    assert [one["rule"] for one in again.settings["rules"]] == ["manual", "iqr"]


def test_reasons_are_listed_by_rule_without_a_system(filler: Filler, rosas_browser: Client) -> None:
    exclude_rater(rater=filler.raters["bob"], by=None, reason="Told us that they were not well.")
    run = finished(filler.study, [{"rule": "manual"}, {"rule": "skips", "n": 2}, {"rule": "iqr", "factor": 0.4}])
    address = f"/admin/studies/{filler.study.slug}/results/{run.number}/excluded/"
    html = page(rosas_browser, address)
    assert "By hand (1)" in text(html)
    (_caption, rows), *_rest = tables(html)
    assert rows[1][:3] == ["bob", "everything", "Told us that they were not well."]
    (_caption, rows), *_rest = tables(page(rosas_browser, f"{address}?rule=skips"))
    assert rows[1] == [
        "sam", "everything", "2 units skipped as “cannot judge” or “other”, fewer than 2 are accepted", "2", "2",
    ]  # fmt: skip
    html = page(rosas_browser, f"{address}?rule=iqr")
    (_caption, rows), *_rest = tables(html)
    assert ["eve", "i3, Fluency"] in [row[:2] for row in rows]
    assert not any(system in html for system in SYSTEMS)
    assert "excluded nothing" in text(page(rosas_browser, address.replace(f"/{run.number}/", f"/{bare(filler)}/")))


def bare(filler: Filler) -> int:
    """The number of a run whose rules took nothing."""
    return finished(filler.study, []).number


def test_the_form_of_a_run_offers_every_rule_in_the_order_of_their_places(
    filler: Filler, rosas_browser: Client
) -> None:
    address = f"/admin/studies/{filler.study.slug}/results/new/"
    said = text(page(rosas_browser, address))
    for rule in quality.registry.values():
        assert str(rule.label) in said
        for field in rule.Settings.base_fields.values():
            assert str(field.label) in said
    sent = {"run-correction": "holm", "run-confidence": "0.95", "run-n_resamples": "100", "run-n_permutations": "99"}
    sent |= {"run-ddof": "1", "run-constant": "drop", "run-intervals": "adjusted", "run-most_judgments": "0"}
    sent |= {"run-generalise_to": "raters_and_texts", "run-over_raters": "t"}
    places = {"iqr": 1, "straight_lining": 2, "skips": 3}
    for name, rule in quality.registry.items():
        defaults = {key: field.initial for key, field in rule.Settings.base_fields.items()}
        sent |= {f"rule-{name}-{key}": value for key, value in defaults.items() if value is not None}
        if name in places:
            sent |= {f"at-{name}-on": "on", f"at-{name}-place": str(places[name])}
    sent["rule-skips-n"] = "7"
    answer = rosas_browser.post(address, sent)
    assert answer.status_code == 302, text(answer.content.decode())
    rules = Run.objects.get(study=filler.study).settings["rules"]
    assert [one["rule"] for one in rules] == ["iqr", "straight_lining", "skips"]
    assert rules[2]["n"] == 7
    # Nothing that a rule took is gone.
    assert Assignment.objects.filter(unit__task__study=filler.study).count() == 34


def test_a_judgment_is_excluded_and_included_where_no_answer_is_in_sight(filler: Filler, rosas_browser: Client) -> None:
    raters = f"/admin/studies/{filler.study.slug}/raters/"
    address = f"{raters}ada/judgments/"
    assert f'href="{address}"' in page(rosas_browser, f"{raters}ada/timeline/")
    html = page(rosas_browser, address)
    (_caption, rows), *_rest = tables(html)
    assert [row[0] for row in rows[1:]] == [str(place) for place in range(1, 9)]
    assert rows[1][1:4] == ["Likert scale", "i0", "12.5"]
    assert not any(system in html for system in SYSTEMS)
    judgment = filler.raters["ada"].assignments.get(order=3).judgments.get()
    sent = {"rater": "ada", "judgment": str(judgment.pk), "reason": "The page had shown another text."}
    said = rosas_browser.post(f"{raters}exclude/", sent, follow=True)
    assert said.redirect_chain[-1][0] == address
    assert "This judgment of ada is left out of runs from now on." in text(said.content.decode())
    assert "The page had shown another text." in text(said.content.decode())
    exclusion = Exclusion.objects.get()
    assert (exclusion.judgment_id, exclusion.rater_id) == (judgment.pk, None)
    found = work(_heeding(filler.study))
    assert funnel(found.rows)[1] == ("removed", "manual", 1)
    assert rosas_browser.post(f"{raters}include/{exclusion.pk}/").url == address
    exclusion.refresh_from_db()
    assert exclusion.lifted_at is not None


@pytest.mark.parametrize("judgment", ["0", "x", "٣", "9" * 30])
def test_only_a_judgment_of_that_rater_can_be_excluded(filler: Filler, rosas_browser: Client, judgment: str) -> None:
    raters = f"/admin/studies/{filler.study.slug}/raters/"
    of_bob = str(filler.raters["bob"].assignments.get(order=1).judgments.get().pk)
    for pk in (judgment, of_bob):
        answer = rosas_browser.post(f"{raters}exclude/", {"rater": "ada", "judgment": pk, "reason": "Because."})
        assert answer.status_code == 404
    assert rosas_browser.get(f"{raters}nobody/judgments/").status_code == 404
    assert not Exclusion.objects.exists()


def _heeding(study: Study) -> Run:
    """A run that heeds the exclusions by hand that hold now."""
    run = new_run(study, analyses=ALPHA)
    run.facts = {"manual_exclusions": list(Exclusion.objects.filter(lifted_at=None).values_list("pk", flat=True))}
    run.save()
    return run
