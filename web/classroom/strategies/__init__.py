"""Strategy charts that the students of a class hand in, and what each of them is worth."""
