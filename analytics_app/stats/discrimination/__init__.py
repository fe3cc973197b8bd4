"""The triangle test: whether people can tell two products apart, and how many can."""
