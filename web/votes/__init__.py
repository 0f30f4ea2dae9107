"""Votes: a class answers, talks it over, answers again, and sees what is right."""
