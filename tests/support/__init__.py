"""Code that several tests share. This package contains no tests."""
