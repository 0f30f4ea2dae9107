"""What runs in the process of a student's code; it is copied there, and needs nothing else."""
