"""Static files under names that hold a hash of their content, imports between scripts included."""

from whitenoise.storage import CompressedManifestStaticFilesStorage


class StaticStorage(CompressedManifestStaticFilesStorage):  # type: ignore[misc]  # WhiteNoise ships no types
    """WhiteNoise's storage that also rewrites imports of ES modules.

    Without it an upgrade could mix a new script with an old one that it imports.
    """

    support_js_module_import_aggregation = True
