"""Pages of projects: the list, one project with the actions on all its studies, and the project of a study."""
