"""Accounts: invited people sign in, and find the studies they are invited to."""

from collections.abc import Mapping

from django.utils.translation import gettext_lazy

from tasks_app.channels import registry
from tasks_app.channels.base import Arrival, Channel
from tasks_app.settings.fields import whole_field
from tasks_app.settings.study import Block


@registry.register
class Account(Channel):
    """For people who rate often or over days, such as a laboratory's annotators."""

    label = gettext_lazy("Accounts")
    doc = gettext_lazy("Create accounts below and give each person theirs. They sign in here and find the study.")
    invited_only = True
    stores = gettext_lazy("The name and e-mail address in your invitation are kept apart from your answers.")
    needs_account = True
    way_out = gettext_lazy("You need not do anything else.")

    lease_days = whole_field(gettext_lazy("Days a set is kept for a rater"), within=(1, 30), initial=7)

    class Settings(Block):
        """The time limit for people with accounts."""

    def days_kept(self) -> int:
        """Return the days that were set."""
        return self.lease_days

    def arrival(self, query: Mapping[str, str]) -> Arrival:
        """Nothing is read from the address: who it is, the sign-in says."""
        return Arrival("account")
