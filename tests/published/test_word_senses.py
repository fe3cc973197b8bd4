"""Senses of words in conversation (Lưu 2022): raters who are wrong about verbs only, by part of speech."""

from collections.abc import Mapping

import pytest
from django.test import Client

from tasks_app.management.simulated_raters import Answering
from tasks_app.models import Item, Output, Study
from tasks_app.task_types.base import Screen, TaskType
from tests.published.kit import analysed, begun, judged, opened

pytestmark = [pytest.mark.django_db, pytest.mark.exhaustive]

# Two sets of 12 words, three times each; a rater takes one.
RATERS = 6


def words(study: Study) -> Mapping[str, tuple[str, str, tuple[str, ...]]]:
    """Return part of speech, sense and other senses of the word in each turn, by the text of the turn."""
    found = {}
    for output in Output.objects.filter(item__study=study).select_related("item"):
        features, senses = output.item.features, output.item.options["sense"]
        others = tuple(one for one in senses if one != features["sense"])
        found[output.text] = (features["part_of_speech"], features["sense"], others)
    return found


def reader(known: Mapping[str, tuple[str, str, tuple[str, ...]]]) -> Answering:
    """Return a rater who is right about everything but verbs, of which they always take another sense."""

    def answer(kind: TaskType, screen: Screen) -> dict[str, str]:
        part_of_speech, sense, others = known[screen.parts[0].text]
        return {"p1-sense": others[0] if part_of_speech == "verb" else sense}

    return answer


def test_raters_are_right_about_all_words_but_verbs(rosas_browser: Client) -> None:
    study = opened(begun(rosas_browser, "word_senses"))
    known = words(study)
    results = analysed(judged(study, lambda _number, _rng: reader(known), RATERS), drawn=False)
    assert results.value("right_share", system=None, label=None, slice=None, basis="kept") == pytest.approx(3 / 4)
    options = {item.key: len(item.options["sense"]) + 1 for item in Item.objects.filter(study=study)}
    judged_items = [item for item in Item.objects.filter(study=study) if item.key not in {"match", "cool"}]
    for part_of_speech in ("noun", "verb", "adjective", "adverb"):
        chances = [1 / options[i.key] for i in judged_items if i.features["part_of_speech"] == part_of_speech]
        chance = sum(chances) / len(chances)
        where = {"slice": f"part_of_speech={part_of_speech}", "basis": "kept"}
        (test,) = results.rows("right_against_chance", **where)
        right = float(part_of_speech != "verb")
        assert results.value("right_share", system=None, label=None, **where) == right
        assert test.value == pytest.approx(right - chance)
        assert test.settings["chance"] == pytest.approx(chance)
        # Of the 64 flips of the signs of six words, two are as far from zero.
        assert test.p == pytest.approx(2 / 64)
        # They agree perfectly, right or wrong.
        assert results.value("alpha", **where) == 1
    page = rosas_browser.get(f"/admin/studies/{study.slug}/results/").content.decode()
    assert "Raters are right in 75\u00a0% of their answers, more often than chance" in page
    assert "part_of_speech=verb" in page
    assert "on average: for each item, one over the number of its options" in page
