"""The sections of a study file that this app declares: each reads, checks, stores and writes its own part."""
