"""Simplified Chinese: thousands are separated by commas."""

THOUSAND_SEPARATOR = ","
NUMBER_GROUPING = 3
