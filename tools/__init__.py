"""What makes, measures and sets up: nothing of it runs on the server."""
