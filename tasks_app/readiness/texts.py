"""Findings in the texts of a study: empty texts, debris, names of systems, copies, systems with gaps."""

from collections.abc import Iterator, Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from tasks_app import task_types
from tasks_app.readiness.base import Facts, Level, Point, register
from tasks_app.task_types.base import Act
from tasks_app.texts import languages
from tasks_app.texts.findings import TextFinding

KIND = "texts"
_TEXTS = ("systems",)
# Pairs of identical texts that a point names.
FIRST_PAIRS = 3

# Each kind of finding: its sentence, and whether a careful colleague may mean it so.
_SAID: Mapping[str, tuple[str | Promise, Level]] = {
    "empty": (
        gettext_lazy(
            "%(n)s of %(of)s texts are empty or stand for nothing, such as “N/A” (%(first)s). Remove them, or say in "
            "the instructions what raters do with them."
        ),
        Level.PROBLEM,
    ),
    "names": (
        gettext_lazy(
            "%(n)s of %(of)s texts name a system, such as “%(words)s” (%(first)s), so raters would know which one "
            "wrote them."
        ),
        Level.PROBLEM,
    ),
    "tokens": (
        gettext_lazy(
            "%(n)s of %(of)s texts contain signs that a model uses internally, such as “%(words)s” (%(first)s). "
            "Remove them."
        ),
        Level.PROBLEM,
    ),
    "tags": (
        gettext_lazy(
            "%(n)s of %(of)s texts contain HTML, such as “%(words)s” (%(first)s). Raters would see the code. Remove it."
        ),
        Level.PROBLEM,
    ),
    "markdown": (
        gettext_lazy(
            "%(n)s of %(of)s texts contain Markdown, such as “%(words)s” (%(first)s). Raters would see the signs. "
            "Remove them, or set the format of these items to markdown."
        ),
        Level.PROBLEM,
    ),
    "broken": (
        gettext_lazy(
            "%(n)s of %(of)s texts contain broken characters, such as “%(words)s” (%(first)s). The file was read with "
            "the wrong encoding at some point. Export it again as UTF-8."
        ),
        Level.PROBLEM,
    ),
    "repeated": (
        gettext_lazy(
            "%(a)s has one and the same text for %(n)s of %(of)s items, “%(words)s”. Perhaps a row of the table was "
            "copied down."
        ),
        Level.PROBLEM,
    ),
    "cut": (
        gettext_lazy(
            "%(n)s of %(of)s texts break off after %(words)s characters (%(first)s). Something cut them at that "
            "length, so raters would judge texts that no system wrote. Upload them whole."
        ),
        Level.PROBLEM,
    ),
    "broken_source": (
        gettext_lazy(
            "The sources or references of %(n)s of %(of)s items contain broken characters (%(first)s). The file was "
            "read with the wrong encoding at some point. Export it again as UTF-8."
        ),
        Level.PROBLEM,
    ),
    "placeholder": (
        gettext_lazy(
            "Placeholders, such as “%(words)s”, are left in %(n)s of %(of)s texts (%(first)s). Fill them in, unless "
            "raters are meant to read them."
        ),
        Level.NOTE,
    ),
    "placeholder_source": (
        gettext_lazy(
            "Placeholders, such as “%(words)s”, are left in the sources or references of %(n)s of %(of)s items "
            "(%(first)s). Fill them in, unless raters are meant to read them."
        ),
        Level.NOTE,
    ),
    "long": (
        gettext_lazy(
            "Very long texts: %(n)s of %(of)s (time to read: %(first)s). Half of the texts take at most %(words)s "
            "seconds. Check that each of these is one text, and that the minutes you state are enough for them."
        ),
        Level.NOTE,
    ),
    "chat": (
        gettext_lazy(
            "%(n)s of %(of)s texts begin or speak like a chatbot, such as “%(words)s” (%(first)s), so raters may know "
            "which system wrote them."
        ),
        Level.NOTE,
    ),
    "errors": (
        gettext_lazy(
            "%(n)s of %(of)s texts are error messages of a program, such as “%(words)s” (%(first)s). Generate these "
            "texts again."
        ),
        Level.PROBLEM,
    ),
    "json": (
        gettext_lazy(
            "%(n)s of %(of)s texts are JSON, such as “%(words)s” (%(first)s). Take the text out of it, or set the "
            "format of these items to code."
        ),
        Level.PROBLEM,
    ),
    "source": (
        gettext_lazy(
            "The texts of %(a)s are the sources themselves for %(n)s of %(of)s items. Was the wrong column taken?"
        ),
        Level.PROBLEM,
    ),
    "doubled": (
        gettext_lazy(
            "%(n)s of %(of)s items stand there twice, with the same source and texts (%(first)s). Remove the copies, "
            "or they count twice."
        ),
        Level.PROBLEM,
    ),
    "twins": (
        gettext_lazy("%(a)s and %(b)s have identical texts for %(n)s of %(of)s items. Was one file uploaded for both?"),
        Level.PROBLEM,
    ),
    "reference": (
        gettext_lazy("The texts of %(a)s are the references themselves for %(n)s of %(of)s items."),
        Level.PROBLEM,
    ),
    "missing": (
        gettext_lazy(
            "%(a)s has texts for %(n)s of %(of)s items only (none for %(first)s), so it is not compared with the "
            "others on the same items."
        ),
        Level.PROBLEM,
    ),
    "foreign": (
        gettext_lazy(
            "%(n)s of %(of)s texts are said to be in %(said)s but look like %(language)s (%(first)s). Correct the "
            "language, or the texts."
        ),
        Level.PROBLEM,
    ),
    "foreign_source": (
        gettext_lazy(
            "%(n)s of %(of)s sources are said to be in %(said)s but look like %(language)s (%(first)s). Correct the "
            "language, or the sources."
        ),
        Level.PROBLEM,
    ),
}

