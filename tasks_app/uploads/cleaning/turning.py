"""Turn the pixels of a picture as its EXIF data say, where these are removed."""

import io
from typing import TYPE_CHECKING, Any

from tasks_app.uploads.cleaning.findings import CannotClean, Reason

if TYPE_CHECKING:
    from PIL.Image import Image


def turned(content: bytes, orientation: int) -> "Image":
    """Return the pixels of a picture as people are to see them.

    Raises
    ------
    CannotClean
        Where the picture is damaged, or in colours that could not be stored again as they are.
    """
    from PIL import Image  # noqa: PLC0415  only uploads and cleaning need it

    turn = Image.Transpose
    by_orientation = {
        2: turn.FLIP_LEFT_RIGHT,
        3: turn.ROTATE_180,
        4: turn.FLIP_TOP_BOTTOM,
        5: turn.TRANSPOSE,
        6: turn.ROTATE_270,
        7: turn.TRANSVERSE,
        8: turn.ROTATE_90,
    }
    try:
        picture: Image.Image = Image.open(io.BytesIO(content))
        if getattr(picture, "is_animated", False):
            raise CannotClean(Reason.TURN)
        picture.load()
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError) as error:
        raise CannotClean from error
    return picture.transpose(by_orientation[orientation])


def is_sideways(orientation: int) -> bool:
    """Return whether turning exchanges width and height."""
    return orientation >= 5


def saved(picture: "Image", form: str, **options: Any) -> bytes:
    """Return a picture as a file. Raises CannotClean where Pillow cannot write its colours."""
    buffer = io.BytesIO()
    try:
        picture.save(buffer, form, **options)
    except (OSError, ValueError) as error:
        raise CannotClean(Reason.TURN) from error
    return buffer.getvalue()
