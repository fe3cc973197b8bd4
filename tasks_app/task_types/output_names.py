"""The names of outputs on screens: texts, pictures, sound recordings and films."""

from django.utils.translation import gettext

TEXT = "text"


def heading_of(kind: str) -> str:
    """Return the name of a screen's only output: “Text”, “Picture”, “Recording”, “Film”."""
    if kind == "image":
        return gettext("Picture")
    if kind == "audio":
        return gettext("Recording")
    return gettext("Film") if kind == "video" else gettext("Text")


def named(kind: str, letter: str) -> str:
    """Return the name of one of several outputs on a screen: “Text A”, “Picture A”, “Recording A”, “Film A”."""
    about = {"letter": letter}
    if kind == "image":
        return gettext("Picture %(letter)s") % about
    if kind == "audio":
        return gettext("Recording %(letter)s") % about
    return (gettext("Film %(letter)s") if kind == "video" else gettext("Text %(letter)s")) % about
