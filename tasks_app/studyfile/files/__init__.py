"""The files of a study file: folders, zips, tables, YAML and media, read with the place of every value; and written."""
