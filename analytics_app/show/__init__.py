"""The display of results: tables and their cells, indexes of rows, and names of statistics.

Below analyses, which declare their own tables with these pieces.
"""
