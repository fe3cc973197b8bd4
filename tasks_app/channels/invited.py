"""Personal links: each invited person has one, and it always leads to their own work."""

from collections.abc import Mapping, Sequence

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tasks_app.channels import registry
from tasks_app.channels.base import Arrival, Channel, NotArrived, Paste
from tasks_app.settings.fields import whole_field
from tasks_app.settings.study import Block

# The name that the secret part of a link has in its address.
KEY = "key"
# A token of an address is of 22 characters; nobody types more.
LONGEST = 64


@registry.register
class Invited(Channel):
    """The link is the credential. Who opens it again goes on where they were, on any device."""

    label = gettext_lazy("Personal links")
    doc = gettext_lazy("Create one link per person below, and send each person theirs.")
    invited_only = True
    stores = gettext_lazy("The name and e-mail address in your invitation are kept apart from your answers.")
    way_out = gettext_lazy("You need not do anything else.")

    lease_days = whole_field(
        gettext_lazy("Days a set is kept for a rater"),
        gettext_lazy("Leave empty for the minutes of the study's lease."),
        within=(1, 30),
    )

    class Settings(Block):
        """The time limit for invited raters."""

    def days_kept(self) -> int | None:
        """Return the days that were set."""
        return self.lease_days

    def arrival(self, query: Mapping[str, str]) -> Arrival:
        """Read the secret of the link; the database knows its owner."""
        key = query.get(KEY, "").strip()
        if not key or len(key) > LONGEST:
            raise NotArrived(_("A part of this link is missing. Please open the whole link that was sent to you."))
        return Arrival("invited", details={KEY: key})

    def pastes(self, address: str) -> Sequence[Paste]:
        """Nothing: every person has a link of their own."""
        return ()
