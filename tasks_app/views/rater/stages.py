"""Tell raters where they are: practice, test or questions. Checks are not mentioned."""

import math
from collections.abc import Iterable
from typing import Literal, TypeAlias

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tasks_app.models import Assignment
from tasks_app.selectors.progress import RaterProgress
from tasks_app.services.judging.grading import known_answers
from tasks_app.settings.checks import checks_of
from tasks_app.task_types.base import Screen

Purpose = Assignment.Purpose

# What a screen shows, as the number above it says: one text, several, none but questions, or files.
Counted: TypeAlias = Literal["text", "screen", "page", "file"]


def label(progress: RaterProgress, *, counted_as: Counted = "text") -> str:
    """Name the sequence a rater is in and the number of the unit on the screen; empty between units."""
    counts = {"n": progress.number or min(progress.done + 1, progress.total), "total": progress.total}
    if progress.purpose == Purpose.TRAINING:
        return _("Practice %(n)s of %(total)s") % counts
    if progress.purpose == Purpose.EXAM:
        return _("Test %(n)s of %(total)s") % counts
    words = {Purpose.SCREENING: _("Some questions first"), Purpose.EXIT: _("Some questions about you")}
    name = words.get(Purpose(progress.purpose)) if progress.purpose else None
    if name is None:
        return numbered(progress.number, progress.total, counted_as) if progress.number else ""
    if progress.total == 1:
        return name
    return _("%(name)s: %(n)s of %(total)s") % {"name": name, **counts}


def numbered(number: int, total: int, counted_as: Counted = "text") -> str:
    """Return the number of a rater's screen in words that fit its contents; files have a bare number."""
    words = {
        "text": _("Text %(n)s of %(total)s"),
        "screen": _("Screen %(n)s of %(total)s"),
        "page": _("Page %(n)s of %(total)s"),
        "file": _("%(n)s of %(total)s"),
    }
    return words[counted_as] % {"n": number, "total": total}


def counted_as(screen: Screen) -> Counted:
    """Return the kind of thing that the number of a screen counts."""
    if screen.shows_files:
        return "file"
    if not screen.parts:
        return "page"
    return "text" if len(screen.parts) == 1 else "screen"


def counted(screens: Iterable[Screen]) -> Counted:
    """Return the kind of thing counted on a page of several blocks: texts only if each of them shows one text."""
    return next((kind for kind in map(counted_as, screens) if kind != "text"), "text")


def heading(number: int, total: int, counted_as: Counted = "text") -> str:
    """Name one of several blocks on a page: by its number where it is no single text."""
    return numbered(number, total, "text" if counted_as == "text" else "file")


def texts_numbers(first: int, last: int, total: int, counted_as: Counted = "text") -> str:
    """Return the numbers of the judged texts on a page of several."""
    if counted_as != "text":
        return _("%(first)s to %(last)s of %(total)s") % {"first": first, "last": last, "total": total}
    return _("Texts %(first)s to %(last)s of %(total)s") % {"first": first, "last": last, "total": total}


def practice(progress: RaterProgress) -> str:
    """Name the text to practise on that was answered last."""
    return _("Practice %(n)s of %(total)s") % {"n": max(1, progress.done), "total": progress.total}


def task_number(number: int, of: int) -> str:
    """Name one of several tasks by its number; titles of tasks are words of researchers, and might name a system."""
    return _("Task %(number)s of %(of)s") % {"number": number, "of": of}


def new_task(assignment: Assignment, progress: RaterProgress) -> str:
    """Name the task that begins with a unit, by its number; empty for the first, and within a task."""
    begun = progress.new_task(assignment.order)
    return "" if begun is None else task_number(*begun)


def _decides(assignment: Assignment) -> bool:
    """Return whether answers to a unit that screens can end it: those to mere questions do not."""
    return assignment.purpose == Purpose.SCREENING and bool(known_answers(assignment.unit_id))


def hint(assignment: Assignment, progress: RaterProgress) -> str:
    """Return the hint above a unit of screening, practice, exam or last questions; empty for other units."""
    if _decides(assignment):
        return _("Your answers tell whether this study fits you.")
    if assignment.purpose == Purpose.TRAINING:
        return _("This one is for practice. After you send it, you see what was right, and why.")
    if assignment.purpose == Purpose.EXIT:
        return _("All texts are done, and your answers are saved. These last questions are about you.")
    if assignment.purpose != Purpose.EXAM:
        return ""
    checks = checks_of(assignment.unit.task.checks)
    n_needed = needed(checks.exam_pass, progress.total)
    sentence = ngettext(
        "This one is part of a test; you see the result at the end. %(needed)s of %(total)s has to be right.",
        "This one is part of a test; you see the result at the end. %(needed)s of %(total)s have to be right.",
        n_needed,
    ) % {"needed": n_needed, "total": progress.total}
    if assignment.attempt > 1:
        return f"{sentence} {_('This is attempt %(n)s.') % {'n': assignment.attempt}}"
    return sentence


def about_skipping(assignment: Assignment) -> str:
    """Return the consequence of skipping a unit, if it is more than the next text; else ""."""
    if _decides(assignment):
        return _("Without your answers we cannot tell whether this study fits you, so it ends for you here.")
    if assignment.purpose == Purpose.EXAM:
        return _("In a test, a text that you cannot judge counts as wrong.")
    return ""


def needed(share: float, total: int) -> int:
    """Return the number of units that a pass mark asks for; a mark that is hit exactly is passed."""
    return math.ceil(share * total - 1e-9)


def before_the_texts(training: int, exam: int, share: float, attempts: int) -> list[str]:
    """Announce practice and test, with the conditions to pass."""
    sentences = []
    if training:
        sentences.append(
            ngettext(
                "Before that there is %(n)s text to practise, with an explanation.",
                "Before that there are %(n)s texts to practise, with an explanation after each.",
                training,
            )
            % {"n": training}
        )
    if exam:
        sentences.append(_about_exam(exam, needed(share, exam), attempts))
    return sentences


def _about_exam(n: int, n_needed: int, attempts: int) -> str:
    """Announce a test of so many texts: how many have to be right, and in how many attempts."""
    if n == 1:
        sentence = _("A test of one text follows, which has to be right.")
    else:
        sentence = ngettext(
            "A test of %(n)s texts follows, of which %(needed)s has to be right.",
            "A test of %(n)s texts follows, of which %(needed)s have to be right.",
            n_needed,
        ) % {"n": n, "needed": n_needed}
    tries = ngettext("You have %(attempts)s attempt.", "You have %(attempts)s attempts.", attempts)
    return f"{sentence} {tries % {'attempts': attempts}}"
