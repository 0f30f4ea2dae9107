"""Grades a student's own files against the numbered requirements of their sheet.

A requirement is a numbered sentence of a sheet's ``requirements.md``; a check tries one of them on
a student's files. The student's code runs in a fresh process for each check, with limits, and under
bubblewrap where that is installed; what is expected of it is judged in another process.
"""
