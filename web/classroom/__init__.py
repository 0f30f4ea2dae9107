"""The classroom."""
