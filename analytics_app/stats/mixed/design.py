"""Random terms of a crossed design, and which of them it can tell apart."""

from dataclasses import dataclass

from analytics_app.stats.values import Codes, Floats, compressed

# In this order a term stays where a later one forms the same groups.
_ORDER = ("item", "cluster", "rater", "system_item", "rater_system", "cluster_system")

_WORDS = {
    "item": "items",
    "system_item": "systems by item",
    "rater": "raters",
    "rater_system": "raters by system",
    "cluster": "documents",
    "cluster_system": "documents by system",
}


@dataclass(frozen=True, slots=True)
class Design:
    """Ratings with a value, and the groups of their random terms.

    Parameters
    ----------
    values : ndarray of float, shape (n,)
    system, item, rater : ndarray of int, shape (n,)
        Codes without gaps; `system` numbers the systems that have ratings.
    cluster : ndarray of int, shape (n,), or None
    groups : dict of str to ndarray of int, shape (n,)
        Codes without gaps of the groups of each term that the model has.
    left_out : dict of str to str
        Terms that the model does not have, with the reason.
    """

    values: Floats
    system: Codes
    item: Codes
    rater: Codes
    cluster: Codes | None
    groups: dict[str, Codes]
    left_out: dict[str, str]

    @property
    def n_systems(self) -> int:
        """Number of systems that have ratings."""
        return int(self.system.max()) + 1


def combined(first: Codes, second: Codes) -> Codes:
    """Return codes without gaps of the combinations of two codes.

    Examples
    --------
    >>> import numpy as np
    >>> combined(np.array([0, 0, 5]), np.array([1, 2, 1])).tolist()
    [0, 1, 2]
    """
    return compressed(first * (int(second.max()) + 1) + second)[1]


def design(values: Floats, system: Codes, item: Codes, rater: Codes, cluster: Codes | None) -> Design:
    """Return the design of at least one rating, with the terms that it can tell apart.

    A term is left out where it has one group, where each rating is a group of its own, where no system is in two of
    its groups, and where its groups are those of another term.
    """
    system, item, rater = (compressed(codes)[1] for codes in (system, item, rater))
    groups = {
        "item": item,
        "rater": rater,
        "system_item": combined(item, system),
        "rater_system": combined(rater, system),
    }
    if cluster is not None:
        cluster = compressed(cluster)[1]
        groups |= {"cluster": cluster, "cluster_system": combined(cluster, system)}
    estimable: dict[str, Codes] = {}
    left_out: dict[str, str] = {}
    for name in (name for name in _ORDER if name in groups):
        reason = _why_not(name, groups[name], system, estimable)
        if reason is None:
            estimable[name] = groups[name]
        else:
            left_out[name] = reason
    return Design(values, system, item, rater, cluster, estimable, left_out)


def _why_not(name: str, group: Codes, system: Codes, estimable: dict[str, Codes]) -> str | None:
    words, size = _WORDS[name], int(group.max()) + 1
    if size == 1:
        return f"There is only one of the {words}, so they cannot vary."
    if size == group.size:
        return f"There is one rating for each of the {words}, so they cannot be told from the residual."
    if int(combined(system, group).max()) == int(system.max()):
        return f"No system has two of the {words}, so they cannot be told from the systems."
    for other, codes in estimable.items():
        if size == int(codes.max()) + 1 == int(combined(codes, group).max()) + 1:
            return f"The {words} form the same groups as the {_WORDS[other]}, so the two cannot be told apart."
    return None
