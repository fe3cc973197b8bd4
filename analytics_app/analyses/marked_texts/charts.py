"""The chart of marks in texts: strips from the beginning of a text to its end."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from analytics_app.charts import words
from analytics_app.charts.drawing import Sketch, chart
from analytics_app.charts.picking import Material, value_of
from analytics_app.charts.strips import strips_chart
from analytics_app.results import Row


@chart(order=35)
def marks_in_texts(material: Material) -> Iterator[Sketch]:
    """Draw the places of marked errors in the texts with the most marks."""
    rows = [row for row in material.of("marks_in_text") if row.system]
    if not rows:
        return
    pieces = list(_pieces(rows))
    texts = {piece["text"] for piece in pieces}
    settings: Mapping[str, Any] = rows[0].settings or {}
    n_raters = [row.n_raters or 0 for row in rows]
    raters = f"{min(n_raters)} to {max(n_raters)} raters" if min(n_raters) < max(n_raters) else _raters(max(n_raters))
    long = f" {settings['too_long']} longer texts are left out." if settings.get("too_long") else ""
    yield Sketch(
        kind="marks-in-text",
        title=_most(pieces),
        subtitle=(
            f"{_shown(max(n_raters))} The texts with the most marks for each system: {len(texts)} of the "
            f"{settings.get('texts', 0):,} texts with marks; {material.basis(rows)}. {raters} per text.{long}"
        ),
        by_system=True,
        chart=strips_chart(pieces),
        columns=(
            ("name", "System"), ("item", "Text"), ("start", "From"), ("end", "To"), ("words", "Words"),
            ("value", "Raters who marked"), ("n", "Raters"), ("severities", "Severity (raters)"),
        ),
    )  # fmt: skip


def _pieces(rows: Sequence[Row]) -> Iterator[dict[str, Any]]:
    length: dict[int, int] = {}
    for row in rows:
        settings = row.settings or {}
        length[settings["text"]] = max(length.get(settings["text"], 1), settings["end"])
    for row in rows:
        settings = row.settings or {}
        yield {
            "name": str(row.system),
            "item": settings["item"],
            "head": f"{words.apart(row.system)}, {words.apart(settings['item'])}",
            "text": settings["text"],
            "start": settings["start"],
            "end": settings["end"],
            "length": length[settings["text"]],
            "words": settings["words"],
            "value": int(value_of(row)),
            "n": row.n_raters or 0,
            "share": value_of(row) / row.n_raters if row.n_raters else 0.0,
            "severities": ", ".join(f"{severity} {n}" for severity, n in settings["severities"].items()),
        }


def _most(pieces: Sequence[Mapping[str, Any]]) -> str:
    """Return a title with the number of texts in which most raters marked the same words, of those with two or more."""
    several = {piece["text"] for piece in pieces if piece["n"] > 1}
    if not several:
        return "Where raters marked errors in the texts with the most marks"
    same = {piece["text"] for piece in pieces if piece["n"] > 1 and piece["share"] > 0.5}
    texts = "text" if len(several) == 1 else "texts"
    return (
        f"In {len(same)} of {len(several)} {texts} shown that had two or more raters, more than half of them marked "
        "the same words"
    )


def _shown(most: int) -> str:
    if most == 1:
        return "What the one rater of each text marked, from its first character to its last."
    return (
        "Each strip is a text from start to end. The stronger the colour, the larger the share of raters who marked "
        "that passage (up to a third, up to two thirds, more)."
    )


def _raters(n: int) -> str:
    return f"{n} rater{'' if n == 1 else 's'}"
