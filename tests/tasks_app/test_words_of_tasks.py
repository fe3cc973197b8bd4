"""Words for raters that do not fit the task: labels that its scale does not have, and others; what fits is left alone.

Words that name acts of another task are in test_other_tasks.py.
"""

from collections.abc import Sequence
from typing import Any

import pytest
from django.conf import settings
from django.utils.translation import override

from tasks_app import readiness, task_types
from tests.tasks_app.test_other_tasks import facts_of

Given = dict[str, Any]
POOR_TO_GOOD = ["poor", "fair", "good"]


def of_labels(instructions: str, kind: str = "likert", language: str = "en", **criterion: object) -> list[str]:
    """Return the points about labels in the instructions of a task with one question."""
    params: Given = {"agreement": True} if not criterion else {}
    if isinstance(labels := criterion.get("labels"), Sequence):
        params["points"] = len(labels)
    task: Given = {"type": kind, "criteria": ["q"], "instructions": instructions, "params": params}
    facts = facts_of(task, criteria=[{"key": "q", **criterion}], language=language)
    return [point.sentence for point in readiness.scale_labels.labels_of_another_scale(facts)]


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        ("Choose “Excellent” if it reads well.", "Excellent"),
        ("Read the text. Choose the step 'very good' for a text without faults.", "very good"),
        ("Choose **Excellent** if it is.", "Excellent"),
        ("Rate each text from poor to excellent.", "excellent"),
        ("Wählen Sie „Ausgezeichnet“, wenn nichts fehlt.", "Ausgezeichnet"),
        ("Choisissez « Excellent » si rien ne manque.", "Excellent"),
        ("Elija «Excelente» si no falta nada.", "Excelente"),
        ("Escolha “Excelente” se nada faltar.", "Excelente"),
        ("如果没有错误，请选择“优秀”。", "优秀"),
        ("「優秀」を選択してください。", "優秀"),
        ("“훌륭함”을 선택하세요.", "훌륭함"),
        ("اختر «ممتاز» إذا لم يكن فيه خطأ.", "ممتاز"),
        ("Here 3 = excellent.", "3 = excellent"),
        ("5 means good, 1 means poor.", "5 means good"),
    ],
)
def test_a_label_that_is_not_on_the_scale_is_found(text: str, quoted: str) -> None:
    (sentence,) = of_labels(text, labels=POOR_TO_GOOD)
    assert sentence == f"The text says “{quoted}”, but the labels of the scale are: poor, fair, good."


@pytest.mark.parametrize(
    "text",
    [
        "Choose “Good” if it is good, and 'poor' if it is not. 1 = poor, 3 = good.",
        "Choose “Skip” if you cannot judge the text. Choose *one* step.",
        "Choose “3” for a good text, and press “Send”.",
        "Choose one step. The text may say that a hotel is “excellent”: do not trust it.",
        "Choose what you'd say to a friend, 'cause there's no right answer.",
        "Imagine the best text that you can: from excellent writers to poor ones, all make mistakes.",
    ],
)
def test_labels_of_the_scale_and_other_quotations_are_left_alone(text: str) -> None:
    assert of_labels(text, labels=POOR_TO_GOOD) == []


def test_labels_of_ends_anchors_and_agreement_are_those_that_raters_read() -> None:
    text = "Choose “completely” if it is all there, and “in part” otherwise."
    assert of_labels(text, kind="slider", low="not at all", high="completely", anchors={"50": "in part"}) == []
    assert of_labels(text, kind="slider", low="bad", high="good")
    assert of_labels("Wählen Sie „stimme voll und ganz zu“ nur, wenn", language="de") == []
    assert of_labels("Wählen Sie „sehr gut“ nur, wenn es so ist.", language="de")
    assert of_labels("Choose “excellent”.", kind="slider", low="", high="") == [], "the scale has no words"


OF_ONE_TEXT = [
    ("How fluent is the text?", "How fluent is the text"),
    ("How well does this translation read?", "How well does this translation read"),
    ("Is the summary easy to read?", "Is the summary easy to read"),
    ("Wie flüssig ist der Text?", "Wie flüssig ist der Text"),
    ("Wie gut liest sich diese Übersetzung?", "Wie gut liest sich diese Übersetzung"),
    ("Dans quelle mesure ce texte est-il clair ?", "Dans quelle mesure ce texte est-il clair"),
    ("¿Qué tan claro es el texto?", "Qué tan claro es el texto"),
    ("Quão claro é o texto?", "Quão claro é o texto"),
    ("这篇文本的流畅度如何？", "这篇文本的流畅度如何"),
    ("このテキストは自然ですか。", "このテキストは"),
    ("이 텍스트는 자연스럽습니까?", "이 텍스트는"),
    ("ما مدى وضوح هذا النص؟", "ما مدى وضوح هذا النص"),
]


