"""Plain tables in the admin. Everything with a story has a page of its own in views/researcher.py."""

from tasks_app.admin.scoped import EventAdmin, ScopedAdmin

__all__ = ["EventAdmin", "ScopedAdmin"]
