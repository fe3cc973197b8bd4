"""Section 3.1: number of outputs, their selection, and the power of the sample."""

from collections.abc import Iterator
from math import ceil

from analytics_app.heds.filling.facts import TEXTS, Facts, Proposal, counted, proposal
from analytics_app.heds.filling.texts import UnitSizes
from tasks_app.selectors.routing import ON_REQUEST
from tasks_app.selectors.screens import Frame
from tasks_app.setup.detectable import TaskSize, smallest_difference

AT_RANDOM, STRATIFIED = 1, 2
PLAN = "from the plan"


def proposals(facts: Facts) -> dict[str, Proposal]:
    """Return proposals for the questions about the sample."""
    return dict([*_outputs(facts), *_selection(facts), *_power(facts)])


def _outputs(facts: Facts) -> Iterator[tuple[str, Proposal]]:
    numbers = sorted(set(facts.outputs.values()))
    if len(numbers) == 1:
        yield "3.1.1", proposal(TEXTS, numbers[0])
    elif numbers:
        yield "3.1.1", proposal(TEXTS, ", ".join(f"{key}: {n}" for key, n in facts.outputs.items()))


def _selection(facts: Facts) -> Iterator[tuple[str, Proposal]]:
    drawing = facts.drawing
    if drawing is None:
        return
    words = (
        f"{counted(drawing['items'], 'item')} of {drawing['from_items']:,} ({drawing['rows']:,} of "
        f"{drawing['from_rows']:,} outputs) were drawn with seed {drawing['seed']}"
    )
    if drawing["by"]:
        shares = "the same number" if drawing["equal"] else "the same share"
        words += f", {shares} from each stratum of {str(drawing['by']).replace('_', ' ')}"
        if strata := drawing.get("strata"):
            sizes = (f"{name or 'none'}: {n}" for name, n in strata.items())
            words += f" ({', '.join(sizes)})"
    yield "3.1.2", proposal("from the sample drawn here", f"{words}.", STRATIFIED if drawing["by"] else AT_RANDOM)


def _power(facts: Facts) -> Iterator[tuple[str, Proposal]]:
    drawn = [frame for frame in facts.main if frame.task.design not in ON_REQUEST]
    sentences = {facts.called(frame): smallest_difference(_size(facts, frame)) for frame in drawn}
    lines = [
        f"{title}: {sentence}" if len(sentences) > 1 else sentence for title, sentence in sentences.items() if sentence
    ]
    if lines:
        yield "3.1.3.1", proposal(PLAN, "Smallest difference that the planned sample finds with 80 % power at 0.05.")
        yield "3.1.3.2", proposal(PLAN, "\n".join(lines))
        yield (
            "3.1.3.3",
            proposal(PLAN, "evalweb, analytics_app/services/smallest_difference.py; docs/methods/planning.md"),
        )


def _size(facts: Facts, frame: Frame) -> TaskSize:
    """Return the size of a task, counted from its units as the set-up counts before they exist."""
    task, size = frame.task, facts.sizes.get(frame.task.pk, UnitSizes())
    k = float(task.k)
    if task.k_more and task.k_more_share:
        k += (task.k_more - task.k) * task.k_more_share
    return TaskSize(
        kind=frame.kind,
        items=size.items,
        systems=size.systems,
        units=size.units,
        per_text=k * size.parts / size.texts if size.texts else 0.0,
        judgments=round(size.units * k),
        raters=ceil(size.units * k / max(1, task.set_size)),
    )
