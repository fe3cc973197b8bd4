"""Magnitude estimation: numbers are read as the server reads them, and said as ratios."""

from playwright.sync_api import Page

from tasks_app.task_types.magnitude.numbers import BadNumber, read_number
from tests.js.test_pure import run

MODULE = "task_types/magnitude.js"
TYPED = (
    "", " ", "\u00a0", "\u200e", "0", "000", "1", "150", " 150 ", "0100", "999999", "1000000", "9" * 40, "-5", "−5",
    "- 5", "-1,5", "1.5", "0,5", ".5", "100.", "1/2", "1٫5", "1,500", "1.500", "1 500", "1\u202f500", "1'500", "1,2,3",
    "12,345,678", "abc", "150%", "1e3", "NaN", "+150", "½", "²", "0x10", "10 0", "١٥٠", "१५०", "１５０", "𝟙𝟝𝟘",
    "٠", "-١",
)  # fmt: skip


def test_the_script_reads_every_number_as_the_server_does(blank: Page) -> None:
    def server(text: str) -> dict[str, object]:
        try:
            value = read_number(text)
        except BadNumber as bad:
            return {"reason": bad.reason}
        return {} if value is None else {"value": value}

    said = blank.evaluate(
        f"async (typed) => {{ const it = await import('/static/js/{MODULE}'); return typed.map(it.read); }}",
        list(TYPED),
    )
    assert dict(zip(TYPED, said, strict=True)) == {text: server(text) for text in TYPED}


def test_ratios_have_words(blank: Page) -> None:
    pairs = [
        (100, 100),
        (200, 100),
        (50, 100),
        (33, 100),
        (25, 100),
        (150, 100),
        (101, 100),
        (1, 3),
        (1, 999_999),
        (7, 3),
    ]
    said = run(blank, MODULE, f"return {[list(one) for one in pairs]}.map((pair) => it.ratioOf(...pair));")
    assert [one["name"] for one in said] == [
        "same", "twice", "half", "third", "quarter", "times", "times", "third", "times", "times",
    ]  # fmt: skip
    assert said[5]["n"] == 1.5


def test_only_numbers_far_from_the_reference_are_asked_about(blank: Page) -> None:
    body = "return [[1, 100], [10000, 100], [10001, 100], [1, 101], [100, 1], [101, 1]].map((a) => it.isFar(...a));"
    assert run(blank, MODULE, body) == [False, False, True, True, False, True]
