"""What happens here that other apps may want to hear. Nobody may enqueue on a rater's request."""

from django.dispatch import Signal

# Sent inside the transaction that stores a judgment, with `judgment` and `rater`.
judgment_submitted = Signal()

# Sent after a study was opened, paused or closed, with `study` and `action`.
study_moved = Signal()
