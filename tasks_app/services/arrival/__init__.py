"""From a stranger with a link to a rater with a set: enrolment, invitations, groups, platforms."""
