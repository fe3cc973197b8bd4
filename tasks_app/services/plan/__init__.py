"""The plan of a study: booklets and places, reports about them, texts sent on request."""
