"""What several tests need: nothing here is a test."""
