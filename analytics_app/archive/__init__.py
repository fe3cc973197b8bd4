"""An archive of a study for its publication: one zip from which a run is computed again and compared.

`writing` makes it, `reading` checks its files, `recomputing` loads its rows into an empty database, and `comparing`
says what differs. docs/archive.md describes the files.
"""
