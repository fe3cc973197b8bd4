"""Tables of texts as people have them: read them, guess the use of each column, check every row, draw a sample."""
