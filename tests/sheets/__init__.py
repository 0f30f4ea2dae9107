"""Tests of the sheets' programs and classes, in one module per sheet."""
