"""Code shared by several tests; this package contains no tests."""
