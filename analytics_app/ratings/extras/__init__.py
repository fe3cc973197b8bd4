"""Further data that some rules and analyses need beside the ratings, one module for each kind.

It is loaded once for a part of a run, and only what a rule or an analysis of that run declares in `needs`.
"""

from analytics_app.ratings.extras.base import Extra, Extras, Loading
from analytics_app.ratings.extras.registry import registry

registry.discover(__name__)

__all__ = ["Extra", "Extras", "Loading", "registry"]
