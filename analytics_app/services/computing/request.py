"""The scores that are asked for: metrics, the references or sources of texts, and the ways to split texts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Self

from django.utils.translation import gettext_lazy as _

from analytics_app.stats.metrics.reference_scores import COMPUTED, DEFAULT_TOKENIZER, tokenized

REFERENCES, SOURCE, BOTH = "references", "source", "both"
AGAINST = {
    REFERENCES: _("The references"),
    SOURCE: _("The source text"),
    BOTH: _("Both: the source text is one more reference"),
}
# What stands behind the name of a metric and in its signature.
_BEHIND = {SOURCE: "source", BOTH: "source and references"}
# The references of the items, among the keys of systems whose texts are references.
OF_ITEMS = ""
# With more references there are more than 62 choices of them, each of which takes as long as all together.
MOST_BY_NUMBER = 5


@dataclass(frozen=True, slots=True)
class Variant:
    """A metric that is computed in one of several ways, each of which has a name of its own.

    `split` is how it splits texts ("" where that is fixed), `against` what it compares them with. With `at_once` it is
    the mean over all choices of so many of `of` references.
    """

    metric: str
    split: str = ""
    against: str = REFERENCES
    at_once: int | None = None
    of: int | None = None

    @property
    def name(self) -> str:
        """Return the name: that of the metric, and behind it all that is not the default.

        Examples
        --------
        >>> Variant("BLEU", "13a").name, Variant("BLEU-2", "zh", "source").name, Variant("chrF", at_once=1, of=3).name
        ('BLEU', 'BLEU-2 (zh; source)', 'chrF (1 of 3 references)')
        """
        details = [] if self.split in {"", DEFAULT_TOKENIZER} else [self.split]
        if self.against != REFERENCES:
            details.append(_BEHIND[self.against])
        if self.at_once is not None:
            details.append(f"{self.at_once} of {self.of} references")
        return f"{self.metric} ({'; '.join(details)})" if details else self.metric

    @property
    def tokenizer(self) -> str:
        """Return the tokenizer that the metric is computed with."""
        return "char" if self.split == "asian" else self.split or DEFAULT_TOKENIZER


@dataclass(frozen=True, slots=True)
class Request:
    """The metrics that are asked for, and how they are computed.

    Each metric is computed with each of the `tokenizers` that make a difference to it, and `against` each of these:
    references, source or both. `references` are the keys of the systems whose texts are references, and "" for the
    references of the items. `by_number` also takes one reference at a time, two, and so on. With `replace`, all scores
    that the study has of these metrics are replaced.
    """

    metrics: tuple[str, ...]
    tokenizers: tuple[str, ...] = (DEFAULT_TOKENIZER,)
    against: tuple[str, ...] = (REFERENCES,)
    references: tuple[str, ...] = (OF_ITEMS,)
    by_number: bool = False
    replace: bool = False

    @classmethod
    def read(cls, given: Mapping[str, Any]) -> Self:
        """Return the request of a stored row, which may be one that an earlier version stored."""
        if "tokenizer" in given:
            own = {**given, "tokenizers": [given["tokenizer"]], "references": [given["references"]]}
            given = {name: value for name, value in own.items() if name != "tokenizer"}
        values: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value for name, value in given.items()
        }
        return cls(**values)

    @property
    def given(self) -> dict[str, Any]:
        """Return the request as a row stores it."""
        return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(self).items()}

    @property
    def systems(self) -> tuple[str, ...]:
        """Return the keys of the systems with texts that are references."""
        return tuple(key for key in self.references if key != OF_ITEMS)

    @property
    def numbers(self) -> tuple[int, ...]:
        """Return how many references are also taken at once."""
        return tuple(range(1, len(self.references))) if self.by_number else ()

    @property
    def needs_references(self) -> bool:
        """Return whether any metric is compared with references, alone or beside the source."""
        return any(against != SOURCE for against in self.against)

    @property
    def variants(self) -> tuple[Variant, ...]:
        """Return every metric in every way that is asked for, each once."""
        return tuple(dict.fromkeys(self._variants()))

    def _variants(self) -> Iterator[Variant]:
        for metric in self.metrics:
            if metric not in COMPUTED:
                yield Variant(metric)
                continue
            for tokenizer in self.tokenizers:
                split = tokenized(metric, tokenizer)
                for against in self.against:
                    yield Variant(metric, split, against)
                for number in self.numbers if REFERENCES in self.against else ():
                    yield Variant(metric, split, REFERENCES, number, len(self.references))

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names under which scores are stored."""
        return tuple(variant.name for variant in self.variants)
