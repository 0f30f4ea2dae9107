"""Tests of the One-deck sheet. Each names first the requirements that it covers."""
