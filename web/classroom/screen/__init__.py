"""The big screen of a class."""
