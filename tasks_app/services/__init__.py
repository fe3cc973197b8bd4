"""Writes, by subject: each a function that runs in one transaction, called alike by pages, API, jobs and commands."""
