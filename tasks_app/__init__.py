"""Collecting judgments: studies, plans, raters, and every kind of task they can be given."""
