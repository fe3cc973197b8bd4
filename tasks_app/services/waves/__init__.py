"""Waves: their opening times, reminders, closing."""
