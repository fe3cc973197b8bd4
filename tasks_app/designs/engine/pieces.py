"""Cut documents into pieces, each by the same systems throughout, and pack the pieces into booklets."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random

from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _

from tasks_app.designs.base import PlanImpossible, PlanUnit

# The kind of a piece of a document: its systems, and a number where an item has several units by the same systems.
Kind = tuple[tuple[str, ...], int]


@dataclass(frozen=True, slots=True)
class Document:
    """A document with its pieces, each in the order of the items."""

    pieces: Mapping[Kind, tuple[PlanUnit, ...]]

    def due(self, turn: int) -> list[Kind]:
        """Return the pieces that need a judgment in that round."""
        return [kind for kind, units in self.pieces.items() if units[0].k >= turn]

    @property
    def length(self) -> int:
        """Units in the longest piece."""
        return max(map(len, self.pieces.values()))

    @property
    def whole(self) -> int:
        """Units in all pieces."""
        return sum(map(len, self.pieces.values()))


def documents_of(units: Sequence[PlanUnit]) -> list[Document]:
    """Return the documents of the units; an item of no document is one of its own. Raises PlanImpossible."""
    by_document: dict[tuple[str, str], list[PlanUnit]] = {}
    for unit in units:
        by_document.setdefault(_name(unit), []).append(unit)
    return [_document(document_units) for document_units in by_document.values()]


def _name(unit: PlanUnit) -> tuple[str, str]:
    if unit.document is not None:
        return "document", unit.document
    return ("item", unit.item) if unit.item is not None else ("unit", unit.key)


def _document(units: Sequence[PlanUnit]) -> Document:
    _refuse_shared(units)
    pieces: dict[Kind, list[PlanUnit]] = {}
    times: Counter[tuple[tuple[str, ...], str | None]] = Counter()
    for unit in sorted(units, key=lambda unit: unit.position):
        kind = unit.systems, times[unit.systems, unit.item]
        times[unit.systems, unit.item] += 1
        pieces.setdefault(kind, []).append(unit)
    for piece in pieces.values():
        for unit in piece:
            if unit.k != piece[0].k:
                sentence = _(
                    "k is {k} for “{unit}” and {n} for “{other}”, but both belong to one document, "
                    "which is judged as a whole. Ask for the same number of judgments for all units of a "
                    "document."
                )
                raise PlanImpossible(format_lazy(sentence, unit=unit.key, k=unit.k, other=piece[0].key, n=piece[0].k))
    return Document({kind: tuple(piece) for kind, piece in pieces.items()})


def _refuse_shared(units: Sequence[PlanUnit]) -> None:
    """Refuse a text that stands for several systems in a document where these differ elsewhere."""
    parts = {frozenset(part): unit for unit in units for part in unit.shape}
    for part, unit in parts.items():
        if len(part) > 1 and any(part & other and part != other for other in parts):
            sentence = _(
                "In the item “{item}” a text is shared by {systems}, and in other items of its document they differ, "
                "so that no whole document by one system can be shown. Switch on “keep identical outputs apart” "
                "(keep_identical)."
            )
            shared = ", ".join(sorted(part))
            raise PlanImpossible(format_lazy(sentence, item=unit.item or unit.key, systems=shared))


def pack(layers: Sequence[Sequence[int]], lengths: Sequence[int], size: int, rng: Random) -> list[list[int]]:
    """Return documents in booklets of `size` places at most, no document twice in one, and layer by layer.

    A layer holds some documents once. In each the documents have an order at random, and the next booklet takes the
    first that still fits; where none does, or it has those that are left, it is closed. So a document is in a booklet
    for the n-th time only when the booklets before and this one hold all documents of the layer before.
    """
    booklets: list[list[int]] = []
    booklet: list[int] = []
    room = size
    for layer in layers:
        left = rng.sample(layer, len(layer))
        while left:
            fits = next((number for number in left if lengths[number] <= room and number not in booklet), None)
            if fits is None:
                booklets.append(booklet)
                booklet, room = [], size
            else:
                left.remove(fits)
                booklet.append(fits)
                room -= lengths[fits]
    return [*booklets, booklet] if booklet else booklets
