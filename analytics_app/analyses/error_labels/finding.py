"""The finding that the tests of error labels support."""

from analytics_app.analyses.shared.label_findings import of_labels
from analytics_app.show.findings import finding_of

finding_of("error_labels", "label_difference", "label_difference_crossed", order=20)(of_labels)
