"""Formats that tools and shared tasks publish ratings in, read by their names: texts, ratings and questions.

`readers` has a module for each format. What a reader collects is written as a study file with its ratings, in
evalweb's own form, so that nobody maps columns. `apart` does it in a process of its own; `studies` stores the result.
"""
