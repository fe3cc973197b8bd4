"""The parts that designs share: rounds, classes, positions and documents, as pure functions."""
