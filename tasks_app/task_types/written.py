"""Write a number in a message with all of its digits, so that it is the number that was entered."""


def written(value: float) -> str:
    """Return a number as people write it: whole without a point, else with every digit that tells it from others.

    Examples
    --------
    >>> written(4.0), written(4.0000001), written(0.1)
    ('4', '4.0000001', '0.1')
    """
    return repr(float(value)).removesuffix(".0")
