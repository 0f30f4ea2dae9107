"""The lab: thousands of rounds in one run, whose URL shows the result."""
