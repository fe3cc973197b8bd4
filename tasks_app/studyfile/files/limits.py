"""The largest sizes of a study file, and of a file of ratings.

`STUDY_FILE_LIMITS` in the settings changes single limits by name.
"""

from dataclasses import dataclass

from django.conf import settings

MIB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of a study file or a file of ratings, each with its reason."""

    # A zip as it is uploaded. It is checked in memory on the web server, beside raters' requests.
    upload_bytes: int = 64 * MIB
    # The unpacked size of a zip or folder, against zip bombs.
    unpacked_bytes: int = 256 * MIB
    # How much smaller a zip may make a file above 1 MiB. Text shrinks about 10 times, a table of equal cells 300.
    zip_ratio: int = 500
    # Files in a zip or folder. A study has a few tables and its media.
    files: int = 20_000
    # study.yaml is written by hand; a large questionnaire has about 100 kB. YAML is slow to read.
    yaml_bytes: int = 1 * MIB
    # Deepest nesting of study.yaml and of JSON cells; the declared format needs 5 levels.
    depth: int = 20
    # One table. A million outputs are far above any human evaluation.
    table_bytes: int = 128 * MIB
    rows: int = 1_000_000
    columns: int = 500
    # A file of ratings. It is read in one pass and never held in memory; a judgment of ten criteria has ten rows.
    ratings_bytes: int = 2048 * MIB
    ratings_rows: int = 10_000_000
    # One text. A novel's chapter has 30,000 characters; nobody judges more on one screen.
    text_characters: int = 100_000
    # One line of a table. A row has a few texts, in JSON with up to six characters for one.
    line_characters: int = 4_000_000
    # Lines of a table, with those within cells and empty ones.
    lines: int = 20_000_000
    # Values in study.yaml, with its names; a large questionnaire has a few thousand.
    yaml_values: int = 50_000
    # Values in a line of JSON.
    json_values: int = 200_000
    # What reading an upload may take, in a process of its own: memory, and seconds of CPU.
    reading_memory: int = 768 * MIB
    reading_seconds: int = 60
    # One picture, sound or video: raters on a phone have to load it.
    media_bytes: int = 32 * MIB


def limits() -> Limits:
    """Return the limits with the changes in the settings."""
    return Limits(**getattr(settings, "STUDY_FILE_LIMITS", {}))


def largest_upload() -> int:
    """Return the bytes of the largest study file, or file of ratings or scores, that a page accepts."""
    return limits().upload_bytes


def megabytes(size: int) -> str:
    """Write a number of bytes as people do."""
    if size < 1000:
        return f"{size} bytes"
    if size < MIB:
        return f"{size / 1024:.0f} KiB"
    return f"{size / MIB:.1f}".removesuffix(".0") + " MiB"
