"""The work of a rater: claiming sets, answering, checks and their grading, leases, the next screen."""
