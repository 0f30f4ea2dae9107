"""Tests of the Bingo sheet. Each names first the requirements that it covers."""
