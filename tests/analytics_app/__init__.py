"""Understanding judgments."""
