"""Portuguese: names of months are written small since the spelling reform of 1990, but not in Django's catalogue."""

DATE_FORMAT = r"j \d\e b\. \d\e Y"
