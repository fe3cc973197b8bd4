"""Statistics: arrays in, frozen results out. Nothing here knows Django, the database or a study."""
