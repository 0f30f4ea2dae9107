"""What was played: history, replays that can be sent on, and seals to check."""
