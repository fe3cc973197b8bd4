"""The process that searches: reads a task from standard input, and writes one line of JSON for each search.

Run by its path, with its limit of memory as argument; see searching.py. It imports nothing of ours.
"""

import json
import resource
import sys
import time

import regex

SLOW, MEMORY = "slow", "memory"
LEAST_SECONDS = 0.001


def counts(pattern: str, texts: list[str], end: float, *, every: bool) -> list[int] | str:
    """Count the matches of a pattern in each text (at most one but for `every`), or return why that is impossible."""
    n_matches: list[int] = []
    try:
        compiled = regex.compile(pattern, cache_pattern=False)
        for text in texts:
            left = max(end - time.monotonic(), LEAST_SECONDS)
            matches = compiled.finditer(text, timeout=left)
            n_matches.append(sum(1 for _match in matches) if every else int(next(matches, None) is not None))
    except TimeoutError:
        return SLOW
    except MemoryError:
        return MEMORY
    return n_matches


def groups(pattern: str, texts: list[str], end: float) -> list[dict[str, str] | None] | str:
    """Return the named groups of a pattern that fits each text as a whole, None where it does not fit."""
    groups_of_texts: list[dict[str, str] | None] = []
    try:
        compiled = regex.compile(pattern, cache_pattern=False)
        for text in texts:
            matched = compiled.fullmatch(text, timeout=max(end - time.monotonic(), LEAST_SECONDS))
            groups_of_texts.append({} | matched.groupdict("") if matched is not None else None)
    except TimeoutError:
        return SLOW
    except MemoryError:
        return MEMORY
    return groups_of_texts


def main() -> None:
    """Do the task, within the memory that the argument allows."""
    limit, seconds = map(int, sys.argv[1:])
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    if sys.platform == "linux":  # other systems know this limit and do not keep it
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    task = json.loads(sys.stdin.buffer.read())
    end = time.monotonic() + task["seconds"]
    for pattern, every in task["searches"]:
        answer = (
            groups(pattern, task["texts"], end) if every is None else counts(pattern, task["texts"], end, every=every)
        )
        sys.stdout.write(f"{json.dumps(answer)}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
