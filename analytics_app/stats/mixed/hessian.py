"""Ratings by item and rater, and the second derivative of their density by the random effects of items and raters."""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from analytics_app.stats.values import Codes, Floats, compressed

if TYPE_CHECKING:
    from scipy.sparse import csr_array

# Numbers of a dense matrix that are held at once for leverages: 16 MiB.
_CHUNK = 2**21


@dataclass(frozen=True)
class Texts:
    """Texts that have ratings, and the ratings in the order of their texts.

    `item` and `system` of each text; `code` of each rating's text; `order` puts ratings in the order of texts, where
    those of text t stand from `begins[t]` to `begins[t + 1]`; `columns` are the two of each rating in this order.
    """

    item: Codes
    system: Codes
    code: Codes
    order: Codes
    begins: Codes
    columns: Codes


@dataclass(frozen=True)
class Ratings:
    """Ratings as codes from 0 without gaps, shape (n,) each, and the number of systems."""

    step: Codes
    system: Codes
    item: Codes
    rater: Codes
    n_systems: int

    @property
    def n(self) -> int:
        """The number of ratings."""
        return int(self.step.size)

    @cached_property
    def n_steps(self) -> int:
        """The number of steps."""
        return int(self.step.max()) + 1

    @cached_property
    def n_items(self) -> int:
        """The number of items."""
        return int(self.item.max()) + 1

    @cached_property
    def n_raters(self) -> int:
        """The number of raters."""
        return int(self.rater.max()) + 1

    @cached_property
    def rater_system(self) -> Codes:
        """A code for each rater and system that occur together."""
        return compressed(self.rater * self.n_systems + self.system)[1]

    @cached_property
    def columns(self) -> Codes:
        """The column of each random effect of each rating, shape (4, n).

        The columns of an item and of the systems on it stand together, so that their block of the Hessian can be
        inverted alone; the columns of raters, and of raters with a system, follow.
        """
        own = self.item * (1 + self.n_systems)
        first = self.n_items * (1 + self.n_systems)
        return np.stack([own, own + 1 + self.system, first + self.rater, first + self.n_raters + self.rater_system])

    @property
    def n_of_items(self) -> int:
        """The number of columns of items and of systems on items."""
        return self.n_items * (1 + self.n_systems)

    @cached_property
    def n_of_raters(self) -> int:
        """The number of columns of raters, and of raters with a system."""
        return self.n_raters + int(self.rater_system.max()) + 1

    @cached_property
    def of_raters(self) -> Codes:
        """The columns of each rating's rater, and of the rater with the system, counted from 0, shape (2, n)."""
        return self.columns[2:] - self.n_of_items

    @cached_property
    def texts(self) -> Texts:
        """The ratings by text, a system on an item."""
        known, code = compressed(self.item * self.n_systems + self.system)
        order = np.argsort(code, kind="stable")
        begins = np.concatenate([[0], np.cumsum(np.bincount(code))])
        return Texts(
            known // self.n_systems, known % self.n_systems, code, order, begins, self.of_raters[:, order].T.ravel()
        )

    @cached_property
    def n_columns(self) -> int:
        """The number of all columns."""
        return self.n_of_items + self.n_of_raters


def sums(places: Codes, numbers: Floats, n: int) -> Floats:
    """Return the sum of the numbers at each of n places."""
    return np.bincount(places, weights=numbers, minlength=n).astype(np.float64, copy=False)


