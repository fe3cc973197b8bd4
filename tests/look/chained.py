"""Texts with chains of mentions, written with brackets: [1 Ada] saw [2 [1 her] cat]."""

import re

from tasks_app.task_types.highlights import Highlight

MARKED = {
    "en": (
        "[1 The old ferryman] had told [2 [1 his] daughter] that [3 the river] would rise. [2 She] did not believe "
        "[1 him], but when [3 it] reached [4 the doors of [5 the village]], [2 [1 his] daughter and "
        "[6 [2 her] dog]] were gone. [5 The people there] waited with [1 the old man] on [4 the roofs].",
        "[1 The old ferryman] had told [2 his daughter] that [3 the river] would rise. [1 She] did not believe "
        "[1 him], but when [3 it] reached [4 the doors of [5 the village]], [2 his daughter and "
        "[6 her dog]] were gone. [5 The people there] waited with [2 the old man] on [4 the roofs].",
    ),
    "ar": (
        "قالت [1 الطبيبة] إن [2 [1 مريضها] الأول] سيعود غدًا، لكن [2 الرجل] لم يأت، و[1 هي] انتظرت [2 ه] حتى المساء.",
        "قالت [1 الطبيبة] إن [2 مريضها الأول] سيعود غدًا، لكن [1 الرجل] لم يأت، و[1 هي] انتظرت [2 ه] حتى المساء.",
    ),
}


def chained(marked: str) -> tuple[str, tuple[Highlight, ...]]:
    """Return a text without its brackets, and the mentions that they mark."""
    text, stack, mentions = "", [], []
    for token in re.findall(r"\[\w+ |\]|[^\[\]]+", marked):
        if token.startswith("["):
            stack.append((len(text), token[1:-1]))
        elif token == "]":
            start, chain = stack.pop()
            mentions.append(Highlight(start, len(text), chain))
        else:
            text += token
    return text, tuple(sorted(mentions, key=lambda one: (one.start, -one.end)))
