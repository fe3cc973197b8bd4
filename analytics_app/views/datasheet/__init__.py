"""The datasheet of a study: read, answered, saved as a file and read from one."""

from analytics_app.views.datasheet.files import download, import_file
from analytics_app.views.datasheet.page import datasheet, take_back

__all__ = ["datasheet", "download", "import_file", "take_back"]
