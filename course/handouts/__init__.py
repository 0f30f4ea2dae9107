"""Hand-outs of the sheets: solutions and stubs that run alone, and sample decks."""
