"""Tests of the sheets' own programs and classes, a folder a sheet."""
