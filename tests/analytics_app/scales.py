"""Made-up tables of several questions a task: pairs of words with factors behind them, and PANAS in waves."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from analytics_app import analyses
from analytics_app.analyses.base import Common, Question, QuestionCriterion, Sample
from analytics_app.ratings import Extras, Judgments, Names, Table
from analytics_app.ratings.extras.same_questions import SameQuestions
from analytics_app.results import Row
from tasks_app import task_types
from tasks_app.task_types.base import Scale
from tasks_app.task_types.questionnaire.panas import PREFIX, WORDS

PAIRS = (
    "confusing – clear",
    "complicated – simple",
    "vague – precise",
    "stiff – lively",
    "dull – vivid",
    "cold – warm",
)
SYSTEMS = ("neural", "template", "writer")


def keys(pairs: Sequence[str] = PAIRS) -> list[str]:
    """Return the key of each pair: its second word."""
    return [pair.rpartition(" ")[2] for pair in pairs]


def table(
    values: np.ndarray,
    *,
    rater: Sequence[int],
    item: Sequence[int],
    system: Sequence[int],
    criteria: Sequence[str],
    group: Sequence[int] | None = None,
    wave: Sequence[int] | None = None,
) -> Table:
    """Make a table of judgments (rows) by criteria (columns); with no system (-1) a judgment is about no text."""
    n = len(values)
    texts = sorted({(a, b) for a, b in zip(item, system, strict=True) if b >= 0})
    part = np.array([texts.index((a, b)) if b >= 0 else -1 for a, b in zip(item, system, strict=True)], dtype=np.int32)
    there = ~np.isnan(values)
    judgment, criterion = np.nonzero(there)
    codes = np.array(rater, dtype=np.int32)
    judgments = Judgments(
        id=np.arange(n, dtype=np.int64) + 1,
        rater=codes,
        unit=np.maximum(part, 0),
        order=np.ones(n, dtype=np.int32),
        seconds=np.ones(n),
        at=np.arange(n, dtype=float),
        wave=np.array(wave if wave is not None else [1] * n, dtype=np.int32),
        group=np.array(group if group is not None else [-1] * n, dtype=np.int32),
        simulated=np.zeros(n, dtype=bool),
    )
    size = len(judgment)
    return Table(
        id=np.arange(size, dtype=np.int64) + 1,
        judgment=judgment.astype(np.int32),
        rater=codes[judgment],
        unit=judgments.unit[judgment],
        part=part[judgment],
        part_b=np.full(size, -1, dtype=np.int32),
        criterion=criterion.astype(np.int32),
        number=np.ones(size, dtype=np.int32),
        value=values[there],
        shown=np.full(size, np.nan),
        label=np.full(size, -1, dtype=np.int32),
        judgments=judgments,
        names=_names(texts, max(rater, default=-1) + 1, max(item, default=0) + 1, criteria),
    )


def _names(texts: Sequence[tuple[int, int]], n_raters: int, n_items: int, criteria: Sequence[str]) -> Names:
    """Name what the codes of a table stand for; `texts` are pairs of an item and a system."""
    units = max(len(texts), 1)
    return Names(
        raters=tuple(f"r{number}" for number in range(n_raters)),
        rater_ids=np.arange(n_raters, dtype=np.int64) + 1,
        units=tuple(f"u{number}" for number in range(units)),
        unit_ids=np.arange(units, dtype=np.int64) + 1,
        part_ids=np.arange(len(texts), dtype=np.int64) + 1,
        unit_of_part=np.arange(len(texts), dtype=np.int32),
        item_of_unit=np.array([one for one, _system in texts] or [-1], dtype=np.int32),
        criteria=tuple(criteria),
        criterion_ids=np.arange(len(criteria), dtype=np.int64) + 1,
        labels=(),
        systems=SYSTEMS,
        items=tuple(f"i{number}" for number in range(n_items)),
        document_of_item=np.full(n_items, -1, dtype=np.int32),
        documents=(),
        groups=("diary", "messages"),
        shown_part=np.arange(len(texts), dtype=np.int32),
        shown_system=np.array([one for _item, one in texts], dtype=np.int32),
        shown_item=np.array([one for one, _system in texts], dtype=np.int32),
    )


def sample(
    name: str, data: Table, asked: Sequence[QuestionCriterion], *, others: SameQuestions | None = None, **params: Any
) -> Sample:
    """Return a table as an analysis of a whole task is given it."""
    member = analyses.registry[name]
    kind = (
        "questionnaire"
        if others is not None or name in {"panas", "questions", "answers_by_group"}
        else "semantic_differential"
    )
    question = Question(
        task="main",
        task_type=kind,
        scale=Scale.ORDINAL,
        whole=True,
        criteria=tuple(replace(one, code=data.names.criterion_code(one.key)) for one in asked),
        params=task_types.registry[kind](params).params,
    )
    extras = Extras({SameQuestions: others}) if others is not None else Extras.empty(data, member.needs)
    common = Common(n_resamples=200, n_permutations=99, seed=5)
    return Sample(data, np.zeros(len(data)), question, common, "kept", extras=extras)


def rows_of(name: str, given: Sample, **settings: Any) -> list[Row]:
    """Return the rows of an analysis with its defaults, but for some settings."""
    return list(analyses.registry[name](settings).rows(given))


def only(rows: Sequence[Row], statistic: str, **columns: Any) -> Row:
    """Return the one row of a statistic that has these values."""
    found = [
        row
        for row in rows
        if row.statistic == statistic and all(getattr(row, name) == value for name, value in columns.items())
    ]
    assert len(found) == 1, (statistic, columns, len(found))
    return found[0]


def semantic(*, raters: int = 90, items: int = 20, seed: int = 1, missing: float = 0.0) -> Table:
    """Three texts a rater on six pairs with two factors: the first three, where the writer leads, and the others."""
    rng = np.random.default_rng(seed)
    rater = np.repeat(np.arange(raters), 3)
    system = np.tile(np.arange(3), raters)
    item = rng.integers(items, size=3 * raters)
    lead = np.array([[0.0, 0.2], [-0.9, 0.0], [0.8, 0.1]])
    factor = lead[system] + rng.standard_normal((3 * raters, 2)) + 0.4 * rng.standard_normal((items, 2))[item]
    loads = np.array([[1, 0], [0.9, 0], [0.9, 0.1], [0, 1], [0.1, 0.9], [0, 0.9]])
    values = factor @ loads.T + 0.7 * rng.standard_normal((3 * raters, 6))
    values = np.clip(np.round(values), -3, 3)
    values[rng.random(values.shape) < missing] = np.nan
    return table(values, rater=rater.tolist(), item=item.tolist(), system=system.tolist(), criteria=keys())


def pairs() -> tuple[QuestionCriterion, ...]:
    """Return the pairs as they are asked, on seven steps."""
    steps = tuple(float(step) for step in range(-3, 4))
    return tuple(
        QuestionCriterion(key, pair, Scale.ORDINAL, -1, steps, (-3.0, 3.0))
        for key, pair in zip(keys(), PAIRS, strict=True)
    )


def words(steps: int = 5) -> tuple[QuestionCriterion, ...]:
    """Return the words of PANAS as they are asked."""
    domain = tuple(float(step) for step in range(1, steps + 1))
    return tuple(
        QuestionCriterion(f"{PREFIX}{word}", word.capitalize(), Scale.ORDINAL, -1, domain, (1.0, float(steps)))
        for word in WORDS
    )


def moods(people: int, waves: int, *, rise: float = 0.0, seed: int = 1) -> tuple[np.ndarray, dict[str, list[int]]]:
    """Answers of people to the twenty words in waves (judgments by words); every other one is in a group that rises."""
    rng = np.random.default_rng(seed)
    person = rng.standard_normal((people, 2)) * 0.6
    columns: dict[str, list[int]] = {"rater": [], "group": [], "wave": []}
    answers = []
    for wave in range(waves):
        for one in range(people):
            group = one % 2
            mood = person[one] + rng.standard_normal(2) * 0.3 + np.array([rise * wave * group, 0])
            scores = np.repeat(mood + np.array([3.0, 2.0]), 10) + rng.standard_normal(20) * 0.8
            answers.append(np.clip(np.round(scores), 1, 5))
            columns["rater"].append(one)
            columns["group"].append(group)
            columns["wave"].append(wave + 1)
    return np.array(answers), columns


def panas_table(answers: np.ndarray, columns: dict[str, list[int]]) -> Table:
    """Make a table of answers to the words of PANAS."""
    n = len(answers)
    return table(
        answers, item=[0] * n, system=[-1] * n, criteria=[f"{PREFIX}{word}" for word in WORDS], **columns
    )  # fmt: skip
