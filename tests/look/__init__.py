"""Rater pages on a stage: real templates, scripts and policies, made-up contexts, no database."""
