"""Check that raters see the pictures, sounds and films of a study file, and read a description of each."""

from collections.abc import Sequence

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tasks_app.studyfile.reading import StudyReading
from tasks_app.studyfile.screens import DraftTask, is_imported


def check_pictures(reading: StudyReading, drafts: Sequence[DraftTask]) -> None:
    """Report media of items that no task shows, and note pictures without a description.

    Ratings from elsewhere need nothing to be shown here.
    """
    if not reading.media_places or is_imported(reading):
        return
    shown = {unit.item_of(part) for draft in drafts for unit in draft.units.values() for part in range(len(unit.parts))}
    for (item, role), place in reading.media_places.items():
        if item not in shown:
            sentence = _(
                "No task uses the item “%(item)s”, so raters would never see this. Add the item to a task, or empty "
                "this cell."
            )
            message = f"{role}: {sentence % {'item': item}}"
            reading.problems.add(reading.items_file, place.line, place.column, message)
    silent = [item["key"] for item in reading.document["items"] if item["context"] and not item["options"].get("alt")]
    if silent:
        note = ngettext(
            "%(n)d item has a picture, sound or film without a description for raters who cannot see or hear it "
            '(%(items)s). Describe it in the column options, as {"alt": "A yellow house"}.',
            "%(n)d items have pictures, sounds or films without a description for raters who cannot see or hear them "
            '(%(items)s). Describe them in the column options, as {"alt": "A yellow house"}.',
            len(silent),
        )
        ellipsis = " …" if len(silent) > 3 else ""
        reading.note(note % {"n": len(silent), "items": ", ".join(silent[:3]) + ellipsis})
