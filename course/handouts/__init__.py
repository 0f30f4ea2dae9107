"""Hand-outs of the sheets: self-contained solutions and stubs, and sample decks."""
