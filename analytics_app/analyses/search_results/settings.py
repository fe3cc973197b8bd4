"""Settings of the analysis of search results: labels with gains, and cut-offs."""

from typing import Any

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from tasks_app.settings.fields import LineField

MOST_CUTOFFS, DEEPEST, MOST_GAIN = 6, 1000, 1e6


class GainsField(LineField):
    """Gains of labels, "label=gain", one per line, in their normal spelling."""

    def clean(self, value: Any) -> str:
        """Refuse lines that give no label a gain, and a label with two gains."""
        return "\n".join(f"{label}={gain:g}" for label, gain in gains_of(super().clean(value)).items())


def gains_of(text: str) -> dict[str, float]:
    """Return the gain of each label that has one. Raises ValidationError with the line of a problem."""
    gains: dict[str, float] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        label, gain = _label_and_gain(line)
        if gain is None or not label:
            sentence = _("Line %(line)s: write label=gain with a gain of at least 0, such as Relevant=2.")
            raise ValidationError(sentence % {"line": number}, code="no_gain")
        if label in gains:
            sentence = _("Line %(line)s: “%(label)s” has a gain already.")
            raise ValidationError(sentence % {"line": number, "label": label}, code="two_gains")
        gains[label] = gain
    return gains


def _label_and_gain(line: str) -> tuple[str, float | None]:
    label, _sign, number = line.rpartition("=")
    try:
        gain = float(number)
    except ValueError:
        return label.strip(), None
    return label.strip(), gain if 0 <= gain <= MOST_GAIN else None


class CutoffsField(LineField):
    """Numbers of first results with commas between them, in ascending order, each once."""

    def clean(self, value: Any) -> str:
        """Refuse a text that is no list of whole numbers, and more numbers than fit into tables."""
        words = str(super().clean(value)).replace(",", " ").split()
        if not all(word.isascii() and word.isdigit() and 1 <= int(word) <= DEEPEST for word in words):
            sentence = _("Write whole numbers from 1 to %(most)s with commas between them, such as 1, 3, 5, 10.")
            raise ValidationError(sentence % {"most": DEEPEST}, code="no_cutoffs")
        numbers = sorted({int(word) for word in words})
        if len(numbers) > MOST_CUTOFFS:
            sentence = _("At most %(n)s cut-offs can be computed.")
            raise ValidationError(sentence % {"n": MOST_CUTOFFS}, code="many_cutoffs")
        return ", ".join(map(str, numbers))


def cutoffs_of(text: str) -> list[int]:
    """Return the cut-offs of a setting."""
    return [int(number) for number in text.split(",")]
