"""The pages of the assignment sheets: tasks, decks, commands, and students' own classes."""