class Hessian:
    """Minus the second derivative of the log density by the standardised random effects.

    With A for items and systems on them, C for raters and raters with a system, and B between the two, it is
    [[A, B], [B', C]]. A has one block an item, an arrow whose inverse is known, so that items are eliminated exactly.
    The rest is the Schur complement C - B' A^-1 B, as large as there are raters and raters with a system: one product
    of a row for each item with itself, and one of a sparse row for each text.
    """

    def __init__(self, given: Ratings, sd: Floats, weight: Floats) -> None:
        self.given, self.sd, self.weight = given, sd, weight
        n_items, n_systems = given.n_items, given.n_systems
        cell = given.item * n_systems + given.system
        by_cell = sums(cell, weight, n_items * n_systems).reshape(n_items, n_systems)
        self._own = 1 + sd[1] ** 2 * by_cell
        self._link = sd[0] * sd[1] * by_cell
        self._head = 1 + sd[0] ** 2 * by_cell.sum(axis=1) - (self._link**2 / self._own).sum(axis=1)
        self._heads = self._rows_of_items()
        schur = self._of_raters()
        schur -= self._heads.T @ (self._heads / self._head[:, None])
        if sd[1]:
            own = np.repeat(self._own[given.texts.item, given.texts.system], np.diff(given.texts.begins))
            schur -= (self._texts().T @ self._texts(1 / own)).toarray()
        self._factor = np.linalg.cholesky(schur)

    def _rows_of_items(self) -> Floats:
        """Return the row of B of each item, less the part that its systems take over, shape (n_items, n_of_raters)."""
        given, sd, n = self.given, self.sd, self.given.n_of_raters
        scale = sd[0] - sd[1] * (self._link / self._own)[given.item, given.system]
        places = given.item * n + given.of_raters
        numbers = self.weight * scale * sd[2:, None]
        return sums(places.ravel(), numbers.ravel(), given.n_items * n).reshape(given.n_items, n)

    def _texts(self, scale: Floats | float = 1.0) -> "csr_array":
        """Return the rows of B of the systems on items that have ratings, each rating's entries times its scale."""
        from scipy.sparse import csr_array  # noqa: PLC0415  lazy import: web processes never need it

        given, sd, texts = self.given, self.sd, self.given.texts
        numbers = (self.weight[texts.order] * scale * sd[1])[:, None] * sd[2:]
        shape = (texts.item.size, given.n_of_raters)
        return csr_array((numbers.ravel(), texts.columns, 2 * texts.begins), shape=shape)

    def _of_raters(self) -> Floats:
        """Return C: a rater has entries with the systems of this rater only."""
        given, sd, n = self.given, self.sd, self.given.n_of_raters
        rater, both = given.of_raters
        matrix = np.zeros((n, n))
        matrix[rater, both] = matrix[both, rater] = sd[2] * sd[3] * sums(both, self.weight, n)[both]
        own = sd[2] ** 2 * sums(rater, self.weight, n) + sd[3] ** 2 * sums(both, self.weight, n)
        matrix[np.diag_indices(n)] = 1 + own
        return matrix

    def _of_items(self, right: Floats) -> Floats:
        """Solve A x = right, of shape (n_of_items,)."""
        blocks = right.reshape(self.given.n_items, 1 + self.given.n_systems)
        head = (blocks[:, 0] - (self._link / self._own * blocks[:, 1:]).sum(axis=1)) / self._head
        rest = (blocks[:, 1:] - self._link * head[:, None]) / self._own
        return np.concatenate([head[:, None], rest], axis=1).ravel()

    def solve(self, right: Floats) -> Floats:
        """Return the solution for one right side of shape (n_columns,)."""
        from scipy.linalg import cho_solve  # noqa: PLC0415  lazy import: web processes never need it

        given, first = self.given, self.given.n_of_items
        upper = self._of_items(right[:first])
        lower = cho_solve((self._factor, True), right[first:] - self._across(upper, given.columns[2:], 2)[first:])
        solution: Floats = np.concatenate([upper, lower])
        across = self._across(solution, given.columns[:2], 0)[:first]
        solution[:first] -= self._of_items(across)
        return solution

    def _across(self, effects: Floats, columns: Codes, first: int) -> Floats:
        """Return B times the effects of raters (from column 0), or its transpose times those of items (from 2)."""
        others = slice(2, 4) if first == 0 else slice(0, 2)
        felt = (effects[self.given.columns[others]] * self.sd[others, None]).sum(axis=0) * self.weight
        numbers = felt * self.sd[first : first + 2, None]
        return sums(columns.ravel(), numbers.ravel(), self.given.n_columns)

    @property
    def log_det(self) -> float:
        """The logarithm of the determinant."""
        blocks = np.log(self._own).sum() + np.log(self._head).sum()
        return float(blocks + 2 * np.log(np.diag(self._factor)).sum())

    def leverages(self) -> tuple[Floats, Floats]:
        """Return z' H^-1 z of each rating, where z holds its four deviations; and the four parts of H^-1 z, (4, n).

        Only the entries of H^-1 are computed that join two effects of one rating.
        """
        ratings, sd = self.given, self.sd
        rows = self._heads / self._head[:, None]
        inverse = self._inverse()
        by_item = rows @ inverse
        at = (ratings.item, ratings.system)
        own, link, head = self._own[at], self._link[at], self._head[ratings.item]
        # Of the item's row and of the text's row of B, times the inverse: the entries of the rating's own columns.
        of_item, of_text = by_item[ratings.item, ratings.of_raters], self._of_texts(inverse)
        item = (rows * by_item).sum(axis=1)[ratings.item]
        both, text = (self._by_text(sd[2:] @ part) for part in (of_item, of_text))
        item_item = 1 / head + item
        item_text = (both - link * item_item) / own
        text_text = 1 / own + (text - 2 * link * both + link**2 * item_item) / own**2
        item_rater, text_rater = -of_item, -(of_text - link * of_item) / own
        rater, system = ratings.of_raters
        cross = inverse[rater, system]
        parts = np.stack([
            sd[0] * item_item + sd[1] * item_text + sd[2:] @ item_rater,
            sd[0] * item_text + sd[1] * text_text + sd[2:] @ text_rater,
            sd[0] * item_rater[0] + sd[1] * text_rater[0] + sd[2] * inverse[rater, rater] + sd[3] * cross,
            sd[0] * item_rater[1] + sd[1] * text_rater[1] + sd[2] * cross + sd[3] * inverse[system, system],
        ])  # fmt: skip
        leverage: Floats = sd @ parts
        return leverage, parts

    def _inverse(self) -> Floats:
        """Return the inverse of the Schur complement."""
        from scipy.linalg.lapack import dpotri  # noqa: PLC0415  lazy import: web processes never need it

        lower, _info = dpotri(self._factor, lower=1)
        inverse: Floats = np.tril(lower) + np.tril(lower, -1).T
        return inverse

    def _of_texts(self, inverse: Floats) -> Floats:
        """Return the rows of B of texts times the inverse, at the two columns of each rating, shape (2, n)."""
        ratings, texts = self.given, self.given.texts
        solved = np.zeros((2, ratings.n))
        if not self.sd[1]:
            return solved
        rows, step = self._texts(), max(1, _CHUNK // ratings.n_of_raters)
        for start in range(0, texts.item.size, step):
            chosen = texts.order[texts.begins[start] : texts.begins[min(start + step, texts.item.size)]]
            dense = rows[start : start + step] @ inverse
            solved[:, chosen] = dense[texts.code[chosen] - start, ratings.of_raters[:, chosen]]
        return solved

    def _by_text(self, by_rating: Floats) -> Floats:
        """Return, for each rating, the sum over its text of numbers times the entries of the text's row of B."""
        code = self.given.texts.code
        by_text: Floats = sums(code, self.weight * self.sd[1] * by_rating, self.given.texts.item.size)[code]
        return by_text
