"""What a class gets wrong at the tables, and at which price."""
