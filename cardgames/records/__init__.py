"""Records of rounds as one line of text: writing, parsing, replaying, checking and transcripts."""