def of_one_text(question: str, kind: str, instructions: str = "") -> list[readiness.Point]:
    """Return the points about words for one text, in a task that shows several."""
    task: Given = {"type": kind, "criteria": ["q"], "instructions": instructions}
    facts = facts_of(task, criteria=[{"key": "q", "question": question}], texts=2)
    return list(readiness.other_tasks.one_text_asked_of_two(facts))


@pytest.mark.parametrize(("question", "quoted"), OF_ONE_TEXT, ids=[row[0][:25] for row in OF_ONE_TEXT])
def test_a_question_about_one_text_is_found_where_raters_choose_between_texts(question: str, quoted: str) -> None:
    for kind in ("pairwise", "best_worst"):
        (point,) = of_one_text(question, kind)
        assert point.path == ("criteria", 0, "question")
        assert f"“{quoted}” is about one text" in point.sentence
    assert of_one_text(question, "likert") == []
    assert [point.path for point in of_one_text("Which is better?", "pairwise", question)] == [
        ("tasks", 0, "instructions")
    ]


@pytest.mark.parametrize(
    "question",
    [
        "Which of the two is more fluent?",
        "How much better is the text that you chose?",
        "How fluent is the text, compared with the other?",
        "Welcher Text liest sich besser?",
        "どちらのテキストがよいですか。",
        "Is there a difference?",
    ],
)
def test_questions_that_compare_are_left_alone(question: str) -> None:
    assert of_one_text(question, "pairwise") == []


@pytest.mark.parametrize(
    "question",
    ["Which text do you prefer?", "Text A is better than text B.", "Welchen Text bevorzugen Sie?", "Which is better?"],
)
def test_a_question_that_compares_is_found_where_raters_see_one_text(question: str) -> None:
    task: Given = {"type": "likert", "criteria": ["q"]}
    facts = facts_of(task, criteria=[{"key": "q", "question": question}])
    (point,) = readiness.other_tasks.acts_of_another_type(facts)
    assert point.path == ("criteria", 0, "question")


def of_errors(instructions: str, **params: object) -> list[str]:
    """Return the points about instructions of a task in which raters mark errors."""
    facts = facts_of({"type": "error_spans", "instructions": instructions, "params": params})
    return [point.sentence for point in readiness.questions.answers_not_offered(facts)]


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        ("Mark every error. Critical errors change the meaning.", "Critical errors"),
        ("**Minor**: style. **Major**: the meaning. **Critical**: somebody could be hurt.", "Critical"),
        ("Say whether it is minor, major or critical.", "minor, major or critical"),
        ("Kritische Fehler ändern den Sinn.", "Kritische Fehler"),
        ("Une erreur critique change le sens.", "erreur critique"),
        ("Un error crítico cambia el sentido.", "error crítico"),
        ("Um erro crítico muda o sentido.", "erro crítico"),
        ("致命错误会改变意思。", "致命错误"),
        ("致命的な誤りは意味を変えます。", "致命的な誤り"),
        ("치명적인 오류는 뜻을 바꿉니다.", "치명적인 오류"),
        ("خطأ حرج يغيّر المعنى.", "خطأ حرج"),
    ],
)
def test_a_severity_that_raters_cannot_choose_is_found(text: str, quoted: str) -> None:
    (sentence,) = of_errors(text, scheme="esa")
    assert sentence == f"The text says “{quoted}”, but the severities of this task are: Minor, Major."
    own = [{"key": key, "name": name} for key, name in (("minor", "Minor"), ("major", "Major"), ("critical", "Severe"))]
    assert of_errors(text, scheme="esa", severities=own) == []


@pytest.mark.parametrize(
    "text",
    [
        "Then choose the category of each error.",
        "Say which type of error it is.",
        "Wählen Sie für jeden Fehler eine Kategorie.",
        "Choisissez la catégorie de chaque erreur.",
        "Elija la categoría de cada error.",
        "Escolha a categoria de cada erro.",
        "请选择错误类型。",
        "誤りの種類を選んでください。",
        "오류 유형을 선택하세요.",
        "اختر فئة الخطأ.",
    ],
)
def test_categories_are_found_where_none_are_asked(text: str) -> None:
    (sentence,) = of_errors(text, scheme="esa")
    assert "but this task has no kinds of error to choose from" in sentence
    assert of_errors(text, scheme="mqm") == []
    assert of_errors(text, scheme="esa", categories=[{"key": "style", "name": "Style"}]) == []


