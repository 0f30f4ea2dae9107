"""What was played: history, and replays that can be sent on."""
