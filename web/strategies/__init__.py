"""Strategy charts: students hand them in, and see what each is worth."""
