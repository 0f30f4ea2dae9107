"""Tests of the sheets' own programs and classes, in one module per sheet."""
