"""The shape of the results document."""

# It grows when a reader of the document would have to change.
FORMAT = 1
