"""Contracts that every member of a registry keeps, and rules of the house that no linter knows."""
