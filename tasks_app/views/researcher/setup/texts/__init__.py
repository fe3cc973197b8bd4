"""The step “Texts” of the set-up: upload a table, say what its columns are, and work with the rows."""
