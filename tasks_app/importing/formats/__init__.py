"""Formats of tables: each module reads one, and all give the same rows with the numbers of their lines.

`records.py` opens any of them as a table of named cells; `plain.py` looks through an upload in a process of its own.
"""
