"""Tables about the units of a study that is set up: known answers, batches, and suggestions."""
