"""The history of a player's rounds, and replays that can be shared."""
