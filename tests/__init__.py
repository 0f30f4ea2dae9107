"""The test suite, which ``make test`` runs."""
