"""Data of EXIF and XMP: the orientation of a picture, and whether they hold a place or a small picture."""

from tasks_app.uploads.cleaning.findings import Finding

_ORIENTATION, _GPS, _THUMBNAIL = 0x0112, 0x8825, 1

UPRIGHT = 1


def look_at(tiff: bytes, findings: set[Finding]) -> int:
    """Note the contents of EXIF data, and return their orientation: 1 for a picture that is upright, up to 8."""
    from PIL import Image  # noqa: PLC0415  only uploads and cleaning need it

    findings.add(Finding.CAMERA)
    exif = Image.Exif()
    try:
        exif.load(tiff)
        orientation = exif.get(_ORIENTATION, UPRIGHT)
        if exif.get_ifd(_GPS):
            findings.add(Finding.PLACE)
        if exif.get_ifd(_THUMBNAIL):
            findings.add(Finding.PICTURE)
    except Exception:
        # Damaged data raise whatever the reader meets first. They are removed all the same.
        return UPRIGHT
    return orientation if isinstance(orientation, int) and 1 <= orientation <= 8 else UPRIGHT


def look_at_xmp(packet: bytes, findings: set[Finding]) -> None:
    """Note the contents of an XMP packet."""
    findings.add(Finding.TEXT)
    if b"GPSLatitude" in packet or b"GPSLongitude" in packet:
        findings.add(Finding.PLACE)
    if b"xmpGImg" in packet:
        findings.add(Finding.PICTURE)
