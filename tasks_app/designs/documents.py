"""The documents design: a rater reads whole documents in order, each by one system or by all."""

from collections.abc import Iterator, Mapping, Sequence
from random import Random

from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _

from tasks_app.designs import registry
from tasks_app.designs.balance import measure
from tasks_app.designs.base import Design, Plan, PlanImpossible, PlanSettings, PlanUnit
from tasks_app.designs.engine.drawing import refuse_bad_input
from tasks_app.designs.engine.equitable import Colouring
from tasks_app.designs.engine.pieces import Document, Kind, documents_of, pack
from tasks_app.settings.fields import YesNoField
from tasks_app.settings.orders import latin_orders
from tasks_app.settings.study import Block


@registry.register
class Documents(Design):
    """A booklet holds whole documents, the items of each in order; `set_size` is the most units it may have.

    By default a booklet has a document by one system only, and which system that is takes turns: documents differ by
    one at most in how many booklets they are in, and systems, counted by document, in every prefix of the booklets.
    With `all_systems` a rater reads a document by all its systems, one after the other, in orders balanced by Latin
    squares. Counted by unit, systems are as even as the lengths of documents let them be.

    The systems are less even where documents lack some. An item of no document is a document of its own. Spacing has
    no say, for the order is the point.
    """

    label = _("Whole documents")
    margins = ("unit", "document", "system by document")
    keeps_order = True
    by_document = True

    all_systems = YesNoField(
        label=_("All systems of a document to one rater"),
        help_text=_(
            "One system after the other, or side by side where a page shows a whole document. Otherwise a rater reads "
            "a document by one system only."
        ),
    )

    class Settings(Block):
        """The systems by which one rater reads a document."""

    def in_words(self, set_size: int) -> str:
        """Describe how sets were drawn."""
        reading = (
            "by all systems, one system after the other in balanced orders"
            if self.all_systems
            else "each by one system, and the systems were balanced over the sets"
        )
        return f"Raters judged whole documents in the order of their texts, {reading}"

    def promised(self, units: Sequence[PlanUnit], settings: PlanSettings) -> tuple[str, ...]:
        """Return all margins where every document is due by the same systems, else those of units and documents."""
        due_units = [unit for unit in units if unit.k > 0]
        alike = len({unit.k for unit in due_units}) == 1 == len({unit.document is None for unit in due_units})
        try:
            kinds = {tuple(sorted(document.pieces)) for document in documents_of(due_units)} if alike else set()
        except PlanImpossible:
            return self.margins
        whole = len(kinds) == 1 and not any(number for some in kinds for _systems, number in some)
        return self.margins if whole else ("unit", "document")

    def draw(self, units: Sequence[PlanUnit], settings: PlanSettings, rng: Random) -> Plan:
        """Return booklets of whole documents."""
        refuse_bad_input(units, settings)
        documents = documents_of([unit for unit in units if unit.k > 0])
        self._refuse_long(documents, settings)
        plan = _all_systems(documents, settings, rng) if self.all_systems else _one_system(documents, settings, rng)
        self._check(plan, units, settings)
        return plan

    def _refuse_long(self, documents: Sequence[Document], settings: PlanSettings) -> None:
        longest = max(documents, key=lambda document: document.whole if self.all_systems else document.length)
        needed = longest.whole if self.all_systems else longest.length
        if needed <= settings.set_size:
            return
        first = next(iter(longest.pieces.values()))[0]
        sentence = _("The document “{document}” has {n} units, too many for a set of {set_size}.")
        if self.all_systems:
            sentence = _("The document “{document}” by all systems has {n} units, too many for a set of {set_size}.")
        name = first.document or first.item or first.key
        reason = format_lazy(sentence, document=name, n=needed, set_size=settings.set_size)
        advice = format_lazy(_("Choose a set size of {n}."), n=needed)
        raise PlanImpossible(format_lazy("{} {}", reason, advice), {"set_size": needed})

    def _check(self, plan: Plan, units: Sequence[PlanUnit], settings: PlanSettings) -> None:
        """Raise RuntimeError unless the plan keeps every promise."""
        balance = measure(plan, units)
        broken = [margin for margin in self.promised(units, settings) if max(balance.spread(margin)) > 1]
        if broken or not balance.complete:
            raise RuntimeError(
                f"The design of documents drew a plan that breaks its promises: uneven {broken}, "
                f"missing {balance.missing}, beyond k {balance.beyond_k}, repeated {balance.repeated}."
            )


