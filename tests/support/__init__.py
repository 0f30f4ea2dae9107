"""Code that several tests share; this package contains no tests."""
