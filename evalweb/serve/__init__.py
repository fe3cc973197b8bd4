"""`make run`: everything on one machine, from the private servers to the rater links (`python -m evalweb.serve`)."""
