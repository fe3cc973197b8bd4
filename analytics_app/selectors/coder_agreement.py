"""Agreement of the two coders of free-text answers."""

from collections.abc import Sequence
from dataclasses import dataclass

from analytics_app.stats.agreement.kappa import cohen_kappas
from analytics_app.stats.values import Estimate
from tasks_app.selectors.coding import Coding


@dataclass(frozen=True, slots=True)
class CodeAgreement:
    """Agreement of two coders on a code: Cohen's kappa, and the numbers of answers with it by both, one or neither."""

    name: str
    kappa: Estimate
    both: int
    one_only: int
    other_only: int
    neither: int


def agreement_of(coding: Coding) -> list[CodeAgreement]:
    """Return the agreement on each code, where each answer has the code or has not."""
    agreements = []
    for name in coding.names:
        by_coder = [[int(name in codes[answer.pk]) for answer in coding.answers] for codes in coding.by_coder]
        pairs = list(zip(*by_coder, strict=True))
        counts = [pairs.count(pair) for pair in ((1, 1), (1, 0), (0, 1), (0, 0))]
        agreements.append(CodeAgreement(name, _kappa(by_coder, [0, 1]), *counts))
    return agreements


def overall_of(coding: Coding) -> Estimate:
    """Return Cohen's kappa over whole answers: coders agree on an answer if they gave it exactly the same codes."""
    sets = [[frozenset(codes[answer.pk]) for answer in coding.answers] for codes in coding.by_coder]
    known = {
        code_set: number
        for number, code_set in enumerate(dict.fromkeys(code_set for of_coder in sets for code_set in of_coder))
    }
    return _kappa([[known[code_set] for code_set in of_coder] for of_coder in sets], list(known.values()))


def _kappa(by_coder: Sequence[Sequence[int]], domain: Sequence[int]) -> Estimate:
    n = len(by_coder[0])
    (pair,) = cohen_kappas(
        [*by_coder[0], *by_coder[1]], [*range(n), *range(n)], [0] * n + [1] * n, domain=domain, min_shared=2
    ).pairs
    return pair.estimate
