"""Uploads: how large they may be, the process that reads them, and the removal of metadata."""
