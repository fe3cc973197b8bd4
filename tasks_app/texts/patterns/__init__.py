"""Regular expressions that people write: bounded before they are compiled, and searched for in a process of their own.

A pattern is a program, and whoever may write one could write one that takes all memory when it is compiled (nested
repeats are written out), or all time and memory when it is searched for (backtracking). Every pattern that is not a
literal of our code goes through this package; tests/house/test_patterns.py refuses any other way.
"""

from tasks_app.texts.patterns.bounds import BadPattern, check
from tasks_app.texts.patterns.literals import any_of
from tasks_app.texts.patterns.searching import Search, TooHeavy, counts, groups

__all__ = ["BadPattern", "Search", "TooHeavy", "any_of", "check", "counts", "groups"]