def _one_system(documents: Sequence[Document], settings: PlanSettings, rng: Random) -> Plan:
    """Return booklets that hold a document by one system only: the systems of a document change from layer to layer."""
    lengths = [document.length for document in documents]
    rounds = range(1, max(units[0].k for document in documents for units in document.pieces.values()) + 1)
    layers: list[list[int]] = []
    groups: list[tuple[int, int]] = []
    due = {(turn, number): document.due(turn) for turn in rounds for number, document in enumerate(documents)}
    for turn in rounds:
        for layer in range(max(len(due[turn, number]) for number in range(len(documents)))):
            layers.append([number for number in range(len(documents)) if len(due[turn, number]) > layer])
            groups += [(turn, number) for number in layers[-1]]
    packed = pack(layers, lengths, settings.set_size, rng)
    return _coloured(documents, packed, due, rng)


def _coloured(
    documents: Sequence[Document],
    packed: Sequence[Sequence[int]],
    due: Mapping[tuple[int, int], Sequence[Kind]],
    rng: Random,
) -> Plan:
    """Return booklets with a system for each of their documents."""
    kinds = {kind: c for c, kind in enumerate(sorted({kind for due_kinds in due.values() for kind in due_kinds}))}
    names = list(kinds)
    # The pieces of each document, round by round; inside a round they may change places.
    queues = {number: _in_rounds(due, number, rng) for number in range(len(documents))}
    drawn = [(booklet, number, next(queues[number])) for booklet, numbers in enumerate(packed) for number in numbers]
    rounds = {group: n for n, group in enumerate(due)}
    colouring = Colouring(
        [kinds[kind] for _booklet, _number, (_turn, kind) in drawn],
        [rounds[turn, number] for _booklet, number, (turn, _kind) in drawn],
        [booklet for booklet, _number, _piece in drawn],
        rng,
    )
    colours = colouring.level()
    lengths = [documents[number].length for _booklet, number, _piece in drawn]
    if len(set(lengths)) > 1:
        colours = colouring.lean(lengths)
    plan: list[list[tuple[PlanUnit, ...]]] = [[] for _ in packed]
    for (booklet, number, _piece), colour in zip(drawn, colours, strict=True):
        plan[booklet].append(documents[number].pieces[names[colour]])
    for booklet_pieces in plan:
        rng.shuffle(booklet_pieces)
    return [tuple(unit for piece in pieces for unit in piece) for pieces in plan]


def _in_rounds(due: Mapping[tuple[int, int], Sequence[Kind]], number: int, rng: Random) -> Iterator[tuple[int, Kind]]:
    for (turn, other), kinds in due.items():
        if other == number:
            yield from ((turn, kind) for kind in rng.sample(kinds, len(kinds)))


def _all_systems(documents: Sequence[Document], settings: PlanSettings, rng: Random) -> Plan:
    """Return booklets that hold documents by all their systems."""
    rounds = range(1, max(units[0].k for document in documents for units in document.pieces.values()) + 1)
    layers = [[number for number, document in enumerate(documents) if document.due(turn)] for turn in rounds]
    packed = pack(layers, [document.whole for document in documents], settings.set_size, rng)
    orders: dict[tuple[Kind, ...], Iterator[tuple[int, ...]]] = {}
    turns = dict.fromkeys(range(len(documents)), 0)
    plan: Plan = []
    for numbers in packed:
        booklet: list[PlanUnit] = []
        for number in rng.sample(numbers, len(numbers)):
            turns[number] += 1
            kinds = tuple(sorted(documents[number].due(turns[number])))
            if kinds not in orders:
                orders[kinds] = latin_orders(len(kinds), rng)
            for index in next(orders[kinds]):
                booklet += documents[number].pieces[kinds[index]]
        plan.append(tuple(booklet))
    return plan
