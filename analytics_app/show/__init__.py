"""How results are shown: tables and their cells, rows found by what they are about, and what statistics are called.

Below analyses, which declare their own tables with these pieces.
"""
