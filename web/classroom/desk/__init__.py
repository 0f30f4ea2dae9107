"""The instructor's desk: opening a class, running it, asking it questions, and its exports."""
