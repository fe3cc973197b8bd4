"""Tables of analyses on pages of results: one module an analysis where the general table would not do."""

from analytics_app.views.result_tables.registry import general_table, tables_for, tables_of
from tasks_app.registry import import_modules

import_modules(__name__)

__all__ = ["general_table", "tables_for", "tables_of"]
