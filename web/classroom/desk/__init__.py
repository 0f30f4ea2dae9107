"""What an instructor does: open a class, run it, ask it, and take its figures away."""
