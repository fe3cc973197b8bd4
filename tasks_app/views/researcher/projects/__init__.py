"""Pages of projects: the list, one project with what is done to all its studies, and where a study belongs."""
