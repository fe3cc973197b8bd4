"""The study's proposals for its datasheet, computed from its rows on each request."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from analytics_app.heds.filling import criteria, design, evaluators, sample, systems
from analytics_app.heds.filling.facts import Facts, Proposal, facts_of
from tasks_app.models import Study

__all__ = ["Known", "Proposal", "known_of"]


@dataclass(frozen=True, slots=True)
class Known:
    """The proposals of a study by the number of the question, and for questions about criteria by the criterion's key.

    `names` are the names of the criteria by their keys, in the order of the study.
    """

    answers: Mapping[str, Proposal] = field(default_factory=dict)
    criterion_answers: Mapping[str, Mapping[str, Proposal]] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)


def known_of(study: Study) -> Known:
    """Return the proposals of a study for its datasheet."""
    facts = facts_of(study)
    return Known(
        answers={
            **systems.proposals(facts),
            **sample.proposals(facts),
            **evaluators.proposals(facts),
            **design.proposals(facts),
        },
        criterion_answers={about.key: criteria.proposals(facts, about) for about in facts.criteria},
        names=_names(facts),
    )


def _names(facts: Facts) -> dict[str, str]:
    """Return the criteria's names; those that share a name have their key beside it."""
    names = [about.name for about in facts.criteria]
    return {
        about.key: about.name if names.count(about.name) == 1 else f"{about.name} ({about.key})"
        for about in facts.criteria
    }
