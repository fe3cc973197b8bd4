"""Collection of judgments: studies, plans, raters and task types."""
