"""The step “Texts” of the set-up: upload a table, name its columns, and work with the rows."""
