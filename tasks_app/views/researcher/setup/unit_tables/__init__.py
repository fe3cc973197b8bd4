"""Known answers, batches and suggestions of a draft: upload a table, and work with its rows."""
