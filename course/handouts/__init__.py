"""Hand-outs of the sheets: solutions and stubs that stand alone, deck files, transcripts."""
