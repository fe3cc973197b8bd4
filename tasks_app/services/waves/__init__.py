"""Waves: which tasks open when, reminders, closing."""
