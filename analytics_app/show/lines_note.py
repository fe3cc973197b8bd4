"""The sentences below the systems of a run: the level of their lines, their groups, and the conclusions they allow."""

from collections.abc import Iterator, Sequence

from django.utils.translation import gettext as _

from analytics_app.show import cells
from analytics_app.show.comparisons import Compared
from analytics_app.show.findings import listed
from analytics_app.show.scope import NAMES, first_scope
from analytics_app.show.tracks import Tracks


def note_of(compared: Compared) -> str:
    """Return the note for the systems of one criterion; "" if none has an interval."""
    about = {"level": cells.level(compared.limit)}
    thick = any(row.low is not None for row in compared.levels)
    thin = not compared.crossed and any(row.low is not None for row in compared.over_raters.values())
    scope = NAMES.get(first_scope(compared.levels) or first_scope(compared.tested), "")
    if thick and thin:
        sentence = _(
            "Thick lines: %(level)s intervals for further texts, by these raters. Thin lines: for further raters, on "
            "these texts."
        )
        return sentence % about
    if thin:
        return _("Thin lines: %(level)s intervals for further raters, on these texts.") % about
    if not thick:
        return ""
    if compared.crossed:
        return _("Thick lines: %(level)s intervals for further texts and further raters.") % about
    if scope:
        return _("Lines: %(level)s intervals for %(scope)s.") % {**about, "scope": scope}
    return _("Lines: %(level)s intervals.") % about


def _notes_of(forest: Sequence[Tracks]) -> Iterator[str]:
    """Yield the notes of all panels, with the names of their criteria where panels differ."""
    panels: dict[str, list[str]] = {}
    for tracks in forest:
        panels.setdefault(tracks.note, []).append(tracks.caption)
    for note, captions in panels.items():
        if note:
            yield f"{listed(captions)}: {note}" if len(panels) > 1 else note


def explanations_of(forest: Sequence[Tracks], comparisons: Sequence[Compared]) -> Iterator[str]:
    """Yield the sentences that explain a forest: its lines, the lines between groups, strengths, overlaps."""
    yield from _notes_of(forest)
    if any(line.apart for tracks in forest for line in tracks.lines):
        yield _("A ruled line separates groups: each system above it differs clearly from each one below.")
    if any(compared.comparison.level == "bt_strength" for compared in comparisons):
        yield _(
            "A system whose strength is 0.70 higher than another's is preferred to it in about 67 % of "
            "comparisons, one whose strength is 1.40 higher in about 80 %."
        )
    if any(compared.overlaps for compared in comparisons):
        yield _(
            "The intervals of two systems may overlap although the two differ clearly: the test compares both on "
            "the same texts."
        )
