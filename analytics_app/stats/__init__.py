"""Statistics: arrays in, frozen results out, without Django, database or studies."""
