"""The lab: thousands of rounds at once, asked for by an address, which has the result."""
