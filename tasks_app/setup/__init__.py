"""Setting up a study in the browser: a working document that may have gaps, checked as a study file is."""
