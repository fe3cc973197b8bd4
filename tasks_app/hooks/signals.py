"""Signals for other apps. Receivers must not queue jobs within a rater's request."""

from django.dispatch import Signal

# Sent inside the transaction that stores a new judgment, with `judgment` and `rater`. Nothing here listens to it: it is
# for the apps that a site adds.
judgment_submitted = Signal()

# Sent inside the transaction that erases a rater's answers, before they are gone, with `rater` and `judgments` (ids).
rater_erased = Signal()

# Sent inside the transaction that opens, pauses or closes a study, with `study` and `action`; an import that closes a
# draft sends it too.
study_moved = Signal()

# Sent before a study may be deleted, with `study`. A receiver returns a `services.study.deleting.Dependents`: what
# stands in the way, and what goes with the study or stops working.
deletion_asked = Signal()

# Sent to describe an extension of a plan, with `study` and `most`, the most judgments of a unit after it. A receiver
# returns a sentence about what it means for results.
extension_asked = Signal()
