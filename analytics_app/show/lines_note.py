"""The note below systems with intervals: the level of the lines, and the conclusions that they allow."""

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


def notes_of(forest: Sequence[Tracks]) -> Iterator[str]:
    """Yield the notes of all panels, with the names of their criteria where panels differ."""
    panels: dict[str, list[str]] = {}
    for tracks in forest:
        panels.setdefault(tracks.note, []).append(tracks.caption)
    for note, captions in panels.items():
        if note:
            yield f"{listed(captions)}: {note}" if len(panels) > 1 else note
