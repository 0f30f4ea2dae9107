"""Strategy charts that the students of a class hand in, and the rating of each of them."""
