"""The instructor's desk: opening a class, running it, votes, and exports."""
