"""Settings of studies, tasks and checks, declared once, and what follows from them for one rater."""
