"""The lab, which plays thousands of rounds in one run.

The URL of a result contains the experiment.
"""
