"""What is put behind a program with a fault, to see what else fails by that."""
