"""Bingo between the creator of a deal link and the first visitor who opens the link."""
