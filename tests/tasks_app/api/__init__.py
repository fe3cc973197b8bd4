"""The REST API: studies and judgments, tokens, errors, schema."""
