"""Tests of the Simple 21 sheet. Each names first the requirements that it covers."""
