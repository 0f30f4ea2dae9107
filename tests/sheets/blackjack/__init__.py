"""Tests of the Blackjack mini-project. Each names first the requirements that it covers."""
