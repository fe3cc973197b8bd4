"""A study that is made once for the tests of a module."""

from tests.builders import build_study
from tests.once import study_made_once

study_once, study = study_made_once("study", build_study)
