"""The control score of KEOPS: controls that were answered right, on a scale from 0 to 10."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

# Two answers to the same text may differ by so much of the scale: 10 points of 100.
TOLERANCE = 0.1

# So that 10 of 100 points are not more than a tenth by a rounding error.
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class ControlScores:
    """Scores of raters that have a control, with the number of controls of each."""

    raters: NDArray[np.intp]
    scores: NDArray[np.float64]
    controls: NDArray[np.int64]


def control_scores(
    checked: ArrayLike, right: ArrayLike, repeated: ArrayLike, differences: ArrayLike, *, n_raters: int
) -> ControlScores:
    """Score raters by their controls as KEOPS does before its penalties [1]_: (controls - wrong) / controls x 10.

    Controls are checks with a known answer, and texts that were shown again. A repeat is wrong where the two answers
    differ by more than a tenth of the scale. KEOPS then takes off up to a fifth, for controls of all kinds with nearly
    the same mean and for long stretches of nearly the same answer; that is not computed here.

    Parameters
    ----------
    checked, right : array_like, shape (n_checks,)
        The rater of each check, as a code below `n_raters`, and whether it was answered right.
    repeated, differences : array_like, shape (n_repeats,)
        The rater of each repeat, and the absolute difference of the two answers, in shares of the scale.

    Raises
    ------
    ValueError
        Columns differ in length, or a difference is negative.

    References
    ----------
    .. [1] KEOPS, https://github.com/paracrawl/keops, tasks/task_close.php at commit ed5255b (2025).

    Examples
    --------
    >>> control_scores([0, 0, 0], [True, True, False], [0], [0.25], n_raters=1).scores.tolist()
    [5.0]
    """
    of_check, is_right = np.asarray(checked, dtype=np.int64), np.asarray(right, dtype=bool)
    of_repeat, apart = np.asarray(repeated, dtype=np.int64), np.asarray(differences, dtype=np.float64)
    if of_check.shape != is_right.shape or of_repeat.shape != apart.shape:
        raise ValueError("Each check needs a rater and a result, and each repeat a rater and a difference.")
    if (apart < 0).any():
        raise ValueError("A difference cannot be negative.")
    everybody = np.concatenate((of_check, of_repeat))
    wrong = np.concatenate((~is_right, apart > TOLERANCE + _ROUNDING))
    controls = np.bincount(everybody, minlength=n_raters)
    missed = np.bincount(everybody[wrong], minlength=n_raters)
    raters = np.flatnonzero(controls)
    return ControlScores(raters, (controls - missed)[raters] / controls[raters] * 10, controls[raters])
