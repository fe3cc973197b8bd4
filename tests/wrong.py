"""Values that are certainly wrong: made by changing a right one, never by hoping that it was drawn otherwise."""


def altered(secret: str) -> str:
    """Return a token, key, code or signature that differs from a given one in its last character but one.

    The last character is left alone: in base64 its lowest bits may stand for nothing, so that another character may
    stand for the same bytes. Letters are compared without case, since hexadecimal digits have none.
    """
    other = "B" if secret[-2] in "Aa" else "A"
    return f"{secret[:-2]}{other}{secret[-1]}"
