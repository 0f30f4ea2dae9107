"""Tests of the War notebook. Each names first the requirements that it covers."""
