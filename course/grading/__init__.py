"""Grading of a student's files against the numbered requirements of a sheet.

A requirement is a numbered sentence in a sheet's ``requirements.md``. A check tests a student's
files against one requirement. Each check runs the student's code in a new process with limits, and
under bubblewrap if it is installed. Another process compares the results with the expected results.
"""
