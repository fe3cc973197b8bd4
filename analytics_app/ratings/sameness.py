"""Numbers without differences: screens on which all texts have the same number, one number throughout, identical texts.

For rules and analyses of any numbers, also of those without a scale, such as magnitudes.
"""

import numpy as np
from numpy.typing import NDArray

from analytics_app.ratings.extras.shown import Shown
from analytics_app.ratings.table import Table
from analytics_app.stats.quality.sameness import IdenticalTexts, MostFrequent, identical_texts, most_frequent
from analytics_app.stats.quality.straight_lining import EqualScreens, equal_screens


def flat_screens(table: Table) -> EqualScreens:
    """Count each rater's screens with two texts or more, and those on which all texts got the same number.

    Each criterion of a screen counts for itself.
    """
    rows = table.where((table.part >= 0) & ~np.isnan(table.value))
    screen = rows.judgment.astype(np.int64) * (len(rows.names.criteria) + 1) + rows.criterion + 1
    return equal_screens(rows.value, screen, rows.rater, least=2)


def one_number(table: Table) -> MostFrequent:
    """Return the number that each rater gave most often, over all criteria."""
    return most_frequent(table.value, table.rater)


def same_texts(table: Table, shown: Shown) -> IdenticalTexts:
    """Count the identical texts of one item that a rater rated more than once, and those with different numbers.

    Texts that are not known, as of ratings imported without texts, are left out.
    """
    is_known = np.array([bool(text) for text in shown.of_part] + [False])
    rows = table.where(is_known[table.part] & ~np.isnan(table.value))
    text = _codes_of_texts(rows, shown)[rows.part] if len(rows) else np.empty(0, dtype=np.int64)
    return identical_texts(rows.value, text * (len(rows.names.criteria) + 1) + rows.criterion + 1, rows.rater)


def _codes_of_texts(table: Table, shown: Shown) -> NDArray[np.int64]:
    """Return a code for each part: equal for parts that show the same text of the same item."""
    names = table.names
    first = np.searchsorted(names.shown_part, np.arange(len(names.part_ids)))
    has_output = first < len(names.shown_part)
    item = np.where(has_output, names.shown_item[np.minimum(first, len(names.shown_part) - 1)], -1)
    codes: dict[tuple[int, str], int] = {}
    keys = zip(item.tolist(), shown.of_part, strict=True)
    return np.array([codes.setdefault(key, len(codes)) for key in keys], dtype=np.int64)
