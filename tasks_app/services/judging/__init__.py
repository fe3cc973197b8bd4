"""What a rater does: claiming sets, answering, checks and their grading, leases, the next screen."""
