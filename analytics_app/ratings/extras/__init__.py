"""Further data that some rules and analyses need in addition to the ratings, one module per kind.

It is loaded once for a part of a run, and only the kinds that a rule or an analysis of that run declares in `needs`.
"""

from analytics_app.ratings.extras.base import Extra, Extras, Loading, registry

registry.discover(__name__)

__all__ = ["Extra", "Extras", "Loading", "registry"]
