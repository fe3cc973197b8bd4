"""The progress of a study's fieldwork: its tasks and units, its pace, its raters and the points where they leave.

A page reads all of it in six queries, whatever the size of the study: `tasks`, `pace`, and four for `raters`.
"""
