"""Tests. tests/conftest.py holds the cast, tests/servers.py the servers every test runs against."""
