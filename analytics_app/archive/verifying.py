"""Verify an archive: check its files and its signature, compute its run again, compare, and come to a verdict."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from analytics_app.archive import comparing, corrections, members, recomputing, signing
from analytics_app.archive.comparing import Comparison, Difference
from analytics_app.archive.corrections import Explained
from analytics_app.archive.keys import SHORT, Trusted, day
from analytics_app.archive.reading import Archive
from analytics_app.archive.signing import Signature, State
from analytics_app.archive.verdicts import Verdict

OF_SIGNATURE = {
    State.NONE: Verdict.UNSIGNED,
    State.TRUSTED: Verdict.PUBLISHED,
    State.UNKNOWN_KEY: Verdict.UNKNOWN_KEY,
    State.COMPROMISED_KEY: Verdict.DISTRUSTED_KEY,
    State.RETIRED_KEY: Verdict.DISTRUSTED_KEY,
    State.WRONG: Verdict.ALTERED,
}
# What stands on a badge of an address, which its site chose.
MOST_LETTERS = 60
NOTHING = Comparison(0, 0, (), ())


@dataclass(frozen=True, slots=True)
class Finding:
    """The findings about an archive.

    `faults` are of files, `differences` of what was computed again, less those that corrections explain. `versions`
    says which libraries differ.
    """

    name: str
    signature: Signature
    faults: Sequence[str]
    comparison: Comparison = NOTHING
    differences: Sequence[Difference] = ()
    explained: Sequence[Explained] = ()
    versions: Sequence[str] = field(default=())

    @property
    def verdict(self) -> Verdict:
        """The verdict: a number that differs weighs more than a signature, and a signature more than a file."""
        if self.differences:
            return Verdict.DIFFERS
        if self.signature.state == State.WRONG:
            return Verdict.ALTERED
        if self.faults:
            return Verdict.DIFFERS
        return Verdict.CORRECTED if self.explained else OF_SIGNATURE[self.signature.state]

    @property
    def n_differences(self) -> int:
        """The number of differences and faults."""
        return sum(difference.n for difference in self.differences) + len(self.faults)

    @property
    def summary(self) -> str:
        """Return the verdict with its counts and the omissions, for the badge and the first line of the command."""
        counted = f"{counts(self.comparison.n_numbers, 'number')}, {counts(self.comparison.n_ratings, 'rating')}"
        parts = [f"{self.verdict.words}{self._by()}: {counted if self.comparison is not NOTHING else 'not computed'}"]
        if self.verdict == Verdict.DIFFERS:
            parts = [f"{self.verdict.words}: {counts(self.n_differences, 'difference')}"]
        if n_explained := sum(len(explained.differences) for explained in self.explained):
            parts.append(f"{counts(n_explained, 'number')} corrected since")
        if self.comparison.omissions:
            parts.append(f"not compared: {', '.join(map(str, self.comparison.omissions))}")
        return printable("; ".join(parts))

    def _by(self) -> str:
        """Return the publisher of the archive, if the key is known; claims of an unknown key are not repeated here."""
        if self.verdict != Verdict.PUBLISHED:
            return ""
        retired = "" if self.signature.retired is None else f", retired on {day(self.signature.retired)}"
        site = self.signature.claims["site"][:MOST_LETTERS] or "its site"
        return f" by {site} (key {self.signature.fingerprint[:SHORT]}{retired})"

    def details(self) -> Iterator[str]:
        """Yield the lines after the first: signature, omissions, corrections, versions, differences."""
        yield from map(printable, self._details())

    def _details(self) -> Iterator[str]:
        yield self._signed()
        for omission in self.comparison.omissions:
            names = ", ".join(omission.names)
            yield f"Not compared: {omission} ({names})." if names else f"Not compared: {omission}."
        for explained in self.explained:
            correction, n = explained.correction, len(explained.differences)
            yield f"Known correction in evalweb {correction.since}, {counts(n, 'number')}: {correction.sentence}"
        yield from (f"Different version: {line}" for line in self.versions)
        yield from self.signature.faults
        yield from self.faults
        yield from (difference.sentence for difference in self.differences)

    def _signed(self) -> str:
        """Return a sentence about the signature."""
        claims, state = self.signature.claims, self.signature.state
        if state == State.NONE:
            return "The archive has no signature."
        if not claims:
            return "The archive has a signature that is not valid."
        by = f"{claims['site'] or 'a site without an address'} on {claims['created']} with the key {claims['key']}"
        if state == State.UNKNOWN_KEY:
            return (
                f"The signature claims to be made by {by}. If that key is on the page “Keys of archives” of that site, "
                "give it with --key."
            )
        end = {
            State.COMPROMISED_KEY: ", which was declared compromised",
            State.RETIRED_KEY: ", which had been retired before",
            State.WRONG: ", and altered since",
        }
        return f"Signed by {by}{end.get(state, '')}."

    def report(self) -> dict[str, Any]:
        """Return the finding for programs."""
        return {
            "archive": self.name,
            "verdict": self.verdict.name.lower(),
            "colour": self.verdict.colour.name.lower(),
            "exit_code": self.verdict.exit_code,
            "summary": self.summary,
            "numbers": self.comparison.n_numbers,
            "ratings": self.comparison.n_ratings,
            "not_compared": [
                {"n": omission.n, "what": omission.plural, "names": list(omission.names)}
                for omission in self.comparison.omissions
            ],
            "signature": {"state": self.signature.state.value, **self.signature.claims},
            "corrections": [
                {"name": explained.correction.name, "numbers": len(explained.differences)}
                for explained in self.explained
            ],
            "differences": [
                *self.signature.faults,
                *self.faults,
                *(difference.sentence for difference in self.differences),
            ],
            "other_versions": list(self.versions),
        }


def verify(path: Path, trusted: Trusted) -> Finding:
    """Verify an archive against the keys that the reader trusts, in a database that is empty.

    Raises
    ------
    analytics_app.archive.reading.BadArchive
        Where it cannot be read, or its run cannot be computed.
    """
    archive = Archive.open(path)
    # A zip that programs read differently has no content that could be compared.
    if odd := list(members.faults(archive.zip)):
        is_signed = bool(signing.OWN & set(archive.zip.namelist()))
        return Finding(path.name, Signature(State.WRONG if is_signed else State.NONE, {}), odd)
    digests = archive.digests()
    signature = _signature(archive, digests, trusted)
    faults = list(archive.faults(digests))
    if archive.misses_files:
        return Finding(path.name, signature, faults)
    versions = list(archive.versions_now())
    recomputing.prepare()
    loaded = recomputing.load(archive)
    run = recomputing.compute(loaded.run)
    comparison = comparing.compare(archive, run, further=loaded.further)
    differences, explained = corrections.explain(comparison.differences, run, loaded.code_version)
    return Finding(path.name, signature, faults, comparison, differences, explained, versions)


def _signature(archive: Archive, digests: Mapping[str, tuple[int, str]], trusted: Trusted) -> Signature:
    """Return the signature of an archive, as checked."""
    files = {name: archive.small(name) for name in signing.OWN & set(digests)}
    others = {name: digest for name, digest in digests.items() if name not in signing.OWN}
    return signing.check(files, others, trusted)


def counts(n: int, noun: str) -> str:
    """Return a number with its noun."""
    return f"{n:,} {noun}{'' if n == 1 else 's'}"


def printable(text: str) -> str:
    """Return a line without signs that steer a terminal: names and values come from an archive that anybody made."""
    return "".join(letter if letter.isprintable() else "�" for letter in text)
