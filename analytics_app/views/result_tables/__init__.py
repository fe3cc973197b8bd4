"""Tables of analyses on pages of results: one module an analysis where the general table would not do."""

from analytics_app.show.registry import is_shared, shared_tables, tables_for
from tasks_app.registry import import_modules

import_modules(__name__)

__all__ = ["is_shared", "shared_tables", "tables_for"]
