"""Predicted senses (Lưu 2022): raters who know the sense judge two models, one of which is weaker on verbs."""

from collections.abc import Mapping

import pytest
from django.test import Client

from tasks_app.management.simulated_raters import Answering
from tasks_app.models import Item, Study
from tasks_app.task_types.base import Screen, TaskType
from tests.published.kit import analysed, begun, judged, opened

pytestmark = pytest.mark.django_db

# Two sets of 12 words, three times each; a rater takes one.
RATERS = 6

# The sense of each word that nobody practises on.
SENSES = {
    "bank": "the land beside a river or lake", "date": "a meeting with somebody you may fall in love with",
    "note": "a single sound in music", "point": "the use or purpose of doing something", "course": "a part of a meal",
    "cell": "the smallest living part of a plant or animal", "run": "be in charge of a business",
    "miss": "be sad because somebody is not there", "charge": "fill with electricity",
    "draw": "make a picture with a pencil", "catch": "hear and understand", "book": "reserve in advance",
    "light": "of little weight", "hard": "difficult", "sharp": "having an edge that cuts well",
    "fair": "treating everybody equally", "bright": "clever", "flat": "no longer having bubbles",
    "pretty": "to a fairly high degree", "just": "a very short time ago", "still": "up to now and going on",
    "well": "in a good way", "right": "exactly, immediately",
    "even": "more so, used to make a comparison stronger",
}  # fmt: skip
NOT_COVERED = {"draw", "flat", "well"}


def reader(sources: Mapping[str, str]) -> Answering:
    """Return a rater who calls right what is right, and chooses the right sense where no model has it."""

    def answer(kind: TaskType, screen: Screen) -> dict[str, str]:
        word = sources[screen.source]
        sense = SENSES.get(word, "")
        right = [str(shown.position) for shown in screen.shown_parts if shown.part.text == sense]
        if right:
            return {"answer": "both" if len(right) > 1 else right[0]}
        covered = word not in NOT_COVERED
        return {"answer": "none_right", "right-option": sense if covered else "none_of_these"}

    return answer


def predicted(study: Study) -> dict[str, tuple[str, dict[str, str]]]:
    """Return part of speech and the prediction of each model, by word."""
    return {
        item.key: (
            item.features["part_of_speech"],
            dict(item.outputs.values_list("system__key", "text")),
        )
        for item in Item.objects.filter(study=study, key__in=SENSES).prefetch_related("outputs")
    }


def test_each_model_is_right_as_often_as_planted_by_part_of_speech(rosas_browser: Client) -> None:
    study = opened(begun(rosas_browser, "word_sense_predictions"))
    sources = dict(Item.objects.filter(study=study).values_list("source", "key"))
    practised = {"answer": "1"}
    read = reader(sources)

    def answering(kind: TaskType, screen: Screen) -> dict[str, str]:
        return read(kind, screen) if sources[screen.source] in SENSES else practised

    results = analysed(judged(study, lambda _number, _rng: answering, RATERS), drawn=False)
    words = predicted(study)
    assert len(words) == 24
    for part_of_speech in (None, "noun", "verb", "adjective", "adverb"):
        where = {"slice": part_of_speech and f"part_of_speech={part_of_speech}", "basis": "kept", "criterion": "sense"}
        right = {
            key: {model: text == SENSES[key] for model, text in predictions.items()}
            for key, (tag, predictions) in words.items()
            if part_of_speech in {None, tag}
        }
        n = len(right)
        for model in ("glosses", "contexts"):
            share = sum(of_word[model] for of_word in right.values()) / n
            assert results.value("prediction_right", system=model, **where) == pytest.approx(share)
        outcomes = {
            "both": lambda one: one["glosses"] and one["contexts"],
            "first": lambda one: one["glosses"] and not one["contexts"],
            "second": lambda one: one["contexts"] and not one["glosses"],
            "neither": lambda one: not one["contexts"] and not one["glosses"],
        }
        for label, holds in outcomes.items():
            share = sum(map(holds, right.values())) / n
            pair = {"system": "glosses", "system_b": "contexts", "label": label}
            assert results.value("prediction_pair", **pair, **where) == pytest.approx(share), label
        covered = sum(key not in NOT_COVERED for key in right) / n
        assert results.value("option_coverage", **where) == pytest.approx(covered)
        # They agree perfectly, and so does whoever reads the page.
        assert results.value("prediction_answers", label="all_right", **where) == pytest.approx(
            sum(all(one.values()) for one in right.values()) / n
        )
    (test,) = results.rows("prediction_difference_crossed", slice=None, basis="kept")
    difference = sum(
        (one["glosses"] == SENSES[key]) - (one["contexts"] == SENSES[key]) for key, (_tag, one) in words.items()
    )
    assert test.value == pytest.approx(difference / 24)
    page = rosas_browser.get(f"/admin/studies/{study.slug}/results/").content.decode()
    for words_of_page in ("Right predictions", "Model with definitions right", "Coverage of the options", "Both right"):
        assert words_of_page in page
    assert "part_of_speech=verb" in page
