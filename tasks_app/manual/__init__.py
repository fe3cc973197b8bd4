"""The manual: the Markdown files of docs/, found, searched and rendered."""
