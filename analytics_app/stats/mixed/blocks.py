"""Effects of items, eliminated from the sums of a crossed design: ratings summed by cells and patterns of cells."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analytics_app.stats.mixed.design import Design, combined
from analytics_app.stats.values import Codes, Floats

RATER_TERMS = ("rater", "rater_system")

# Numbers of an array that are multiplied at once: 16 MB.
_AT_ONCE = 2_000_000
# Patterns with more cells than this, and than this many for each column, are summed up.
_FEW_CELLS, _ENOUGH_CELLS = 32, 0.25
# Below this share of columns in the ratings of a cell a sparse product costs less than a dense one.
_SPARSE = 0.05
# From this share of columns in the ratings of an item a dense product costs less than a sparse one.
_DENSE = 0.1


def inverted(matrices: Floats) -> Floats:
    """Return the inverses of matrices, shape (..., n, n)."""
    return np.asarray(np.linalg.inv(matrices), dtype=np.float64)


@dataclass(frozen=True, slots=True)
class Layout:
    """Where the ratings of a design stand: in cells (items of a system) of blocks (items, or documents).

    Parameters
    ----------
    column : ndarray of int, shape (n,)
        Rater by system of each rating.
    block, slot : ndarray of int, shape (n,)
        Block of each rating, and the place of its cell in the block.
    which : ndarray of int, shape (n_blocks,)
        Pattern of each block: the numbers of ratings, items and systems of its cells.
    counts, items, systems : ndarray of int, shape (n_patterns, n_slots)
        The patterns; items are numbered within a block, and -1 stands behind the last cell.
    is_summed : ndarray of bool, shape (n_patterns,)
        Patterns whose blocks are summed up once for all variance ratios.
    """

    column: Codes
    block: Codes
    slot: Codes
    which: Codes
    counts: Codes
    items: Codes
    systems: Codes
    is_summed: NDArray[np.bool_]

    @property
    def n_columns(self) -> int:
        """Number of raters by systems."""
        return int(self.column.max()) + 1

    @property
    def n_cells_apart(self) -> int:
        """Number of cells, those that pad blocks included, that are multiplied anew for each variance ratio."""
        return int(np.count_nonzero(~self.is_summed[self.which]) * self.counts.shape[1])

    @property
    def n_ratings_apart(self) -> int:
        """Number of ratings in these cells."""
        return int(np.count_nonzero(~self.is_summed[self.which[self.block]]))

    @property
    def is_sparse(self) -> bool:
        """Return whether the cells that are multiplied anew are sparse matrices."""
        return bool(self.n_ratings_apart < _SPARSE * self.n_cells_apart * self.n_columns)

    @property
    def n_entries(self) -> int:
        """Numbers of eight bytes that the sums of a design take."""
        n = self.n_columns
        return self.n_cells_apart * n + int(np.count_nonzero(self.is_summed)) * n**2

    @property
    def work(self) -> float:
        """Multiplications of the cells for one deviance; one of a sparse matrix counts as many of a dense one."""
        n = self.n_columns
        return n * (self.n_ratings_apart / _SPARSE if self.is_sparse else self.n_cells_apart * n)


def layout(design: Design) -> Layout:
    """Lay out the ratings of a design.

    A pattern is summed up if its cells are of different systems and there are enough of them: the sums of few would
    take more memory and time than the cells themselves.
    """
    column = combined(design.rater, design.system)
    cell = combined(design.item, design.system)
    first = np.zeros(int(cell.max()) + 1, dtype=np.intp)
    first[cell] = np.arange(cell.size)
    item, system = design.item[first], design.system[first]
    block = item if design.cluster is None else design.cluster[first]
    slot, item_within = _places(block, item, system)
    n_blocks, n_slots = int(block.max()) + 1, int(slot.max()) + 1
    pattern = np.full((n_blocks, 3, n_slots), -1, dtype=np.intp)
    pattern[:, 0] = 0
    pattern[block, 0, slot] = np.bincount(cell)
    pattern[block, 1, slot], pattern[block, 2, slot] = item_within, system
    shapes, which = np.unique(pattern.reshape(n_blocks, -1), axis=0, return_inverse=True)
    which = which.reshape(-1)
    counts, items, systems = np.moveaxis(shapes.reshape(-1, 3, n_slots), 1, 0)
    is_summed = np.zeros(len(shapes), dtype=bool)
    if design.cluster is None:
        n_cells = np.bincount(which) * np.count_nonzero(counts, axis=1)
        is_summed = n_cells > max((int(column.max()) + 1) * _ENOUGH_CELLS, _FEW_CELLS)
    return Layout(column, block[cell], slot[cell], which, counts, items, systems, is_summed)


@dataclass(frozen=True, slots=True)
class Eliminated:
    """The sums of a design without the effects of the items, for one set of variance ratios.

    Parameters
    ----------
    gram : ndarray, shape (q + 1, q + 1)
        K'H^-1 K for K = [M y], with H the covariance of what items share over the residual variance.
    inverse : ndarray, shape (n_patterns, n_slots, n_slots)
        (I + Sigma N)^-1 of each pattern.
    log_determinant : float
        log |H|.
    """

    gram: Floats
    inverse: Floats
    log_determinant: float


@dataclass(frozen=True, slots=True)
class _Summed:
    """The products of all blocks of a pattern, if its cells are of different systems.

    A column (rater by system) then meets one cell of a block, `slots[column]`, so that the products of the columns of
    all pairs of cells fit into one matrix.

    Parameters
    ----------
    pattern : int
    slots : ndarray of int, shape (q,)
    columns : ndarray, shape (q, q)
        Sums over blocks of M'M, cells of a block taken together.
    with_values : ndarray, shape (n_slots, q)
        Sums over blocks of the values of a cell times the ratings of a column.
    of_values : ndarray, shape (n_slots, n_slots)
        Sums over blocks of the values of two cells.
    """

    pattern: int
    slots: Codes
    columns: Floats
    with_values: Floats
    of_values: Floats


class Blocks:
    """The cells (items of a system) of a design by blocks: items, or documents.

    H is block diagonal, and H^-1 differs from the identity by a small matrix between the cells of a block. Blocks with
    the same pattern of cells share that matrix, so that the products of their columns are summed up once for all
    variance ratios. Blocks of rare patterns, and documents, are multiplied anew for each.

    Parameters
    ----------
    design : Design
    layout : Layout
    y : ndarray, shape (n,)
        Values, centred and scaled.
    """

    def __init__(self, design: Design, layout: Layout, y: Floats) -> None:
        self.names = tuple(name for name in design.groups if name not in RATER_TERMS)
        column, q = layout.column, layout.n_columns
        self._gram = np.zeros((q + 1, q + 1))
        self._gram[np.arange(q), np.arange(q)] = np.bincount(column)
        self._gram[q, :q] = self._gram[:q, q] = np.bincount(column, y)
        self._gram[q, q] = y @ y
        self._times = np.bincount(layout.which).astype(np.float64)
        self._counts = layout.counts.astype(np.float64)
        self._kernels = self._shared(layout.items, layout.systems)
        self._summed = [_summed(number, design, layout, y) for number in np.flatnonzero(layout.is_summed).tolist()]
        self._lay_out(layout, y)

    def _shared(self, items: Codes, systems: Codes) -> list[Floats]:
        """Return which cells of each pattern share an effect, for each term: (n_patterns, n_slots, n_slots)."""
        shape = (*items.shape, items.shape[1])
        kernels = {
            "item": items[:, :, np.newaxis] == items[:, np.newaxis],
            "system_item": np.broadcast_to(np.eye(shape[1], dtype=bool), shape),
            "cluster": np.ones(shape, dtype=bool),
            "cluster_system": systems[:, :, np.newaxis] == systems[:, np.newaxis],
        }
        return [kernels[name].astype(np.float64) for name in self.names]

    def _lay_out(self, layout: Layout, y: Floats) -> None:
        """Lay out the cells of blocks that are not summed up, (n_chosen, n_slots, q + 1), equal patterns together."""
        chosen = np.flatnonzero(~layout.is_summed[layout.which])
        chosen = chosen[np.argsort(layout.which[chosen], kind="stable")]
        self._which = layout.which[chosen]
        self._is_sparse = layout.is_sparse
        place = np.full(layout.which.size, -1)
        place[chosen] = np.arange(chosen.size)
        ratings = np.flatnonzero(place[layout.block] >= 0)
        n_slots, width = self._counts.shape[1], len(self._gram)
        at = (place[layout.block[ratings]] * n_slots + layout.slot[ratings]) * width
        places, numbers = np.r_[at + layout.column[ratings], at + width - 1], np.r_[np.ones(ratings.size), y[ratings]]
        sums = np.bincount(places, numbers, chosen.size * n_slots * width)
        self._cells: Floats = sums.astype(np.float64, copy=False).reshape(chosen.size, n_slots, width)

    def eliminated(self, ratios: Floats) -> Eliminated:
        """Eliminate the effects of items at variance ratios, which begin with those of `names`."""
        n_patterns, m = self._counts.shape
        shared = np.zeros((n_patterns, m, m))
        for kernel, ratio in zip(self._kernels, ratios, strict=False):
            shared += ratio * kernel
        system = np.eye(m) + shared * self._counts[:, np.newaxis]
        _signs, logs = np.linalg.slogdet(system)
        inverse = inverted(system)
        weights = inverse @ shared
        gram = self._gram.copy()
        for blocks, which in self._parts():
            flat = self._flat(blocks)
            gram -= flat.T @ (weights[which] @ blocks).reshape(flat.shape)
        for block in self._summed:
            own = weights[block.pattern][block.slots]
            gram[:-1, :-1] -= block.columns * own[:, block.slots]
            with_values = np.einsum("ia,ai->i", own, block.with_values)
            gram[:-1, -1] -= with_values
            gram[-1, :-1] -= with_values
            gram[-1, -1] -= (weights[block.pattern] * block.of_values).sum()
        return Eliminated((gram + gram.T) / 2, inverse, float(logs @ self._times))

    def _parts(self) -> Iterator[tuple[Floats, Codes]]:
        """Yield the cells, (n_blocks, n_slots, q + 1), and patterns of as many blocks as are multiplied at once."""
        blocks = self._cells
        step = max(1, _AT_ONCE // (blocks.shape[1] * blocks.shape[2]))
        for start in range(0, len(blocks), step):
            yield blocks[start : start + step], self._which[start : start + step]

    def _flat(self, blocks: Floats) -> Any:
        """Return cells as a matrix of cells by columns, sparse where most are 0."""
        flat = blocks.reshape(-1, blocks.shape[2])
        if not self._is_sparse:
            return flat
        from scipy.sparse import csr_array  # noqa: PLC0415  lazy import: web processes never need it

        return csr_array(flat)

    def slopes(self, inverse: Floats, removed: Floats, rest: Floats) -> tuple[list[float], list[float]]:
        """Return tr(P ZZ') and y'P ZZ' Py of each term of `names`.

        Parameters
        ----------
        inverse : ndarray, shape (n_patterns, n_slots, n_slots)
            From `eliminated`.
        removed : ndarray, shape (q, q)
            What raters and systems take from the precision: P = H^-1 - H^-1 M removed M'H^-1.
        rest : ndarray, shape (q + 1,)
            The residual is H^-1 K rest.
        """
        if not self._kernels:
            return [], []
        between, outer = np.zeros_like(inverse), np.zeros_like(inverse)
        for blocks, which in self._parts():
            starts = np.r_[0, np.flatnonzero(np.diff(which)) + 1]
            counts = blocks[:, :, :-1]
            products = (self._flat(counts) @ removed).reshape(counts.shape) @ counts.transpose(0, 2, 1)
            between[which[starts]] += np.add.reduceat(products, starts, axis=0)
            vectors = blocks @ rest
            outer[which[starts]] += np.add.reduceat(vectors[:, :, np.newaxis] * vectors[:, np.newaxis], starts, axis=0)
        for block in self._summed:
            slots = np.eye(inverse.shape[1])[block.slots]
            between[block.pattern] = slots.T @ ((block.columns * removed) @ slots)
            own = slots * rest[:-1, np.newaxis]
            mixed = block.with_values @ own
            outer[block.pattern] = own.T @ (block.columns @ own) + mixed + mixed.T + block.of_values
        turned = inverse.transpose(0, 2, 1)
        between, outer = turned @ between @ inverse, turned @ outer @ inverse
        own_traces = (self._counts[:, :, np.newaxis] * inverse).transpose(0, 2, 1) * self._times[
            :, np.newaxis, np.newaxis
        ]
        return (
            [float((kernel * (own_traces - between)).sum()) for kernel in self._kernels],
            [float((kernel * outer).sum()) for kernel in self._kernels],
        )


def _places(block: Codes, item: Codes, system: Codes) -> tuple[Codes, Codes]:
    """Return the place of each cell in its block, in the order of items and systems, and the place of its item."""
    order = np.lexsort((system, item, block))
    starts = np.r_[0, np.flatnonzero(np.diff(block[order])) + 1]
    lengths = np.diff(np.r_[starts, block.size])
    slot, item_within = np.zeros(block.size, dtype=np.intp), np.zeros(block.size, dtype=np.intp)
    slot[order] = np.arange(block.size) - np.repeat(starts, lengths)
    running = np.cumsum(np.r_[False, np.diff(item[order]) != 0])
    item_within[order] = running - np.repeat(running[starts], lengths)
    return slot, item_within


def _summed(pattern: int, design: Design, layout: Layout, y: Floats) -> _Summed:
    """Sum up the products of the blocks of one pattern."""
    from scipy.sparse import csr_array  # noqa: PLC0415  lazy import: web processes never need it

    chosen = np.flatnonzero(layout.which[layout.block] == pattern)
    column, slot, q = layout.column[chosen], layout.slot[chosen], layout.n_columns
    slots = np.zeros(q, dtype=np.intp)
    slots[column] = slot
    items, block = np.unique(layout.block[chosen], return_inverse=True)
    n_slots = layout.counts.shape[1]
    values = np.bincount(block * n_slots + slot, y[chosen], items.size * n_slots).astype(np.float64, copy=False)
    values = values.reshape(items.size, n_slots)
    ratings = csr_array((np.ones(chosen.size), (block, column)), shape=(items.size, q))
    if chosen.size < _DENSE * items.size * q:
        columns = (ratings.T @ ratings).toarray()
    else:
        columns = np.zeros((q, q))
        step = max(1, _AT_ONCE // q)
        for start in range(0, items.size, step):
            part = ratings[start : start + step].toarray()
            columns += part.T @ part
    return _Summed(pattern, slots, columns, np.asarray(ratings.T @ values).T, values.T @ values)
