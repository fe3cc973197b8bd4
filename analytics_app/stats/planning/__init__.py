"""Power and widths of intervals before a study."""
