"""The lab, which plays thousands of rounds in one run. A result's URL contains the experiment."""
