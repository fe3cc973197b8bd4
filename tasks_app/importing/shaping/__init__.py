"""The shape of files: paths into cells and nested JSON, files joined, columns split; then a table like any other."""
