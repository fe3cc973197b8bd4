"""Formats of dates and numbers by language where Django's own differ from CLDR, the Unicode locale data.

Browsers follow CLDR, and a page must not write 1.5 in one place and 1,5 in another.
"""
