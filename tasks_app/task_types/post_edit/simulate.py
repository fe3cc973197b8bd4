"""A simulated editor: the worse a text, the more of its words change places."""

import re
from random import Random

from tasks_app.task_types.base import Quality, Screen
from tasks_app.task_types.post_edit.form import start_of, text_name
from tasks_app.task_types.simulation import share_of

# Number of words in ten that move in the worst text.
MOST_MOVED = 3

SECONDS_A_WORD = 0.7
SECONDS_A_MOVE = 3
KEYS_A_MOVE = 14


def simulated(screen: Screen, quality: Quality, rng: Random) -> dict[str, str]:
    """Return the data of a post. A straight-liner chooses the first text and changes nothing."""
    shares = {shown.position: share_of(shown.part.text, "choice", quality, rng) for shown in screen.shown_parts}
    # All texts are equally good to a straight-liner: the first is chosen.
    position = max(shares, key=lambda place: shares[place])
    start = start_of(screen.shown_parts[position - 1].part)
    pieces = _pieces(start)
    words = (len(pieces) + 1) // 2
    lazy = quality is Quality.STRAIGHT_LINER
    moves = 0 if lazy else round((1 - shares[position]) * words * MOST_MOVED / 10)
    text = _moved(pieces, moves, rng)
    moves = moves if text != start else 0
    seconds = SECONDS_A_WORD * words * (0.2 if lazy else 1) + SECONDS_A_MOVE * moves
    answer = {text_name(position): text, "keystrokes": str(KEYS_A_MOVE * moves), "seconds": f"{seconds:.1f}"}
    if len(screen.parts) > 1:
        answer["choice"] = str(position)
    if text == start:
        answer["unchanged"] = "on"
    return answer


def _pieces(text: str) -> list[str]:
    """Return words with the space between them; characters where the script sets no space between words."""
    words = re.split(r"(\s+)", text)
    return words if len(words) > 1 else re.split("()", text)[2:-2]


def _moved(pieces: list[str], moves: int, rng: Random) -> str:
    """Let words change places with their neighbours; the text stays as long as it was."""
    moved = list(pieces)
    places = range(0, len(moved) - 2, 2)
    for place in rng.sample(places, min(moves, len(places))):
        moved[place], moved[place + 2] = moved[place + 2], moved[place]
    return "".join(moved)
