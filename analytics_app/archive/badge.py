"""A badge that says whether an archive was verified, for a page or a repository."""

from html import escape

# Sizes of the badge in pixels; letters of the font are this wide on average.
HEIGHT, PADDING, LETTER = 20, 8, 6.6
GREY, GREEN, RED = "#4a4f57", "#1a6b3a", "#a12622"


def svg(n: int, differences: int) -> str:
    """Return the badge: how many numbers are equal, or how many differences there are."""
    label = "evalweb"
    verdict = f"verified: {n:,} numbers" if not differences else f"not verified: {differences:,} differences"
    title = escape(f"{label}: {verdict}")
    left, right = (round(len(text) * LETTER + 2 * PADDING) for text in (label, verdict))
    color = RED if differences else GREEN
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + right}" height="{HEIGHT}" role="img" '
        f'aria-label="{title}"><title>{title}</title><rect width="{left}" height="{HEIGHT}" fill="{GREY}"/>'
        f'<rect x="{left}" width="{right}" height="{HEIGHT}" fill="{color}"/>'
        f'<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">'
        f'<text x="{PADDING}" y="14">{label}</text>'
        f'<text x="{left + PADDING}" y="14">{escape(verdict)}</text></g></svg>\n'
    )
