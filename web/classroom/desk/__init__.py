"""The instructor's pages: opening a class, running it, votes and exports."""
