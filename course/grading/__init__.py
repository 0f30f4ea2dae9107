"""Grading of a student's files against the numbered requirements of a sheet.

A requirement is a numbered sentence in a sheet's ``requirements.md``. A check tests a student's
files against one requirement. The student's code runs in a new process for each check, with limits,
and under bubblewrap if that is installed. Another process compares the results with the expected
ones.
"""