@pytest.mark.parametrize(
    "text",
    [
        "Mark all errors, minor errors of style too, as **Minor** or “major”. You do not choose a category.",
        "Choose how serious it is. Do not choose any category. Be critical.",
    ],
)
def test_severities_of_the_task_are_left_alone(text: str) -> None:
    assert of_errors(text, scheme="esa") == []


def test_severities_are_found_where_raters_choose_none() -> None:
    assert of_errors("Mark “major” errors only.", scheme="plain") == [
        "The text says “major”, but raters do not say how serious an error is in this task."
    ]


@pytest.mark.parametrize("language", [code for code, _name in settings.LANGUAGES])
def test_the_shipped_instructions_name_what_every_scheme_offers(language: str) -> None:
    with override(language):
        text = str(task_types.registry["error_spans"].default_instructions)
    assert [of_errors(text, scheme=scheme) for scheme in ("esa", "mqm", "plain")] == [[], [], []]


SENTENCES = {
    "en": "You can stop at any time, and nobody will know which answers are yours.",
    "de": "Sie können jederzeit aufhören, und niemand erfährt, welche Antworten von Ihnen sind.",
    "fr": "Vous pouvez arrêter à tout moment, sans donner de raison, et votre réponse est anonyme.",
    "es": "Puede dejarlo en cualquier momento, y nadie sabrá cuáles son las respuestas de usted.",
    "pt": "Você pode parar em qualquer momento, e ninguém saberá quais são as suas respostas.",
    "zh-hans": "您可以随时停止，没有人会知道哪些答案是您的。",
    "ja": "いつでもやめることができ、どの回答があなたのものかは誰にも分かりません。",
    "ko": "언제든지 그만둘 수 있으며, 어떤 답이 귀하의 것인지 아무도 모릅니다.",
    "ar": "يمكنك التوقف في أي وقت، ولن يعرف أحد أي الإجابات لك.",
}
AROUND = {code: " ".join([SENTENCES[code]] * 3) for code in ("en", "de", "fr", "es", "pt", "zh-hans", "ja", "ko", "ar")}


def foreign(text: str, language: str) -> list[str]:
    """Return the points about the languages of a consent text."""
    facts = facts_of(language=language)
    facts = readiness.Facts({**facts.document, "consent": {language: text}})
    return [point.sentence for point in readiness.wording.sentence_in_another_language(facts)]


@pytest.mark.parametrize("own", SENTENCES)
def test_a_sentence_in_another_language_is_found_in_every_language(own: str) -> None:
    for other, sentence in SENTENCES.items():
        said = foreign(f"{AROUND[own]}\n\n{sentence} {AROUND[own]}", own)
        assert len(said) == (other != own), other
        assert all(sentence[:40] in words for words in said)


def test_instructions_are_looked_at_and_a_whole_text_is_said_once() -> None:
    task = {"type": "likert", "instructions": f"{AROUND['en']} {SENTENCES['de']}"}
    (point,) = readiness.wording.sentence_in_another_language(facts_of(task))
    assert point.path == ("tasks", 0, "instructions")
    assert foreign(AROUND["de"], "en") == [], "that the whole text is in another language is said by itself"


@pytest.mark.parametrize(
    "quoted",
    [
        "Mark what is wrong in “{}” and the like.",
        "Mark what is wrong in „{}“ and the like.",
        "Mark what is wrong in «{}» and the like.",
        "Mark what is wrong in '{}' and the like.",
        "Mark what is wrong in *{}* and the like.",
        "One source says this ({}) and is hard to translate.",
        "Source: {}",
        "- Example: {}",
        "> {}",
    ],
)
def test_an_example_in_another_language_is_left_alone(quoted: str) -> None:
    assert foreign(f"{AROUND['en']}\n\n{quoted.format(SENTENCES['de'])}", "en") == []


def test_names_and_languages_that_are_not_known_are_left_alone() -> None:
    assert foreign(f"{AROUND['en']} Write to the Institut für Sprache und Kognition der Universität.", "en") == []
    assert foreign(SENTENCES["en"], "cs") == []
    assert foreign(f"{AROUND['ja']}\n東京大学文学部", "ja") == []
