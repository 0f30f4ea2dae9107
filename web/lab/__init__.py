"""The lab, which plays thousands of rounds in one run. Its URL contains the experiment."""
