"""Tags that programs put before or after a sound of any format: ID3, APE and Lyrics3."""

from tasks_app.uploads.cleaning.findings import Finding

_PICTURES = (b"APIC", b"PIC", b"Cover Art", b"METADATA_BLOCK_PICTURE")


def start_of_sound(content: bytes, findings: set[Finding]) -> int:
    """Return the place where a sound begins behind its ID3 tags, and note these."""
    place = 0
    while content[place : place + 3] == b"ID3" and place + 10 <= len(content):
        size = 0
        for byte in content[place + 6 : place + 10]:
            size = size << 7 | byte & 0x7F
        end = place + 10 + size + (10 if content[place + 5] & 0x10 else 0)
        note(content[place:end], findings)
        place = end
    return place


def note(tag: bytes, findings: set[Finding]) -> None:
    """Note the contents of a tag."""
    findings.add(Finding.TEXT)
    if any(name in tag for name in _PICTURES):
        findings.add(Finding.PICTURE)
