"""Plain tables in the admin. Everything else has a page of its own in views/researcher/."""

from tasks_app.admin.accounts import AccountAdmin
from tasks_app.admin.scoped import EventAdmin, ScopedAdmin

__all__ = ["AccountAdmin", "EventAdmin", "ScopedAdmin"]
