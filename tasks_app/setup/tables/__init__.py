"""Tables of texts as people have them: read, guess what the columns are, check every row, draw a sample."""