_OF_LANGUAGES = frozenset({"foreign", "foreign_source"})


@register
def noticed_in_texts(facts: Facts) -> Iterator[Point]:
    """Yield the findings in the texts, made when all of them were read."""
    for finding in facts.texts:
        if finding.kind in _SAID:
            sentence, level = _SAID[finding.kind]
            yield Point(KIND, str(sentence) % _words(finding), _TEXTS, level)


@register
def pairs_never_compared(facts: Facts) -> Iterator[Point]:
    """Yield two systems that no item has both of, where a task compares all systems with each other."""
    comparing = [
        task
        for _place, task in facts.main_tasks
        if task_types.registry[task["type"]].side_by_side and not task["params"].get("anchor")
    ]
    for finding in facts.texts if comparing else ():
        if finding.kind == "apart":
            sentence = _("No item has texts of both %(a)s and %(b)s, so raters never compare these two.")
            yield Point(KIND, sentence % _words(finding), _TEXTS)


@register
def pairs_that_look_alike(facts: Facts) -> Iterator[Point]:
    """Yield the pairs of a comparing task with texts that are identical, or differ in white space only.

    Texts were read for the whole study: nothing is said of a task that is about some of the items.
    """
    system_names = {str(row["key"]): str(row.get("name") or row["key"]) for row in facts.document.get("systems") or ()}
    twins = {finding.systems for finding in facts.texts if finding.kind == "twins"}
    for place, task in facts.main_tasks:
        if task_types.registry[task["type"]].acts != frozenset({Act.COMPARE}) or task["items"]:
            continue
        anchor = system_names.get(str(task["params"].get("anchor") or ""), "")
        findings = [
            finding
            for finding in facts.texts
            if finding.kind in {"same", "alike"} and finding.systems not in twins and anchor in {"", *finding.systems}
        ]
        for kind in ("same", "alike"):
            of_kind = [finding for finding in findings if finding.kind == kind]
            if of_kind:
                yield _alike(kind, of_kind, place, keeps=bool(task["keep_identical"]))


def _alike(kind: str, findings: list[TextFinding], place: int, *, keeps: bool) -> Point:
    """Return the point about pairs of a task that are `same` or `alike`; `keeps` shows those that are identical."""
    pairs = [f"{key} ({finding.systems[0]}, {finding.systems[1]})" for finding in findings for key in finding.first]
    n = sum(finding.n for finding in findings)
    more = " …" if n > FIRST_PAIRS else ""
    words = {"n": n, "first": "; ".join(pairs[:FIRST_PAIRS]) + more}
    if kind == "alike":
        sentence = ngettext(
            "The two texts of %(n)s pair differ in white space only: %(first)s. Raters would be asked about it and see "
            "no difference. Remove the white space: pairs of identical texts are not shown.",
            "The two texts of %(n)s pairs differ in white space only: %(first)s. Raters would be asked about them and "
            "see no difference. Remove the white space: pairs of identical texts are not shown.",
            n,
        )
        return Point(KIND, sentence % words, _TEXTS)
    if keeps:
        sentence = ngettext(
            "The two texts of %(n)s pair are identical: %(first)s. Raters are asked about it, since identical texts "
            "are kept apart, and see no difference.",
            "The two texts of %(n)s pairs are identical: %(first)s. Raters are asked about them, since identical texts "
            "are kept apart, and see no difference.",
            n,
        )
    else:
        sentence = ngettext(
            "The two texts of %(n)s pair are identical: %(first)s. Raters are not asked about it, and it counts for "
            "neither system.",
            "The two texts of %(n)s pairs are identical: %(first)s. Raters are not asked about them, and they count "
            "for neither system.",
            n,
        )
    return Point(KIND, sentence % words, ("tasks", place, "keep_identical"), Level.NOTE)


def _words(finding: TextFinding) -> dict[str, str]:
    """Return the words that the sentence of a finding names."""
    places = finding.of - finding.n if finding.kind == "missing" else finding.n
    more = " …" if places > len(finding.first) > 0 else ""
    a, b = (*finding.systems, "", "")[:2]
    return {
        "n": str(finding.n),
        "of": str(finding.of),
        "first": "; ".join(finding.first) + more,
        "words": finding.words,
        "a": f"“{a}”",
        "b": f"“{b}”",
        "said": languages.english_name(a.lower()) if a and finding.kind in _OF_LANGUAGES else "",
        "language": languages.english_name(finding.words) if finding.kind in _OF_LANGUAGES else "",
    }
