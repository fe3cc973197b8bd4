"""The texts of a study that is set up: reads, writes, samples, and an uploaded file."""
