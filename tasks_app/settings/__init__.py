"""Settings of studies, tasks and checks, declared once, and the values that follow from them for one rater."""
